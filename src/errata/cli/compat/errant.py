"""What `errata compat errant_parallel` and `errant_m2` share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from errata.cli.options import together

if TYPE_CHECKING:
    from errata.edits.pipeline import Extractor

NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{}\n"


# The official options of extraction, and which tagger and word list to use (the official ones).
extraction_options = together(
    click.option("-out", required=True, help="M2 file to write."),
    click.option("-lev", is_flag=True, help="Align by plain Levenshtein distance."),
    click.option(
        "-merge", type=click.Choice(["rules", "all-split", "all-merge", "all-equal"]), default="rules",
        help="Merging strategy.",
    ),
    click.option("--lang", "-lang", default="en", show_default=True, help="Language of the rules."),
    click.option("--tagger", default="spacy:en_core_web_sm", show_default=True, help="Tagger."),
    click.option("--words", default="errant", show_default=True, help="Word list."),
)  # fmt: skip


def make_extractor(lang: str, tagger: str, words: str, merge: str, lev: bool) -> Extractor:
    from errata.edits.pipeline import Extractor

    return Extractor(lang, tagger, words=words if lang == "en" else None, merge=merge, levenshtein=lev)


def edit_lines(edits: Iterable[Any], annotator: int) -> Iterator[str]:
    for edit in edits:
        yield (
            f"A {edit.start} {edit.end}|||{edit.type}|||{edit.correction}|||REQUIRED|||-NONE-|||{annotator}\n"
        )
