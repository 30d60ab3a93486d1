"""Checks whether each line of a reference or output belongs to the source sentence with the same number.

`check_alignment` compares every line with its source and the sentences around it. `check_order` examines a
sample of the lines, and searches the whole corpus for the sentences that they belong to.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from errata.corpus.checks.finding_catalog import Finding
from errata.errors import plural

_ESCAPE = re.compile(r"&(?:apos|quot|amp|lt|gt|#124|#91|#93);|-[LR][RSC]B-")
_AROUND_PUNCTUATION = re.compile(r" *([^\w\s]) *")
_SENTENCE_END = ".!?…。！？"
_MAX_LENGTH = 20_000  # characters; comparing longer lines with their neighbours would take too long
_NEIGHBOURS = 3  # sentences before and after that a line is compared with


# -- line by line -------------------------------------------------------------------------------------------


def check_alignment(
    sources: Sequence[str], lines: Sequence[str], path: str, source_path: str
) -> Iterator[Finding]:
    """Check a file that should have one line per source sentence."""
    if len(lines) != len(sources):
        from errata.corpus.parallel import first_astray

        astray = first_astray(sources, lines)
        lengths = f"{len(lines):,} {plural(len(lines), 'line')}, but {source_path} has {len(sources):,}"
        surplus = lines[len(sources) :]
        problem = (
            "misaligned from here on" if any(map(str.strip, surplus)) or not surplus else "the last are empty"
        )
        message = f"{lengths} {plural(len(sources), 'sentence')}; {problem}"
        yield Finding(path, astray + 1, "E301", message)
        sources, lines = sources[:astray], lines[:astray]  # the rest cannot be compared
    shifted: dict[int, int] = {}
    for index, (source, line) in enumerate(zip(sources, lines, strict=True)):
        if source == line:
            continue
        if not line.strip():
            if source.strip():
                yield Finding(path, index + 1, "W301", "empty, though the source sentence is not")
            continue
        yield from _check_pair(source, line, path, index + 1)
        neighbour = _better_neighbour(sources, line, index)
        if neighbour is not None:
            shifted[index] = neighbour
        elif _have_nothing_in_common(source, line):
            yield Finding(path, index + 1, "W304", "no token in common with the source sentence")
    for index, neighbour in shifted.items():
        message = f"hardly resembles source sentence {index + 1} but does resemble {neighbour + 1}"
        near = any(abs(index - i) <= _NEIGHBOURS for i in shifted if i != index)
        yield Finding(path, index + 1, "E302" if near else "W305", message)


def _check_pair(source: str, line: str, path: str, number: int) -> Iterator[Finding]:
    if _is_retokenised(source, line):
        expected, actual = source.split(), line.split()
        shown = slice(-2, None)  # the final punctuation, or the first place where spaces differ
        if "".join(expected) == "".join(actual):
            pairs = zip(expected, actual, strict=False)
            first = next((i for i, (a, b) in enumerate(pairs) if a != b), 0)
            shown = slice(max(0, first - 1), first + 3)
        here, there = (repr(" ".join(tokens[shown])[:40]) for tokens in (actual, expected))
        yield Finding(path, number, "W302", f"{here}, the source has {there}")
    escape = _ESCAPE.search(line)
    if escape and not _ESCAPE.search(source):
        yield Finding(path, number, "W303", f"{escape[0]!r}, which the source does not have")


def _is_retokenised(source: str, line: str) -> bool:
    """Whether two sentences differ only in spaces at punctuation, or in how the final mark is attached."""
    a, b = source.split(), line.split()
    if a == b or not a or not b:
        return False
    if "".join(a) == "".join(b):
        return _AROUND_PUNCTUATION.sub(r"\1", " ".join(a)) == _AROUND_PUNCTUATION.sub(r"\1", " ".join(b))
    x, y = a[-1], b[-1]
    if x[-1] != y[-1] or x[-1] not in _SENTENCE_END or (len(x) == 1) == (len(y) == 1):
        return False
    longer = max(x, y, key=len)  # "left." and "left ." differ in tokenisation; "U.S." and "p." keep their dot
    return len(longer) > 2 and longer[:-1].isalnum()


def _better_neighbour(sources: Sequence[str], line: str, index: int) -> int | None:
    """The neighbouring source that a line resembles far more than its own, or None."""
    from rapidfuzz.distance import Indel

    if len(line) > _MAX_LENGTH:
        return None
    words = line.lower().split()
    own_words = sources[index].lower().split()
    own = Indel.normalized_similarity(own_words, words)
    # Letters are compared too, because a line may only be tokenised or spelt differently.
    if len(words) < 4 or own > 0.4 or Indel.normalized_similarity("".join(own_words), "".join(words)) > 0.75:
        return None
    near = range(max(0, index - _NEIGHBOURS), min(len(sources), index + _NEIGHBOURS + 1))
    scores = [(Indel.normalized_similarity(sources[i].lower().split(), words), i) for i in near if i != index]
    best, neighbour = max(scores, default=(0.0, index))
    return neighbour if best > own + 0.3 else None


def _have_nothing_in_common(source: str, line: str) -> bool:
    a, b = source.lower().split(), line.lower().split()
    return len(a) >= 5 and len(b) >= 5 and not set(a) & set(b)


# -- the order of the whole file ----------------------------------------------------------------------------

SAMPLED = 1_000  # lines that are compared with their own source
_SEARCHED = 300  # lines whose most similar source is searched for
_POOL = 20_000  # sources that are searched; in a larger corpus, only those near the searched lines
_MIN_WORDS = 4  # shorter lines cannot be recognised
_MIN_LINES = 4  # fewer misplaced lines, or fewer shifted alike, mean nothing
_OWN_SIMILARITY = 0.4  # similarity to its own source that shows a line to be in its place
_OTHER_SIMILARITY = 0.5  # similarity to another source that shows a line to be misplaced
_MISPLACED_SHARE = 0.02  # suspicious share of misplaced lines
_SHIFTED_RUN = 8  # misplaced lines, all shifted alike, that are suspicious in a file of any length
_SHIFTED_SHARE = 0.6  # share of the misplaced lines that must be shifted alike to call it a shift
_MAX_SHIFTS = 5  # shifts that are reported
_UNRELATED_SHARE = 0.5  # suspicious share of lines that resemble no source

_QUARTER = 8  # characters, below which a quarter of a source may occur in a line by chance

_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")


def spread(total: int, most: int) -> Sequence[int]:
    """At most `most` of the indices below `total`, evenly spaced."""
    return range(total) if total <= most else [i * total // most for i in range(most)]


def check_order(sources: Sequence[str], lines: Sequence[str], path: str, first: int = 1) -> Iterator[Finding]:
    """Check whether lines are shifted, in another order, or from another text.

    At most `SAMPLED` lines are examined. `first` is the number of the first line.
    """
    doubtful = _doubtful_lines(sources, lines)
    tested = _long_enough(sources, lines) if len(doubtful) >= _MIN_LINES else 0
    if len(doubtful) < max(_MIN_LINES, min(_SHIFTED_RUN, _MISPLACED_SHARE * tested)):
        yield from _swapped_neighbours(sources, lines, doubtful, path, first)
        return
    searched = [doubtful[i] for i in spread(len(doubtful), _SEARCHED)]
    index = _WordIndex(sources, lines, searched)
    nearest = {i: index.nearest(sources, lines[i], i) for i in searched}
    misplaced = {i: place for i, place in nearest.items() if place is not None}
    weight = len(doubtful) / len(searched) / tested  # the share of lines that a searched line represents
    suspicious = len(misplaced) >= _MIN_LINES and len(misplaced) * weight >= _MISPLACED_SHARE
    shifts = list(_find_shifts(sources, lines, misplaced))
    shifted = sum(shift.seen for shift in shifts)
    unrelated = (len(searched) - len(misplaced)) * weight
    if shifted >= _SHIFTED_SHARE * len(misplaced) and (
        suspicious or any(shift.seen >= _SHIFTED_RUN for shift in shifts)
    ):
        yield from (shift.finding(len(lines), path, first) for shift in sorted(shifts))
    elif suspicious and unrelated < _UNRELATED_SHARE:  # in another text, some sentences are similar by chance
        i, place = next(iter(misplaced.items()))
        share = f"{min(1.0, len(misplaced) * weight):.0%}"
        yield Finding(
            path, i + first, "E305",
            f"{share} of the lines resemble another source sentence more than their own; "
            f"line {i + first}, the first, resembles sentence {place + first}",
        )  # fmt: skip
    elif unrelated >= _UNRELATED_SHARE:
        others = "any other" if len(sources) <= _POOL else "those near it"
        message = f"{unrelated:.0%} of the lines resemble neither their source sentence nor {others}"
        yield Finding(path, searched[0] + first, "E308", message)


def _swapped_neighbours(
    sources: Sequence[str], lines: Sequence[str], doubtful: Sequence[int], path: str, first: int
) -> Iterator[Finding]:
    """Report pairs of lines that belong to each other's source."""
    for i in sorted({place for line in doubtful for place in (line - 1, line)}):
        pairs = ((i, i + 1), (i + 1, i))
        if 0 <= i < len(lines) - 1 and all(
            _similarity(_words(sources[a]), _words(lines[b])) >= _OTHER_SIMILARITY for a, b in pairs
        ):
            message = (
                f"lines {i + first} and {i + 1 + first} are swapped: each resembles the source of the other"
            )
            yield Finding(path, i + first, "E302", message)


