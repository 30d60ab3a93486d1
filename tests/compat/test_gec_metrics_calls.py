"""`from errata.compat import gec_metrics` has the calls of gec-metrics."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errata
from errata.compat import gec_metrics
from errata.corpus.files import read_lines
from errata.errors import ErrataError
from errata.significance.correlations import CORRELATIONS

# The example of its README; by reference, then by sentence.
SOURCES = ["This sentences contain grammatical error ."]
HYPOTHESES = ["This sentence contains an grammatical error ."]
REFERENCES = [
    ["This sentence contains an grammatical error ."],
    ["This sentence contains grammatical errors ."],
]


def make(name: str, **options: Any) -> gec_metrics.MetricBase:
    cls = gec_metrics.get_metric(name)
    return cls(cls.Config(**options))


@pytest.mark.parametrize(
    ("name", "options", "specification"),
    [
        ("gleu", {"iter": 10}, "gleu:iterations=10"),
        ("gleuofficial", {"n": 3}, "gleu:n=3"),
        ("green", {"unit": "char", "beta": 0.5}, "green:unit=character,beta=0.5,empty=gec-metrics"),
        ("gotoscorer", {"ref_id": 1}, "gotoscorer:weights=none,annotator=1,tagger=embedded:en,words=en"),
        ("errant", {}, "errant:tagger=embedded:en,words=en"),
    ],
)
def test_scores_are_those_of_errata(name: str, options: dict[str, Any], specification: str) -> None:
    metric = make(name, **options)
    if "tagger" in specification:
        metric.metric = errata.metric(specification)  # no spaCy in a quick test
    assert metric.metric == errata.metric(specification)
    score = errata.score(
        SOURCES, HYPOTHESES, metric=specification, references=[*zip(*REFERENCES, strict=True)]
    )
    assert metric.score_corpus(SOURCES, HYPOTHESES, REFERENCES) == score.value
    assert metric.score_sentence(sources=SOURCES, hypotheses=HYPOTHESES, references=REFERENCES) == (
        score.sentences.tolist()
    )


def test_pairs_and_rankings() -> None:
    metric = make("gleu")
    systems = [HYPOTHESES, SOURCES, HYPOTHESES]
    assert metric.score_pairwise(SOURCES, systems, REFERENCES) == [[[0, 1, 0], [-1, 0, -1], [0, 1, 0]]]
    values = metric.rank_systems(SOURCES, systems, REFERENCES)
    assert values[0] == values[2] == metric.score_corpus(SOURCES, HYPOTHESES, REFERENCES) > values[1]
    ratings = metric.rank_systems(SOURCES, systems, REFERENCES, aggregation="trueskill")
    assert min(ratings) == ratings[1]


def test_ratings_are_those_of_the_package_trueskill() -> None:
    trueskill = pytest.importorskip("trueskill")
    metric, systems = make("gleu"), [HYPOTHESES * 3, SOURCES * 3]
    environment = trueskill.TrueSkill(mu=0.0, sigma=0.5, beta=0.25, tau=0.0, draw_probability=0.25)
    left, right = environment.create_rating(), environment.create_rating()
    for _ in range(3):
        (left,), (right,) = environment.rate([(left,), (right,)])
    references = [texts * 3 for texts in REFERENCES]
    ratings = metric.rank_systems(SOURCES * 3, systems, references, aggregation="trueskill")
    assert ratings == pytest.approx([left.mu, right.mu], abs=1e-7)


def test_metrics_without_references_and_sources() -> None:
    assert make("bertscore", batch_size=8).metric == errata.metric("bertscore")
    assert make("impara", model_qe="folder", threshold=0.5).metric == errata.metric(
        "impara:model=folder,threshold=0.5"
    )
    assert set(gec_metrics.get_metric_ids()) >= {"gleu", "errant", "green", "some", "impara", "scribendi"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gec_metrics.get_metric("gluu"), "there is no metric 'gluu'\n  hint: did you mean 'gleu'"),
        (lambda: gec_metrics.get_meta_eval("wmt"), "there is no meta-evaluation 'wmt'"),
        (lambda: make("gleu", unit="char"), "unit='char' is not supported"),
        (lambda: make("green", unit="byte"), "there is no unit 'byte'"),
        (lambda: make("gleu").rank_systems(SOURCES, [SOURCES], REFERENCES, "mean"), "no aggregation 'mean'"),
        (lambda: make("pterrant", weight_model_name="bartscore"), "weights by BERTScore"),
    ],
)
def test_wrong_calls(call: Any, message: str) -> None:
    with pytest.raises(ErrataError, match=message):
        call()


def counts_of_gec_metrics(
    source: str, output: str, reference: str, *, clip: bool
) -> Iterator[tuple[int, int]]:
    """Right n-grams and all n-grams of each order, as the class GLEU of gec-metrics 0.1.1 counts them.

    Right ones are below 0 where penalties prevail; the official program and errata count 0 there (`clip`).
    """
    for n in range(1, 5):
        s, h, r = (
            Counter(zip(*(text.split()[k:] for k in range(n)), strict=False))
            for text in (source, output, reference)
        )
        right = sum(min(m, r[gram]) - max(min(s[gram], m) - r[gram], 0) for gram, m in h.items())
        penalties = sum(
            max(m - max(s[gram], r[gram]), 0) + 2 * max(min(s[gram], m) - r[gram], 0) for gram, m in h.items()
        )
        yield (max(right, 0) if clip else right), right + penalties


@pytest.mark.slow
def test_why_the_correlations_of_gleu_in_its_readme_differ(data: Path) -> None:
    """Its counts below 0 are the cause: with them, all four rank correlations are those of its README."""
    folder = data / "seeda"
    with (folder / "human.tsv").open(encoding="utf-8") as file:
        human = {row["system"]: row for row in csv.DictReader(file, delimiter="\t") if row["set"] == "base"}
    lines = [int(number) - 1 for number in read_lines(folder / "subset_ids.txt")]
    sources = read_lines(folder / "systems_subset/INPUT.txt")
    texts = [[read_lines(folder / f"refs/m2_ann{k}.txt")[line] for line in lines] for k in (0, 1)]
    lengths = np.array([[len(text.split()) for text in column] for column in texts])
    seeded = (random.Random(101 * number) for number in range(500))
    draws = np.array([[rng.randint(0, 1) for _ in lines] for rng in seeded])
    published = {"EW_edit": 0.9301, "EW_sent": 0.9091, "TS_edit": 0.9441, "TS_sent": 0.9021}
    for clip in (False, True):
        scores = []
        for system in human:
            output = read_lines(folder / f"systems_subset/{system}.txt")
            counts = np.array(
                [
                    [*map(lambda *row: [*counts_of_gec_metrics(*row, clip=clip)], sources, output, column)]
                    for column in texts
                ]
            )
            sums = np.array([counts[draw, np.arange(len(lines))].sum(axis=0) for draw in draws])
            references = np.array([lengths[draw, np.arange(len(lines))].sum() for draw in draws])
            brevity = np.minimum(0, 1 - references / sum(len(text.split()) for text in output))
            scores.append(np.exp(brevity + np.log(sums[..., 0] / sums[..., 1]).mean(axis=1)).mean())
        for column, rho in published.items():
            people = [float(row[column]) for row in human.values()]
            assert (round(float(CORRELATIONS["spearman"](scores, people)), 4) == rho) is not clip


@pytest.mark.slow
def test_seeda_agrees_with_errata_meta(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_DATA", str(data))
    cls = gec_metrics.get_meta_eval("seeda")
    meta, metric = cls(cls.Config(system="base")), make("gleu")
    agreements = meta.judged.agreements([metric.metric])
    system, sentence = meta.corr_system(metric), meta.corr_sentence(metric)
    for kind, view in {"edit": "seeda, base, edits", "sent": "seeda, base, sentences"}.items():
        agreement = agreements[view]
        for method in ("EW", "TS"):
            correlation = getattr(system, f"{method.lower()}_{kind}")
            assert correlation.pearson == agreement.levels[method].correlations("pearson")[0]
            assert correlation.spearman == agreement.levels[method].correlations("spearman")[0]
            assert len(correlation.human_scores) == len(correlation.metric_scores) == 12
        assert getattr(sentence, kind).accuracy == agreement.sentences.decided_accuracy("official")[0]
    ranked = meta.corr_system(metric, aggregation="trueskill")
    assert ranked.ts_edit.pearson == pytest.approx(0.93, abs=0.06)
    with pytest.raises(ErrataError, match="no set of systems 'all'"):
        cls(cls.Config(system="all"))


@pytest.mark.slow
def test_the_rankings_of_grundkiewicz(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_DATA", str(data))
    meta = gec_metrics.get_meta_eval("gjg")()
    assert set(vars(meta.corr_system(make("green")))) == {"ew", "ts"}
    assert set(vars(meta.corr_sentence(make("green")))) == {"corr"}
