"""Gold edits of mixed types, and segments without references, under the metrics over ERRANT edits."""

from __future__ import annotations

import pytest

from errata import DataError
from errata.corpus.model import Chunk, Corpus
from errata.corpus.segment import Edit
from errata.metrics import metric
from errata.metrics.evaluate import evaluate

SOURCES = ["I has a apple and pear", "b dogs run home"]
HYPOTHESES = ["I have an apple and pear", "b dog run home"]
MIXED = Corpus.from_lists(SOURCES, [[[Edit(1, 3, "have an", "R:OTHER")]], [[Edit(1, 2, "dog", "Nn")]]])


@pytest.mark.parametrize("name", ["errant", "cleme", "gotoscorer"])
def test_mixed_types_score_the_same_in_any_chunks(name: str) -> None:
    chosen = metric(f"{name}:tagger=embedded")
    whole = evaluate([Chunk(MIXED, {"A": HYPOTHESES})], [chosen])["A"]
    chunks = []
    for i in range(2):
        part = MIXED.select([i])
        part.first = i + 1
        chunks.append(Chunk(part, {"A": HYPOTHESES[i : i + 1]}))
    pieces = evaluate(chunks, [chosen])["A"]
    assert whole.parts == pieces.parts
    assert whole.signature == pieces.signature


def test_only_annotations_with_foreign_types_are_extracted_anew() -> None:
    chosen = metric("errant:tagger=embedded")
    ours, theirs = chosen.reference_edits(MIXED)  # type: ignore[attr-defined]
    assert [edit.type for edit in ours[0]] == ["R:OTHER"]
    assert [edit.type for edit in theirs[0]] == ["R:NOUN:NUM"]


def test_errant_names_a_segment_without_references() -> None:
    corpus = Corpus.from_lists(["a cat sat", "b dogs run"], [["the cat sat"], []])
    with pytest.raises(DataError, match="segment 2 has no reference, and errant needs one"):
        metric("errant:tagger=embedded").score(corpus, ["the cat sat", "x y z"])


def test_types_that_change_the_score_change_the_signature() -> None:
    scores = [
        metric("errant:tagger=embedded").score(
            Corpus.from_lists(["I has a apple"], [[[Edit(1, 3, "have an", kind)]]]), ["I have an apple"]
        )
        for kind in ("R:OTHER", "Nn")
    ]
    assert scores[0].value != scores[1].value
    assert scores[0].signature != scores[1].signature
