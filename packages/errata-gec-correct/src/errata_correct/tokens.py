"""Tokens for correctors, and corrected tokens in the spacing of the original text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from errata.corpus.apply_edits import levenshtein_runs

Replacement = tuple[int, int, str]  # start and end in a text, and the new text

_MARK = re.compile(r"[\u0300-\u036f]")  # an accent that is a character of its own
# Numbers with their separators, words with inner apostrophes, single signs. A hyphen stands alone.
_TOKEN = re.compile(
    r"\d+(?:[.,:]\d+)*|[^\W\d_][^\W_]*(?:[\u0300-\u036f]+[^\W_]*)*"
    r"(?:['’][^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*)*|[^\W_]+|\S"
)
_FINAL, _CLOSING, _OPENING = "[.!?…]", "[\"”“»’')]", '["„“«‚(–-]'
_CAPITAL = "[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶĹĽŁŃŅŇŌŐŔŘŚŞŠŢŤŪŮŰŲŹŻŽ]"
_SENTENCE = re.compile(rf"{_FINAL}{_CLOSING}*\s+(?={_OPENING}*\s?{_CAPITAL})")
_NEGATION = re.compile(r"(?i)\b(\w+)(n['’]t)\b")
_CLITIC = re.compile(r"(?i)(\w)(['’](?:s|m|re|ve|ll|d))\b")
CLITICS = frozenset(["n't", "'s", "'m", "'re", "'ve", "'ll", "'d"])  # parts of English contractions
_NO_SPACE_BEFORE = frozenset(".,;:!?…)]}”“’»%")
_NO_SPACE_AFTER = frozenset("([{„‚«")
_RUN = re.compile(r"\S+")
_ADDRESS = re.compile(r"(?i)://|^\W*www\.|\w@\w|[\w-]\.(?:com|cz|edu|eu|gov|info|net|org|sk)(?!\w)")
_ALIGNED = 2500  # pairs of tokens of a stretch that are compared


def tokenize(text: str) -> list[str]:
    """Words, numbers and single signs; letters with combining accents become single characters."""
    tokens: list[str] = _TOKEN.findall(text)
    return [unicodedata.normalize("NFC", token) for token in tokens] if _MARK.search(text) else tokens


def tokenize_english(text: str) -> list[str]:
    """The same with contractions split (`do n't`, `it 's`) and plain quotes, as English corpora are."""
    joined = _CLITIC.sub(r"\1 \2", _NEGATION.sub(r"\1 \2", " ".join(tokenize(text))))
    return joined.replace("’", "'").replace("“", '"').replace("”", '"').split()


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The start and end of each sentence of a paragraph; the text between them is blank."""
    bounds = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    return [
        (start, start + len(text[start:end].rstrip()))
        for start, end in pairwise(bounds)
        if text[start:end].strip()
    ]


def sentences(text: str) -> list[str]:
    """A paragraph as sentences, by their final signs and the capital that follows."""
    return [text[start:end].strip() for start, end in sentence_spans(text)]


def token_spans(text: str) -> list[tuple[int, int]]:
    """Where each token of `tokenize(text)` begins and ends."""
    return [match.span() for match in _TOKEN.finditer(text)]


def address_spans(text: str) -> list[tuple[int, int]]:
    """Where addresses of pages and of mail begin and end, with the signs beside them."""
    return [match.span() for match in _RUN.finditer(text) if _ADDRESS.search(match.group())]


def differences(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, tuple[str, ...]]]:
    """(start, end, tokens) of each change by which one sentence becomes the other.

    A sign is a change of its own. So is a word for a word, unless a word more or fewer stands beside it.
    """
    changes = []
    for start, end, begin, stop in levenshtein_runs(before, after):
        new = after[begin:stop]
        changes += [(start + a, start + b, tuple(new[c:d])) for a, b, c, d in _parts(before[start:end], new)]
    return changes


