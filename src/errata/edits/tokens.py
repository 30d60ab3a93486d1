"""What the rules see of a sentence: its tokens, column by column, and who fills the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, overload, runtime_checkable

import numpy.typing as npt

UNKNOWN_HEAD = -1


@dataclass(frozen=True)
class TaggedSentence:
    """A pretokenised sentence with its analysis: one entry a token in every column.

    A tagger that knows less leaves less: `""` for an unknown tag or label, `UNKNOWN_HEAD` for a head.
    """

    forms: tuple[str, ...]
    lemmas: tuple[str, ...]  # in the tagger's own spelling; rules only ask whether two are equal
    upos: tuple[str, ...]  # universal part of speech: "NOUN", "AUX", …, or ""
    tags: tuple[str, ...]  # fine tag of the language: Penn for English ("VBZ", "POS"), PDT for Czech, or ""
    deps: tuple[str, ...]  # dependency label: spaCy's (ClearNLP) or UD's for English, UD's elsewhere, or ""
    heads: tuple[int, ...]  # index of the head token; the token itself at the root

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def lower(self) -> tuple[str, ...]:
        """The forms in lower case."""
        return tuple(map(str.lower, self.forms))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The dependants of every token, from left to right."""
        found: list[list[int]] = [[] for _ in self.forms]
        for token, head in enumerate(self.heads):
            if head not in (token, UNKNOWN_HEAD):
                found[head].append(token)
        return tuple(map(tuple, found))

    @classmethod
    def untagged(cls, forms: Sequence[str]) -> TaggedSentence:
        """A sentence nobody analysed: forms in lower case stand for lemmas; signs are seen to be PUNCT."""
        count = len(forms)
        nothing = ("",) * count
        upos = tuple("" if any(map(str.isalnum, form)) else "PUNCT" for form in forms)
        lemmas = tuple(map(str.lower, forms))
        return cls(tuple(forms), lemmas, upos, nothing, nothing, (UNKNOWN_HEAD,) * count)


class NumberedTags(NamedTuple):
    """The analyses of many tokens: per column different names, and the number of each token's."""

    lemmas: tuple[Sequence[str], npt.NDArray[Any]]
    upos: tuple[Sequence[str], npt.NDArray[Any]]
    tags: tuple[Sequence[str], npt.NDArray[Any]]
    deps: tuple[Sequence[str], npt.NDArray[Any]]
    heads: npt.NDArray[Any]


class TaggedSentences(Sequence[TaggedSentence]):
    """Sentences with their analyses as numbers; each becomes a `TaggedSentence` when it is looked at.

    `parts` has offsets and analyses of so many (`size`) sentences each, one part after the other.
    """

    def __init__(
        self,
        forms: Sequence[Sequence[str]],
        size: int,
        parts: Sequence[tuple[npt.NDArray[Any], NumberedTags]],
    ) -> None:
        self._forms, self._size, self._parts = forms, size, parts

    def __len__(self) -> int:
        return len(self._forms)

    @overload
    def __getitem__(self, index: int) -> TaggedSentence: ...
    @overload
    def __getitem__(self, index: slice) -> list[TaggedSentence]: ...
    def __getitem__(self, index: int | slice) -> TaggedSentence | list[TaggedSentence]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        number = range(len(self))[index]
        (offsets, tags), place = self._parts[number // self._size], number % self._size
        part = slice(*offsets[place : place + 2].tolist())
        lemmas, upos, fine, deps = (
            tuple(map(names.__getitem__, ids[part].tolist())) for names, ids in tags[:4]
        )
        heads = tuple(tags.heads[part].tolist())
        return TaggedSentence(tuple(self._forms[number]), lemmas, upos, fine, deps, heads)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]


@runtime_checkable
class Tagger(Protocol):
    """Analyses pretokenised sentences; the tokens stay as they are.

    `tag` uses up to `jobs` cores as suits it (None: all), and gives the same result for any number.
    It is called with many sentences at once, each of any length (also none). A tagger may have a method
    `tag_numbered(forms, ids, offsets, jobs)` besides, which takes sentences as numbers of forms and gives
    `NumberedTags`: no strings are made of tokens then.
    """

    @property
    def name(self) -> str:
        """As users write it: `spacy:en_core_web_sm`."""

    @property
    def signature(self) -> str:
        """Name and versions of all that its output depends on, without blanks: a cache key."""

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> Sequence[TaggedSentence]:
        """The sentences with their analyses, in order."""
