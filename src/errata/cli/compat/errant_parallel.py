"""`errata compat errant_parallel`: the official arguments and output."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from errata.cli.compat.errant import NOOP, edit_lines, extraction_options, make_extractor
from errata.cli.inputs import ManyValues

if TYPE_CHECKING:
    from errata.edits.pipeline import Extractor

_BATCH = 4096


@click.command(cls=ManyValues)
@click.option("-orig", required=True, help="The original text file.")
@click.option("-cor", required=True, multiple=True, help="One or more corrected text files.")
@click.option("-tok", is_flag=True, help="Tokenise the text with spaCy first.")
@extraction_options
def command(
    orig: str, cor: tuple[str, ...], tok: bool, out: str, lev: bool, merge: str, lang: str, tagger: str,
    words: str,
) -> None:  # fmt: skip
    """Align parallel text files and extract and classify the edits."""
    from errata.corpus.blocks import parallel_rows
    from errata.corpus.files import open_output

    click.echo("Loading resources...")
    extractor = make_extractor(lang, tagger, words, merge, lev)
    click.echo("Processing parallel files...")
    rows = (tuple(map(str.strip, row)) for row in parallel_rows([orig, *cor]))
    with open_output(out) as file:
        kept = (row for row in rows if row[0])
        while batch := list(islice(kept, _BATCH)):
            blocks = _tokenised_blocks(extractor, batch) if tok else _blocks(extractor, batch)
            file.writelines(blocks)


def _blocks(extractor: Extractor, rows: list[tuple[str, ...]]) -> Iterator[str]:
    from errata.edits.edit_arrays import with_warnings

    edits = with_warnings(extractor.extract_all((row[0], text) for row in rows for text in row[1:]))
    for source, *texts in rows:
        joined = " ".join(source.split())
        yield f"S {joined}\n"
        for annotator, text in enumerate(texts):
            found = next(edits)
            yield NOOP.format(annotator) if joined == text else "".join(edit_lines(found, annotator))
        yield "\n"


def _tokenised_blocks(extractor: Extractor, rows: list[tuple[str, ...]]) -> Iterator[str]:
    """The same for texts that the tagger tokenises itself."""
    from errata.edits.edit_arrays import with_warnings
    from errata.edits.taggers import tagger

    analyse = getattr(tagger(extractor.tagger.name), "analyse", None)
    if analyse is None:
        raise click.UsageError("-tok needs a spaCy tagger")
    numbers = {text: i for i, text in enumerate(dict.fromkeys(text for row in rows for text in row))}
    tagged = analyse(list(numbers))
    pairs = [(numbers[row[0]], numbers[text]) for row in rows for text in row[1:]]
    edits = with_warnings(extractor.between(tagged, pairs))
    for source, *texts in rows:
        yield f"S {' '.join(tagged[numbers[source]].forms)}\n"
        for annotator, text in enumerate(texts):
            found = next(edits)
            yield NOOP.format(annotator) if source == text else "".join(edit_lines(found, annotator))
        yield "\n"
