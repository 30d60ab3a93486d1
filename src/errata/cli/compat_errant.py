"""`errata compat errant_…` and `cherrant_…`: the programs of ERRANT and ChERRANT"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from errata.cli.commands import Command, ManyValues, OutputPath, option, together
from errata.cli.options import Number

if TYPE_CHECKING:
    from errata.edits.chinese import ChineseExtractor
    from errata.edits.pipeline import Extractor

NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{}\n"
_BATCH = 4096  # pairs of texts


# The official options of extraction, and which tagger and word list to use (the official ones).
_extraction_options = together(
    option("-out", type=OutputPath(), required=True, help="M2 file to write."),
    option("-lev", is_flag=True, help="Align by plain Levenshtein distance."),
    option(
        "-merge", type=click.Choice(["rules", "all-split", "all-merge", "all-equal"]), default="rules",
        help="Merging strategy.",
    ),
    option("--lang", "-lang", default="en", help="Language of the rules."),
    option("--tagger", default="spacy:en_core_web_sm", help="Tagger."),
    option("--words", default="errant", help="Word list."),
)  # fmt: skip


def _make_extractor(lang: str, tagger: str, words: str, merge: str, lev: bool) -> Extractor:
    from errata.edits.pipeline import Extractor

    return Extractor(lang, tagger, words=words if lang == "en" else None, merge=merge, levenshtein=lev)


def _edit_lines(edits: Iterable[Any], annotator: int) -> Iterator[str]:
    for edit in edits:
        yield (
            f"A {edit.start} {edit.end}|||{edit.type}|||{edit.correction}|||REQUIRED|||-NONE-|||{annotator}\n"
        )


@click.command(cls=ManyValues)
@option("-orig", required=True, help="The original text file.")
@option("-cor", required=True, multiple=True, help="One or more corrected text files.")
@option("-tok", is_flag=True, help="Tokenise the text with spaCy first.")
@_extraction_options
def errant_parallel(
    orig: str, cor: tuple[str, ...], tok: bool, out: str, lev: bool, merge: str, lang: str, tagger: str,
    words: str,
) -> None:  # fmt: skip
    """Align parallel text files and extract and classify the edits."""
    from errata.corpus.blocks import parallel_rows
    from errata.corpus.files import open_output

    click.echo("Loading resources...")
    extractor = _make_extractor(lang, tagger, words, merge, lev)
    click.echo("Processing parallel files...")
    rows = (tuple(map(str.strip, row)) for row in parallel_rows([orig, *cor]))
    with open_output(out) as file:
        kept = (row for row in rows if row[0])
        while batch := list(islice(kept, _BATCH)):
            file.writelines(_blocks(extractor, batch, tok))


def _blocks(extractor: Extractor, rows: list[tuple[str, ...]], tokenise: bool) -> Iterator[str]:
    """The M2 blocks of sources and their corrections; the tagger may tokenise the texts."""
    from errata.edits.edit_arrays import with_warnings
    from errata.edits.taggers import tagger

    if tokenise:
        analyse = getattr(tagger(extractor.tagger.name), "analyse", None)
        if analyse is None:
            raise click.UsageError("-tok needs a spaCy tagger")
        numbers = {text: i for i, text in enumerate(dict.fromkeys(text for row in rows for text in row))}
        tagged = analyse(list(numbers))
        pairs = [(numbers[row[0]], numbers[text]) for row in rows for text in row[1:]]
        edits = with_warnings(extractor.between(tagged, pairs))
        sources = [(" ".join(tagged[numbers[row[0]]].forms), row[0]) for row in rows]
    else:
        edits = with_warnings(extractor.extract_all((row[0], text) for row in rows for text in row[1:]))
        sources = [(joined := " ".join(row[0].split()), joined) for row in rows]
    for (tokens, unchanged), (_, *texts) in zip(sources, rows, strict=True):
        yield f"S {tokens}\n"
        for annotator, text in enumerate(texts):
            extracted = next(edits)
            yield NOOP.format(annotator) if text == unchanged else "".join(_edit_lines(extracted, annotator))
        yield "\n"


@click.command(cls=Command)
@click.argument("m2_file")
@option("-auto", is_flag=True, help="Extract edits automatically.")
@option("-gold", is_flag=True, help="Use existing edit alignments.")
@option("-no_min", is_flag=True, help="Do not minimise edit spans (gold only).")
@option("-old_cats", is_flag=True, help="Preserve old error types (gold only).")
@_extraction_options
def errant_m2(
    m2_file: str, auto: bool, gold: bool, no_min: bool, old_cats: bool,
    out: str, lev: bool, merge: str, lang: str, tagger: str, words: str,
) -> None:  # fmt: skip
    """Automatically extract and/or classify edits in an M2 file."""
    if auto == gold:
        raise click.UsageError("give either -auto or -gold")
    from errata.corpus.files import open_output
    from errata.corpus.m2 import read_m2
    from errata.edits.reannotation import extracted_anew, typed

    click.echo("Loading resources...")
    extractor = _make_extractor(lang, tagger, words, merge, lev)
    click.echo("Processing M2 file...")
    corpus = read_m2(m2_file)
    annotations = [sorted(segment.annotations, key=lambda a: a.annotator) for segment in corpus]
    annotated = ((annotation.source, annotation.edits) for row in annotations for annotation in row)
    edits = (
        extracted_anew(extractor, annotated)
        if auto
        else typed(extractor, annotated, minimise=not no_min, keep_types=old_cats)
    )
    with open_output(out) as file:
        for segment, row in zip(corpus, annotations, strict=True):
            file.write(f"S {segment.source}\n")
            for annotation in row:
                extracted = next(edits)
                if annotation.edits:
                    file.writelines(_edit_lines(extracted, annotation.annotator))
                elif not annotation.implicit:
                    file.write(NOOP.format(annotation.annotator))
            file.write("\n")


# The options of both programs that compare M2 files.
compare_options = together(
    option("-hyp", required=True, help="A hypothesis M2 file."),
    option("-ref", required=True, help="A reference M2 file."),
    option("-b", "--beta", type=Number(), default=0.5, help="Value of beta in F-score. (default: 0.5)"),
    option("-v", "--verbose", is_flag=True, help="Print verbose output."),
    option("-dt", is_flag=True, help="Evaluate Detection in terms of Tokens."),
    option("-ds", is_flag=True, help="Evaluate Detection in terms of Spans."),
    option("-cs", is_flag=True, help="Evaluate Correction in terms of Spans. (default)"),
    option("-cse", is_flag=True, help="Evaluate Correction in terms of Spans and Error types."),
    option("-single", is_flag=True, help="Only evaluate single token edits; i.e. 0:1, 1:0 or 1:1"),
    option("-multi", is_flag=True, help="Only evaluate multi token edits; i.e. 2+:n or n:2+"),
    option("-filt", multiple=True, help="Do not evaluate the specified error types."),
    option("-cat", type=click.IntRange(1, 3), help="Show error category scores: 1 R, 2 NOUN, 3 R:NOUN."),
)


@click.command(cls=ManyValues)
@compare_options
def errant_compare(**given: Any) -> None:
    """Calculate F-scores for error detection and/or correction."""
    for line in compared(**given):
        click.echo(line)


def compared(
    hyp: str, ref: str, beta: float, verbose: bool, dt: bool, ds: bool, cs: bool, cse: bool,
    single: bool, multi: bool, filt: tuple[str, ...], cat: int | None, **others: Any,
) -> Iterator[str]:  # fmt: skip
    """The lines of the official program with these options; others are those of the comparison."""
    if dt + ds + cs + cse > 1:
        raise click.UsageError("give only one of -dt, -ds, -cs and -cse")
    if single and multi:
        raise click.UsageError("no edit is both -single and -multi")
    from errata.metrics.edit_matching import Matching
    from errata.metrics.errant_comparison import Comparison

    mode, title = (
        ("token", "Token-Based Detection")
        if dt
        else ("span", "Span-Based Detection")
        if ds
        else ("correction", "Span-Based Correction + Classification" if cse else "Span-Based Correction")
    )
    length = "single" if single else "multi" if multi else ""
    comparison = Comparison(Matching(mode, cse, length, frozenset(filt)), beta, **others)
    return comparison.run(hyp, ref, title, cat, verbose)


# -- ChERRANT -----------------------------------------------------------------------------------------------


@click.command(cls=ManyValues)
@option("-f", "--file", required=True, help="Lines of id, source and corrections, separated by tabs.")
@option("-o", "--output", type=OutputPath(), required=True, help="M2 file to write.")
@option("-g", "--granularity", type=click.Choice(["char", "word"]), default="char", help="Units of edits.")
@option(
    "-s", "--multi_cheapest_strategy", "strategy", type=click.Choice(["first", "all"]), default="all",
    help="The first alignment of least cost, or all.",
)  # fmt: skip
@option("--segmented", is_flag=True, help="Tokens are separated by blanks; at word level as word/tag.")
@option("--no_simplified", is_flag=True, help="Do not convert corrections to simplified characters.")
@option("--bpe", is_flag=True, hidden=True)
@option("-b", "--batch_size", type=int, hidden=True)
@option("-d", "--device", type=int, hidden=True)
@option("-w", "--worker_num", type=int, hidden=True)
@option("-m", "--merge", is_flag=True, hidden=True)
@option("--resources", help="Folder with cilin.txt and confusion_dict.txt; without it edits are approximate.")
def cherrant_parallel(
    file: str, output: str, granularity: str, strategy: str, segmented: bool, no_simplified: bool,
    resources: str | None, **ignored: Any,
) -> None:  # fmt: skip
    """Extract the edits of Chinese parallel text as ChERRANT's parallel_to_m2 does.

    At word level the official program segments and tags the text with a model of its own; here, it must be
    segmented and tagged (--segmented, with word/tag). -b, -d, -w, -m and --bpe have no effect.
    """
    if granularity == "word" and not segmented:
        raise click.UsageError("-g word needs --segmented, and tokens of the form word/tag")

    from errata.corpus.files import open_output, stream_lines
    from errata.edits.chinese import ChineseExtractor, Resources, Token, characters
    from errata.errors import DataError

    words = granularity == "word"
    extractor = ChineseExtractor(Resources.read(resources) if resources else None, words=words)
    if not resources or words:
        click.echo(
            "note: edits are approximate: "
            + ("words are tagged by another program" if resources else "no thesaurus, no confusion sets and "
            "no pinyin (--resources FOLDER), and no conversion to simplified characters"),
            err=True,
        )  # fmt: skip
    divide = (lambda text: [*map(Token, text.split())]) if words else str.split if segmented else characters
    with open_output(output) as target:
        for number, line in enumerate(stream_lines(file), 1):
            try:
                target.write(
                    _block(extractor, line, divide, first=strategy == "first", simplify=not no_simplified)
                )
            except DataError as error:
                raise DataError(error.message, path=file, line=number, hint=error.hint) from None


def _block(
    extractor: ChineseExtractor, line: str, divide: Callable[[str], Sequence[str]], *, first: bool,
    simplify: bool,
) -> str:  # fmt: skip
    """The M2 block of a line."""
    from errata.corpus.cherrant import (
        UNANNOTATED,
        UNANNOTATED_TYPE,
        UNCHANGED,
        format_answer,
        format_remark,
    )
    from errata.edits.chinese import MOST_ALIGNMENTS
    from errata.errors import DataError

    _, *texts = line.split("\t")
    if len(texts) < 2:
        raise DataError(f"no correction: {line[:60]!r}", hint="expected: id, source, corrections, with tabs")
    source = divide(texts[0])
    lines = [f"S {' '.join(source)}\n"]
    for number, text in enumerate(texts[1:]):
        target = divide(extractor.resources.simplified(text) if simplify else text)
        if "".join(target) == UNANNOTATED:
            lines.append(format_remark(number, UNANNOTATED, UNANNOTATED_TYPE))
            continue
        if "".join(target) in (UNCHANGED, "".join(source)):
            target = source
        sequences, complete = extractor.sequences(source, target, first=first)
        if not complete:
            click.echo(
                f"note: {texts[0][:30]!r} has more than {MOST_ALIGNMENTS:,} alignments; the first ones count",
                err=True,
            )
        lines.append(format_answer(number, " ".join(target), sequences))
    return "".join(lines) + "\n"


@click.command(cls=ManyValues)
@compare_options
@option("--start", type=int, help="Number of the first sentence, from 0; with --end.")
@option("--end", type=int, help="Number of the sentence after the last one.")
@option("--max_answer_num", type=click.IntRange(1, 3), help="Use only the first answers.")
@option("--reference_num", type=int, help="Use only sentences with this number of answers.")
def cherrant_compare(
    start: int | None, end: int | None, max_answer_num: int | None, reference_num: int | None, **given: Any
) -> None:
    """Calculate F-scores of ChERRANT's M2 files as its compare_m2_for_evaluation does."""
    if start is None or end is None:
        start = end = None
    lines = compared(
        **given, cherrant=True, start=start, end=end, answers=max_answer_num, references=reference_num
    )
    for line in lines:
        click.echo(line)
