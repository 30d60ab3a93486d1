"""Checks whether the lines of a file are in the order of the source: shifted, shuffled, or another text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from errata.corpus.checks.finding_catalog import Finding

SAMPLED = 1_000  # lines that are compared with their own source
_SEARCHED = 300  # lines whose nearest source is looked for
_POOL = 20_000  # sources among which the nearest is looked for; of a larger corpus only neighbours
_FEWEST = 4  # words by which a line can be recognised
_AT_HOME = 0.4  # likeness from which on a line is taken to be where it belongs
_ELSEWHERE = 0.5  # likeness to another source that makes a line misplaced
_SHARE = 0.02  # of misplaced lines that is suspicious
_RUN = 8  # misplaced lines in a stretch, all shifted alike, that are suspicious in a file of any length
_SHIFTED = 0.6  # share of the misplaced lines that must be shifted alike to call it a shift
_SHIFTS = 5  # how many such stretches are told apart
_UNRELATED = 0.5  # share of lines that resemble no source

_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")


def spread(total: int, most: int) -> Sequence[int]:
    """At most so many of the indices below `total`, evenly spread."""
    return range(total) if total <= most else [i * total // most for i in range(most)]


def check_order(sources: Sequence[str], lines: Sequence[str], path: str, first: int = 1) -> Iterator[Finding]:
    """Findings about a file whose lines belong to other sentences than their own.

    At most `SAMPLED` lines are looked at. `first` is the number of the first line.
    """
    tested, doubtful = _doubtful(sources, lines)
    if len(doubtful) < _FEWEST or len(doubtful) < min(_RUN, _SHARE * len(tested)):
        return
    searched = [doubtful[i] for i in spread(len(doubtful), _SEARCHED)]
    index = _Index(sources, lines, searched)
    places = {i: index.nearest(sources, lines[i], i) for i in searched}
    weight = len(doubtful) / len(searched) / len(tested)
    misplaced = [i for i in searched if places[i] is not None]
    suspicious = len(misplaced) >= _FEWEST and len(misplaced) * weight >= _SHARE
    shifts = list(_shifts(sources, lines, {i: place for i, place in places.items() if place is not None}))
    shifted = sum(shift.seen for shift in shifts)
    unrelated = (len(searched) - len(misplaced)) * weight
    if shifted >= _SHIFTED * len(misplaced) and (suspicious or any(shift.seen >= _RUN for shift in shifts)):
        yield from (shift.finding(len(lines), path, first) for shift in sorted(shifts))
    elif suspicious and unrelated < _UNRELATED:  # of another text some sentences resemble others by chance
        i = misplaced[0]
        share = f"{min(1.0, len(misplaced) * weight):.0%}"
        yield Finding(
            path, i + first, "E305",
            f"{share} of the lines resemble another source sentence more than their own; "
            f"line {i + first}, the first, resembles sentence {(places[i] or 0) + first}",
        )  # fmt: skip
    elif unrelated >= _UNRELATED:
        share = f"{unrelated:.0%}"
        others = "any other" if len(sources) <= _POOL else "those near it"
        message = f"{share} of the lines resemble neither their source sentence nor {others}"
        yield Finding(path, searched[0] + first, "E308", message)


def _doubtful(sources: Sequence[str], lines: Sequence[str]) -> tuple[list[int], list[int]]:
    """Which of the sampled lines can be recognised, and which of these hardly resemble their source."""
    tested, doubtful = [], []
    for i in spread(len(sources), SAMPLED):
        ours, theirs = sources[i], lines[i]
        if ours == theirs:
            if len(ours.split(None, _FEWEST)) >= _FEWEST:
                tested.append(i)
            continue
        a, b = set(ours.split()), set(theirs.split())
        at_home = 2 * len(a & b) >= _ELSEWHERE * (len(a) + len(b))
        if not at_home:  # or only tokenised or written otherwise
            a, b = _words(ours), _words(theirs)
            at_home = _likeness(a, b) >= _AT_HOME
        if min(len(a), len(b)) >= _FEWEST:
            tested.append(i)
            if not at_home:
                doubtful.append(i)
    return tested, doubtful


def _words(line: str) -> set[str]:
    return set(_WORDS.findall(line.lower()))


def _likeness(a: set[str], b: set[str]) -> float:
    """Dice's coefficient of two sets of words."""
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


