"""Agreement of judges: comparisons of texts, and scores."""

from __future__ import annotations

import numpy as np

from errata.human.agreement import agreement, between, comparisons, scalar_agreement, within
from errata.human.judgments import JudgedItem, Judgments
from errata.human.scalars import Scalars
from simulated_scores import scores


def test_the_order_on_the_screen_does_not_matter() -> None:
    items = [
        JudgedItem("a", "1", (("A",), ("B", "C")), (1, 2)),
        JudgedItem("b", "1", (("C", "B"), ("A",)), (2, 1)),
    ]
    (key,) = comparisons(Judgments.from_items(items))
    assert key == ("1", ("A",), ("B", "C"))
    found = agreement(Judgments.from_items(items), minimum=1)
    assert found.inter[0].agreed == 1.0
    assert found.inter[0].comparisons == 1
    assert found.intra == []


def test_a_judge_is_compared_with_what_he_said_before() -> None:
    item = JudgedItem("a", "1", (("A",), ("B",)), (1, 2))
    found = agreement(Judgments.from_items([item, item, item]), minimum=1)
    assert [k.comparisons for k in found.intra] == [3]
    assert found.inter == []
    assert np.isnan(found.overall(found.inter))


def test_tables_count_every_two_judgments_of_a_comparison() -> None:
    texts = (("A",), ("B",))
    given = [
        ("a", "1", (1, 2)),
        ("b", "1", (2, 1)),
        ("c", "1", (1, 1)),
        ("c", "1", (1, 2)),
        ("a", "2", (1, 2)),
    ]
    first = Judgments.from_items(
        [JudgedItem(judge, segment, texts, ranks) for judge, segment, ranks in given]
    )
    # Segment 1: a better, b worse, c tie and better. Both orders of two judges count half.
    assert within(first).table.tolist() == [[1, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]]
    assert within(first).comparisons == 5
    second = Judgments.from_items([JudgedItem("d", "1", texts, (2, 1)), JudgedItem("d", "3", texts, (1, 2))])
    assert between(first, second).table.tolist() == [[0, 0, 2], [0, 0, 1], [0, 0, 1]]
    assert between(second, first).table.tolist() == [[0, 0, 0], [0, 0, 0], [2, 1, 1]]


def test_judges_who_agree_correlate() -> None:
    close, far = scalar_agreement(scores(noise=0.1)), scalar_agreement(scores(noise=5.0))
    assert close.sentence_pearson > 0.9 > far.sentence_pearson
    assert close.system_pearson > far.system_pearson > 0
    assert close.alpha > far.alpha
    assert close.sentences + close.undefined == 3 * 60


def test_equal_scores_have_no_correlation_and_are_counted() -> None:
    rows = [(judge, "", "1", system, 5.0) for judge in "xy" for system in "AB"]
    found = scalar_agreement(Scalars.from_rows(rows))
    assert np.isnan(found.sentence_pearson)
    assert found.undefined == 1
