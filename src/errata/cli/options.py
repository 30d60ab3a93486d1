"""Options that many verbs share, checks of their values, and how results reach the user."""

from __future__ import annotations

import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import click

from errata.cli.commands import Decorator, OutputPath, option, section, together
from errata.errors import DataError, ErrataError, MissingPackageError
from errata.tables import FORMATS as TABLE_FORMATS
from errata.tables import Table, render_all

if TYPE_CHECKING:
    from errata.report.gates import Check

# -- values ---------------------------------------------------------------------------------------------


class Number(click.types.FloatParamType):
    """A float on the command line; NaN is refused, since it passes any comparison with a limit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class NumberRange(click.FloatRange):
    """A float within bounds; NaN is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        return float(super().convert(Number().convert(value, param, ctx), param, ctx))


class ImagePath(OutputPath):
    """A file to draw to, with the suffix of an image format."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from errata.report.plots import FORMATS

        if not str(value).endswith(FORMATS):
            self.fail(f"{value!r} has no suffix of an image: {', '.join(FORMATS)}.", param, ctx)
        return super().convert(value, param, ctx)


def checked(parse: Callable[[Any], Any] | str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """A callback that parses the value of an option before anything is read; its errors exit with 2.

    A function as MODULE:NAME is imported when there is a value.
    """

    def callback(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
        if value in (None, ()) or context.resilient_parsing:
            return value
        try:
            return (_imported(parse) if isinstance(parse, str) else parse)(value)
        except (DataError, MissingPackageError):
            raise  # the value is valid, but data or a package is missing
        except ErrataError as error:
            raise click.BadParameter(str(error), context, parameter) from None

    return callback


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return attrgetter(name)(import_module(module))


def parse_metrics(names: Iterable[str]) -> list[Any]:
    """Metrics from the command line; a comma separates metrics as well as a metric's parameters."""
    from errata.metrics import metric

    specifications: list[str] = []
    for part in ",".join(names).split(","):
        if "=" in part.partition(":")[0] and specifications:  # a further parameter of the metric before it
            specifications[-1] += ("," if ":" in specifications[-1] else ":") + part
        elif part.strip():
            specifications.append(part.strip())
    if not specifications:
        raise ErrataError("nothing to score with: give --metric NAME")
    return [metric(specification) for specification in specifications]


def completes(name: str) -> Callable[[click.Context, click.Parameter, str], Any]:
    """A function of `errata.cli.shell_completion`, imported when a shell completes a command line."""
    return lambda *arguments: _imported(f"errata.cli.shell_completion:{name}")(*arguments)


# -- options --------------------------------------------------------------------------------------------


def metric_option(default: str) -> Decorator:
    """`--metric`; passes on `metrics`, or None if the user named none."""
    return section(
        "Metrics",
        option(
            "--metric", "-m", "metrics", multiple=True, show_default=default, metavar="NAMES",
            callback=checked(parse_metrics), shell_complete=completes("complete_metrics"),
            help="Metrics, with parameters after a colon: m2:beta=1,gleu. `errata metrics` lists them.",
        ),
    )  # fmt: skip


def formats_option(*more: str) -> Decorator:
    """`--format` and `--output`: how tables are printed and where to; `more` are a verb's own formats."""
    formats = [*TABLE_FORMATS, *more]
    return section(
        "Output",
        option(
            "--format", "-f", "format_", type=click.Choice(formats), default="table", metavar="FORMAT",
            help="How to print tables:",
        ),
        option(
            "--output", "-o", type=OutputPath(), default="-",
            help="File to write to, instead of standard output.",
        ),
    )  # fmt: skip


def _default_jobs(context: click.Context, parameter: click.Parameter, value: int) -> int:
    """Set the default of the whole run, so that resampling uses as many threads."""
    if value:
        os.environ["ERRATA_JOBS"] = str(value)
    return value


format_option = formats_option()
number_options = section(
    "Output",
    option("--percent", is_flag=True, rare=True, help="Show scores between 0 and 1 in percent."),
    option(
        "--digits", type=click.IntRange(0, 15), rare=True, show_default="4, or 2 in percent",
        help="Digits of scores after the point.",
    ),
)  # fmt: skip
seed_option = section(
    "Statistics",
    option("--seed", type=click.IntRange(min=0), default=1, rare=True, help="Random seed."),
)  # fmt: skip
jobs_option = option(
    "--jobs", "-j", type=click.IntRange(min=0), default=0, envvar="ERRATA_JOBS", callback=_default_jobs,
    show_default="all cores", help="Number of threads. The result is the same.",
)  # fmt: skip
quiet_option = option(
    "--quiet", "-q", is_flag=True, envvar="ERRATA_QUIET", rare=True, help="Show no progress bar."
)
run_options = together(seed_option, jobs_option, quiet_option, format_option)


def samples_option(default: int, least: int, purpose: str = "", *, rare: bool = True) -> Decorator:
    """`--samples`: the number of bootstrap samples."""
    return section(
        "Statistics",
        option(
            "--samples", type=click.IntRange(min=least), default=default, rare=rare,
            help=f"Number of bootstrap samples{purpose}.",
        ),
    )  # fmt: skip


