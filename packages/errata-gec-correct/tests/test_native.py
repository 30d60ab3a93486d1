"""An index out of range in native code is an IndexError, in compiled and uncompiled modules."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errata.native.ragged import Ragged
from errata_correct import native
from errata_correct.noisy_channel import Lattice


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


def longs(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def ragged(*rows: list[int]) -> Ragged:
    return Ragged(ints(*(value for row in rows for value in row)), longs(0, *np.cumsum([*map(len, rows)])))


def word_outside_the_model(channel: Any) -> None:
    """A choice of a word that no model has."""
    model = channel.Trigrams(
        (ints(1, 1, 1), ints(0, 0, 0)),
        (longs(0, 0, 0, 0), ints(), np.zeros(0, np.uint8), np.zeros(0, np.int8)),
        (longs(0), ints(), np.zeros(0, np.uint8)),
    )
    bounds = np.zeros((9, 2), np.int64)
    costs = channel.WordCosts([model] * 3, np.zeros((3, 3), np.int32), longs(1, 0, 0), bounds)
    choices = np.array([[8, -1, 0]], np.int32)
    channel.best_choices(costs, Lattice(longs(0, 1), ints(0), longs(0, 1), choices))


def letter_without_costs(lexicon: Any) -> None:
    """A written letter for which there are no costs."""
    trie = lexicon.Trie(ragged([1]), ints(3), longs(1, 2))
    square = np.zeros((2, 2), np.int32)
    costs = lexicon.LetterCosts(square, square.astype(np.uint8), ints(1, 1), ints(1, 1), 1, longs(1, 2))
    lexicon.candidates(trie, costs, ints(0, 0, 0, 0), ragged([7]), np.ones((1, 2), np.int32), 2)


def text_without_an_end(noising: Any) -> None:
    """A line without a line feed."""
    units = noising.Units(ragged(), longs(), longs(0), ragged(), longs())
    characters = ints(), longs(), longs(0), np.zeros((0, 2), np.int64), longs()
    tables = noising.Tables(np.zeros(12, np.int64), *[units] * 5, characters)
    letters = noising.Letters(np.zeros(1, np.uint8), ints(0), ints(0), ints(0))
    noising.damage(tables, letters, ints(97), longs(1), longs(0, 0, 0, 0), False)


def class_without_conditions(patterns: Any) -> None:
    """A token of a class for which there is no row of conditions."""
    rules = patterns.Rules(
        longs(0, 1), ints(0, 0).reshape(1, 2), longs(0, 0, 0), np.zeros((0, 3), np.int32),
        ints(-1, 1).reshape(1, 2),
    )  # fmt: skip
    patterns.match(rules, ints(1), np.zeros((1, 1), np.uint8), ragged([], [0]))


CALLS: dict[str, Callable[[Any], None]] = {
    "channel": word_outside_the_model,
    "lexicon": letter_without_costs,
    "noising": text_without_an_end,
    "patterns": class_without_conditions,
}


def test_every_native_module_is_called() -> None:
    folder = Path(native.__file__).parent
    assert {path.stem for path in folder.glob("[a-z]*.py")} == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_an_index_out_of_range_is_raised(name: str) -> None:
    for module in (import_module(f"errata_correct.native.{name}"), native.load_pure(name)):
        with pytest.raises(IndexError):
            CALLS[name](module)
