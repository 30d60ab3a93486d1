"""Sentences that are too long for a Transformer are corrected in parts."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from errata_correct.transformer.decoder import parts


@given(st.lists(st.integers(1, 30), max_size=200), st.integers(1, 100))
def test_parts_have_room_and_every_word_counts_once(sizes: list[int], room: int) -> None:
    found = list(parts(sizes, room))
    for part in found:
        assert 0 <= part.start <= part.first < part.last <= part.end + 1
        assert sum(sizes[part.start : part.end]) <= room
        if part.start == part.first > 0:  # no room for the word before
            assert sizes[part.first - 1] + sizes[part.first] > room
    counted = [word for part in found for word in range(part.first, min(part.last, len(sizes)))]
    assert counted == [word for word, size in enumerate(sizes) if size <= room]


def test_words_that_are_too_long_make_no_further_parts() -> None:
    sizes = ([1] * 50 + [500]) * 10
    assert len(list(parts(sizes, 100))) == 10


def test_changes_have_context_on_both_sides_and_may_follow_the_last_word() -> None:
    found = list(parts([1] * 300, 100))
    assert found[0].first == 0
    assert found[-1].last == 301
    for one, following in pairwise(found):
        assert one.end - one.last == 24
        assert following.first - following.start == 24
