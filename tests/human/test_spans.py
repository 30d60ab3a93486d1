"""Penalties of marked spans, and agreement on them, against values counted by hand and in another way."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from errata.human.scalars import MarkedText, Span, penalty, span_agreement_of_sums, span_sums
from errata.significance.agreement_coefficients import scott_pi

WEIGHTS = {"minor": 1.0, "major": 5.0, "critical": 25.0}
TEXT = "He go to a school yesterday ."


def test_penalties_are_sums_of_weights() -> None:
    spans = [Span(0, 1, "x", "minor"), Span(0, 1, "y", "minor"), Span(2, 4, "x", "critical")]
    assert penalty(spans, WEIGHTS) == 27.0
    assert penalty([], WEIGHTS) == 0.0


def test_agreement_by_hand() -> None:
    """The first judge marks `go`, the second `go to` and `yesterday`."""
    sums = span_sums(
        [
            MarkedText("a", TEXT, (Span(1, 2, "grammar", "major"),)),
            MarkedText("b", TEXT, (Span(1, 3, "grammar", "minor"), Span(5, 6, "style", "minor"))),
        ]
    )
    found = dict(span_agreement_of_sums(sums))
    assert found["F1 of marked tokens"] == 2 * 1 / (1 + 3)
    assert found["F1 of marked characters"] == 2 * 2 / (2 + 4 + 9)
    # Seven tokens; one is marked by both, two by one, four by none: p(marked) = 4 / 14.
    expected = (4 / 14) ** 2 + (10 / 14) ** 2
    assert found["κ of tokens, marked or not"] == pytest.approx((5 / 7 - expected) / (1 - expected))
    assert found["texts that two annotators marked"] == 1
    assert math.isnan(found["κ of categories, where both marked"])  # one token, one category


def test_sums_over_segments_are_what_all_pairs_give_together() -> None:
    """Random marks: the sums agree with Scott's π and F1 over the pooled tokens of all pairs of judges."""
    random = np.random.default_rng(1)
    totals: dict[tuple[str | int, ...], float] = {}
    labels: list[list[str]] = [[], []]
    marked = [[], []]  # type: list[list[bool]]
    for number in range(40):
        text = " ".join(f"word{number}" for _ in range(int(random.integers(3, 12))))
        by_judge = []
        for judge in "abc"[: int(random.integers(1, 4))]:
            spans = []
            for _ in range(int(random.integers(0, 3))):
                start = int(random.integers(0, len(text.split())))
                end = int(random.integers(start + 1, len(text.split()) + 1))
                category, severity = random.choice(["x", "y"]), random.choice(list(WEIGHTS))
                spans.append(Span(start, end, str(category), str(severity)))
            by_judge.append(MarkedText(judge, text, tuple(spans)))
        for key, value in span_sums(by_judge).items():
            totals[key] = totals.get(key, 0) + value
        for pair in combinations(by_judge, 2):
            cells = []
            for one in pair:
                worst: list[str | None] = [None] * len(text.split())
                for severity in WEIGHTS:  # a worse mark hides the others
                    for span in one.spans:
                        if span.severity == severity:
                            worst[span.start : span.end] = [severity] * (span.end - span.start)
                cells.append(worst)
            for first, second in zip(*cells, strict=True):
                marked[0].append(first is not None)
                marked[1].append(second is not None)
                if first is not None and second is not None:
                    labels[0].append(first)
                    labels[1].append(second)
    found = dict(span_agreement_of_sums(totals))
    assert found["κ of tokens, marked or not"] == pytest.approx(scott_pi(*marked))
    assert found["κ of severities, where both marked"] == pytest.approx(scott_pi(*labels))
    both = sum(a and b for a, b in zip(*marked, strict=True))
    assert found["F1 of marked tokens"] == pytest.approx(2 * both / (sum(marked[0]) + sum(marked[1])))


def test_texts_that_one_judge_marked_twice_count_once() -> None:
    marks = [MarkedText("a", TEXT, (Span(0, 1, "x", "minor"),)), MarkedText("a", TEXT, ())]
    assert not span_sums(marks)
    assert span_sums([*marks, MarkedText("b", TEXT, (Span(0, 1, "x", "minor"),))])["spans", "both"] == 1
