"""`errata compat m2scorer`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from errata.corpus.model import Corpus
    from errata.metrics.base import Score
    from errata.metrics.m2 import M2


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("system")
@click.argument("gold")
@click.option("-v", "--verbose", is_flag=True, help="Show every sentence: its edits, counts and choices.")
@click.option("--very_verbose", is_flag=True, help="The same as --verbose.")
@click.option("--beta", type=float, default=0.5, show_default=True, help="Weight of recall in F.")
@click.option(
    "--max_unchanged_words", type=click.IntRange(min=0), default=2, show_default=True,
    help="Unchanged words an edit may hold.",
)  # fmt: skip
@click.option(
    "--ignore_whitespace_casing", is_flag=True, help="Leave out edits of nothing but blanks and case."
)
def command(
    system: str,
    gold: str,
    verbose: bool,
    very_verbose: bool,
    beta: float,
    max_unchanged_words: int,
    ignore_whitespace_casing: bool,
) -> None:
    """Score SYSTEM (one sentence a line) against GOLD (M2), as the official m2scorer does.

    Prints precision, recall and F with four decimals, as it does. What --verbose prints before them is
    our own: the sentence, every annotator's edits and matches, and which annotator counts.
    """
    from errata.corpus.m2 import read_m2
    from errata.corpus.parallel import read_aligned
    from errata.metrics.m2 import M2

    metric = M2(beta, max_unchanged_words, ignore_whitespace_casing)
    corpus = read_m2(gold)
    score = metric.score(corpus, read_aligned(system, corpus.sources, gold))
    for cut in score.cuts:
        click.echo(f"note: {cut}", err=True)
    if verbose or very_verbose:
        _sentences(metric, corpus, score)
    click.echo(f"Precision   : {score.parts['precision']:.4f}")
    click.echo(f"Recall      : {score.parts['recall']:.4f}")
    click.echo(f"F_{beta:.1f}       : {score.parts['f']:.4f}")


def _sentences(metric: M2, corpus: Corpus, score: Score) -> None:
    assert score.hypotheses is not None
    statistics = score.statistics
    chosen = statistics.references[metric.chosen(statistics)].tolist()
    for number, (segment, hypothesis) in enumerate(zip(corpus, score.hypotheses, strict=True), 1):
        click.echo(f"sentence {number}: annotator {chosen[number - 1]} counts")
        click.echo(metric.explain(segment, hypothesis).render(width=10_000).replace("  (chosen)", ""))
