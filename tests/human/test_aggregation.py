"""Ranking systems by sentence scores: golden values, the package `trueskill`, and what must hold."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from errata.errors import DataError
from errata.meta.aggregation import aggregate, aggregate_scores
from errata.metrics.green import GREEN
from errata.metrics.results import Results
from errata.metrics.simple_metrics import ExactMatch
from seeda import judged, outputs, rows_of, texts

SETS = {"base": {"INPUT", "REF-F", "GPT-3.5"}, "+fluency": {"INPUT"}}


@pytest.mark.parametrize("variant", SETS)
def test_seeda_has_the_published_ratings(variant, data, golden) -> None:
    corpus = texts(data).select(judged(data))
    systems = {
        name: lines for name, lines in outputs(data, "systems_subset").items() if name not in SETS[variant]
    }
    found = aggregate(Results.compute(corpus, systems, [GREEN()]), orders=2)
    rows = [
        row for row in rows_of(golden / "aggregation/trueskill_ew.tsv")
        if (row["metric"], row["variant"]) == ("GREEN", variant)
    ]  # fmt: skip
    assert [row["system"] for row in rows] == list(found.systems)
    for name, ours in (("ts_mu", found.mu), ("ts_sigma", found.sigma)):
        assert ours.tolist() == pytest.approx([float(row[name]) for row in rows], rel=0, abs=1e-6), name
    wins = [float(row["expected_wins"]) for row in rows]
    assert found.expected_wins.tolist() == pytest.approx(wins, rel=0, abs=1e-14)


def test_one_pass_is_that_of_the_package_trueskill() -> None:
    import trueskill

    environment = trueskill.TrueSkill(mu=0, sigma=0.5, beta=0.25, tau=0, draw_probability=0.25)
    scores = np.random.default_rng(4).integers(0, 4, size=(4, 60)).astype(float)
    ratings = [environment.create_rating() for _ in scores]
    for sentence in scores.T:
        for i, j in combinations(range(len(scores)), 2):
            ranks = [-sentence[i], -sentence[j]]
            (one,), (other,) = environment.rate([(ratings[i],), (ratings[j],)], ranks=ranks)
            ratings[i], ratings[j] = one, other
    found = aggregate_scores("ABCD", scores, orders=1)
    assert found.mu.tolist() == pytest.approx([rating.mu for rating in ratings], abs=1e-6)
    assert found.sigma.tolist() == pytest.approx([rating.sigma for rating in ratings], abs=1e-6)


def test_random_orders_are_seeded_and_their_spread_is_given() -> None:
    scores = np.random.default_rng(1).normal(size=(3, 40))
    one, same, other = (aggregate_scores("ABC", scores, orders=20, seed=seed) for seed in (1, 1, 2))
    assert one.mean.tolist() == same.mean.tolist()
    assert one.mean.tolist() != other.mean.tolist()
    assert (one.spread > 0).all()
    assert np.abs(one.mean - one.mu).max() < 5 * one.spread.max()


def test_pairs_that_never_differ_count_a_half_and_are_named() -> None:
    found = aggregate_scores("ABC", np.array([[1.0, 2.0], [1.0, 2.0 + 1e-14], [0.0, 0.0]]), orders=1)
    assert found.undecided == (("A", "B"),)
    assert found.expected_wins.tolist() == [0.75, 0.75, 0.0]
    assert found.tally.ties[0, 1] == 2


def test_lower_is_better_where_the_metric_says_so() -> None:
    from errata.metrics.simple_metrics import WER

    results = compute_both([WER(), ExactMatch()])
    for number in (0, 1):
        found = aggregate(results, number, orders=1)
        assert found.mu[0] > found.mu[1]


def compute_both(metrics):
    from errata.corpus.model import Corpus

    corpus = Corpus.from_lists(["a b", "c d"], [["a x"], ["c y"]])
    return Results.compute(corpus, {"good": ["a x", "c y"], "bad": ["z", "z"]}, metrics)


def test_infinite_scores_tie_and_missing_ones_are_an_error() -> None:
    found = aggregate_scores(["a", "b"], np.array([[-np.inf, 1.0], [-np.inf, 1.0]]), orders=2)
    assert found.undecided == (("a", "b"),)
    assert found.expected_wins.tolist() == [0.5, 0.5]
    with pytest.raises(DataError, match="NaN"):
        aggregate_scores(["a", "b"], np.array([[np.nan, 1.0], [0.0, 1.0]]), orders=2)


def test_one_system_alone_cannot_be_ranked() -> None:
    with pytest.raises(DataError, match="at least two systems"):
        aggregate_scores("A", np.zeros((1, 3)))


def test_the_command_ranks_by_sentence_scores(run, tmp_path) -> None:
    for name, lines in (("source", "a b c d\ne f g h\n"), ("reference", "a b c x\ne f g y\n")):
        (tmp_path / f"{name}.txt").write_text(lines)
    for name, lines in (("good", "a b c x\ne f g y\n"), ("same", "a b c x\ne f g y\n"), ("bad", "z\nz\n")):
        (tmp_path / f"{name}.txt").write_text(lines)
    texts = ["--source", "source.txt", "--ref", "reference.txt", "--hyp", "bad.txt", "good.txt", "same.txt"]
    done = run("rank", "--from-metric", "green", *texts, "--orders", "3")
    assert done.returncode == 0, done.stderr
    assert "good and same never differ: they count as ½" in done.stdout
    assert done.stdout.index("good") < done.stdout.index("bad")
    assert run("rank").returncode == 2
    assert run("rank", "--from-metric", "green", "x.xml", *texts).returncode == 2
    assert run("rank", "--m2", "gold.m2", "--hyp", "bad.txt").returncode == 2