def plot_option(text: str) -> Decorator:
    """`--plot FILE`."""
    return section("Output", option("--plot", type=ImagePath(), metavar="FILE", help=text))


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--engine` and `--address`: where the chunks of a stream are processed."""
    from errata.engine import ENGINES

    options = together(
        option(
            "--engine", "engine_name", type=click.Choice(ENGINES), default="threads", rare=True,
            help="Execution backend (processes: --jobs of them), with the same result:",
        ),
        option(
            "--address", rare=True, metavar="ADDRESS", show_default="a local one",
            help="Address of a Ray cluster: ray://HOST:PORT, HOST:PORT or auto.",
        ),
    )  # fmt: skip
    return options(function)


def corpus_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--from`, `--reference` and `--meta`: how a corpus is read."""
    from errata.corpus.formats import FORMATS as READABLE

    options = section(
        "Input",
        option(
            "--from", "from_", type=click.Choice(list(READABLE)), metavar="FORMAT",
            show_default="by name and content", help="Format of the corpus:",
        ),
        option(
            "--reference", "-r", "references", multiple=True, metavar="FILE",
            type=click.Path(dir_okay=False, allow_dash=True),
            help="Reference for a plain source text. Repeat it for more.",
        ),
        option(
            "--meta", "-m", multiple=True, type=click.Path(dir_okay=False), metavar="FILE",
            help="TSV with one row per segment (document, domain, …), or a table of documents.",
        ),
    )  # fmt: skip
    return options(function)


def to_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--to` and `--write-meta`: how a corpus is written."""
    from errata.corpus.formats import FORMATS as ALL

    writable = [name for name, format in ALL.items() if format.write]
    options = section(
        "Output",
        option(
            "--to", type=click.Choice(writable), metavar="FORMAT", show_default="by the suffix of OUT",
            help="Format to write:",
        ),
        option(
            "--write-meta", is_flag=True,
            help="Also write OUT.meta.tsv with document, paragraph, domain, … of every segment.",
        ),
    )  # fmt: skip
    return options(function)


# -- output ---------------------------------------------------------------------------------------------


def emit(tables: Table | Iterable[Table], format_: str, output: str) -> None:
    """Print tables, or write them to a file that appears only when complete."""
    from errata.corpus.files import open_output

    tables = [tables] if isinstance(tables, Table) else list(tables)
    to_terminal = output == "-" and sys.stdout.isatty()
    color = to_terminal and "NO_COLOR" not in os.environ
    width = None if to_terminal else 10_000  # a pipe has no width: nothing is folded
    with open_output(output) as file:
        file.write(render_all(tables, format_, width=width, color=color))


def note(text: str) -> None:
    """Print a remark that is not part of the result."""
    click.echo(f"note: {text}", err=True)


@contextmanager
def progress(total: int | None, label: str, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on a terminal, nothing in a pipe; yield a function that advances it."""
    if quiet or not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # The bar has no thread of its own: taggers fork, which is only safe without threads.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(label, total=total)
        drawn = 0.0

        def advance(step: int) -> None:
            nonlocal drawn
            now = time.monotonic()
            bar.update(task, advance=step, refresh=now - drawn > 0.1)
            drawn = now if now - drawn > 0.1 else drawn

        yield advance


def today() -> str:
    """Today's date, or that of SOURCE_DATE_EPOCH, for reproducible pages."""
    from datetime import datetime, timezone

    return datetime.fromtimestamp(
        float(os.environ.get("SOURCE_DATE_EPOCH") or time.time()), timezone.utc
    ).strftime("%Y-%m-%d")


def command_line() -> str:
    """The command that the user entered, ready to paste."""
    return shlex.join(["errata", *sys.argv[1:]])


# -- checks of builds -----------------------------------------------------------------------------------

gate_options = section(
    "Output",
    option(
        "--junit", type=OutputPath(), rare=True,
        help="Write the checks to this JUnit XML file.",
    ),
    option(
        "--summary", type=OutputPath(), rare=True,
        help='Append tables and verdict in Markdown to this file: "$GITHUB_STEP_SUMMARY".',
    ),
)  # fmt: skip


def conclude(
    checks: Sequence[Check], tables: Sequence[Table], junit: str | None, summary: str | None, suite: str
) -> None:  # fmt: skip
    """Write the reports for a build, and exit with 1 and a line of reasons if a check fails."""
    if not checks and junit is None and summary is None:
        return
    from errata.corpus.files import open_output
    from errata.errors import visible
    from errata.report.gates import junit as as_junit
    from errata.report.gates import verdict

    failures = verdict(checks)
    if junit is not None:
        with open_output(junit) as file:
            file.write(as_junit(checks, suite))
    if summary is not None:
        result = f"❌ {failures}" if failures else "✅ all checks passed"
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(render_all(tables, "markdown") + f"\n{result}\n\n")
        except OSError as error:
            raise DataError(f"cannot write it: {error.strerror}", path=summary) from None
    if failures:
        click.echo(click.style("failed: ", fg="red", bold=True) + visible(failures), err=True)
        click.get_current_context().exit(1)
