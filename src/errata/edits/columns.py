"""Tagged sentences as integers: a number for every form, lemma, part of speech, tag and label."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import chain
from string import punctuation
from typing import Any, NamedTuple
from weakref import ref

import numpy as np
import numpy.typing as npt

from errata.edits.tokens import NumberedTags, TaggedSentence
from errata.kernels import bounds
from errata.kernels.ragged import Ragged, select_runs
from errata.text.vocabulary import Vocabulary

Integers = npt.NDArray[Any]
# Numbers that the kernels know: see `errata.kernels` align, english and universal.
UPOS = ("ADJ", "ADV", "NOUN", "VERB", "PART", "PRON", "AUX", "DET")
TAGS = ("POS", "VBG", "VBN", "VBD", "VBZ", "NNS")
LABELS = ("prt", "prep", "compound:prt", "case")
WORDS = (
    *("'d", "'ll", "'m", "n't", "'re", "'s", "'ve"),
    *("ca", "sha", "wo", "can", "shall", "will", "was", "were", "to", "most", "more"),
)
ALPHABETIC, CAPITAL, SIGN = 1, 2, 4  # flags of forms
_ROWS = 7  # columns of a token


class Tokens(NamedTuple):
    """The columns of all tokens, and where each sentence begins in them."""

    offsets: Integers
    form: Integers
    lower: Integers
    lemma: Integers
    upos: Integers
    tag: Integers
    dep: Integers
    head: Integers  # in its sentence


class Names(dict[str, int]):
    """Numbers of names, in the order in which they come; `names` has the names by number."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.names = list(known)
        self._last: tuple[Sequence[str], Integers] = (), np.zeros(0, dtype=np.int32)
        super().__init__((name, i) for i, name in enumerate(self.names))

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        self.names.append(name)
        return number

    def numbers(self, names: Sequence[str]) -> Integers:
        new = [name for name in dict.fromkeys(names) if name not in self]
        first = len(self.names)
        self.names += new  # before they get numbers: ^C in between must not give one number to two names
        self.update(zip(new, range(first, first + len(new)), strict=True))
        return np.fromiter(map(self.__getitem__, names), dtype=np.int32, count=len(names))

    def numbers_of(self, names: Sequence[str]) -> Integers:
        """The numbers of the names in a list; those in the list of the call before are known."""
        known = self._last[1] if self._last[0] is names else self._last[1][:0]
        if len(known) < len(names):
            known = np.concatenate([known, self.numbers(names[len(known) :])])
        self._last = names, known
        return known


@dataclass(frozen=True)
class Texts:
    """Texts that come one after the other, as their characters."""

    offsets: Integers = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    chars: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    longest: int = 0  # characters

    def and_these(self, texts: Sequence[str]) -> Texts:
        """These texts, and further ones behind them."""
        data = "".join(texts).encode("utf-32-le", "surrogatepass")
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        return Texts(
            np.concatenate([self.offsets, self.offsets[-1] + np.cumsum(sizes)]),
            np.concatenate([self.chars, np.frombuffer(data, dtype="<i4")]),
            max(self.longest, int(sizes.max(initial=0))),
        )