def _parts(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """(start, end, start, end) of changes in a stretch where two sentences differ."""
    if len(old) * len(new) > _ALIGNED:
        yield 0, len(old), 0, len(new)
        return
    at = to = 0
    open_from = -1  # where tokens are being inserted at `at`
    for sign, group in groupby(_steps(old, new), key=lambda step: step[2]):
        steps = [step[:2] for step in group]
        if not sign and any(step != (1, 1) for step in steps):  # a word more or fewer: all are one change
            steps = [(sum(i for i, _ in steps), sum(j for _, j in steps))]
        for i, j in steps:
            if i and open_from >= 0:
                yield at, at, open_from, to
                open_from = -1
            if i:
                yield at, at + i, to, to + j
            elif open_from < 0:
                open_from = to  # all insertions at one place are one change, which keeps their order
            at, to = at + i, to + j
    if open_from >= 0:
        yield at, at, open_from, to


def _steps(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, bool]]:
    """A cheapest alignment: the numbers of tokens of both sides in each step, and whether they are signs."""
    from rapidfuzz.distance import Levenshtein

    costs = [[float(i + j) for j in range(len(new) + 1)] for i in range(len(old) + 1)]
    similarity = [[Levenshtein.normalized_similarity(a.lower(), b.lower()) for b in new] for a in old]
    words = [[one[:1].isalnum() for one in side] for side in (old, new)]
    for i in range(1, len(old) + 1):
        for j in range(1, len(new) + 1):
            other = 3.0 if words[0][i - 1] != words[1][j - 1] else 1.5 - similarity[i - 1][j - 1]
            costs[i][j] = min(costs[i - 1][j - 1] + other, costs[i - 1][j] + 1, costs[i][j - 1] + 1)
    steps = []
    i, j = len(old), len(new)
    while i or j:
        if i and costs[i][j] == costs[i - 1][j] + 1:
            i -= 1
            steps.append((1, 0, not words[0][i]))
        elif j and costs[i][j] == costs[i][j - 1] + 1:
            j -= 1
            steps.append((0, 1, not words[1][j]))
        else:
            i, j = i - 1, j - 1
            steps.append((1, 1, not words[0][i]))
    return steps[::-1]


def replacements(
    text: str, spans: Sequence[tuple[int, int]], changes: Iterable[tuple[int, int, Sequence[str]]]
) -> list[Replacement]:
    """The replacements in a text that make these changes of its tokens; they do not overlap.

    `spans` are the places of the text's tokens, and `changes` are (start, end, tokens), in order.
    """
    places, done = [], 0
    for start, end, tokens in changes:
        left, right, new = _replacement(text, spans, start, end, tokens)
        places.append((max(left, done), max(right, done), new))
        done = max(right, done)
    return places


def _replacement(
    text: str, spans: Sequence[tuple[int, int]], start: int, end: int, tokens: Sequence[str]
) -> Replacement:
    before = text[: spans[start - 1][1]] if start else ""
    after = text[spans[end][0] :] if end < len(spans) else ""
    if not tokens:
        left = len(before) if start else spans[0][0]
        right = spans[end - 1][1] if start or not after else spans[end][0]
        glued = after and spans[end][0] == spans[end - 1][1] and before[-1:].isalnum() and after[0].isalnum()
        return left, right, " " if glued and text[spans[end - 1][0]] in _NO_SPACE_BEFORE else ""
    words = ""
    for index, token in enumerate(tokens):
        apart = index and token not in _NO_SPACE_BEFORE and tokens[index - 1] not in _NO_SPACE_AFTER
        words += (" " if apart else "") + token
    if start < end:
        left, right = spans[start][0], spans[end - 1][1]
        if before and tokens[0] in _NO_SPACE_BEFORE and text[left] not in _NO_SPACE_BEFORE:
            left = len(before)
        return left, right, words
    if before and (tokens[0] in _NO_SPACE_BEFORE or not after):
        spaced = tokens[0] in _NO_SPACE_BEFORE or before[-1] in _NO_SPACE_AFTER
        glued = after and spans[start][0] == len(before) and after[0].isalnum()
        return len(before), len(before), ("" if spaced else " ") + words + (" " if glued else "")
    left = spans[start][0] if after else len(text)
    space = "" if tokens[-1] in _NO_SPACE_AFTER or not after or after[0] in _NO_SPACE_BEFORE else " "
    lead = " " if before and left == len(before) and before[-1] not in _NO_SPACE_AFTER else ""
    return left, left, lead + words + space


def rewrite(text: str, places: Iterable[Replacement]) -> str:
    """The text after these replacements; if two overlap, the second one replaces only the remaining part."""
    parts, position = [], 0
    for start, end, new in sorted(places, key=lambda one: one[:2]):
        parts += [text[position:start], new]
        position = max(position, end)
    return "".join(parts) + text[position:]
