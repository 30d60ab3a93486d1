"""The compiled n-gram and TER kernels and their uncompiled twins do the same."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import Corpus, kernels
from errata.kernels import ngrams, ter
from errata.metrics.batch import Batch
from errata.metrics.encoding import encode
from errata.metrics.ter import scratch

PURE_NGRAMS, PURE_TER = kernels.load_pure("ngrams"), kernels.load_pure("ter")

texts = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=15).map(" ".join)
segments = st.lists(st.tuples(texts, texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=3)


def encoded(given_segments):
    sources, hypotheses, references = (list(column) for column in zip(*given_segments, strict=True))
    return encode(Batch(Corpus.from_lists(sources, references), hypotheses), "test")


@settings(max_examples=60, deadline=None)
@given(segments, st.integers(1, 5), st.integers(0, 1))
def test_n_gram_statistics(given_segments, order, flag) -> None:
    texts = encoded(given_segments)
    arrays = (texts.source.values, texts.source.offsets, *texts.hypothesis_and_references, order, flag)
    rows, count = len(texts.references.ids), len(given_segments)
    for function, shape in (("each_reference", (rows, 2 * order + 2)), ("pooled", (count, 6 * order + 2))):
        found = []
        for module in (ngrams, PURE_NGRAMS):
            out = np.zeros(shape, dtype=np.int64)
            getattr(module, function)(*arrays, 0, count, out)
            found.append(out)
        assert np.array_equal(*found)
    for kind, shape in ((0, (rows, 3 * order)), (1, (count, 9 * order)), (2, (rows, 6 * order))):
        found = []
        for module in (ngrams, PURE_NGRAMS):
            found.append(np.zeros(shape, dtype=np.int64))
            module.edited(*arrays[:-1], kind, 0, count, found[-1])
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
def test_clipped_matches_of_texts_that_cross_words(given_segments, order) -> None:
    """With and without a trie: up to eight words of 64 places need none, seven references may need more."""
    rows = [(hypothesis, hypothesis, references) for hypothesis, references in given_segments]
    texts = encoded(rows)
    expected = [
        clipped(h.split(), [r.split() for r in references], order) for h, references in given_segments
    ]
    for module in (ngrams, PURE_NGRAMS):
        out = np.ones((len(rows), 2 * order + 2), dtype=np.int64)
        module.pooled(texts.source.values, texts.source.offsets, *texts.hypothesis_and_references, order, 0,
                      0, len(rows), out)  # fmt: skip
        assert out.tolist() == expected


@settings(max_examples=60, deadline=None)
@given(segments, st.sampled_from([1, 500, 5000, 1 << 30]))
def test_ter_edits_path_and_shifts(given_segments, most) -> None:
    texts = encoded(given_segments)
    found = []
    for module in (ter, PURE_TER):
        out = np.zeros((len(texts.references.ids), 5), dtype=np.int64)
        words, path, shifts = scratch(20)
        steps = module.edits(
            *texts.hypothesis_and_references, 0, len(given_segments), out, words, path, shifts, most,
            cut := np.zeros(len(out), dtype=np.uint8),
        )  # fmt: skip
        found.append((out, words, path[:steps], shifts[: out[-1, 3]], cut))
    for compiled, pure in zip(*found, strict=True):
        assert np.array_equal(compiled, pure)


@pytest.mark.parametrize("largest", [10, 2**31 - 1])
def test_token_ids_up_to_the_largest_are_told_apart(largest) -> None:
    ids = np.array([largest, largest - 1, largest, largest - 1, largest], dtype=np.int32)
    offsets = np.array([0, 5], dtype=np.int64)
    for module in (ngrams, PURE_NGRAMS):
        out = np.zeros((1, 10), dtype=np.int64)
        for function in (module.each_reference, module.pooled):
            function(ids, offsets, ids, offsets, ids, offsets, np.array([0, 1]), 4, 0, 0, 1, out)
            assert out[0].tolist() == [5, 4, 3, 2, 5, 4, 3, 2, 5, 5]
