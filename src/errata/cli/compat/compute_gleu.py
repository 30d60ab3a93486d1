"""`errata compat compute_gleu`"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from errata.cli.inputs import ManyValues

if TYPE_CHECKING:
    from errata.metrics.gleu import GLEU
    from errata.metrics.statistics import Statistics

_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@click.command(cls=ManyValues)
@click.option("-s", "--source", required=True, help="Source sentences, one a line.")
@click.option("-r", "--reference", "references", multiple=True, required=True, help="Reference files.")
@click.option("-o", "--hypothesis", "hypotheses", multiple=True, required=True, help="Systems' outputs.")
@click.option(
    "-n", "order", type=click.IntRange(min=1), default=4, show_default=True,
    help="Maximum order, as the official program takes it: beyond 4 it is 4, below 4 the score still has a "
    "quarter of each logarithm, and sentence scores have four orders.",
)  # fmt: skip
@click.option("-d", "--debug", is_flag=True, help="Print the score of every sentence, too.")
@click.option("-l", "--lowercase", is_flag=True, help="Lowercase the letters A to Z everywhere.")
@click.option("--iter", "iterations", type=click.IntRange(min=1), default=500, show_default=True)
def command(
    source: str, references: tuple[str, ...], hypotheses: tuple[str, ...], order: int, debug: bool,
    lowercase: bool, iterations: int,
) -> None:  # fmt: skip
    """GLEU+ as the official compute_gleu of June 2017 computes and prints it.

    \b
    errata compat compute_gleu -s SRC -r REF0 REF1 -o SYSTEM -d
    """
    from pathlib import Path

    from errata.corpus.model import Corpus
    from errata.corpus.parallel import read_aligned, read_parallel
    from errata.metrics.gleu import GLEU

    corpus = read_parallel(source, references)
    lines = corpus.sources
    if lowercase:
        texts = [[text.translate(_ASCII_LOWER) for text in segment.references] for segment in corpus]
        corpus = Corpus.from_lists([line.translate(_ASCII_LOWER) for line in lines], texts)
    metric = GLEU(iterations=iterations)
    if order != 4:
        click.echo(
            f"warning: -n {order} as in the official program: "
            + ("it acts as -n 4" if order > 4 else "the logarithms of the first orders are divided by 4")
            + f"; `errata score --metric gleu:n={order}` divides by {order}",
            err=True,
        )
    for path in hypotheses:
        outputs: Sequence[str] = read_aligned(path, lines, source)
        if lowercase:
            outputs = [line.translate(_ASCII_LOWER) for line in outputs]
        statistics = metric.statistics(corpus, outputs)
        if debug:
            _print_sentences(metric, statistics)
        mean, deviation = overall(metric, statistics, min(order, 4))
        if debug:
            click.echo("\n==== Overall score =====\nMean Stdev 95%CI GLEU")
            click.echo(_row(mean, deviation))
        else:
            click.echo(f"{Path(path).name} {mean:.6f}")


def overall(metric: GLEU, statistics: Statistics, order: int) -> tuple[float, float]:
    """Mean and standard deviation over the draws, with the logarithms of the first orders only.

    Where numerator and denominator of an order are made equal, its logarithm is 0 and it still divides; sums
    of 0 stay as they are, for they make the score 0 in every order.
    """
    import numpy as np

    ones = np.ones((1, len(statistics)), dtype=np.int64)
    if order == metric.n or not len(statistics):
        parts = metric.score(statistics).parts
        return parts["gleu"], parts["sd"]
    sums, n = metric.drawn_sums(statistics, ones), metric.n
    numerators, denominators = sums[..., order:n], sums[..., n + order : 2 * n]
    numerators[:] = np.where(numerators > 0, denominators, 0.0)
    mean, deviation, *_ = metric.drawn_parts(sums)[0].tolist()
    return mean, deviation


def _print_sentences(metric: GLEU, statistics: Statistics) -> None:
    means, deviations = metric.sentence_moments(statistics)
    rows = (_row(mean, sd) for mean, sd in zip(means.tolist(), deviations.tolist(), strict=True))
    click.echo("\n===== Sentence-level scores =====\nSID Mean Stdev 95%CI GLEU")
    click.echo("\n".join(f"{i} {row}" for i, row in enumerate(rows)))


def _row(mean: float, deviation: float) -> str:
    """Mean, standard deviation and normal interval; an interval without width is printed as nan."""
    from errata.metrics.gleu import NORMAL_95

    margin = NORMAL_95 * deviation if deviation else float("nan")
    return f"{mean:.6f} {deviation:.6f} ({mean - margin:.3f},{mean + margin:.3f})"