class _Index:
    """Finds the source that resembles a line most, by the words they share."""

    def __init__(self, sources: Sequence[str], lines: Sequence[str], searched: Sequence[int]) -> None:
        wanted = set().union(*(_words(lines[i]) for i in searched))
        pool: Iterable[int] = range(len(sources))
        if len(sources) > _POOL:
            reach = _POOL // (2 * len(searched))
            near = (range(max(0, i - reach), min(len(sources), i + reach + 1)) for i in searched)
            pool = sorted(set().union(*near))
        places: dict[str, list[int]] = defaultdict(list)
        size = 0
        for i in pool:
            size += 1
            for word in wanted & _words(sources[i]):
                places[word].append(i)
        frequent = max(20, size // 20)  # a word of more sentences than this tells them not apart
        self._places = {word: found for word, found in places.items() if len(found) <= frequent}

    def nearest(self, sources: Sequence[str], line: str, own: int) -> int | None:
        """The other source that a line clearly resembles; None where there is none."""
        words = _words(line)
        votes = Counter(i for word in sorted(words) for i in self._places.get(word, ()) if i != own)
        scored = [(_likeness(_words(sources[i]), words), -abs(i - own), i) for i, _ in votes.most_common(5)]
        likeness, _, place = max(scored, default=(0.0, 0, own))
        return place if likeness >= _ELSEWHERE else None


@dataclass(frozen=True, order=True)
class _Shift:
    """The lines from `start` to before `stop`, which belong to the sources `by` lines further down."""

    start: int
    stop: int
    by: int
    seen: int  # how many of them were found by looking for their nearest source

    def finding(self, total: int, path: str, first: int) -> Finding:
        """What is wrong with these lines of a file of so many."""
        start, count = self.start + first, abs(self.by)
        distance = f"{count} line{'s' * (count > 1)}"
        to_the_end = self.stop >= total - max(self.by, 0)
        where = f"from line {start} on, lines" if to_the_end else f"lines {start} to {self.stop + first - 1}"
        return Finding(
            path, start, "E304",
            f"{where} are shifted by {distance}: line {start} resembles source sentence {start + self.by}",
            f"Compare the file with the source just before line {start}: there {distance} "
            f"{'is' if count == 1 else 'are'} {'missing' if self.by > 0 else 'too many'}.",
        )  # fmt: skip


def _shifts(sources: Sequence[str], lines: Sequence[str], places: dict[int, int]) -> Iterator[_Shift]:
    """Stretches of lines that are all shifted alike, found from where single lines belong."""
    sample = spread(len(lines), SAMPLED)
    for _ in range(_SHIFTS):
        by, count = Counter(place - i for i, place in places.items()).most_common(1)[0] if places else (0, 0)
        if count < _FEWEST:
            return
        gains = [_gain(sources, lines, i, by) for i in sample]
        start, stop = _best_stretch(gains)
        inside = {i for i in places if sample[start] <= i <= sample[stop - 1]}
        seen = sum(places[i] - i == by for i in inside)
        if seen < _FEWEST:  # lines swapped in pairs, for example, make no stretch
            return
        before = sample[start - 1] + 1 if start else 0
        after = sample[stop] if stop < len(sample) else len(lines)
        first, last = sample[start], sample[stop - 1]
        # The sample may leave out lines at both ends: move each end to where it fits best.
        head = [0.0, *accumulate(_gain(sources, lines, i, by) for i in reversed(range(before, first)))]
        tail = [0.0, *accumulate(_gain(sources, lines, i, by) for i in range(last + 1, after))]
        begin, end = first - head.index(max(head)), last + 1 + tail.index(max(tail))
        yield _Shift(begin, end, by, seen)
        places = {i: place for i, place in places.items() if i not in inside}


def _gain(sources: Sequence[str], lines: Sequence[str], i: int, by: int) -> float:
    """How much more a line resembles the source so many lines further down than its own."""
    if not 0 <= i + by < len(sources) or lines[i] == sources[i]:
        return -1.0
    words = _words(lines[i])
    return _likeness(_words(sources[i + by]), words) - _likeness(_words(sources[i]), words)


def _best_stretch(gains: Sequence[float]) -> tuple[int, int]:
    """Start and end of the stretch with the largest sum."""
    best, total, start, found = 0.0, 0.0, 0, (0, 1)
    for i, gain in enumerate(gains):
        if total <= 0:
            total, start = 0.0, i
        total += gain
        if total > best:
            best, found = total, (start, i + 1)
    return found
