"""Random edits and alignments of tagged words, the same in every run, and what was recorded for them.

`data/errant_rules/LANGUAGE.json.xz` has tagged words (of sentences that a tagger saw, and made-up ones), the
types of `EDITS` edits and the merging of `ALIGNMENTS` alignments. They were recorded with the compiled rules
that the Python rules replaced.
"""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errata.edits.language import WordList
from errata.edits.tagged_sentence import UNKNOWN_HEAD, TaggedSentence

DATA = Path(__file__).parent / "recorded" / "errant_rules"
LANGUAGES = ("en", "cs", "xx")
EDITS, ALIGNMENTS = 100_000, 40_000
STRATEGIES = ("rules", "rules", "rules", "rules", "rules", "all-split", "all-merge", "all-equal")
MATCH, SUBSTITUTION, INSERTION, DELETION = range(4)  # steps; a transposition of k words is k + 2
Word = tuple[str, str, str, str, str]  # form, lemma, part of speech, fine tag, dependency label
Span = tuple[int, int, int, int]


class RandomEdit(NamedTuple):
    source: TaggedSentence
    correction: TaggedSentence
    span: Span


class RandomAlignment(NamedTuple):
    source: TaggedSentence
    correction: TaggedSentence
    steps: list[int]
    strategy: str


class Recorded:
    """The tagged words of a language, and what was recorded for its edits and alignments."""

    def __init__(self, language: str) -> None:
        content: dict[str, Any] = json.loads(lzma.decompress((DATA / f"{language}.json.xz").read_bytes()))
        self.generator = Generator([tuple(word) for word in content["words"]], content["sentences"])
        self.counts: dict[str, int] = content["counts"]
        names = [*self.counts]
        self.types = [names[ord(letter) - 40] for letter in content["types"]]
        self.merged: list[str] = content["merged"].split()


