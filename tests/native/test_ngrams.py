"""Counts of n-grams in native code against their definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import Corpus
from errata.metrics.batch import Batch, encode
from errata.native import ngrams
from errata.native.ragged import Ragged

texts = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=15).map(" ".join)


def encoded(given_segments):
    sources, hypotheses, references = (list(column) for column in zip(*given_segments, strict=True))
    return encode(Batch(Corpus.from_lists(sources, references), hypotheses), "test")


def clipped(hypothesis, references, order) -> list[int]:
    """BLEU's matches and totals by order, and the two lengths, as the paper defines them."""
    counted = [
        [Counter(zip(*(text[i:] for i in range(k)), strict=False)) for text in (hypothesis, *references)]
        for k in range(1, order + 1)
    ]
    matches = [sum(min(c, max(r[g] for r in rest)) for g, c in own.items()) for own, *rest in counted]
    lengths = sorted(map(len, references), key=lambda length: (abs(length - len(hypothesis)), length))
    totals = [sum(own.values()) for own, *_ in counted]
    return [*matches, *totals, len(hypothesis), lengths[0]]


longer = st.lists(st.sampled_from("aaaabcdefgh"), max_size=90).map(" ".join)
near = st.integers(60, 68).flatmap(lambda n: st.lists(st.sampled_from("abcde"), min_size=n, max_size=n))
long_texts = st.one_of(longer, near.map(" ".join))


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(long_texts, st.lists(long_texts, min_size=1, max_size=7)), min_size=1, max_size=4),
    st.integers(1, 5),
)
def test_clipped_matches(given_segments, order) -> None:
    rows = [(hypothesis, hypothesis, references) for hypothesis, references in given_segments]
    texts = encoded(rows)
    expected = [
        clipped(h.split(), [r.split() for r in references], order) for h, references in given_segments
    ]
    assert ngrams.pooled_counts(*texts.texts, order, 0).tolist() == expected


@pytest.mark.parametrize("largest", [10, 2**31 - 1])
def test_token_ids_up_to_the_largest_are_told_apart(largest) -> None:
    ids = np.array([largest, largest - 1, largest, largest - 1, largest], dtype=np.int32)
    text = Ragged(ids, np.array([0, 5], dtype=np.int64))
    for function in (ngrams.gleu_counts, ngrams.pooled_counts):
        counts = function(text, text, text, np.array([0, 1]), 4, 0)
        assert counts[0].tolist() == [5, 4, 3, 2, 5, 4, 3, 2, 5, 5]
