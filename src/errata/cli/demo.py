"""`errata demo`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from errata.cli.commands import Command, OutputPath, option
from errata.cli.options import command_line, emit, format_option, jobs_option, parse_metrics, today
from errata.sample import LANGUAGES


@click.command(cls=Command)
@option(
    "--language", type=click.Choice(LANGUAGES), default="en", metavar="CODE", help="Language of the sample:",
)  # fmt: skip
@option(
    "--report", "page", type=OutputPath(), default="errata-demo.html",
    help="File to write the report to.",
)  # fmt: skip
@option(
    "--copy", type=OutputPath(dir_okay=True, path_type=Path), metavar="FOLDER",
    help="Only copy the files of the sample to this new folder, to try other commands on them.",
)  # fmt: skip
@jobs_option
@format_option
def command(language: str, page: str, copy: Path | None, jobs: int, format_: str, output: str) -> None:
    """Score the six systems of the embedded sample, and make their report."""
    from errata import sample
    from errata.corpus.files import open_output
    from errata.human.judgment_files import read_judgments
    from errata.meta.evaluation import Evaluation
    from errata.metrics.results import Results
    from errata.report.page import build_report
    from errata.report.report_data import Heading

    if copy is not None:
        _copy(sample.folder(language), copy)
        return
    texts = sample.load(language)
    metrics = parse_metrics(("m2,gleu,imeasure,bleu,ter",))
    results = Results.compute(texts.corpus, texts.outputs, metrics, jobs=jobs)
    table = results.table()
    table.title = f"Six made-up systems on the {language} sample ({len(texts.corpus)} sentences)"
    emit(table, format_, output)
    heading = Heading(f"The {language} sample: six made-up systems", command_line(), today())
    evaluation = Evaluation(results, read_judgments(texts.folder / "rankings.xml"), jobs=jobs or None)
    with open_output(page) as file:
        file.write(build_report(evaluation, heading))
    print(f"the report: {page if page == '-' else Path(page).resolve()}", file=sys.stderr)


def _copy(source: Path, target: Path) -> None:
    import shutil

    from errata.errors import DataError

    if target.exists():
        raise DataError(f"{target}: exists already; name a new folder")
    shutil.copytree(source, target)
    click.echo(f"{sum(each.is_file() for each in target.rglob('*'))} files in {target}", err=True)
