"""Faults of published programs, reproduced as docs/known-faults.md tells."""

from __future__ import annotations

import numpy as np
import pytest

import errata
from errata.corpus.m2 import read_m2
from errata.human.judgment_files import read_judgments
from errata.human.pairs import expanded_pairs
from seeda import outputs, rows_of


def test_ties_of_the_metric_count_by_the_order_of_names_in_seeda(data, golden) -> None:
    judgments = read_judgments([data / "seeda/judgments_sent.xml"])
    pairs = expanded_pairs(judgments.without_systems(["INPUT", "REF-F", "GPT-3.5"]))
    gold, lines = read_m2(data / "conll14/test.m2"), outputs(data)
    scores = np.array([errata.M2().score(gold, lines[name]).sentences.round(12) for name in pairs.systems])
    line = np.array([int(name) - 1 for name in pairs.judgments.segments])[pairs.segment]
    metric = np.sign(scores[pairs.left, line] - scores[pairs.right, line])
    decided = pairs.outcome != 0
    same, tie, later = (metric == pairs.outcome), metric == 0, pairs.outcome < 0
    found = {
        "official": (same | tie & later)[decided].mean(),
        "reversed": (same | tie & ~later)[decided].mean(),
        "half": (same + tie / 2)[decided].mean(),
    }
    rows = {
        row["tie_rule"]: row for row in rows_of(golden / "seeda/sentence_agreement.tsv")
        if (row["metric"], row["variant"], row["judgments"]) == ("M2", "base", "sentence")
    }  # fmt: skip
    for rule, row in rows.items():
        assert (decided.sum(), (tie & decided).sum()) == (int(row["pairs"]), int(row["metric_ties"]))
        assert found[rule] == pytest.approx(float(row["acc"]), abs=1e-15), rule
