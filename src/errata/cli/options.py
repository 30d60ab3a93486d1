"""Options that many verbs share, and how their results reach the user."""

from __future__ import annotations

import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from errata.tables import FORMATS, Table, render_all

Options = Callable[[Callable[..., Any]], Callable[..., Any]]


class Number(click.types.FloatParamType):
    """A float of the command line; NaN, which no comparison finds too small or too large, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class NumberRange(click.FloatRange):
    """A float within bounds, which NaN is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        return float(super().convert(Number().convert(value, param, ctx), param, ctx))


def together(*options: Options) -> Options:
    """Several options as one decorator; the help shows them in this order."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


def formats_option(*more: str) -> Options:
    """`--format` and `--output`: how tables are printed and where to; a verb may know `more` formats."""
    return together(
        click.option(
            "--format", "-f", "format_", type=click.Choice([*FORMATS, *more]), default="table",
            show_default=True, help="How to print tables.",
        ),
        click.option(
            "--output", "-o", type=click.Path(dir_okay=False), default="-",
            help="File to write to; - is stdout.",
        ),
    )  # fmt: skip


def completes(name: str) -> Callable[[click.Context, click.Parameter, str], Any]:
    """A function of `errata.cli.completing`, which is loaded when a shell asks."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> Any:
        from errata.cli import completing

        return getattr(completing, name)(context, parameter, incomplete)

    return complete


def _default_jobs(context: click.Context, parameter: click.Parameter, value: int) -> int:
    """Makes the number the default of the whole run: resampling, too, keeps to it."""
    if value:
        os.environ["ERRATA_JOBS"] = str(value)
    return value


format_option = formats_option()
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Random seed."
)
jobs_option = click.option(
    "--jobs", "-j", type=click.IntRange(min=0), default=0, envvar="ERRATA_JOBS", callback=_default_jobs,
    help="Threads; 0 uses every core. The result is the same.",
)  # fmt: skip
quiet_option = click.option("--quiet", "-q", is_flag=True, envvar="ERRATA_QUIET", help="No progress bar.")
run_options = together(seed_option, jobs_option, quiet_option, format_option)


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--engine` and `--address`: where the work of a stream is done."""
    from errata.engine import ENGINES

    options = together(
        click.option(
            "--engine", "engine_name", type=click.Choice(ENGINES), default="threads", show_default=True,
            help="Execution backend: threads, processes (--jobs of them) or a Ray cluster. Same result.",
        ),
        click.option(
            "--address", help="Address of a Ray cluster: ray://HOST:PORT, HOST:PORT, auto. [default: local]"
        ),
    )  # fmt: skip
    return options(function)


def keep_inputs(*outputs: str | None) -> None:
    """Stop before a result replaces a file that the command reads: `errata score gold.m2 A.txt -o A.txt`.

    A value may name several files, and something else before them: `NAME=FILE,FILE`.
    """
    context = click.get_current_context(silent=True)
    values = [] if context is None else list(context.params.values())
    named = [each for value in values for each in (value if isinstance(value, tuple) else (value,))]
    texts = [each for each in named if isinstance(each, str)]
    given = [name for each in texts for name in {each, *each.rpartition("=")[2].split(",")}]
    files = [name for name in given if os.path.isfile(name)]
    for output in outputs:
        if output and os.path.isfile(output) and sum(os.path.samefile(output, file) for file in files) > 1:
            raise click.UsageError(
                f"{output} is a file that this command reads: give another one to write to"
            )


def emit(tables: Table | Iterable[Table], format_: str, output: str) -> None:
    """Print tables, or write them to a file that appears only when complete."""
    from errata.corpus.files import open_output

    keep_inputs(output)
    tables = [tables] if isinstance(tables, Table) else list(tables)
    to_terminal = output == "-" and sys.stdout.isatty()
    color = to_terminal and "NO_COLOR" not in os.environ
    width = None if to_terminal else 10_000  # a pipe has no width: nothing is folded
    with open_output(output) as file:
        file.write(render_all(tables, format_, width=width, color=color))


def note(text: str) -> None:
    """Words to the user that are no part of the result."""
    click.echo(f"note: {text}", err=True)


@contextmanager
def progress(total: int | None, label: str, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal, nothing in a pipe; yields the function that moves it on."""
    if quiet or not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # No thread of its own draws the bar: taggers fork, which is only safe without threads.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(label, total=total)
        drawn = 0.0

        def advance(step: int) -> None:
            nonlocal drawn
            now = time.monotonic()
            bar.update(task, advance=step, refresh=now - drawn > 0.1)
            drawn = now if now - drawn > 0.1 else drawn

        yield advance


def corpus_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--from`, `--reference` and `--meta`: how a corpus is read."""
    from errata.corpus.formats import FORMATS as READABLE

    options = together(
        click.option(
            "--from", "from_", type=click.Choice(list(READABLE)),
            help="Format of the corpus, if not as it looks.",
        ),
        click.option(
            "--reference", "-r", "references", multiple=True,
            type=click.Path(dir_okay=False, allow_dash=True),
            help="Reference file that goes with a plain source text; repeat for more.",
        ),
        click.option(
            "--meta", "-m", multiple=True, type=click.Path(dir_okay=False),
            help="Side file: a row a segment (document, paragraph, domain …), or then a table of documents.",
        ),
    )  # fmt: skip
    return options(function)


def to_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--to` and `--write-meta`: how a corpus is written."""
    from errata.corpus.formats import FORMATS as KNOWN

    writable = [name for name, format in KNOWN.items() if format.write]
    options = together(
        click.option("--to", type=click.Choice(writable), help="Format to write, if not by OUT's suffix."),
        click.option(
            "--write-meta", is_flag=True,
            help="Also write OUT.meta.tsv: document, paragraph, domain … a segment.",
        ),
    )  # fmt: skip
    return options(function)


def today() -> str:
    """The date, or that of SOURCE_DATE_EPOCH, by which builds are made reproducible."""
    from datetime import datetime, timezone

    return datetime.fromtimestamp(
        float(os.environ.get("SOURCE_DATE_EPOCH") or time.time()), timezone.utc
    ).strftime("%Y-%m-%d")


def command_line() -> str:
    """The command as the user gave it, ready to paste."""
    return shlex.join(["errata", *sys.argv[1:]])
