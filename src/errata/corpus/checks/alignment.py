"""Checks of references and outputs against the source: alignment and tokenisation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errata.corpus.checks.finding_catalog import Finding
from errata.corpus.parallel import first_astray
from errata.errors import plural

_ESCAPE = re.compile(r"&(?:apos|quot|amp|lt|gt|#124|#91|#93);|-[LR][RSC]B-")
_AROUND_PUNCTUATION = re.compile(r" *([^\w\s]) *")
_CLOSING = ".!?…。！？"
_LONGEST = 20_000  # characters: comparing longer lines with their neighbours would take too long
_REACH = 3  # lines up and down where a shifted line may belong


def check_alignment(
    sources: Sequence[str], lines: Sequence[str], path: str, source: str
) -> Iterator[Finding]:
    """What is wrong with a file that should have a line for each source sentence."""
    if len(lines) != len(sources):
        astray = first_astray(sources, lines)
        found = f"{len(lines):,} {plural(len(lines), 'line')}"
        expected = f"{len(sources):,} {plural(len(sources), 'sentence')}"
        message = f"{found}, but {source} has {expected}; astray from here on"
        yield Finding(path, astray + 1, "E301", message)
        sources, lines = sources[:astray], lines[:astray]  # behind it nothing can be compared
    shifted: dict[int, int] = {}
    for index, (ours, theirs) in enumerate(zip(sources, lines, strict=True)):
        if ours == theirs:
            continue
        if not theirs.strip():
            if ours.strip():
                yield Finding(path, index + 1, "W301", "empty, though the source sentence is not")
            continue
        yield from _check_pair(ours, theirs, path, index + 1)
        other = _belongs(sources, theirs, index)
        if other is not None:
            shifted[index] = other
        elif _nothing_common(ours, theirs):
            yield Finding(path, index + 1, "W304", "no token in common with the source sentence")
    for index, other in shifted.items():
        message = f"hardly resembles source sentence {index + 1} but does resemble {other + 1}"
        near = any(abs(index - i) <= _REACH for i in shifted if i != index)
        yield Finding(path, index + 1, "E302" if near else "W305", message)


def _check_pair(ours: str, theirs: str, path: str, number: int) -> Iterator[Finding]:
    if _retokenised(ours, theirs):
        a, b = ours.split(), theirs.split()
        place = slice(-2, None)  # the closing sign, or where blanks differ first
        if "".join(a) == "".join(b):
            at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
            place = slice(max(0, at - 1), at + 3)
        here, there = (repr(" ".join(tokens[place])[:40]) for tokens in (b, a))
        yield Finding(path, number, "W302", f"{here}, the source has {there}")
    escape = _ESCAPE.search(theirs)
    if escape and not _ESCAPE.search(ours):
        yield Finding(path, number, "W303", f"{escape[0]!r}, which the source does not have")


def _retokenised(ours: str, theirs: str) -> bool:
    """Whether two sentences differ in blanks at punctuation alone, or in how the last sign is attached."""
    a, b = ours.split(), theirs.split()
    if a == b or not a or not b:
        return False
    if "".join(a) == "".join(b):
        return _AROUND_PUNCTUATION.sub(r"\1", " ".join(a)) == _AROUND_PUNCTUATION.sub(r"\1", " ".join(b))
    last, mine = a[-1], b[-1]
    if last[-1] != mine[-1] or last[-1] not in _CLOSING or (len(last) == 1) == (len(mine) == 1):
        return False
    longer = max(last, mine, key=len)  # "left." against "left ."; but "U.S." and "p." have their dot
    return len(longer) > 2 and longer[:-1].isalnum()


def _belongs(sources: Sequence[str], line: str, index: int) -> int | None:
    """The neighbouring source that a line resembles far more than its own; None if it is where it belongs."""
    from rapidfuzz.distance import Indel

    if len(line) > _LONGEST:
        return None
    words = line.lower().split()
    own = sources[index].lower().split()
    at_home = Indel.normalized_similarity(own, words)
    # Letters too: a line that is only tokenised or written otherwise is at home.
    if len(words) < 4 or at_home > 0.4 or Indel.normalized_similarity("".join(own), "".join(words)) > 0.75:
        return None
    near = range(max(0, index - _REACH), min(len(sources), index + _REACH + 1))
    scores = [(Indel.normalized_similarity(sources[i].lower().split(), words), i) for i in near if i != index]
    best, where = max(scores, default=(0.0, index))
    return where if best > at_home + 0.3 else None


def _nothing_common(ours: str, theirs: str) -> bool:
    a, b = ours.lower().split(), theirs.lower().split()
    return len(a) >= 5 and len(b) >= 5 and not set(a) & set(b)
