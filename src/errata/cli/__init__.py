"""The command line: one thin module per verb, loaded when the verb is used.

Verbs of other distributions are found without a scan of entry points if this module lists them, so that a
missing one says what to install. Verbs of third parties are entry points of the group `errata.verbs`.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import click

from errata.cli.commands import Commands
from errata.errors import MissingPackageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# verb -> (section of the help, first line of the verb's help, distribution). The command is `command` in the
# module of this name: errata.cli.<verb>, or errata_server.cli.<verb> for errata-gec-server.
VERBS: dict[str, tuple[str, str, str]] = {
    "score": ("Score", "Score systems with one or many metrics.", "errata-gec"),
    "run": ("Score", "Run a system on a benchmark, and score its answers.", "errata-gec"),
    "compare": ("Score", "Compare systems: differences, intervals, p-values, power.", "errata-gec"),
    "explain": ("Score", "Show how a metric scores a sentence.", "errata-gec"),
    "report": ("Score", "Make an HTML page or figures; explore sentences.", "errata-gec"),
    "leaderboard": ("Score", "Publish systems with verified scores.", "errata-gec-studies"),
    "metrics": ("Score", "List the metrics, and the parameters of each.", "errata-gec"),
    "demo": ("Score", "Score six systems of the embedded sample, with a report.", "errata-gec"),
    "compat": ("Score", "Run as the official programs do: same arguments and output.", "errata-gec"),
    "rank": ("Judge", "Rank systems by human judgments, with clusters.", "errata-gec"),
    "judge": ("Judge", "Let a language model judge outputs.", "errata-gec"),
    "agree": ("Judge", "Show what judges did and how far they agree.", "errata-gec"),
    "campaign": ("Judge", "Collect human judgments and corrections in the browser.", "errata-gec-server"),
    "task": ("Judge", "Run a shared task with a live leaderboard.", "errata-gec-server"),
    "edits": ("Edits", "Extract, type, compare and apply edits.", "errata-gec"),
    "meta": ("Meta-evaluate", "Measure which metric agrees with people; audit metrics.", "errata-gec"),
    "replicate": ("Meta-evaluate", "Compute tables of papers again.", "errata-gec-studies"),
    "corpus": ("Corpora", "Check, count, convert, tokenise, split and sample corpora.", "errata-gec"),
    "data": ("Corpora", "List, fetch and find public corpora.", "errata-gec"),
    "correct": ("Correct", "Correct text with a shipped or trained corrector.", "errata-gec-correct"),
    "noise": ("Correct", "Estimate error profiles and make synthetic errors.", "errata-gec-correct"),
    "train": ("Correct", "Train a corrector or a quality estimator.", "errata-gec-correct"),
    "setup": ("Housekeeping", "Show the installation; complete commands; install ERRANT.", "errata-gec"),
}
# Verbs that users may try -> the command that does this.
_MOVED = {
    "plot": "report --plot NAME",
    "explore": "report --serve",
    "info": "setup info",
    "completion": "setup completion",
}
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # error numbers of a full disk
_PACKAGES = {  # where a distribution keeps its verbs
    "errata-gec": "errata",
    "errata-gec-correct": "errata_correct",
    "errata-gec-server": "errata_server",
    "errata-gec-studies": "errata_studies",
}
SECTIONS = ("Score", "Judge", "Meta-evaluate", "Edits", "Corpora", "Correct", "Housekeeping")


class Verbs(Commands):
    """All verbs, in sections of the help."""

    noun = "verb"

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*VERBS, *_other_verbs()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            entry = _other_verbs().get(cmd_name)
            return None if entry is None else cast(click.Command, entry.load())
        distribution = VERBS[cmd_name][2]
        package = _PACKAGES[distribution]
        try:
            return cast(click.Command, import_module(f"{package}.cli.{cmd_name}").command)
        except ModuleNotFoundError as error:
            if error.name != package:
                raise
        if ctx.resilient_parsing:
            return None
        raise MissingPackageError(f"`errata {cmd_name}`", distribution)

    def suggestion(self, ctx: click.Context, name: str) -> str:
        if name in _MOVED:
            return f"Did you mean 'errata {_MOVED[name]}'?"
        return super().suggestion(ctx, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section in SECTIONS:
            with formatter.section(section):
                formatter.write_dl(
                    [(verb, line) for verb, (of_verb, line, _) in VERBS.items() if of_verb == section]
                )
        others = _other_verbs()
        if others:
            with formatter.section("Installed packages"):
                formatter.write_dl([(verb, entry.value.partition(":")[0]) for verb, entry in others.items()])


def _other_verbs() -> dict[str, EntryPoint]:
    """The verbs of third parties by their names."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group="errata.verbs") if entry.name not in VERBS}


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from errata import __version__  # another distribution may have taken its place

        click.echo(f"errata {__version__}")
        ctx.exit()


@click.command(
    cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "ERRATA"}
)  # fmt: skip
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version."
)  # fmt: skip
def cli() -> None:
    """Evaluate grammatical error correction: score and rank systems, measure metrics, prepare corpora.

    `errata VERB --help` shows the common options of a verb, and --help-all shows all of them. Options can
    also be set in the environment: ERRATA_JOBS=1, ERRATA_SCORE_FORMAT=json.
    """


def _prepare_streams() -> None:
    """Make printing safe: nothing to a closed stream, UTF-8 to a pipe, to a terminal what it can show."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (until exit)
        elif isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() not in ("utf-8", "utf8"):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors=stream.errors)  # file names may be invalid text


def main(args: list[str] | None = None) -> None:
    """Run the command line; errors of the data exit with 1, of usage with 2."""
    from errata.errors import ErrataError, visible

    _prepare_streams()
    warnings.formatwarning = lambda message, *_, **__: f"warning: {visible(str(message))}\n"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an unfinished output file is removed
    if "_ERRATA_COMPLETE" in os.environ:
        from errata.cli import shell_completion  # noqa: F401 (registers the shells)
    try:
        exit_code: Any = cli.main(args=args, prog_name="errata", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ErrataError as error:
        click.echo(click.style("error: ", fg="red", bold=True) + visible(str(error)), err=True)
        sys.exit(1)
    except MemoryError as error:
        message = f"not enough memory: {error}" if str(error) else "not enough memory"
        click.echo(click.style("error: ", fg="red", bold=True) + message, err=True)
        sys.exit(1)
    except OSError as error:
        if error.errno not in _DISK_FULL and not isinstance(error, BrokenPipeError):
            raise
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # flushing the rest at exit would fail again
        if not isinstance(error, BrokenPipeError):
            click.echo(f"error: cannot write to standard output: {error.strerror}", err=True)
        sys.exit(1)
    sys.exit(exit_code if isinstance(exit_code, int) else 0)
