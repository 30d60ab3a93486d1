"""`errata meta edits`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errata.cli.options import emit, format_option, jobs_option

if TYPE_CHECKING:
    from errata.tables import Table


@click.command()
@jobs_option
@format_option
def command(jobs: int, format_: str, output: str) -> None:
    """Compare metrics with people's labels of single edits (SEEDA).

    Shows how far annotators agree, the precision of systems as people and metrics see it, and how often M²,
    ERRANT and CLEME disagree with people about an edit, by error type.

    \b
    errata meta edits
    """
    from errata.corpus.formats import read_corpus
    from errata.data import path
    from errata.errors import DataError
    from errata.human.edit_labels import read_edit_labels
    from errata.meta.edit_judgments import judge_edits
    from errata.report.edit_tables import edit_tables

    file = path("seeda") / "edit_labels.tsv"
    if not file.is_file():
        raise DataError(
            "the labels of single edits are not here as a table",
            path=file,
            hint="expected: annotator, file, src_id, correction_no, systems, start, end, target, label",
        )
    corpus = read_corpus(path("conll14") / "test.m2")
    made: list[Table] = edit_tables(judge_edits(read_edit_labels(file), corpus, jobs=jobs or None))
    emit(made, format_, output)
