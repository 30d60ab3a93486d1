"""SentM2 and M² on SEEDA: the published values of 15 systems."""

from __future__ import annotations

import pytest

from errata.corpus.m2 import read_m2
from errata.metrics import metric
from errata.metrics.m2 import M2
from seeda import outputs, rows_of


def test_the_systems_of_seeda_have_the_published_scores(data) -> None:
    """All but SentM2 of REF-F, whose rewritten sentences were published 0.06 higher."""
    gold = read_m2(data / "conll14/test.m2")
    lines = outputs(data)
    for row in rows_of(data / "seeda/published_metrics.tsv"):
        for name, published in (("m2", row["M2"]), ("sentm2", row["SentM2"])):
            value = 100 * metric(name).score(gold, lines[row["system"]]).value
            off = 0.06 if (row["system"], name) == ("REF-F", "sentm2") else 0.00501
            assert value == pytest.approx(float(published), rel=0, abs=off), row["system"]


def test_the_mean_is_that_of_the_sentences(data) -> None:
    gold = read_m2(data / "conll14/test.m2").select(range(60))
    lines = outputs(data)["T5"][:60]
    sentences = M2().score(gold, lines).sentences
    assert metric("sentm2").score(gold, lines).value == pytest.approx(sentences.mean(), abs=1e-15)
