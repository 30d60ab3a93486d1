"""`errata corpus …`; large subcommands are in modules that are loaded when they are used"""

from __future__ import annotations

import os
from typing import Any

import click

from errata.cli.commands import Command, LazyGroup, OutputPath, option, section, together
from errata.cli.options import checked, corpus_options, emit, format_option, seed_option, to_options
from errata.errors import ErrataError

COMMANDS = {  # subcommand -> first line of its help
    "check": "Find mistakes in corpus files that would make scores wrong.",
    "stats": "Count segments, tokens, edits and error types.",
    "convert": "Convert between formats, choose annotators, regroup.",
    "align": "Divide corrected documents into the sentences of their sources.",
    "tokenize": "Split text into tokens, line by line.",
    "detokenize": "Join tokens to readable text, line by line.",
    "project": "Give a detokenised output the tokens of its source.",
    "clean": "Remove what a language model added to its corrections.",
    "split": "Split by document into parts of given sizes.",
    "sample": "Draw segments or documents at random.",
    "agreement": "Compare the corrections of annotators.",
}
_MODULES = {  # of subcommands that are not in this module
    "agreement": "corpus_agreement",
    **dict.fromkeys(("tokenize", "detokenize", "project", "clean"), "corpus_texts"),
}
_SIZES = {2: "80/20", 3: "80/10/10"}  # by number of parts

_in_and_out = together(
    click.argument("source", metavar="IN", type=click.Path(allow_dash=True)),
    click.argument("target", metavar="OUT", type=OutputPath(dir_okay=True)),
)


@click.command(cls=LazyGroup, table=COMMANDS, module="corpus", others=_MODULES)
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


@click.command(cls=Command)
@_in_and_out
@corpus_options
@to_options
@option(
    "--corrected", "-c", "files", multiple=True, required=True, type=click.Path(allow_dash=True),
    metavar="FILE", help="An annotator's correction of the whole text. Repeat it for more.",
)  # fmt: skip
def align(
    source: str, target: str, from_: str | None, references: tuple[str, ...], meta: tuple[str, ...],
    to: str | None, write_meta: bool, files: tuple[str, ...],
) -> None:  # fmt: skip
    """Divide corrected documents into the sentences of their sources.

    IN has one sentence per line or segment. FILE has the same documents in the same order, corrected in any
    editor, with line breaks anywhere. OUT has the correction of every sentence.

    \b
    errata corpus align sentences.txt aligned.tsv --corrected anna.txt
    """
    from errata.corpus.files import read_lines
    from errata.corpus.formats import format_to_write, read_corpus, write_corpora
    from errata.corpus.parallel import system_name
    from errata.corpus.transforms import align_correction
    from errata.text.lines import Lines

    to = to or format_to_write(target)
    corpus = read_corpus(source, format=from_, references=references, meta=meta)
    texts = [align_correction(corpus.sources, "\n".join(read_lines(file))) for file in files]
    names = {number: system_name(file) for number, file in enumerate(files)}
    one_line = [Lines.of([" ".join(text.split()) for text in lines]) for lines in texts]
    write_corpora([(corpus.with_texts(one_line, names), target)], format=to, meta=write_meta)


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


def _finding_codes(prefixes: str) -> set[str]:
    """The codes that begin with one of these prefixes, which commas separate."""
    from errata.corpus.checks import catalog

    codes: set[str] = set()
    for prefix in filter(None, (part.strip().upper() for part in prefixes.split(","))):
        matching = {code for code in catalog() if code.startswith(prefix)}
        if not matching:
            raise ErrataError(f"no check has a code like {prefix!r}; there are {', '.join(catalog())}")
        codes |= matching
    return codes


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.Path())
@section(
    "Input",
    option(
        "--ref", "-r", "references", multiple=True, type=click.Path(), metavar="FILE",
        help="Reference for FILE. Repeat it for more.",
    ),
    option(
        "--hyp", "hypotheses", multiple=True, type=click.Path(), metavar="FILE",
        help="Output of a system for FILE. Repeat it for more.",
    ),
    option(
        "--from", "format_in", type=click.Choice(["m2", "text", "other"]), metavar="FORMAT",
        help="Format of FILES, if their names do not show it:",
    ),
)  # fmt: skip
@section(
    "Output",
    option(
        "--select", "selected", metavar="CODES", callback=checked(_finding_codes),
        help="Report only these codes or groups: W107,E2.",
    ),
    option(
        "--ignore", "ignored", metavar="CODES", callback=checked(_finding_codes),
        help="Leave out these codes or groups.",
    ),
    option("--fix", is_flag=True, help="Make safe repairs, in place or into --output."),
    option("--strict", is_flag=True, help="Exit with 1 for warnings, too."),
    option("--all", "every", is_flag=True, help="Print one row per finding, not per file and code."),
)  # fmt: skip
@format_option
def check(
    files: tuple[str, ...], references: tuple[str, ...], hypotheses: tuple[str, ...],
    format_in: str | None, selected: set[str] | None, ignored: set[str] | None, fix: bool, strict: bool,
    every: bool, format_: str, output: str,
) -> int:  # fmt: skip
    """Find mistakes in corpus files that would make scores wrong.

    FILES are M2 or text with one sentence per line, and may be broken in any way. References and outputs are
    compared with FILE line by line. `errata explain CODE` says what a code means and what to do. The exit
    code is 1 if there are errors (E…). With --fix, --output names the repaired file.

    \b
    errata corpus check test.m2 --hyp systems/AMU.txt
    errata corpus check --fix --select W102,W107 systems/*.txt
    """
    from errata.corpus.checks import check as check_files
    from errata.corpus.corpus_tables import findings_table

    if (references or hypotheses) and len(files) != 1:
        raise click.UsageError("--ref and --hyp are compared with one FILE")
    everything = (*files, *references, *hypotheses)
    if fix:
        _fix(files, references + hypotheses, format_in, selected or set(), ignored or set(), output)
        if output != "-":
            files, references, hypotheses = (output,), (), ()
            output = "-"
    findings = [
        finding
        for finding in check_files(files, references, hypotheses, format=format_in)
        if (not selected or finding.code in selected) and finding.code not in (ignored or ())
    ]
    every = every or format_ in ("json", "tsv")
    emit(findings_table(findings, len(everything), every=every), format_, output)
    return int(any(finding.is_error or strict for finding in findings))


def _fix(
    files: tuple[str, ...], others: tuple[str, ...], format_in: str | None, selected: set[str],
    ignored: set[str], output: str,
) -> None:  # fmt: skip
    from errata.corpus.atomic_write import protect
    from errata.corpus.checks.file_checks import kind_of
    from errata.corpus.checks.fixes import fix_file, fixable

    if output != "-" and len(files + others) != 1:
        raise click.UsageError("--output takes one repaired file; without it files are repaired in place")
    if output == "-" and "-" in files + others:
        raise click.UsageError("standard input cannot be repaired in place; name the --output")
    if output == "-":
        protect(files + others, replace=True)
    codes = fixable(selected) - ignored
    for path in files + others:
        kind = kind_of(path, format_in) if path in files else "text"
        where = None if output == "-" else output
        done = fix_file(path if path == "-" else os.path.realpath(path), kind, codes, where)
        click.echo(f"{path}: {'; '.join(done) or 'nothing to repair'}", err=True)
