"""What edits contribute to a score: efficiency, Shapley values by their definition, and sampling."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

import numpy as np
import pytest

from errata import sample
from errata.corpus.apply_edits import apply_edits
from errata.corpus.model import Corpus
from errata.metrics import metric
from errata.metrics.attribution import attribute
from errata.metrics.base import SentenceMetric
from errata.metrics.batch import Batch

METRICS = ("gleu", "green", "m2", "imeasure", "bleu", "chrf", "wer", "errant:tagger=embedded", "sari")


def segment_of(source: str, *references: str):
    return Corpus.from_lists([source], [list(references)])[0]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("method", ["add", "sub", "shapley"])
def test_the_values_sum_to_what_the_hypothesis_gains(name, method) -> None:
    loaded = sample.load("en")
    chosen = metric(name)
    for i in (3, 9, 17):
        segment, line = loaded.corpus[i], loaded.outputs["neural"][i]
        found = attribute(chosen, segment, line, method)
        (scores,) = chosen.score_batch(Corpus([segment]), [[segment.source, line]])
        assert (found.unchanged, found.score) == pytest.approx(tuple(scores), abs=1e-12)
        if found.scaled:
            total = sum(edit.value for edit in found.edits)
            assert total == pytest.approx(scores[1] - scores[0], abs=1e-9)


def test_shapley_values_are_means_over_all_orders() -> None:
    segment = segment_of("a b c d e f g h", "a x c y e z g h")
    hypothesis = "a x c y e w g v"
    chosen = metric("gleu")
    found = attribute(chosen, segment, hypothesis)
    spans = [(edit.start, edit.end, edit.after) for edit in found.edits]
    assert len(spans) == 4

    def score(some) -> float:
        text = " ".join(apply_edits(segment.tokens, [spans[i] for i in some]))
        return float(chosen.score([segment.source], [text], [list(segment.references)]).sentences[0])

    gains = np.zeros(len(spans))
    orders = list(permutations(range(len(spans))))
    for order in orders:
        for k, edit in enumerate(order):
            gains[edit] += score(order[: k + 1]) - score(order[:k])
    wanted = (gains / len(orders)).tolist()
    assert [edit.value for edit in found.edits] == pytest.approx(wanted, abs=1e-12)
    assert found.edits[0].value > 0 > found.edits[3].value


@dataclass(frozen=True)
class Changed(SentenceMetric):
    """The square of the number of changed tokens, which makes edits depend on each other."""

    name: ClassVar[str] = "changed"
    parts: ClassVar[tuple[str, ...]] = ("squares",)

    def scores(self, batch: Batch) -> list[float]:
        pairs = zip(batch.sources, batch.hypotheses, strict=True)
        return [sum(a != b for a, b in zip(s.split(), h.split(), strict=True)) ** 2 for s, h in pairs]


def test_beyond_a_dozen_edits_fresh_orders_are_sampled() -> None:
    source = " ".join("abcdefghijklmnopqrstuvwxyz")
    hypothesis = " ".join(c.upper() if i % 2 else c for i, c in enumerate(source.split()))
    segment = segment_of(source, source)
    found = attribute(Changed(), segment, hypothesis, samples=300, seed=7)
    assert len(found.edits) == 13
    assert found.sampled == 300
    assert sum(edit.value for edit in found.edits) == pytest.approx(13**2)
    for edit in found.edits:  # by symmetry, every edit is worth the same
        assert edit.error is not None
        assert 0 < edit.error < 1
        assert abs(edit.value - 13) < 4.5 * edit.error
    again, other = (attribute(Changed(), segment, hypothesis, samples=300, seed=seed) for seed in (7, 8))
    assert again == found
    assert other != found


def test_sampled_values_are_near_exact_ones() -> None:
    segment = segment_of("a b c d e f g h", "a x c y e z g h")
    exact = attribute(metric("gleu"), segment, "a x c y e w g v")
    drawn = attribute(metric("gleu"), segment, "a x c y e w g v", exact=0, samples=400)
    for one, other in zip(exact.edits, drawn.edits, strict=True):
        assert abs(one.value - other.value) <= 4.5 * other.error + 1e-12


def test_add_and_sub_by_hand() -> None:
    """Two edits: alone each changes one token (1); leaving one out of both loses 4 − 1 = 3."""
    segment = segment_of("a b c", "a b c")
    for method in ("add", "sub", "shapley"):
        found = attribute(Changed(), segment, "x b y", method)
        assert [edit.value for edit in found.edits] == [2, 2]
    assert attribute(Changed(), segment, "a b c").edits == ()


def test_the_command_prints_and_writes_data(run, tmp_path) -> None:
    for name, line in (("source", "a b c d e"), ("ref", "a x c d e"), ("hyp", "a x c d z")):
        (tmp_path / f"{name}.txt").write_text(line + "\n")
    arguments = ["--source", "source.txt", "--ref", "ref.txt", "--hyp", "hyp.txt"]
    shown = run("explain", "gleu", "--attribute", "shapley", *arguments)
    assert shown.returncode == 0, shown.stderr
    assert "1–2  b → x" in shown.stdout
    made = run("explain", "gleu", "--attribute", "add", "--format", "json", *arguments)
    record = json.loads(made.stdout)
    assert [edit["after"] for edit in record["edits"]] == ["x", "z"]
    total = sum(edit["value"] for edit in record["edits"])
    assert total == pytest.approx(record["score"] - record["unchanged"])
