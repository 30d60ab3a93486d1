"""The command line: one thin file a verb, loaded when the verb is used."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import warnings
from typing import Any

import click

from errata.cli.groups import LazyGroup

# verb -> (section of the help, first line of the verb's help); the command is `command` in errata.cli.<verb>
VERBS: dict[str, tuple[str, str]] = {
    "score": ("Score", "Score systems with one or many metrics, with intervals and signatures."),
    "compare": ("Score", "Compare systems: differences, intervals, p-values, power."),
    "explain": ("Score", "Show why a sentence gets its score, or what a finding means."),
    "report": ("Score", "Make one HTML page of everything, with a sentence explorer."),
    "explore": ("Score", "Look at the sentences of a large set in the browser."),
    "plot": ("Score", "Draw a figure for a paper: SVG, PDF or PNG."),
    "demo": ("Score", "Score the six systems of the embedded sample, and make their report."),
    "compat": ("Score", "Run as the official programs do: same arguments, same output."),
    "rank": ("Judge", "Rank systems by human judgments, with rank ranges and clusters."),
    "judge": ("Judge", "Let a language model judge systems' outputs, in the formats of human judgments."),
    "agree": ("Judge", "Show what judges did and how far they agree."),
    "campaign": ("Judge", "Collect human judgments and corrections in the browser."),
    "task": ("Judge", "Run a shared task: submissions, hidden gold, a live leaderboard."),
    "edits": ("Edits", "Extract, type, compare and apply edits."),
    "meta": ("Meta-evaluate", "Measure which metric agrees with people; audit a metric."),
    "replicate": ("Meta-evaluate", "Compute the tables of papers again, beside the published figures."),
    "corpus": ("Corpora", "Check, count, convert, tokenise, split and sample corpora."),
    "data": ("Corpora", "List, fetch and find public corpora."),
    "correct": ("Correct", "Correct text with a shipped or trained corrector."),
    "noise": ("Correct", "Estimate error profiles and make synthetic errors."),
    "train": ("Correct", "Train a Transformer corrector or a quality estimator by a recipe."),
    "setup": ("Housekeeping", "Install what official metrics need: `errata setup errant`."),
    "completion": ("Housekeeping", "Print or install completion for bash, zsh or fish."),
    "info": ("Housekeeping", "Show versions, kernels, data folder and installed extras."),
}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # what writing fails with on a full disk
SECTIONS = ("Score", "Judge", "Meta-evaluate", "Edits", "Corpora", "Correct", "Housekeeping")


class Verbs(LazyGroup):
    """All verbs, in sections of the help."""

    word = "verb"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section in SECTIONS:
            rows = [(verb, text) for verb, (place, text) in VERBS.items() if place == section]
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from errata import __version__

        click.echo(f"errata {__version__}")
        ctx.exit()


@click.command(
    cls=Verbs, prefix="", table={verb: text for verb, (_, text) in VERBS.items()},
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "ERRATA"},
)  # fmt: skip
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version."
)
def cli() -> None:
    """errata evaluates grammatical error correction: it scores systems with the field's official metrics,
    and prepares and checks the corpora this needs.

    Options can also be set in the environment: ERRATA_JOBS=1, ERRATA_SCORE_FORMAT=json.
    """


def _prepare_streams() -> None:
    """Let all be printed: to a closed stream nothing, to a pipe UTF-8, to a terminal what it can show."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (as long as we run)
        elif isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() not in ("utf-8", "utf8"):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors=stream.errors)  # names of files may be no text


def main(args: list[str] | None = None) -> None:
    """Run the command line; errors of the data exit with 1, of usage with 2."""
    from errata.errors import ErrataError, visible

    _prepare_streams()
    warnings.formatwarning = lambda message, *_, **__: f"warning: {visible(str(message))}\n"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an unfinished output file is removed
    if "_ERRATA_COMPLETE" in os.environ:
        from errata.cli import completing  # noqa: F401 (registers the shells)
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
        told = f"not enough memory: {error}" if str(error) else "not enough memory"
        click.echo(click.style("error: ", fg="red", bold=True) + told, err=True)
        sys.exit(1)
    except OSError as error:
        if error.errno not in _FULL and not isinstance(error, BrokenPipeError):
            raise
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # what is left would fail again at exit
        if not isinstance(error, BrokenPipeError):
            click.echo(f"error: cannot write to standard output: {error.strerror}", err=True)
        sys.exit(1)
    sys.exit(exit_code if isinstance(exit_code, int) else 0)
