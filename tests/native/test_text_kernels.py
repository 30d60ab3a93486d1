"""The compiled n-gram and TER kernels and their uncompiled twins do the same."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import Corpus, native
from errata.metrics.batch import Batch, encode
from errata.native import ngrams, ter
from errata.native.ragged import Ragged

PURE_NGRAMS, PURE_TER = native.load_pure("ngrams"), native.load_pure("ter")

texts = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=15).map(" ".join)
segments = st.lists(st.tuples(texts, texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=3)


def encoded(given_segments):
    sources, hypotheses, references = (list(column) for column in zip(*given_segments, strict=True))
    return encode(Batch(Corpus.from_lists(sources, references), hypotheses), "test")


@settings(max_examples=60, deadline=None)
@given(segments, st.integers(1, 5), st.integers(0, 1))
def test_n_gram_statistics(given_segments, order, flag) -> None:
    texts = encoded(given_segments)
    for function in ("gleu_counts", "pooled_counts"):
        found = [getattr(module, function)(*texts.texts, order, flag) for module in (ngrams, PURE_NGRAMS)]
        assert np.array_equal(*found)
    for kind in range(3):
        found = [module.edit_counts(*texts.texts, order, kind) for module in (ngrams, PURE_NGRAMS)]
        assert np.array_equal(*found)


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
    for module in (ngrams, PURE_NGRAMS):
        assert module.pooled_counts(*texts.texts, order, 0).tolist() == expected


@settings(max_examples=60, deadline=None)
@given(segments, st.sampled_from([1, 500, 5000, 1 << 30]))
def test_ter_edits_path_and_shifts(given_segments, most) -> None:
    texts = encoded(given_segments)
    references = texts.references
    arguments = texts.hypothesis, references.ids, references.offsets, most
    for compiled, pure in zip(ter.edits(*arguments), PURE_TER.edits(*arguments), strict=True):
        assert np.array_equal(compiled, pure)
    pair = texts.hypothesis[0], references.ids[0], most
    for compiled, pure in zip(ter.alignment(*pair), PURE_TER.alignment(*pair), strict=True):
        assert np.array_equal(compiled, pure)


@pytest.mark.parametrize("largest", [10, 2**31 - 1])
def test_token_ids_up_to_the_largest_are_told_apart(largest) -> None:
    ids = np.array([largest, largest - 1, largest, largest - 1, largest], dtype=np.int32)
    text = Ragged(ids, np.array([0, 5], dtype=np.int64))
    for module in (ngrams, PURE_NGRAMS):
        for function in (module.gleu_counts, module.pooled_counts):
            counts = function(text, text, text, np.array([0, 1]), 4, 0)
            assert counts[0].tolist() == [5, 4, 3, 2, 5, 4, 3, 2, 5, 5]
