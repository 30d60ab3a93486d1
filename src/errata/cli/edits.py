"""`errata edits`"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from errata.cli.commands import Commands, ManyValues, OutputPath, option, together
from errata.cli.options import (
    checked,
    emit,
    engine_options,
    format_option,
    jobs_option,
    note,
    progress,
    quiet_option,
)

if TYPE_CHECKING:
    from errata.edits.pipeline import Extractor


@click.group(cls=Commands)
def command() -> None:
    """Extract, type, compare and apply edits."""


_extraction = together(
    option(
        "--language", "--lang", "-l", default="en", metavar="CODE",
        callback=checked("errata.edits.language:check_code"),
        help="Language of the texts: en, cs, or any other code. Most have a pack to install.",
    ),
    option(
        "--tagger", "-t", metavar="NAME", show_default="embedded",
        callback=checked("errata.edits.taggers:check_kind"),
        help="Tagger: embedded:en, spacy:PIPELINE, udpipe:FILE, conllu:FILE, …",
    ),
    option(
        "--words", "-w", metavar="NAME", show_default="embedded",
        callback=checked("errata.edits.language:check_word_list"),
        help="Word list: errant, or a file with one word per line.",
    ),
    option(
        "--merge", type=click.Choice(["rules", "all-split", "all-merge", "all-equal"]), default="rules",
        rare=True, help="How neighbouring changes become edits:",
    ),
    option("--levenshtein", is_flag=True, rare=True, help="Align without linguistic costs."),
    jobs_option,
)  # fmt: skip


def _extraction_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How edits are found and typed; passes on `extractor`."""

    @_extraction
    @wraps(function)
    def wrapped(
        language: str, tagger: str | None, words: str | None, merge: str, levenshtein: bool,
        jobs: int, **others: Any,
    ) -> Any:  # fmt: skip
        from errata.edits.pipeline import Extractor

        extractor = Extractor(language, tagger, words=words, merge=merge, levenshtein=levenshtein, jobs=jobs)
        return function(extractor=extractor, **others)

    return wrapped


@command.command(cls=ManyValues)
@option(
    "--source", "-s", required=True, metavar="FILE",
    help="Source sentences, one per line, tokens separated by blanks; or rows (JSONL, TSV, Parquet).",
)  # fmt: skip
@option(
    "--ref", "-r", "refs", multiple=True, metavar="FILE",
    help="Corrected texts, one file per annotator. Rows have them with the source.",
)  # fmt: skip
@option(
    "--output", "-o", type=OutputPath(), default="-", metavar="FILE",
    help="M2 file to write; - is standard output.",
)  # fmt: skip
@_extraction_options
@engine_options
@quiet_option
def extract(
    extractor: Extractor, source: str, refs: tuple[str, ...], output: str, engine_name: str,
    address: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Turn parallel texts into M2 with error types.

    \b
    errata edits extract -s source.txt -r ref0.txt ref1.txt -o gold.m2
    errata edits extract -s src.txt -r out.txt -t spacy:en_core_web_sm
    errata edits extract -s 'rows-*.parquet' -o gold.m2 --engine processes
    """
    from errata.edits.stream_extraction import extract_to
    from errata.engine import open_executor

    executors = open_executor(engine_name, jobs=extractor.jobs, address=address)
    with executors as executor, progress(None, "extracting", quiet) as advance:
        extract_to(extractor, source, refs, output, executor, advance, note)


@command.command()
@click.argument("gold")
@option("--anew", is_flag=True, help="Extract the edits anew from the corrected texts.")
@option("--minimal", is_flag=True, help="Trim unchanged words from both ends of an edit.")
@option(
    "--output", "-o", type=OutputPath(), default="-", metavar="FILE",
    help="M2 file to write; - is standard output.",
)  # fmt: skip
@_extraction_options
@quiet_option
def classify(extractor: Extractor, gold: str, anew: bool, minimal: bool, output: str, quiet: bool) -> None:
    """Give the edits of a corpus (M2) the types of the rules."""
    from errata.corpus.files import open_output
    from errata.corpus.formats import read_corpus
    from errata.corpus.m2 import format_block
    from errata.corpus.segment import Annotation, Segment
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
@option("--list", "listed", is_flag=True, help="Also list every edit that differs.")
@option("--top", type=click.IntRange(min=0), default=20, help="Number of confusions to show.")
@format_option
def diff(one: str, other: str, listed: bool, top: int, format_: str, output: str) -> None:
    """Compare the edits and types of two M2 files."""
    from errata.corpus.m2 import read_m2
    from errata.edits.reannotation import compare

    difference, differing = compare(read_m2(one), read_m2(other))
    emit(difference.tables(one, other, differing if listed else None, top=top), format_, output)


@command.command()
@click.argument("gold")
@option("--annotator", "-a", type=int, default=0, help="Annotator whose edits to apply.")
@option(
    "--output", "-o", type=OutputPath(), default="-", metavar="FILE",
    help="Text file to write; - is standard output.",
)  # fmt: skip
def apply(gold: str, annotator: int, output: str) -> None:
    """Apply an annotator's edits: M2 in, corrected text out."""
    from errata.corpus.files import open_output
    from errata.corpus.formats import read_corpus
    from errata.errors import DataError

    corpus = read_corpus(gold, format="m2" if gold == "-" else None)

    def texts() -> Iterator[str]:
        for number, segment in enumerate(corpus, 1):
            annotation = segment.annotation(annotator)
            if annotation is None:
                others = ", ".join(str(a.annotator) for a in segment.annotations)
                raise DataError(
                    f"sentence {number} has no annotator {annotator}, only {others}",
                    path=gold,
                    hint="choose one with --annotator who annotated every sentence",
                )
            yield annotation.text + "\n"

    with open_output(output) as file:
        file.writelines(texts())
