"""`errata corpus …`: a large subcommand has a module of its own, loaded when it is used"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from errata.cli.commands import Command, LazyGroup, OutputPath, option, section, together
from errata.cli.options import checked, corpus_options, emit, format_option, seed_option, to_options
from errata.text.tokenizers import TOKENIZERS, Tokenizer

COMMANDS = {  # subcommand -> first line of its help
    "check": "Find mistakes in corpus files that would make scores wrong.",
    "stats": "Count segments, tokens, edits and error types.",
    "convert": "Convert between formats, choose annotators, regroup.",
    "tokenize": "Split text into tokens, line by line.",
    "detokenize": "Join tokens to readable text, line by line.",
    "project": "Give a detokenised output the tokens of its source.",
    "clean": "Remove what a language model added to its corrections.",
    "split": "Split by document into parts of given sizes.",
    "sample": "Draw segments or documents at random.",
    "agreement": "Compare the corrections of annotators.",
}
_MODULES = dict.fromkeys(COMMANDS, "corpus") | {
    "check": "corpus_check",
    "agreement": "corpus_agreement",
    "project": "corpus_outputs",
    "clean": "corpus_outputs",
}
_SIZES = {2: "80/20", 3: "80/10/10"}  # by number of parts

_in_and_out = together(
    click.argument("source", metavar="IN", type=click.Path(allow_dash=True)),
    click.argument("target", metavar="OUT", type=OutputPath(dir_okay=True)),
)


@click.command(cls=LazyGroup, table=COMMANDS, modules=_MODULES)
def command() -> None:
    """Check, count, convert, tokenise, split and sample corpora."""


@click.command(cls=Command)
@click.argument("corpora", metavar="CORPUS…", nargs=-1, required=True, type=click.Path(allow_dash=True))
@corpus_options
@section(
    "Statistics",
    option("--by", metavar="LABEL", help="Rows by document, paragraph or another label (domain)."),
    option("--types", is_flag=True, help="Also count edits by error type."),
    option(
        "--lengths", is_flag=True, help="Also count edits by length, and segments by number of references.",
    ),
    option(
        "--error-rate", "rates", metavar="DEF", multiple=True,
        callback=checked("errata.corpus.corpus_tables:parse_rates"),
        show_default="source-tokens-in-edits:pooled",
        help="Definition of the error rate, DEF or DEF:ANNOTATORS, or `all`. Repeat it for more.",
    ),
)  # fmt: skip
@format_option
def stats(
    corpora: tuple[str, ...], by: str | None, types: bool, lengths: bool, rates: Any, from_: str | None,
    references: tuple[str, ...], meta: tuple[str, ...], format_: str, output: str,
) -> None:  # fmt: skip
    """Count segments, documents, tokens, edits and error types.

    \b
    Error rates: source-tokens-in-edits, corrected-tokens-in-edits,
    touched-tokens, edits-per-token, longer-side, changed-tokens.
    Over several annotators: pooled, mean, first, last, any.

    \b
    errata corpus stats geccc/dev geccc/test --by domain
    errata corpus stats gold.m2 --types --error-rate changed-tokens:first
    """
    from errata.corpus import corpus_tables
    from errata.corpus.formats import read_corpus
    from errata.corpus.parallel import unused
    from errata.corpus.statistics import CorpusStatistics, count

    counted: dict[str, CorpusStatistics] = {}
    for path in corpora:
        corpus = read_corpus(path, format=from_, references=references, meta=meta)
        counted[unused(path, counted)] = count(corpus)
    tables = [corpus_tables.overview(counted, by, rates or corpus_tables.parse_rates(()))]
    if types:
        tables.append(corpus_tables.types(counted, by))
    if lengths:
        tables += [corpus_tables.lengths(counted), corpus_tables.references(counted, by)]
    emit(tables, format_, output)


@click.command(cls=Command)
@_in_and_out
@corpus_options
@to_options
@section(
    "Output",
    option(
        "--annotator", "-a", "annotators", multiple=True, type=int,
        help="Keep only this annotator. Repeat it for more.",
    ),
    option("--sources-only", is_flag=True, help="Drop all annotations."),
    option(
        "--regroup", type=click.Choice(["paragraph", "document"]),
        help="Merge the segments of each paragraph or document.",
    ),
    option(
        "--missing", type=click.Choice(["drop", "source", "first"]), default="drop",
        help="If an annotator lacks some segments: drop (leave them out), source (count them as unchanged), "
        "or first (take the first annotator's).",
    ),
)  # fmt: skip
def convert(
    source: str, target: str, from_: str | None, references: tuple[str, ...], meta: tuple[str, ...],
    to: str | None, write_meta: bool, annotators: tuple[int, ...], sources_only: bool,
    regroup: str | None, missing: str,
) -> None:  # fmt: skip
    """Convert between formats, choose annotators, regroup to paragraphs or documents.

    IN and OUT may be - and may be compressed (.gz .bz2 .xz .zst). Plain text goes to several files:
    the sources to OUT.txt, the texts of annotator N to OUT.refN.txt.

    \b
    errata corpus convert gold.m2 gold.jsonl
    errata corpus convert test.src test.m2 -r test.ref0 -r test.ref1
    errata corpus convert geccc/dev/sentence.m2 - --to m2 --regroup document
    """
    from errata.corpus.formats import format_to_write, read_corpus, write_corpora
    from errata.corpus.transforms import completed, only_annotators

    to = to or format_to_write(target)
    corpus = read_corpus(source, format=from_, references=references, meta=meta)
    if annotators or sources_only:
        corpus = only_annotators(corpus, () if sources_only else annotators)
    if missing != "drop":
        corpus = completed(corpus, missing)
    if regroup:
        corpus = corpus.regrouped(regroup, missing=missing)
    write_corpora([(corpus, target)], format=to, meta=write_meta)


def _sizes(text: str) -> list[float]:
    from errata.errors import ErrataError

    try:
        return [float(size) for size in text.split("/")]
    except ValueError:
        raise ErrataError(f"{text!r} is not like 80/10/10") from None


@click.command(cls=Command)
@click.argument("source", metavar="IN", type=click.Path(allow_dash=True))
@click.argument("targets", metavar="OUT…", nargs=-1, required=True, type=OutputPath())
@corpus_options
@section(
    "Output",
    option(
        "--sizes", metavar="SIZES", callback=checked(_sizes), show_default="80/20 or 80/10/10",
        help="Sizes of the parts: 80/10/10, or 5000/500/500. Documents stay whole.",
    ),
    option(
        "--unit", type=click.Choice(["document", "paragraph", "segment"]), default="document",
        help="Unit to keep in one part:",
    ),
    option("--by", metavar="LABEL", help="Keep the shares of this label (domain) in every part."),
)  # fmt: skip
@to_options
@seed_option
@format_option
def split(
    source: str, targets: tuple[str, ...], sizes: list[float] | None, unit: str, by: str | None, seed: int,
    from_: str | None, references: tuple[str, ...], meta: tuple[str, ...], to: str | None,
    write_meta: bool, format_: str, output: str,
) -> None:  # fmt: skip
    """Split by document into parts of given sizes, the same parts for the same seed.

    \b
    errata corpus split all.jsonl train.jsonl dev.jsonl test.jsonl --by domain
    """
    from errata.corpus.corpus_tables import parts_table
    from errata.corpus.formats import read_corpus, write_corpora
    from errata.corpus.transforms import split as split_corpus

    if sizes is None and len(targets) in _SIZES:
        sizes = _sizes(_SIZES[len(targets)])
    if sizes is None or len(sizes) != len(targets):
        raise click.UsageError(f"{len(sizes or ())} sizes for {len(targets)} files: give --sizes 80/10/10")
    corpus = read_corpus(source, format=from_, references=references, meta=meta)
    parts = split_corpus(corpus, sizes, unit=unit, by=by, seed=seed)
    write_corpora(zip(parts, targets, strict=True), format=to, meta=write_meta)
    by_target = dict(zip(targets, parts, strict=True))
    emit(parts_table(corpus, by_target, by, [f"by {unit}, seed {seed}"]), format_, output)


@click.command(cls=Command)
@_in_and_out
@corpus_options
@section(
    "Output",
    option("--size", "-n", type=click.IntRange(min=1), required=True, help="Units to draw."),
    option(
        "--unit", type=click.Choice(["segment", "paragraph", "document"]), default="segment",
        help="Unit to draw:",
    ),
    option("--by", metavar="LABEL", help="Keep the shares of this label (domain)."),
)  # fmt: skip
@to_options
@seed_option
def sample(
    source: str, target: str, size: int, unit: str, by: str | None, seed: int, from_: str | None,
    references: tuple[str, ...], meta: tuple[str, ...], to: str | None, write_meta: bool,
) -> None:  # fmt: skip
    """Draw segments or documents at random, the same ones for the same seed.

    They keep their order, and none is drawn twice.

    \b
    errata corpus sample gold.m2 - -n 10 --to m2
    """
    from errata.corpus.formats import format_to_write, read_corpus, write_corpora
    from errata.corpus.transforms import sample as draw

    to = to or format_to_write(target)
    corpus = read_corpus(source, format=from_, references=references, meta=meta)
    drawn = draw(corpus, size, unit=unit, by=by, seed=seed)
    write_corpora([(drawn, target)], format=to, meta=write_meta)


_tokenizer_options = together(
    option(
        "--tokenizer", "-t", "name", type=click.Choice(TOKENIZERS), default="penn", help="Rules to follow:",
    ),
    option("--lang", default="en", metavar="CODE", help="Language, for moses."),
    option("--model", type=click.Path(), metavar="FILE", help="UDPipe 1 model, for udpipe."),
    option(
        "--quotes", type=click.Choice(["keep", "penn"]), default="keep",
        help="Double quotes with penn: keep, or penn (`` and '').",
    ),
    option(
        "--output", "-o", default="-", type=OutputPath(),
        help="File to write to, instead of standard output.",
    ),
    option("--suffix", metavar="TEXT", help="Write a file beside each, its name with this at the end: .tok"),
    click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE…"),
)  # fmt: skip


@click.command(cls=Command)
@_tokenizer_options
def tokenize(**settings: Any) -> None:
    """Split text into tokens, line by line: a line stays a line.

    FILE is plain text, possibly compressed; - is standard input. The CoNLL shared tasks use penn, which
    expects one sentence per line; characters is for Chinese and Japanese.

    \b
    errata corpus tokenize -t moses --lang cs essays.txt > essays.tok
    """
    _rewrite(lambda tool, line: " ".join(tool.tokenize(line)), **settings)


@click.command(cls=Command)
@_tokenizer_options
def detokenize(**settings: Any) -> None:
    """Join tokens to readable text, line by line: a line stays a line.

    FILE is text with blanks between tokens, possibly compressed; - is standard input.
    """
    _rewrite(lambda tool, line: tool.detokenize(line.split()), **settings)


def _rewrite(
    change: Callable[[Tokenizer, str], str], files: tuple[str, ...], name: str, lang: str,
    model: str | None, quotes: str, output: str, suffix: str | None,
) -> None:  # fmt: skip
    """Change files line by line, each line written before the next is read."""
    from errata.corpus.files import open_output, plain_suffix, stream_lines
    from errata.errors import DataError
    from errata.text.tokenizers import tokenizer

    if suffix is not None and (output != "-" or "-" in files):
        raise click.UsageError(
            "--suffix names a file beside each FILE; it goes neither with --output nor with -"
        )
    tool = tokenizer(name, lang=lang, model=model, quotes=quotes)
    for path in files:
        if plain_suffix(path) == ".m2":
            hint = "convert it first: errata corpus convert"
            raise DataError("the tokens of M2 cannot be changed, its edits count them", path=path, hint=hint)

    def write(paths: Iterable[str], to: str) -> None:
        lines = (change(tool, line) + "\n" for path in paths for line in stream_lines(path))
        if to == "-":
            sys.stdout.buffer.writelines(line.encode("utf-8") for line in lines)
            return
        with open_output(to) as file:
            file.writelines(lines)

    if suffix is None:
        write(files, output)
    else:
        for path in files:
            write([path], path + suffix)
