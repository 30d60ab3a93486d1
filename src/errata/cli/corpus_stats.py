"""`errata corpus stats`"""

from __future__ import annotations

import click

from errata.cli.options import corpus_options, emit, format_option


@click.command()
@click.argument("corpora", metavar="CORPUS…", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("--by", metavar="FIELD", help="Rows by document, paragraph or any meta field (domain).")
@click.option("--types", is_flag=True, help="Also edits by error type.")
@click.option("--lengths", is_flag=True, help="Also edits by their length, and segments by references.")
@click.option(
    "--error-rate", "definitions", metavar="DEF", multiple=True,
    help="Definition of the error rate, DEF or DEF:ANNOTATORS; repeat for more; `all` for every one. "
    "[default: source-tokens-in-edits:pooled]",
)  # fmt: skip
@corpus_options
@format_option
def command(
    corpora: tuple[str, ...], by: str | None, types: bool, lengths: bool, definitions: tuple[str, ...],
    from_: str | None, references: tuple[str, ...], meta: tuple[str, ...], format_: str, output: str,
) -> None:  # fmt: skip
    """Count segments, documents, tokens, edits, error types; error rates by definition.

    \b
    Error rates: source-tokens-in-edits, corrected-tokens-in-edits, touched-tokens,
    edits-per-token, longer-side, changed-tokens; over several annotators: pooled, mean,
    first, last, any (see docs/corpus-statistics.md).

    \b
    errata corpus stats geccc/dev geccc/test --by domain
    errata corpus stats gold.m2 --meta meta.tsv --types --error-rate changed-tokens:first
    """
    from errata.corpus.formats import read_corpus
    from errata.corpus.parallel import unused
    from errata.corpus.statistics import CorpusStatistics, count
    from errata.report import corpus_tables

    rates = corpus_tables.parse_rates(definitions)
    counted: dict[str, CorpusStatistics] = {}
    for path in corpora:
        corpus = read_corpus(path, format=from_, references=references, meta=meta)
        counted[unused(path, counted)] = count(corpus)
    tables = [corpus_tables.overview(counted, by, rates)]
    if types:
        tables.append(corpus_tables.types(counted, by))
    if lengths:
        tables += [corpus_tables.lengths(counted), corpus_tables.references(counted, by)]
    emit(tables, format_, output)
