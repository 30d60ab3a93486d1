"""`errata score`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errata.cli.inputs import ManyValues, scoring_inputs
from errata.cli.options import emit, format_option, seed_option
from errata.cli.streaming import stream_options

if TYPE_CHECKING:
    from errata.metrics.results import Results
    from errata.metrics.streaming import StreamedScores
    from errata.report.table import Table

LEVELS = ("merged", "operation", "category", "both")  # of error types, as the metrics number them


@click.command(cls=ManyValues)
@scoring_inputs
@click.option("--by", help="Also score each domain, document or other label by itself, or each error type.")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="category",
    show_default=True,
    help="Of the types of --by type: M, R, U; NOUN:NUM; R:NOUN:NUM; or with all parts of speech as one.",
)
@click.option("--sentence", is_flag=True, help="Also print the score of every sentence.")
@click.option("--ci", is_flag=True, help="95 % bootstrap intervals.")
@click.option(
    "--samples", type=click.IntRange(min=10), default=1000, show_default=True, help="Of the bootstrap."
)
@click.option("--save", type=click.Path(dir_okay=False), help="Keep the statistics in this .npz file.")
@seed_option
@stream_options
@format_option
def command(
    results: Results | StreamedScores,
    by: str | None,
    level: str,
    sentence: bool,
    ci: bool,
    samples: int,
    save: str | None,
    seed: int,
    format_: str,
    output: str,
) -> None:
    """Score systems with one or many metrics.

    \b
    errata score --m2 gold.m2 --hyp A.txt B.txt --metric m2,gleu,imeasure
    errata score --source src.txt --ref ref0.txt ref1.txt --hyp - --ci
    errata score --m2 'gold-*.m2' --hyp 'out-*.txt.gz' --metric m2 --stream --engine processes
    """
    from errata.metrics.results import Results
    from errata.report.cuts import cut_table
    from errata.report.scores import by_group_table, by_type_tables, score_table, sentence_table

    bootstrap = (samples, seed) if ci else None
    tables: list[Table] = [score_table(results, bootstrap)]
    beyond = cut_table(results)
    if not isinstance(results, Results):  # a stream, of which nothing more was asked
        emit([*tables, beyond] if beyond is not None else tables, format_, output)
        return
    if save is not None:
        results.save(save)
    if by == "type":
        tables += by_type_tables(results, LEVELS.index(level))
    elif by is not None:
        tables.append(by_group_table(results, by, bootstrap))
    if sentence:
        tables.append(sentence_table(results))
    if beyond is not None:
        tables.append(beyond)
    if format_ == "json":
        tables[0].extra = {"results": results.to_dict()}
    emit(tables, format_, output)