def _doubtful_lines(sources: Sequence[str], lines: Sequence[str]) -> list[int]:
    """The sampled lines that are long enough and hardly resemble their source."""
    doubtful = []
    for i in spread(len(sources), SAMPLED):
        source, line = sources[i], lines[i]
        if source == line or _has_half(source, line):
            continue
        a, b = set(source.split()), set(line.split())
        if 2 * len(a & b) < _OTHER_SIMILARITY * (len(a) + len(b)):  # the tokenisation or the case may differ
            a, b = _words(source), _words(line)
            if min(len(a), len(b)) >= _MIN_WORDS and _similarity(a, b) < _OWN_SIMILARITY:
                doubtful.append(i)
    return doubtful


def _long_enough(sources: Sequence[str], lines: Sequence[str]) -> int:
    """The number of sampled lines that have enough words in source and output."""
    return sum(
        min(len(_words(sources[i])), len(_words(lines[i]))) >= _MIN_WORDS
        for i in spread(len(sources), SAMPLED)
    )


def _has_half(source: str, line: str) -> bool:
    """Whether a line contains two quarters of its source: many times faster than to compare words."""
    size = len(source) // 4
    if size < _QUARTER:
        return False
    if source[: 2 * size] in line or source[2 * size :] in line:
        return True
    quarters = source[:size], source[size : 2 * size], source[2 * size : 3 * size], source[3 * size :]
    return sum([quarter in line for quarter in quarters]) >= 2


