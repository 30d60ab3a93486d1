"""The compiled n-gram and TER kernels and their uncompiled twins do the same."""

from __future__ import annotations

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
    arrays = (texts.source.ids, texts.source.offsets, *texts.hypothesis_and_references, order, flag)
    rows, count = len(texts.references.ids), len(given_segments)
    for function, shape in (("each_reference", (rows, 2 * order + 2)), ("pooled", (count, 6 * order + 2))):
        found = []
        for module in (ngrams, PURE_NGRAMS):
            out = np.zeros(shape, dtype=np.int64)
            getattr(module, function)(*arrays, 0, count, out)
            found.append(out)
        assert np.array_equal(*found)


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
        module.each_reference(ids, offsets, ids, offsets, ids, offsets, np.array([0, 1]), 4, 0, 0, 1, out)
        assert out[0].tolist() == [5, 4, 3, 2, 5, 4, 3, 2, 5, 5]