class Generator:
    """Draws edits and alignments of tagged words."""

    def __init__(self, words: Sequence[Word], sentences: Sequence[Sequence[int]]) -> None:
        self.words, self.sentences = words, sentences
        self._random = random.Random(1)
        self._alike: list[dict[str, list[Word]]] = []  # words that share something
        for key in (lambda w: w[1], lambda w: w[0][:3].lower(), lambda w: w[2] + w[3], lambda w: w[4]):
            groups: dict[str, list[Word]] = {}
            for word in words:
                groups.setdefault(key(word), []).append(word)
            self._alike.append(groups)

    def word_list(self) -> WordList:
        """A dictionary that lacks some of the words."""
        return WordList("some", frozenset(w[0].lower() for i, w in enumerate(self.words) if i % 5))

    def edits(self, count: int = EDITS) -> Iterator[RandomEdit]:
        self._random = random.Random(2)
        for _ in range(count):
            words = self._window(7)
            start = self._below(len(words))
            end = min(len(words), start + self._choice((0, 1, 1, 1, 1, 1, 2, 2, 3, 4)))
            if self._below(6) == 0:
                words[start:end] = [self._choice(self.words) for _ in range(start, end)]
            changed = self._changed(words[start:end])
            if changed == words[start:end] and self._below(10):
                changed = self._changed(changed)
            if self._below(8) == 0 and changed:  # analyses that no tagger would give
                place = self._below(len(changed))
                changed[place] = self._retagged(changed[place])
            sides = words, [*words[:start], *changed, *words[end:]]
            known = self._below(2) == 0
            yield RandomEdit(
                self._tagged(sides[0], known),
                self._tagged(sides[1], known),
                (start, end, start, start + len(changed)),
            )

    def alignments(self, count: int = ALIGNMENTS) -> Iterator[RandomAlignment]:
        self._random = random.Random(3)
        for number in range(count):
            size = 1 + self._below(40 if number % 100 == 0 else 7)
            steps = [
                self._choice((MATCH, *[SUBSTITUTION] * 5, *[INSERTION] * 3, *[DELETION] * 3, 4, 5))
                for _ in range(size)
            ]
            source: list[Word] = []
            correction: list[Word] = []
            for step in steps:
                words = self._window(1 if step < 4 else step - 2)
                words += [self._choice(self.words) for _ in range(step - 2 - len(words))]
                if step != INSERTION:
                    source += words
                if step == SUBSTITUTION:
                    correction += [self._substituted(words[0], source, correction)]
                elif step != DELETION:
                    correction += words[::-1]
            strategy = STRATEGIES[number % len(STRATEGIES)]
            yield RandomAlignment(self._tagged(source), self._tagged(correction), steps, strategy)

    def _substituted(self, word: Word, source: list[Word], correction: list[Word]) -> Word:
        way = self._below(8)
        if way == 0 and len(source) > 1:  # a cat → acat, with a deletion before it
            return (source[-2][0] + word[0], *word[1:])
        if way == 1:
            return (word[0].swapcase() if word[0] != word[0].swapcase() else word[0] + "s", *word[1:])
        return (
            self._related(word) if way < 5 else self._respelt(word) if way < 7 else self._choice(self.words)
        )

    def _changed(self, words: list[Word]) -> list[Word]:
        """The words with changes that a writer may make."""
        words = list(words)
        for _ in range(self._choice((1, 1, 1, 2, 3))):
            way, place = self._below(16), self._below(len(words)) if words else -1
            if place < 0 or way == 0:
                words.insert(self._below(len(words) + 1), self._choice(self.words))
            elif way < 7:
                words[place] = self._related(words[place])
            elif way < 10:
                words[place] = self._respelt(words[place])
            elif way == 10:
                del words[place]
            elif way == 11:
                words = words[::-1] if self._below(2) else [*words[1:], words[0]]
            elif way == 12 and len(words) > 1:
                words[-2:] = [(words[-2][0] + words[-1][0], *words[-1][1:])]
            elif way == 13 and len(words[place][0]) > 1:
                form, *analysis = words[place]
                cut = 1 + self._below(len(form) - 1)
                words[place : place + 1] = [(form[:cut], *analysis), (form[cut:], *analysis)]
            elif way == 14:
                form, *analysis = words[-1]
                words = [self._choice(self.words), *words[:-1], (form.swapcase(), *analysis)]
            else:
                words[place] = self._choice(self.words)
        return words

    def _related(self, word: Word) -> Word:
        """Another word with the same lemma, beginning, part of speech or label."""
        way = self._below(4)
        key = (word[1], word[0][:3].lower(), word[2] + word[3], word[4])[way]
        return self._choice(self._alike[way].get(key) or self.words)

    def _respelt(self, word: Word) -> Word:
        """The word with another spelling; sometimes the tagger sees another word in it."""
        form, *analysis = word
        place = self._below(len(form))
        letter = self._choice("aeioubcdlmnrstyáčéíýž'-\"„,.")
        spelt = (
            form[:place] + letter + form[place + 1 :],
            form[:place] + letter + form[place:],
            form[:place] + form[place + 1 :] or letter,
            form[:place] + form[place : place + 2][::-1] + form[place + 2 :],
            form.swapcase(),
            form.capitalize(),
            form.translate(str.maketrans("áčďéěíňóřšťúůýž", "acdeeinorstuuyz")),
            form.translate(str.maketrans("aceinrsuyz", "áčéíňřšůýž")),
            form.rstrip(".,") + self._choice((".", ",", "!")),
        )[self._below(9)]
        return (spelt, *(self._choice(self.words)[1:] if self._below(4) == 0 else analysis))

    def _retagged(self, word: Word) -> Word:
        others = [self._choice(self.words) for _ in range(4)]
        return word[0], others[0][1], others[1][2], others[2][3], others[3][4]

    def _window(self, most: int) -> list[Word]:
        """Neighbouring words of a sentence."""
        sentence = self._choice(self.sentences)
        start = self._below(len(sentence))
        return [self.words[i] for i in sentence[start : start + 1 + self._below(most)]]

    def _tagged(self, words: Sequence[Word], heads_known: bool = False) -> TaggedSentence:
        heads = tuple(self._below(len(words)) if heads_known else UNKNOWN_HEAD for _ in words)
        columns = zip(*words, strict=True) if words else ((),) * 5
        return TaggedSentence(*columns, heads)

    def _below(self, limit: int) -> int:
        return int(self._random.random() * limit)  # the same in every version of Python

    def _choice(self, some: Sequence[Any]) -> Any:
        return some[self._below(len(some))]


def written(steps: Sequence[int], spans: Sequence[Sequence[int]]) -> str:
    """The edits of an alignment, a letter per step: `=` a match, `[` the start of an edit, `-` its rest."""
    starts = {(span[0], span[2]) for span in spans}
    letters, o, c = [], 0, 0
    for step in steps:
        letters.append("=" if step == MATCH else "[" if (o, c) in starts else "-")
        size = 1 if step < 4 else step - 2
        o, c = o + size * (step != INSERTION), c + size * (step != DELETION)
    return "".join(letters)


def spans_of(steps: Sequence[int], letters: str) -> list[Span]:
    """The edits that `written` wrote."""
    ends, o, c = [(0, 0)], 0, 0
    for step in steps:
        size = 1 if step < 4 else step - 2
        o, c = o + size * (step != INSERTION), c + size * (step != DELETION)
        ends.append((o, c))
    spans: list[Span] = []
    for place, letter in enumerate(letters):
        if letter == "[":
            spans.append((*(ends[place][:1]), ends[place + 1][0], ends[place][1], ends[place + 1][1]))
        elif letter == "-":
            start, _, to_start, _ = spans[-1]
            spans[-1] = start, ends[place + 1][0], to_start, ends[place + 1][1]
    return spans
