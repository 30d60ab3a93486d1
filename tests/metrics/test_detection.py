"""Detection of wrong tokens, by hand: MultiGED-2023's labels and its rules for nothing to count."""

from __future__ import annotations

import pytest

from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, EditedLines, Segment
from errata.errors import DataError
from errata.metrics.detection import Detection

SOURCE = "a b c d"


def score(ours: list[Edit], gold: list[Edit], **settings):
    corpus = Corpus([Segment(SOURCE, (Annotation(SOURCE, edits=gold),))])
    lines = EditedLines([Annotation(SOURCE, edits=ours).text], [ours])
    metric = Detection(references="given", tagger="embedded", **settings)
    return metric.score(corpus, lines).parts


def change(start: int, end: int, kind: str = "R:X") -> Edit:
    return Edit(start, end, "x", kind)


@pytest.mark.parametrize(
    ("ours", "gold", "counts"),
    [
        ([change(0, 2)], [change(1, 3)], (1, 1, 1)),  # a b against b c
        ([change(1, 1)], [change(1, 2)], (1, 0, 0)),  # an insertion marks the token that follows
        ([change(4, 4)], [], (0, 0, 0)),  # and none at the end of the sentence
        ([change(0, 1, "UNK")], [change(0, 1)], (0, 0, 1)),  # UNK does not count
        ([change(0, 1, "R:NOUN")], [change(0, 1, "R:VERB")], (1, 0, 0)),  # only the place counts
    ],
)
def test_tokens_by_hand(ours, gold, counts) -> None:
    parts = score(ours, gold)
    assert (parts["tp"], parts["fp"], parts["fn"]) == counts


def test_f_by_hand() -> None:
    """One right, one false alarm, one miss: P = R = F = 1/2; F0.5 of P 1 and R 1/2 is 5/6."""
    parts = score([Edit(0, 2, "x", "R:X")], [Edit(1, 3, "y", "R:X")])
    assert (parts["f"], parts["precision"], parts["recall"]) == (0.5, 0.5, 0.5)
    parts = score([Edit(0, 1, "x", "R:X")], [Edit(0, 2, "y", "R:X")])
    assert parts["f"] == pytest.approx(5 / 6)


def test_without_false_alarms_precision_is_1_and_without_misses_recall_is() -> None:
    parts = score([], [Edit(0, 1, "y", "R:X")])
    assert (parts["precision"], parts["recall"], parts["f"]) == (1, 0, 0)
    parts = score([], [])
    assert (parts["precision"], parts["recall"], parts["f"]) == (1, 1, 1)


def test_spans_have_to_be_the_same() -> None:
    parts = score([Edit(0, 2, "x", "R:X")], [Edit(1, 3, "y", "R:X"), Edit(0, 2, "z", "R:X")], level="span")
    assert (parts["tp"], parts["fp"], parts["fn"]) == (1, 0, 1)


def test_a_missing_annotator_is_named() -> None:
    with pytest.raises(DataError, match="segment 1 has no annotation of annotator 3"):
        score([], [], annotator=3)


def test_edits_of_reference_texts_are_extracted() -> None:
    """References given as texts have edits without types, which would otherwise not count."""
    metric = Detection(tagger="embedded")
    texts = ["I like the red car ."], ["We love the red car ."], [["I love that red car ."]]
    parts = metric.score(*texts).parts
    assert (parts["tp"], parts["fp"], parts["fn"]) == (1, 1, 1)
