"""Native code checks every index: one out of range is an IndexError, never a wrong number or a crash."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from errata.corpus.columns import EncodedEdits
from errata.metrics.errant.keys import Keys
from errata.native import align, edit_matches, imeasure, load_pure, m2, scans, tagger
from errata.native.ragged import Ragged

INT, LONG = np.int32, np.int64
TEXTS = Ragged(np.array([1, 2, 3], INT), np.array([0, 1, 3], LONG))
OTHERS = Ragged(np.array([1, 2, 4], INT), np.array([0, 1, 3], LONG))
NOTHING = Ragged(np.empty(0, INT), np.zeros(1, LONG))


def gold(start: int, end: int) -> EncodedEdits:
    """One annotator of each of two segments; the second one has an edit."""
    return EncodedEdits(
        np.arange(3), np.zeros(2, LONG), np.array([0, 0, 1]), np.array([[start, end]], INT),
        np.array([0, 1]), Ragged(np.array([4], INT), np.array([0, 1])),
    )  # fmt: skip


def keys(places: list[int]) -> Keys:
    return Keys(np.array([0, 0, 1]), np.array([[1, 2, 0]], INT), np.array([places]), np.array([4], INT))


def test_m2_with_an_edit_outside_of_its_sentence() -> None:
    skipped = np.zeros(2, np.uint8)
    assert m2.count_edits(TEXTS, OTHERS, gold(1, 2), NOTHING, 2, 100, skipped)[0].tolist() == [
        [0, 0, 0],
        [1, 1, 1],
    ]
    for edit in (gold(7, 8), gold(-3, 1), gold(1, 9)):
        with pytest.raises(IndexError):
            m2.count_edits(TEXTS, OTHERS, edit, NOTHING, 2, 100, skipped)
    with pytest.raises(IndexError):
        m2.count_edits(TEXTS, OTHERS[:1], gold(1, 2), NOTHING, 2, 100, skipped)
    letters = Ragged(np.array([65], INT), np.array([0, 1]))
    with pytest.raises(IndexError):
        m2.count_edits(TEXTS, OTHERS, gold(1, 2), letters, 2, 100, skipped)


def test_scans_of_more_segments_than_there_are() -> None:
    values, offsets = np.ones((3, 3), LONG), np.array([0, 2, 3])
    totals = np.zeros((1, 3), LONG)
    for rule in (scans.M2, scans.ROUNDED_F):
        with pytest.raises(IndexError):
            scans.scan(values, offsets, np.ones((1, 3), LONG), totals, rule, 0.5)
        with pytest.raises(IndexError):
            scans.choose(values, np.array([0, 2, 5]), True, rule, 0.5)
        none = np.zeros((0, 1), LONG)
        with pytest.raises(IndexError):
            scans.scan_swaps(values, offsets, np.zeros((1, 2), np.uint8), none, none, rule, 0.5)
    assert totals.tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("wrong", [[0, 9], [-5, 1]])
def test_edit_matches_of_words_that_are_not_there(wrong: list[int]) -> None:
    segments, rows = np.arange(2), np.arange(3)
    weights, right = np.ones((5, 1)), keys([0, 1])
    assert edit_matches.count_keys(right, right, rows, np.arange(2)).tolist() == [[0, 0, 0], [1, 0, 0]]
    with pytest.raises(IndexError):
        edit_matches.count_keys(right, right, rows, np.array([1, 7]))
    with pytest.raises(IndexError):
        edit_matches.count_chunks(TEXTS, segments, right, keys(wrong), rows, False, weights, False)
    offsets = np.array([0, *np.cumsum(edit_matches.chunk_numbers(TEXTS, segments, right))])
    with pytest.raises(IndexError):
        edit_matches.count_weighted_chunks(
            TEXTS, segments, right, keys(wrong), np.array([0, 5]), offsets, np.ones(offsets[-1])
        )


@pytest.mark.parametrize("owner", [[0, 2], [-1, 0]])
def test_imeasure_of_segments_that_are_not_there(owner: list[int]) -> None:
    assert imeasure.count_rows(TEXTS, OTHERS, OTHERS, np.arange(2), 10**6, 10**6)[1].tolist() == [0, 0]
    with pytest.raises(IndexError):
        imeasure.count_rows(TEXTS, OTHERS, OTHERS, np.array(owner), 10**6, 10**6)
    with pytest.raises(IndexError):
        imeasure.measures(np.ones((1, 7)), 2.0, 1.0, np.array([24]))


def test_alignment_of_forms_and_sentences_that_are_not_there() -> None:
    form = np.array([0, 1, 1, 0], INT)
    tokens = SimpleNamespace(offsets=np.array([0, 2, 4]), form=form, lower=form, lemma=form, upos=form)
    texts = SimpleNamespace(offsets=np.array([0, 1, 2]), chars=np.array([65, 66], INT))
    rest = 1, texts.chars, np.zeros((1, 1)), np.zeros(1, np.uint8), 1000
    assert align.align(tokens, texts, np.array([[0, 1]]), *rest)[2].tolist() == [1]
    with pytest.raises(IndexError):
        align.align(tokens, texts, np.array([[0, 2]]), *rest)
    tokens.form = form + 5
    tokens.form[0] = 0
    with pytest.raises(IndexError):
        align.align(tokens, texts, np.array([[0, 1]]), *rest)


@pytest.mark.parametrize("module", [tagger, load_pure("tagger")])
def test_tagging_of_words_and_weights_that_are_not_there(module) -> None:
    spellings, weights = np.ones((5, 17), np.uint64), np.ones((2, 4), np.int8)
    layer = SimpleNamespace(index=np.ones(16, INT), weights=weights, labels=("a", "b"))
    own = module.own_sums(spellings, layer)
    ends = TEXTS.offsets[1:]
    assert module.predict(TEXTS, ends, spellings, None, layer, own, None).tolist() == [0, 0, 0]
    with pytest.raises(IndexError):
        module.predict(TEXTS, ends, spellings[:2], None, layer, own, None)
    with pytest.raises(IndexError):
        module.predict(TEXTS, ends + 3, spellings, None, layer, own, None)
    with pytest.raises(IndexError):
        module.predict(TEXTS, ends, spellings, None, layer, own[:, :3].copy(), None)
    layer.index = np.full(16, 2, INT)
    with pytest.raises(IndexError):
        module.predict(TEXTS, ends, spellings, None, layer, own, None)
    with pytest.raises(IndexError):
        module.own_sums(spellings, layer)


@pytest.mark.parametrize(
    ("values", "offsets"),
    [
        (np.zeros(3, INT), np.array([0, 4])),
        (np.zeros(3, INT), np.array([-1, 3])),
        (np.zeros(3, INT), np.array([0, 2, 1])),
        (np.zeros(3, INT), np.zeros(0, LONG)),
        (np.zeros(3, LONG), np.array([0, 3])),
        (np.zeros(3, INT), np.array([0, 3], INT)),
        (np.zeros((3, 1), INT), np.array([0, 3])),
        (np.zeros(6, INT)[::2], np.array([0, 3])),
    ],
)
def test_a_ragged_array_is_validated_when_it_is_made(values, offsets) -> None:
    with pytest.raises(ValueError, match=r"values|offsets"):
        Ragged(values, offsets)


def test_gold_edits_are_validated_when_they_are_made() -> None:
    good = gold(0, 1)
    arrays = [good.rows, good.annotators, good.edits, good.spans, good.corrections, good.tokens]
    for place, wrong in enumerate(
        [np.array([0, 5]), np.zeros(3, LONG), np.arange(4), np.zeros((1, 3), INT), np.array([0, 2]), NOTHING]
    ):
        with pytest.raises(ValueError, match=r"must|needs"):
            EncodedEdits(*arrays[:place], wrong, *arrays[place + 1 :])