class Columns:
    """Sentences with their analyses, to which several threads can add others; numbers never change."""

    def __init__(self) -> None:
        self.adding = threading.RLock()
        self.vocabulary = Vocabulary()
        self.forms: list[str] = []  # by their numbers in the vocabulary
        self.form_texts, self.lower_texts = Texts(), Texts().and_these(WORDS)
        self.flags: Integers = np.zeros(0, dtype=np.uint8)  # of forms
        self.lowers, self.lemmas = Names(WORDS), Names()
        self.upos, self.tags, self.deps = Names(UPOS), Names(TAGS), Names(LABELS)
        self._lower_of_form: Integers = np.zeros(0, dtype=np.int32)
        self._translated = ref(self.vocabulary), self._lower_of_form  # another one's numbers here
        self._rows: Integers = np.empty((_ROWS, 1024), dtype=np.int32)
        self._offsets: Integers = np.zeros(257, dtype=np.int64)
        self._count = 0  # sentences
        self._sentences: dict[int, TaggedSentence] = {}
        self.tokens = Tokens(self._offsets[:1], *self._rows[:, :0])  # the columns as they are now

    def __len__(self) -> int:
        return self._count

    def some(self, numbers: Integers) -> Columns:
        """These sentences alone, in this order, with all that is known now of forms and names."""
        with self.adding:
            made = copy(self)
        offsets, places = select_runs(made.tokens.offsets, numbers)
        made.tokens = Tokens(offsets, *made._rows.take(places, axis=1))
        return made

    def numbered(self, lines: Iterable[str]) -> Ragged:
        """The forms of texts whose tokens are separated by blanks."""
        rows = self.vocabulary.encode_lines(lines)
        self._describe_forms()
        return rows

    def encoded(self, sentences: Iterable[Sequence[str]]) -> Ragged:
        """The forms of sequences of tokens."""
        rows = self.vocabulary.encode(sentences)
        self._describe_forms()
        return rows

    def translated(self, vocabulary: Vocabulary, rows: Sequence[Ragged]) -> list[Ragged]:
        """The forms of texts that are given as the token ids of another vocabulary."""
        known, numbers = self._translated
        if known() is not vocabulary or len(numbers) < len(vocabulary):
            numbers = vocabulary.numbers_in(self.vocabulary)
            self._describe_forms()
            self._translated = ref(vocabulary), numbers
        found = []
        for some in rows:
            found.append(Ragged(np.empty(len(some.values), dtype=np.int32), some.offsets))
            bounds.looked_up(numbers, some.values, found[-1].values)
        return found

    def _describe_forms(self) -> None:
        """What the rules ask of forms, for those that are new."""
        if len(self.flags) == len(self.vocabulary):
            return
        with self.adding:
            new = [
                token.decode("utf-8", "surrogatepass")
                for token in self.vocabulary.token_bytes(len(self.forms))
            ]
            self.forms += new
            self.form_texts = self.form_texts.and_these(new)
            known = len(self.lowers)
            lowers = self.lowers.numbers([*map(str.lower, new)])
            self.lower_texts = self.lower_texts.and_these(self.lowers.names[known:])
            self._lower_of_form = np.concatenate([self._lower_of_form, lowers])
            flags = [
                ALPHABETIC * form.isalpha() | CAPITAL * form[:1].isupper() | SIGN * (form in punctuation)
                for form in new
            ]
            self.flags = np.concatenate([self.flags, np.array(flags, dtype=np.uint8)])

    def add(self, rows: Ragged, tags: NumberedTags) -> range:
        """Sentences as the numbers of their forms, with their analyses; gives their numbers."""
        with self.adding:
            named = zip(tags[:4], (self.lemmas, self.upos, self.tags, self.deps), strict=True)
            numbers = [(self._lower_of_form, rows.values)]
            numbers += [(some.numbers_of(names), ids) for (names, ids), some in named]
            first, begin = self._count, int(self._offsets[self._count])
            count, end = first + len(rows), begin + len(rows.values)
            if end > self._rows.shape[1]:
                grown = np.empty((_ROWS, 2 * end), dtype=np.int32)
                grown[:, :begin] = self._rows[:, :begin]
                self._rows = grown
            if count >= len(self._offsets):
                self._offsets = np.concatenate([self._offsets, np.zeros(count + 1, dtype=np.int64)])
            added = self._rows[:, begin:end]
            added[0], added[-1] = rows.values, tags.heads
            for row, (known, ids) in zip(added[1:], numbers, strict=False):
                bounds.looked_up(known, np.ascontiguousarray(ids, dtype=np.int32), row)
            self._offsets[first + 1 : count + 1] = begin + rows.offsets[1:]
            self.tokens = Tokens(self._offsets[: count + 1], *self._rows[:, :end])
            self._count = count
            return range(first, count)

    def add_tagged(self, sentences: Sequence[TaggedSentence]) -> range:
        """Sentences that a tagger gave; gives their numbers."""
        rows = self.encoded([sentence.forms for sentence in sentences])
        lemmas, upos, tags, deps = (
            _numbered([*chain.from_iterable(getattr(sentence, name) for sentence in sentences)])
            for name in ("lemmas", "upos", "tags", "deps")
        )
        heads = np.fromiter(
            chain.from_iterable(sentence.heads for sentence in sentences), np.int32, count=len(rows.values)
        )
        return self.add(rows, NumberedTags(lemmas, upos, tags, deps, heads))

    def sentence(self, number: int) -> TaggedSentence:
        """A sentence as strings, made when it is asked for."""
        found = self._sentences.get(number)
        if found is None:
            tokens = self.tokens
            part = slice(*tokens.offsets[number : number + 2].tolist())
            names = (self.forms, *(some.names for some in (self.lemmas, self.upos, self.tags, self.deps)))
            ids = (tokens.form, tokens.lemma, tokens.upos, tokens.tag, tokens.dep)
            forms, lemmas, upos, tags, deps = (
                tuple(map(some.__getitem__, column[part].tolist()))
                for some, column in zip(names, ids, strict=True)
            )
            heads = tuple(tokens.head[part].tolist())
            found = self._sentences[number] = TaggedSentence(forms, lemmas, upos, tags, deps, heads)
        return found


def _numbered(names: Sequence[str]) -> tuple[list[str], Integers]:
    """The different names, and the number of each."""
    found = Names()
    ids = found.numbers(names)
    return found.names, ids