def _words(line: str) -> set[str]:
    return set(_WORDS.findall(line.lower()))


def _similarity(a: set[str], b: set[str]) -> float:
    """Dice's coefficient of two sets of words."""
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


class _WordIndex:
    """Finds the source that is most similar to a line, by the words they share."""

    def __init__(self, sources: Sequence[str], lines: Sequence[str], searched: Sequence[int]) -> None:
        searched_words = set().union(*(_words(lines[i]) for i in searched))
        pool: Iterable[int] = range(len(sources))
        if len(sources) > _POOL:
            reach = _POOL // (2 * len(searched))
            near = (range(max(0, i - reach), min(len(sources), i + reach + 1)) for i in searched)
            pool = sorted(set().union(*near))
        occurrences: dict[str, list[int]] = defaultdict(list)
        size = 0
        for i in pool:
            size += 1
            for word in searched_words & _words(sources[i]):
                occurrences[word].append(i)
        most = max(20, size // 20)  # more frequent words do not help to identify a sentence
        self._occurrences = {word: indices for word, indices in occurrences.items() if len(indices) <= most}

    def nearest(self, sources: Sequence[str], line: str, own: int) -> int | None:
        """The source other than its own that a line clearly resembles, or None."""
        words = _words(line)
        votes = Counter(i for word in sorted(words) for i in self._occurrences.get(word, ()) if i != own)
        scored = [(_similarity(_words(sources[i]), words), -abs(i - own), i) for i, _ in votes.most_common(5)]
        similarity, _, place = max(scored, default=(0.0, 0, own))
        return place if similarity >= _OTHER_SIMILARITY else None


@dataclass(frozen=True, order=True)
class _Shift:
    """The lines from `start` to before `stop`, which belong to the sources `by` lines further down."""

    start: int
    stop: int
    by: int
    seen: int  # searched lines among them whose nearest source confirms the shift

    def finding(self, total: int, path: str, first: int) -> Finding:
        """The finding for a file with `total` lines, the first of which has the number `first`."""
        start, count = self.start + first, abs(self.by)
        distance = f"{count} {plural(count, 'line')}"
        to_the_end = self.stop >= total - max(self.by, 0)
        where = f"from line {start} on, lines" if to_the_end else f"lines {start} to {self.stop + first - 1}"
        return Finding(
            path, start, "E304",
            f"{where} are shifted by {distance}: line {start} resembles source sentence {start + self.by}",
            f"Compare the file with the source just before line {start}: there {distance} "
            f"{'is' if count == 1 else 'are'} {'missing' if self.by > 0 else 'too many'}.",
        )  # fmt: skip


def _find_shifts(sources: Sequence[str], lines: Sequence[str], places: dict[int, int]) -> Iterator[_Shift]:
    """Stretches of lines that are all shifted alike; `places` are the sources of some lines."""
    sample = spread(len(lines), SAMPLED)
    for _ in range(_MAX_SHIFTS):
        by, count = Counter(place - i for i, place in places.items()).most_common(1)[0] if places else (0, 0)
        if count < _MIN_LINES:
            return
        gains = [_gain(sources, lines, i, by) for i in sample]
        start, stop = _best_stretch(gains)
        inside = {i for i in places if sample[start] <= i <= sample[stop - 1]}
        seen = sum(places[i] - i == by for i in inside)
        if seen < _MIN_LINES:  # lines swapped in pairs, for example, do not form a stretch
            return
        before = sample[start - 1] + 1 if start else 0
        after = sample[stop] if stop < len(sample) else len(lines)
        first, last = sample[start], sample[stop - 1]
        # The lines next to both ends may not be in the sample: move each end to where it fits best.
        head = [0.0, *accumulate(_gain(sources, lines, i, by) for i in reversed(range(before, first)))]
        tail = [0.0, *accumulate(_gain(sources, lines, i, by) for i in range(last + 1, after))]
        begin, end = first - head.index(max(head)), last + 1 + tail.index(max(tail))
        yield _Shift(begin, end, by, seen)
        places = {i: place for i, place in places.items() if i not in inside}


def _gain(sources: Sequence[str], lines: Sequence[str], i: int, by: int) -> float:
    """How much more a line resembles the source `by` lines further down than its own."""
    if not 0 <= i + by < len(sources) or lines[i] == sources[i]:
        return -1.0
    words = _words(lines[i])
    return _similarity(_words(sources[i + by]), words) - _similarity(_words(sources[i]), words)


def _best_stretch(gains: Sequence[float]) -> tuple[int, int]:
    """Start and end of the stretch with the largest sum."""
    best, total, start, stretch = 0.0, 0.0, 0, (0, 1)
    for i, gain in enumerate(gains):
        if total <= 0:
            total, start = 0.0, i
        total += gain
        if total > best:
            best, stretch = total, (start, i + 1)
    return stretch
