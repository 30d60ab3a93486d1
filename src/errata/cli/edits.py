"""`errata edits`"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from errata.cli.inputs import ManyValues
from errata.cli.options import (
    emit,
    engine_options,
    format_option,
    jobs_option,
    keep_inputs,
    note,
    progress,
    quiet_option,
)

if TYPE_CHECKING:
    from errata.edits.pipeline import Extractor


@click.group()
def command() -> None:
    """Extract, type, compare and apply edits."""


def extraction_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How edits are found and typed; passes on `extractor`."""
    from functools import wraps

    @click.option(
        "--language",
        "-l",
        default="en",
        show_default=True,
        help="Language of the texts: en, cs or any other code.",
    )
    @click.option(
        "--tagger", "-t", help="embedded:en, spacy:PIPELINE, udpipe:FILE, conllu:FILE, … [default: embedded]"
    )
    @click.option(
        "--words", "-w", help="Word list: errant, or a file of one word a line. [default: embedded]"
    )
    @click.option(
        "--merge", type=click.Choice(["rules", "all-split", "all-merge", "all-equal"]), default="rules",
        show_default=True, help="Which neighbouring changes are one edit.",
    )  # fmt: skip
    @click.option("--levenshtein", is_flag=True, help="Align without linguistic costs.")
    @click.option("--cache", type=click.Path(file_okay=False), help="Folder to keep tags in [ERRATA_CACHE].")
    @jobs_option
    @wraps(function)
    def wrapped(
        language: str, tagger: str | None, words: str | None, merge: str, levenshtein: bool,
        cache: str | None, jobs: int, **others: Any,
    ) -> Any:  # fmt: skip
        from errata.edits.pipeline import Extractor

        extractor = Extractor(
            language, tagger, words=words, merge=merge, levenshtein=levenshtein, jobs=jobs, cache=cache
        )
        return function(extractor=extractor, **others)

    return wrapped  # fmt: skip


@command.command(cls=ManyValues)
@click.option(
    "--source", "-s", required=True, help="Source sentences, one a line, tokens separated by blanks."
)
@click.option(
    "--ref", "-r", "refs", multiple=True, help="Corrected texts, one file an annotator; rows have them."
)
@click.option(
    "--output", "-o", default="-", help="M2 file to write, or a folder (out/) for shards; - is stdout."
)
@extraction_options
@engine_options
@quiet_option
def extract(
    extractor: Extractor, source: str, refs: tuple[str, ...], output: str, engine_name: str,
    address: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Turn parallel texts into M2 with error types, many corrections at once.

    \b
    errata edits extract -s source.txt -r ref0.txt ref1.txt -o gold.m2
    errata edits extract -s src.txt -r out.txt -t spacy:en_core_web_sm -w errant
    errata edits extract -s 'rows-*.parquet' -o m2/ --engine processes

    Rows (JSONL, TSV, Parquet) have their references with them; shards go to a folder.
    """
    from errata.edits.streaming import extract_to
    from errata.engine import open_executor

    keep_inputs(output)
    executors = open_executor(engine_name, jobs=extractor.jobs, address=address)
    with executors as executor, progress(None, "extracting", quiet) as advance:
        extract_to(extractor, source, refs, output, executor, advance, note)


@command.command()
@click.argument("gold")
@click.option("--anew", is_flag=True, help="Extract the edits anew from the corrected texts.")
@click.option("--minimal", is_flag=True, help="Cut words that stay the same off both ends of an edit.")
@click.option("--output", "-o", default="-", help="M2 file to write; - is stdout.")
@extraction_options
@quiet_option
def classify(extractor: Extractor, gold: str, anew: bool, minimal: bool, output: str, quiet: bool) -> None:
    """Give the edits of a corpus (M2) the types of the rules."""
    from errata.corpus.files import open_output
    from errata.corpus.formats import read_corpus
    from errata.corpus.m2 import format_block
    from errata.corpus.model import Annotation, Segment
    from errata.edits.edit_arrays import with_warnings
    from errata.edits.reannotation import extracted_anew, typed

    corpus = read_corpus(gold, format="m2" if gold == "-" else None)
    annotated = ((segment.source, a.edits) for segment in corpus for a in segment.annotations)
    if anew:
        edits = with_warnings(extracted_anew(extractor, annotated))
    else:
        edits = typed(extractor, annotated, minimise=minimal)
    with open_output(output) as file, progress(len(corpus), "typing", quiet) as advance:
        for segment in corpus:
            annotations = tuple(
                Annotation(a.source, edits=next(edits), annotator=a.annotator, implicit=a.implicit)
                for a in segment.annotations
            )
            file.write(format_block(Segment(segment.source, annotations)) + "\n")
            advance(1)


@command.command()
@click.argument("one")
@click.argument("other")
@click.option("--list", "listed", is_flag=True, help="Also list every edit that differs.")
@click.option("--top", type=click.IntRange(min=0), default=20, show_default=True, help="Confusions to show.")
@format_option
def diff(one: str, other: str, listed: bool, top: int, format_: str, output: str) -> None:
    """Compare the edits and types of two M2 files of the same sentences."""
    from errata.corpus.m2 import read_m2
    from errata.edits.edit_comparison import compare
    from errata.tables import Column, Table

    difference, places = compare(read_m2(one), read_m2(other))
    tables = [
        Table(
            [Column("edits of"), Column("edits"), Column("same span"), Column("same type"),
             Column("span F1", 4), Column("span+type F1", 4)],
            [
                [name, count, difference.spans, difference.types, difference.span_f1, difference.type_f1]
                for name, count in ((one, difference.one), (other, difference.other))
            ],
        )
    ]  # fmt: skip
    if difference.confusions and top:
        rows = [(a, b, n) for (a, b), n in difference.confusions.most_common(top)]
        tables.append(Table([Column(one), Column(other), Column("edits")], rows, "types that differ"))
    if listed:
        columns = ["line", "annotator", "in", "start", "end", "type", "correction"]
        marks = {"<": one, ">": other, "≠": "both"}
        found = [(n, a, marks[m], e.start, e.end, e.type, e.correction) for n, a, m, e in places]
        tables.append(Table([Column(name) for name in columns], found, "edits that differ"))
    emit(tables, format_, output)


@command.command()
@click.argument("gold")
@click.option(
    "--annotator", "-a", type=int, default=0, show_default=True, help="Annotator whose edits to apply."
)
@click.option("--output", "-o", default="-", help="Text file to write; - is stdout.")
def apply(gold: str, annotator: int, output: str) -> None:
    """Apply an annotator's edits: M2 in, corrected text out."""
    from errata.corpus.files import open_output
    from errata.corpus.formats import read_corpus
    from errata.errors import DataError

    keep_inputs(output)
    corpus = read_corpus(gold, format="m2" if gold == "-" else None)

    def texts() -> Iterator[str]:
        for number, segment in enumerate(corpus, 1):
            found = segment.annotation(annotator)
            if found is None:
                known = ", ".join(str(a.annotator) for a in segment.annotations)
                raise DataError(
                    f"sentence {number} has no annotator {annotator}, only {known}",
                    path=gold,
                    hint="choose one with --annotator who annotated every sentence",
                )
            yield found.text + "\n"

    with open_output(output) as file:
        file.writelines(texts())
