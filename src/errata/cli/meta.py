"""`errata meta` and its subcommands"""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from errata.cli.commands import Command, LazyGroup, option
from errata.cli.options import emit, format_option, jobs_option

if TYPE_CHECKING:
    from errata.corpus.model import Corpus
    from errata.human.edit_labels import LabelledEdit

COMMANDS = {  # subcommand -> first line of its help
    "evaluate": "Correlate metrics with people: systems, sentences, sweeps.",
    "benchmark": "Evaluate metrics on a public benchmark of judgments.",
    "edits": "Compare metrics with human labels of single edits.",
    "audit": "Stress metrics with deliberately bad outputs.",
}
_MODULES = {name: f"meta_{name}" for name in COMMANDS} | {"edits": "meta"}


def _is_command(word: str) -> bool:
    """Whether a word names a subcommand, correctly or nearly so; options and files do not."""
    if word in COMMANDS:
        return True
    return not word.startswith("-") and not os.path.exists(word) and bool(get_close_matches(word, COMMANDS))


class MetaCommands(LazyGroup):
    """Without the name of a subcommand, `evaluate` is meant, or `benchmark` if only one is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and not _is_command(args[0]) and args[0] not in ("--help", "-h"):
            options = {arg.partition("=")[0] for arg in args}
            named = "--benchmark" in options and not options & {"--human", "-H"}
            args = ["benchmark" if named else "evaluate", *args]
        return super().parse_args(ctx, args)


@click.command(cls=MetaCommands, table=COMMANDS, modules=_MODULES)
def command() -> None:
    """Measure which metric agrees with people, and audit metrics.

    Without the name of a command, `evaluate` is meant, or `benchmark` with --benchmark NAME.

    \b
    errata meta --benchmark seeda --metric m2,gleu
    errata meta --human judgments.xml --m2 gold.m2 --hyp systems/*.txt
    errata meta --human ranking.tsv --scores scores.tsv
    errata meta audit --m2 gold.m2 --hyp systems/*.txt --metric m2,gleu
    """


@click.command(cls=Command)
@option(
    "--labels", type=click.Path(exists=True), metavar="PATH", show_default="those of the data set seeda",
    help="Labels of edits: a table, or SEEDA's folder EditEval_Step1 with a folder per annotator.",
)  # fmt: skip
@jobs_option
@format_option
def edits(labels: str | None, jobs: int, format_: str, output: str) -> None:
    """Compare metrics with human labels of single edits (SEEDA).

    Shows how far annotators agree, the precision of systems by people and by metrics, and how often M²,
    ERRANT and CLEME disagree with people about an edit, by error type.

    \b
    errata meta edits
    errata meta edits --labels SEEDA/data/EditEval_Step1
    """
    from errata.corpus.formats import read_corpus
    from errata.data import path
    from errata.meta.edit_judgments import judge_edits

    corpus = read_corpus(path("conll14") / "test.m2")
    labelled = _read_labels(path("seeda"), Path(labels) if labels else None, corpus)
    emit(judge_edits(labelled, corpus, jobs=jobs or None).tables(), format_, output)


def _read_labels(seeda: Path, chosen: Path | None, corpus: Corpus) -> list[LabelledEdit]:
    """The labels of a table or of the original files."""
    from errata.corpus.formats import read_outputs
    from errata.errors import DataError
    from errata.human.edit_labels import read_edit_labels, read_marked_labels

    usual = [seeda / "edit_labels.tsv", seeda / "EditEval_Step1"]
    path = chosen or next((place for place in usual if place.exists()), None)
    if path is None:
        raise DataError(
            "the labels of single edits are not here",
            path=seeda,
            hint="they are in the folder data/EditEval_Step1 of SEEDA's repository: --labels FOLDER",
        )
    if path.is_dir():
        files = sorted((seeda / "systems").glob("*.txt"))
        return read_marked_labels(path, corpus.sources, read_outputs(files, corpus))
    return read_edit_labels(path)
