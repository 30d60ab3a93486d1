"""Projection: give a detokenised text the tokens of its source.

Language models and products write detokenised text, but gold edits count the tokens of the source. Another
tokenizer splits in other ways, and every difference looks like an edit. Projection aligns the text with its
source instead: unchanged text keeps the tokens of the source, and changed text is split by a tokenizer whose
splits are corrected by statistics of all sources.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from errata.errors import DataError, ErrataError
from errata.text.tokenizers import Tokenizer, tokenizer

_RARE = 5  # for pairs of characters that are rarer in the sources, the tokenizer decides
_SURE = 0.95  # share of a pair's occurrences that must agree to overrule the tokenizer
_END_OF_SENTENCE = re.compile(r".*[^\W\d_]{2}[)\"”]?\.")  # not an initial or a number


def project(sources: Sequence[str], texts: Sequence[str], splitter: Tokenizer | None = None) -> list[str]:
    """The texts, tokenised as their sources are; `splitter` (Penn by default) splits what has changed."""
    if len(sources) != len(texts):
        raise DataError(f"{len(texts)} texts for {len(sources)} sources", hint="give one text per source")
    projector = Projector(sources, splitter or tokenizer("penn"))
    return [projector.project(source, text) for source, text in zip(sources, texts, strict=True)]


class Projector:
    """Projects texts onto the tokens of their sources; all `sources` show how these were tokenised."""

    def __init__(self, sources: Iterable[str], splitter: Tokenizer) -> None:
        self._splitter = splitter
        self._tokens: Counter[str] = Counter()
        self._inside: Counter[tuple[str, str]] = Counter()  # pairs of characters inside tokens
        self._between: Counter[tuple[str, str]] = Counter()  # pairs on both sides of a token boundary
        for source in sources:
            tokens = source.split()
            self._tokens.update(tokens)
            self._between.update((_kind(left[-1]), _kind(right[0])) for left, right in pairwise(tokens))
        for token, count in self._tokens.items():
            if not token.isalpha():
                for pair in pairwise(map(_kind, token)):
                    self._inside[pair] += count

    def project(self, source: str, text: str) -> str:
        """The text, with blanks between its tokens."""
        tokens, words = source.split(), text.split()
        if tokens == words:
            return " ".join(words)
        chunks = self._chunks(tokens)
        cuts: set[int] | None = None
        starts = [0, *accumulate(map(len, words))]
        projected: list[str] = []
        written = ["".join(chunk) for chunk in chunks]
        matcher = SequenceMatcher(None, written, words, autojunk=False)
        for change, first, last, begin, end in matcher.get_opcodes():
            if change == "equal":
                projected += (token for chunk in chunks[first:last] for token in chunk)
            elif begin < end:
                cuts = self._cuts(text, words, starts) if cuts is None else cuts
                here = {cut - starts[begin] for cut in cuts if starts[begin] <= cut <= starts[end]}
                projected += self._align(chunks[first:last], words[begin:end], here)
        return " ".join(projected)

    def _chunks(self, tokens: Sequence[str]) -> list[list[str]]:
        """The tokens in groups that detokenised text writes without blanks between them."""
        try:
            words = self._splitter.detokenize(tokens).split()
        except ErrataError:  # this tokenizer cannot detokenise
            return [[token] for token in tokens]
        ends = {0, *accumulate(map(len, words))}
        if "".join(words) != "".join(tokens):
            return [[token] for token in tokens]
        chunks: list[list[str]] = []
        for token, start in zip(tokens, accumulate(map(len, tokens), initial=0), strict=False):
            if start in ends:
                chunks.append([])
            chunks[-1].append(token)
        return chunks

    def _cuts(self, text: str, words: Sequence[str], starts: Sequence[int]) -> set[int]:
        """Where tokens begin, without the tokens of this source; positions are counted without blanks."""
        characters = "".join(words)
        cuts = {0}
        for token in " ".join(self._splitter.tokenize(text)).split():
            start = characters.find(token, max(cuts))
            if start >= 0:  # a tokenizer may change or drop characters
                cuts |= {start, start + len(token)}
        for word, following, end in zip(words, words[1:], starts[1:], strict=False):
            if following[0].isupper() and _END_OF_SENTENCE.fullmatch(word) and word not in self._tokens:
                cuts.add(end - 1)
        for position, (left, right) in enumerate(pairwise(characters), start=1):
            share = self._boundary_share(left, right, _RARE)
            if share is not None and share >= _SURE:
                cuts.add(position)
            elif share is not None and share <= 1 - _SURE:
                cuts.discard(position)
        return cuts | set(starts)

    def _boundary_share(self, left: str, right: str, rare: int = 1) -> float | None:
        """The share of a pair of characters that the sources split; None for letters and rarer pairs."""
        pair = _kind(left), _kind(right)
        inside, between = self._inside[pair], self._between[pair]
        if pair == ("a", "a") or inside + between < rare:
            return None
        return between / (inside + between)

    def _align(self, chunks: Sequence[Sequence[str]], words: Sequence[str], cuts: set[int]) -> list[str]:
        """Changed words, split at the cuts except where a token of the source is still there as a whole."""
        tokens = [token for chunk in chunks for token in chunk]
        attached = [n > 0 for chunk in chunks for n in range(len(chunk))]  # to the token before
        characters = "".join(words)
        spans = _kept_tokens(tokens, words)

        def is_boundary(number: int, side: int) -> bool:
            """Whether the text may be split on this side (0: left, 1: right) of a kept token."""
            position = spans[number][side]
            if position in cuts:
                return True
            neighbour = number + (1 if side else -1)
            together = attached[max(number, neighbour)] if neighbour < len(tokens) else False
            if neighbour in spans and spans[neighbour][1 - side] == position:
                share = self._boundary_share(characters[position - 1], characters[position])
                return together or (share is not None and share > 0.5)
            token = tokens[number]  # its neighbour has changed: only clitics and punctuation stand alone
            stands_alone = not any(map(str.isalnum, token)) if side else not token.isalnum()
            return together and stands_alone

        while unclear := [n for n in spans if not (is_boundary(n, 0) and is_boundary(n, 1))]:
            for number in unclear:
                del spans[number]
        for start, end in spans.values():
            cuts = (cuts - set(range(start + 1, end))) | {start, end}
        return [characters[start:end] for start, end in pairwise(sorted(cuts | {0, len(characters)}))]


def _kind(character: str) -> str:
    """A letter, a digit, or the character itself."""
    return "a" if character.isalpha() else "0" if character.isdigit() else character


def _kept_tokens(tokens: Sequence[str], words: Sequence[str]) -> dict[int, tuple[int, int]]:
    """The tokens, by number, that the words contain as a whole, and where; positions skip blanks."""
    text, blanks = "".join(words), set(accumulate(map(len, words)))
    spans: dict[int, tuple[int, int]] = {}
    starts = [0, *accumulate(map(len, tokens))]
    for block in SequenceMatcher(None, "".join(tokens), text, autojunk=False).get_matching_blocks():
        shift = block.b - block.a
        for number, token in enumerate(tokens):
            start = starts[number] + shift
            end = start + len(token)
            inside = block.a <= starts[number] and starts[number + 1] <= block.a + block.size
            if inside and blanks.isdisjoint(range(start + 1, end)):
                spans[number] = (start, end)
    return spans
