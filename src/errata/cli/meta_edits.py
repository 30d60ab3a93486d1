"""`errata meta edits`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from errata.cli.options import emit, format_option, jobs_option

if TYPE_CHECKING:
    from errata.corpus.model import Corpus
    from errata.human.edit_labels import LabelledEdit
    from errata.tables import Table


@click.command()
@click.option(
    "--labels", type=click.Path(exists=True), metavar="PATH",
    help="Labels of edits: a table, or SEEDA's folder EditEval_Step1 with a folder per annotator. "
    "[default: those in the folder of the data set seeda]",
)  # fmt: skip
@jobs_option
@format_option
def command(labels: str | None, jobs: int, format_: str, output: str) -> None:
    """Compare metrics with people's labels of single edits (SEEDA).

    Shows how far annotators agree, the precision of systems as people and metrics see it, and how often M²,
    ERRANT and CLEME disagree with people about an edit, by error type.

    \b
    errata meta edits
    errata meta edits --labels SEEDA/data/EditEval_Step1
    """
    from errata.corpus.formats import read_corpus
    from errata.data import path
    from errata.meta.edit_judgments import judge_edits
    from errata.report.meta_tables import edit_tables

    corpus = read_corpus(path("conll14") / "test.m2")
    read = _labels(path("seeda"), Path(labels) if labels else None, corpus)
    made: list[Table] = edit_tables(judge_edits(read, corpus, jobs=jobs or None))
    emit(made, format_, output)


def _labels(seeda: Path, given: Path | None, corpus: Corpus) -> list[LabelledEdit]:
    """The labels of a table or of the original files."""
    from errata.corpus.formats import read_outputs
    from errata.errors import DataError
    from errata.human.edit_labels import read_edit_labels, read_marked_labels

    known = [seeda / "edit_labels.tsv", seeda / "EditEval_Step1"]
    found = given or next((place for place in known if place.exists()), None)
    if found is None:
        raise DataError(
            "the labels of single edits are not here",
            path=seeda,
            hint="they are in the folder data/EditEval_Step1 of SEEDA's repository: --labels FOLDER",
        )
    if found.is_dir():
        files = sorted((seeda / "systems").glob("*.txt"))
        return read_marked_labels(found, corpus.sources, read_outputs(files, corpus))
    return read_edit_labels(found)
