"""An index out of range in native code is an IndexError, in compiled and uncompiled modules."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from errata_correct import native


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


def longs(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def beam_too_small(channel: Any) -> None:
    """One token with one choice, and a scratch array for no beam at all."""
    choices, model = np.zeros((3, 12), np.int32), np.zeros((8, 3), np.int32)
    tables = longs(0, 0, 0), model, ints(-1), np.zeros((1, 2), np.int32), ints(-1)
    scratch, trail = np.zeros(30, np.int64), np.zeros((4, 2), np.int32)
    channel.viterbi(
        longs(0, 1), ints(0), longs(0, 1), choices, ints(1, 0, 0), *tables, 0, 1, 2, scratch, trail, ints(0)
    )


def stack_too_small(lexicon: Any) -> None:
    """A search in the trie that has no place for its first state."""
    square = np.zeros((2, 2), np.int32)
    lexicon.candidates(
        ints(1), longs(0, 1), np.ones((1, 2), np.int32), ints(0, 1), np.zeros((3, 2), np.int64), longs(1, 2),
        square, ints(1, 1), ints(1, 1), 1, square.astype(np.uint8), longs(1, 2), square, 0, 1,
        np.zeros((0, 4), np.int64), square[:1].copy(), square[:1].copy(), ints(0),
    )  # fmt: skip


def word_outside_the_text(noising: Any) -> None:
    noising.hash_words(ints(97, 98), longs(0, 5), longs(0))


def class_without_conditions(patterns: Any) -> None:
    """A token of a class for which there is no row of conditions."""
    patterns.match(
        ints(1), np.zeros((1, 1), np.uint8), longs(0, 0, 1), ints(0), longs(0, 1), ints(0, 0).reshape(1, 2),
        longs(0, 0, 0), np.zeros((0, 3), np.int32), ints(-1, 1).reshape(1, 2), 0, 1,
        np.zeros((1, 2), np.int32),
    )  # fmt: skip


def output_too_small(sentences: Any) -> None:
    data, classes = np.frombuffer(b"ab", np.uint8), np.full(128, 4, np.uint8)
    sentences.split(data, longs(0), longs(2), classes, np.zeros(1, np.uint8), longs(0, 0))


CALLS: dict[str, Callable[[Any], None]] = {
    "channel": beam_too_small,
    "lexicon": stack_too_small,
    "noising": word_outside_the_text,
    "patterns": class_without_conditions,
    "sentences": output_too_small,
}


def test_every_native_module_is_called() -> None:
    assert native.names() == sorted(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_an_index_out_of_range_is_raised(name: str) -> None:
    for module in (import_module(f"errata_correct.native.{name}"), native.load_pure(name)):
        with pytest.raises(IndexError):
            CALLS[name](module)
