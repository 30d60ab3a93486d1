"""Orders and hashes that a real Python 2.7.18 gave."""

from __future__ import annotations

import pytest

from errata.text.python2 import dictionary_order, string_hash, string_order


@pytest.mark.parametrize(
    ("keys", "order"),
    [
        ([3, 1, 2, 0], [0, 1, 2, 3]),
        ([0, 8, 1], [0, 8, 1]),
        ([8, 0, 1], [8, 0, 1]),  # both begin in the same slot
        ([64, 3, 100, 7, 16, 255], [64, 3, 100, 7, 16, 255]),  # the table has grown to 32
        ([5, 13, 21, 29, 37, 45, 53], [37, 45, 13, 53, 21, 29, 5]),
    ],
)
def test_numbers_come_in_the_order_of_a_dictionary(keys: list[int], order: list[int]) -> None:
    assert [keys[place] for place in dictionary_order(keys)] == order


def test_strings_come_in_the_order_of_their_hashes() -> None:
    assert string_hash("an c") == 15611009110756950898
    for keys, order in [
        (["b b", "b", "an c", "an The The", "", "x y"], ["", "x y", "b", "an The The", "an c", "b b"]),
        (["Ärger", "ab", "é", "a", "中 文", "b"], ["a", "Ärger", "ab", "é", "中 文", "b"]),
    ]:
        assert [keys[place] for place in string_order(keys)] == order
