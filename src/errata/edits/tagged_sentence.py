"""Tagged words and sentences, which the rules read, and the protocol of taggers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy.typing as npt

UNKNOWN_HEAD = -1


class Token(NamedTuple):
    """A tagged word; unknown tags and labels are empty."""

    form: str
    lower: str  # the form in lower case
    lemma: str  # in the tagger's own spelling; rules only compare two lemmas
    upos: str  # universal part of speech: "NOUN", "AUX", …
    tag: str  # fine tag of the language: Penn for English ("VBZ", "POS"), PDT for Czech
    dep: str  # dependency label: spaCy's (ClearNLP) or UD's for English, UD's elsewhere


@dataclass(frozen=True)
class TaggedSentence:
    """A pretokenised sentence with its analysis: one entry per token in every column.

    A tagger leaves `""` for an unknown tag or label, and `UNKNOWN_HEAD` for an unknown head.
    """

    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    tags: tuple[str, ...]
    deps: tuple[str, ...]
    heads: tuple[int, ...]  # index of the head token; the token itself at the root

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The words one by one."""
        return tuple(map(Token, self.forms, self.lower, self.lemmas, self.upos, self.tags, self.deps))

    @cached_property
    def lower(self) -> tuple[str, ...]:
        """The forms in lower case."""
        return tuple(map(str.lower, self.forms))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The dependants of every token, from left to right."""
        children: list[list[int]] = [[] for _ in self.forms]
        for token, head in enumerate(self.heads):
            if head not in (token, UNKNOWN_HEAD):
                children[head].append(token)
        return tuple(map(tuple, children))

    @classmethod
    def from_tokens(cls, tokens: Sequence[Token], heads: Sequence[int]) -> TaggedSentence:
        """The sentence of these words."""
        if not tokens:
            return cls((), (), (), (), (), ())
        forms, _, lemmas, upos, tags, deps = zip(*tokens, strict=True)
        return cls(forms, lemmas, upos, tags, deps, tuple(heads))

    @classmethod
    def untagged(cls, forms: Sequence[str]) -> TaggedSentence:
        """A sentence without analysis: lower-cased forms serve as lemmas; symbols are tagged PUNCT."""
        count = len(forms)
        unknown = ("",) * count
        upos = tuple("" if any(map(str.isalnum, form)) else "PUNCT" for form in forms)
        lemmas = tuple(map(str.lower, forms))
        return cls(tuple(forms), lemmas, upos, unknown, unknown, (UNKNOWN_HEAD,) * count)


class NumberedTags(NamedTuple):
    """The analyses of many tokens: per column the distinct names, and the number of each token's name."""

    lemmas: tuple[Sequence[str], npt.NDArray[Any]]
    upos: tuple[Sequence[str], npt.NDArray[Any]]
    tags: tuple[Sequence[str], npt.NDArray[Any]]
    deps: tuple[Sequence[str], npt.NDArray[Any]]
    heads: npt.NDArray[Any]

    def sentences(self, forms: Sequence[Sequence[str]], offsets: npt.NDArray[Any]) -> list[TaggedSentence]:
        """The sentences of these forms, whose tokens begin at these offsets."""
        sentences = []
        for words, start, end in zip(forms, offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            lemmas, upos, tags, deps = (
                tuple([names[number] for number in numbers[start:end].tolist()])
                for names, numbers in self[:4]
            )
            heads = tuple(self.heads[start:end].tolist())
            sentences.append(TaggedSentence(tuple(words), lemmas, upos, tags, deps, heads))
        return sentences


@runtime_checkable
class Tagger(Protocol):
    """Analyses pretokenised sentences without changing their tokens.

    `tag` may use up to `jobs` cores (None: all); the result does not depend on their number. It is called
    with many sentences at once, each of any length (also none). A tagger may also have a method
    `tag_numbered(forms, ids, offsets, jobs)`, which takes sentences as numbers of forms and returns
    `NumberedTags`: then no string is made per token.
    """

    @property
    def name(self) -> str:
        """As users write it: `spacy:en_core_web_sm`."""

    @property
    def signature(self) -> str:
        """Name and versions of everything that affects the output, without blanks: a cache key."""

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> Sequence[TaggedSentence]:
        """The sentences with their analyses, in order."""
