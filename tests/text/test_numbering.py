"""Rows of numbers: equal rows have the same number."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from errata.native.ragged import Ragged, select_runs
from errata.text.vocabulary import Vocabulary, unique_rows


def _rows(count: int, seed: int) -> tuple[list[tuple[int, ...]], Ragged]:
    """Rows of few different numbers, so that some come again."""
    random = np.random.default_rng(seed)
    some = (-(2**31), -1, 0, 1, 2**31 - 1)
    rows = [tuple(random.choice(some, size).tolist()) for size in random.integers(0, 6, count)]
    ids = np.array([number for row in rows for number in row], dtype=np.int32)
    return rows, Ragged(ids, np.cumsum([0, *map(len, rows)], dtype=np.int64))


def test_every_different_row_has_a_number() -> None:
    """Numbers follow the order in which rows come."""
    vocabulary = Vocabulary()
    known: dict[tuple[int, ...], int] = {}
    for seed in range(30):  # so many that the vocabulary grows
        rows, encoded = _rows(100, seed)
        assert vocabulary.encode_rows(encoded).tolist() == [known.setdefault(row, len(known)) for row in rows]
    assert len(vocabulary) == len(known) > 1000
    assert [tuple(memoryview(key).cast("i")) for key in vocabulary.token_bytes()] == [*known]


@pytest.mark.parametrize("count", [0, 1, 200])
def test_distinct_rows_are_numbered_and_found(count: int) -> None:
    rows, encoded = _rows(count, 1)
    numbers, first = unique_rows(encoded)
    assert [rows.index(row) for row in rows] == first[numbers].tolist()


def test_runs_are_selected_in_the_order_that_is_asked_for() -> None:
    rows, encoded = _rows(20, 2)
    asked = np.array([3, 3, 0, 19, 7], dtype=np.int64)
    offsets, places = select_runs(encoded.offsets, asked)
    assert encoded.values[places].tolist() == [number for row in asked for number in rows[row]]
    assert offsets.tolist() == np.cumsum([0, *(len(rows[row]) for row in asked)]).tolist()
    for wrong in (-1, 20):
        with pytest.raises(IndexError, match="where 0:20 are allowed"):
            select_runs(encoded.offsets, np.array([wrong], dtype=np.int64))


def test_a_score_needs_no_masked_arrays() -> None:
    """They take a tenth of the time in which a small corpus is scored."""
    program = """
import sys
from errata import GLEU, M2, sample
texts = sample.load("en")
for metric in (M2(), GLEU()):
    metric.score(texts.corpus, texts.outputs["neural"]).value
assert "numpy.ma" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
