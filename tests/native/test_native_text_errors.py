"""An index out of range in native code is an IndexError, in every module that works on texts and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from errata.native import (
    changes,
    inversions,
    m2_lines,
    ngrams,
    ter,
    tokens,
    trueskill,
)
from errata.native.ragged import Ragged


class Unchecked(Ragged):
    """Rows whose offsets may lie outside of their values."""

    def __post_init__(self) -> None:
        pass


def integers(*numbers: int) -> np.ndarray[Any, Any]:
    return np.array(numbers, dtype=np.int64)


GOOD = Ragged(np.array([1, 2], dtype=np.int32), integers(0, 2))
OTHER = Ragged(np.array([2, 1], dtype=np.int32), integers(0, 2))
SHORT = Unchecked(np.array([1, 2], dtype=np.int32), integers(0, 9))
ROWS = integers(0, 1)
DATA = b"S a b"
KINDS = np.zeros(256, dtype=np.uint8)
CALLS: dict[str, Callable[[], Any]] = {
    "tokens of lines": lambda: tokens.TokenTable().number_lines(DATA, integers(0), integers(5), KINDS[:60]),
    "whole tokens": lambda: tokens.TokenTable().number_tokens(DATA, integers(0), integers(6)),
    "a token": lambda: tokens.TokenTable().token(0),
    "13a": lambda: tokens.space_13a(DATA, integers(0), integers(5), KINDS[:60]),
    "lines of M2": lambda: m2_lines.parse(DATA, integers(0, 4), integers(5, 7)),
    "GLEU": lambda: ngrams.gleu_counts(GOOD, SHORT, GOOD, ROWS, 4, False),
    "GREEN": lambda: ngrams.edit_counts(GOOD, GOOD, SHORT, ROWS, 4, 0),
    "SARI": lambda: ngrams.edit_counts(SHORT, GOOD, GOOD, ROWS, 4, 1),
    "BLEU": lambda: ngrams.pooled_counts(GOOD, GOOD, SHORT, ROWS, 4, 0),
    "TER": lambda: ter.edits(GOOD, SHORT, ROWS, 1000),
    "TER of other rows": lambda: ter.edits(GOOD, GOOD, integers(0, 2), 1000),
    "changes": lambda: changes.changes(GOOD, SHORT, integers(0), 1000),
    "shares of changes": lambda: changes.change_shares(
        GOOD, OTHER, integers(0), GOOD, ROWS,
        (integers(0, 1), np.zeros((0, 4), dtype=np.int32), np.zeros(1, dtype=np.uint8)), 1000,
    ),
    "inversions": lambda: inversions.count_inversions(integers(0, 7)),
    "a match": lambda: trueskill.match(np.zeros(2), np.ones(2), 0, 2, False, 1.0, 0.1),
    "matches": lambda: trueskill.replay(
        np.zeros(2), np.ones(2), integers(0), integers(1), integers(0), integers(1), 1.0, 0.1
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_an_index_out_of_range_is_raised(name: str, recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(IndexError):
        CALLS[name]()
    assert not recwarn  # pytest warns of an exception that was ignored


def test_references_in_disorder_are_refused() -> None:
    """Their n-grams would not fit into the table that is made for them."""
    twice = Ragged(np.array([1, 2, 3, 4], dtype=np.int32), integers(0, 2, 4))
    with pytest.raises(ValueError, match="rows"):
        ngrams.gleu_counts(GOOD, GOOD, twice, integers(2, 0), 4, False)
