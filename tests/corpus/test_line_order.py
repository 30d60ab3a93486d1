"""Where the check for lines out of order begins to speak: sizes and shares on both sides of each limit."""

from __future__ import annotations

import pytest

from errata.corpus.checks.alignment_checks import check_order, spread


def _sentences(count: int, words: int = 10) -> list[str]:
    """Sentences that share no word."""
    return [" ".join(f"w{i}x{k}" for k in range(words)) for i in range(count)]


def _found(sources: list[str], lines: list[str], first: int = 1) -> list[tuple[str, int]]:
    return [(finding.code, finding.line) for finding in check_order(sources, lines, "system.txt", first)]


def test_numbers_are_spread_evenly() -> None:
    assert list(spread(4, 4)) == [0, 1, 2, 3]
    assert list(spread(5, 4)) == [0, 1, 2, 3]
    assert list(spread(10, 4)) == [0, 2, 5, 7]


@pytest.mark.parametrize(("length", "expected"), [(7, []), (8, [("E304", 401)])])
def test_eight_lines_shifted_alike_are_a_shift(length: int, expected: list[tuple[str, int]]) -> None:
    sources = _sentences(1000)
    lines = [*sources[:400], *sources[401 : 401 + length], *sources[400 + length :]]
    assert _found(sources, lines) == expected


def test_a_shift_names_its_lines_and_its_length() -> None:
    sources = _sentences(100)
    down = [*sources[:40], *sources[42:62], *sources[60:]]
    (finding,) = check_order(sources, down, "system.txt")
    assert finding.message == ("lines 41 to 60 are shifted by 2 lines: line 41 resembles source sentence 43")
    assert "2 lines are missing" in finding.fix
    up = [*sources[:40], "a new line of words", *sources[40:99]]
    (finding,) = check_order(sources, up, "system.txt", first=11)
    assert finding.message == (
        "from line 52 on, lines are shifted by 1 line: line 52 resembles source sentence 51"
    )
    assert "1 line is too many" in finding.fix


def test_of_lines_at_other_places_two_per_cent_are_suspicious() -> None:
    sources = _sentences(1000)

    def swapped(pairs: int) -> list[str]:
        lines = list(sources)
        for k in range(pairs):  # at a different distance each, so that no shift explains them
            i, j = 10 * k, 500 + 23 * k
            lines[i], lines[j] = lines[j], lines[i]
        return lines

    assert _found(sources, swapped(9)) == []
    assert _found(sources, swapped(10)) == [("E305", 1)]
    (finding,) = check_order(sources, swapped(10), "system.txt")
    assert finding.message == (
        "2% of the lines resemble another source sentence more than their own; "
        "line 1, the first, resembles sentence 501"
    )


@pytest.mark.parametrize(("shared", "expected"), [(3, [("E308", 1)]), (4, [])])
def test_a_line_that_shares_four_words_of_ten_is_at_home(shared: int, expected: list[object]) -> None:
    sources = _sentences(50)
    lines = [
        " ".join([*source.split()[:shared], *(f"new{i}x{k}" for k in range(10 - shared))])
        for i, source in enumerate(sources)
    ]
    assert _found(sources, lines) == expected


@pytest.mark.parametrize(("shared", "code"), [(5, "E305"), (4, "E308")])
def test_a_line_that_shares_half_its_words_with_another_source_belongs_there(shared: int, code: str) -> None:
    sources = _sentences(50)
    lines = [
        " ".join([*sources[(7 * i + 3) % 50].split()[:shared], *(f"new{i}x{k}" for k in range(10 - shared))])
        for i in range(50)
    ]
    # 7 i + 3 = i for one line of the fifty at most, which then stays at home.
    assert [found for found, _ in _found(sources, lines)] == [code]


@pytest.mark.parametrize(("unrelated", "code"), [(24, "E305"), (25, "E308")])
def test_of_half_the_lines_unrelated_it_is_another_text(unrelated: int, code: str) -> None:
    sources = _sentences(50)
    other = [f"new{i} " * 2 + " ".join(f"y{i}x{k}" for k in range(8)) for i in range(unrelated)]
    rest = [sources[(i + 1) * 17 % 50] for i in range(unrelated, 50)]
    lines = [*other, *rest]
    assert [found for found, _ in _found(sources, lines)] == [code]


@pytest.mark.parametrize(("words", "expected"), [(3, []), (4, ["E308"])])
def test_a_line_of_four_words_can_be_recognised(words: int, expected: list[str]) -> None:
    sources = _sentences(50, words)
    lines = [" ".join(f"new{i}x{k}" for k in range(words)) for i in range(50)]
    assert [found for found, _ in _found(sources, lines)] == expected


def test_in_a_large_corpus_the_first_sentence_is_among_the_neighbours() -> None:
    sources = _sentences(20_100, words=4)
    lines = list(sources)
    sampled = spread(len(sources), 1000)
    for k in range(0, 40, 2):  # pairs of sampled lines, at different distances
        i, j = sampled[k], sampled[k] + 3 + k
        lines[i], lines[j] = lines[j], lines[i]
    lines[sampled[1]] = sources[0]
    lines[0] = sources[0]
    (finding,) = check_order(sources, lines, "system.txt")
    assert (finding.code, finding.line) == ("E305", sampled[1] + 1)
    assert finding.message.endswith(f"line {sampled[1] + 1}, the first, resembles sentence 1")
