"""`from errata.compat import gec_metrics` has the calls of gec-metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import errata
from errata.compat import gec_metrics
from errata.errors import ErrataError

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


def test_the_rankings_of_grundkiewicz(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_DATA", str(data))
    meta = gec_metrics.get_meta_eval("gjg")()
    assert set(vars(meta.corr_system(make("green")))) == {"ew", "ts"}
    assert set(vars(meta.corr_sentence(make("green")))) == {"corr"}
