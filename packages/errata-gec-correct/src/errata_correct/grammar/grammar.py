"""Grammatical corrections: candidates by patterns, chosen by the language models of a noisy channel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, groupby, islice
from typing import NamedTuple

import numpy as np

from errata.edits.taggers.embedded import EmbeddedTagger
from errata_correct.corrector import Change
from errata_correct.grammar.inflection import Inflection
from errata_correct.grammar.patterns import BEGIN, END, Candidate, Patterns, Token
from errata_correct.tokens import CLITICS

_CLITIC = re.compile(r"(?i)(.*\w)(n['’]t|['’](?:s|m|re|ve|ll|d))")
_TOKENS = 50_000  # forms with tags that are kept
_ROUNDS = 4  # corrections that may follow from each other
_NAMES = frozenset(["NNP", "NNPS"])
_COMMON = frozenset(["NN", "NNS", "JJ", "VB", "VBP", "DT", "IN", "RB"])
KIND = "grammar"
_HIGHEST = 1000.0
_BEGINNING = Token(BEGIN, BEGIN, BEGIN, frozenset())
_ENDING = Token(END, END, END, frozenset())

Stretch = tuple[Sequence[str], int, int]
"""The words of a sentence in lower case, and the start and end of a stretch of them."""
LanguageCosts = Callable[[Sequence[Stretch]], list[tuple[float, float]]]
"""The costs of stretches by forms and by tags."""


class Scored(NamedTuple):
    """A candidate, its reduction of the cost by forms and by tags, and its margin."""

    candidate: Candidate
    gains: tuple[float, float]
    margin: float


@dataclass
class _State:
    """A sentence while it is corrected: its tokens, the source token that each belongs to, the margins."""

    tokens: list[str]
    owners: list[int]
    glued: bool  # whether contractions are written in one
    made: dict[int, tuple[int, float]] = field(default_factory=dict)  # owner: correction's number, margin
    before: dict[int, set[tuple[str, ...]]] = field(default_factory=dict)  # owner: how it was written
    count: int = 0

    def apply(self, candidate: Candidate, names: Sequence[bool], margin: float) -> None:
        """Apply a candidate (its places count <s>); `names` always keep their capital."""
        opening = self.tokens[0]
        capital = opening[:1].isupper()
        lowered = capital and not names[0] and opening[1:] == opening[1:].lower()
        for place, written in sorted(candidate.changes, reverse=True):
            at = place - 1
            old, owner = self.tokens[at], self.owners[at]
            new = [
                word.lower() if lowered and word == opening and (at or index) else word
                for index, word in enumerate(written)
            ]
            self._touch(owner, margin)
            self.before.setdefault(owner, set()).add((old.lower(),))
            self.tokens[at : at + 1] = new
            self.owners[at : at + 1] = [owner] * len(new)
        if capital and self.tokens and self.tokens[0][:1].islower():
            self.tokens[0] = self.tokens[0][:1].upper() + self.tokens[0][1:]
            self._touch(self.owners[0], margin)
        self.count += 1

    def written(self, at: int, words: Sequence[str]) -> bool:
        """Whether the source token of this token has already had these words."""
        owner = self.owners[at]
        return owner in self.made and tuple(words) in self.before.get(owner, ())

    def _touch(self, owner: int, margin: float) -> None:
        self.made[owner] = self.count, min(margin, self.made.get(owner, (0, margin))[1])

    def changes(self) -> list[Change]:
        """The corrections; adjacent source tokens that one correction changed are one change."""
        changes = []
        numbered = ((owner, *self.made[owner]) for owner in sorted(self.made))
        for _, group in groupby(enumerate(numbered), key=lambda item: (item[1][0] - item[0], item[1][1])):
            rows = [row for _, row in group]
            start, end = rows[0][0], rows[-1][0] + 1
            inside = [
                token for token, owner in zip(self.tokens, self.owners, strict=True) if start <= owner < end
            ]
            new = tuple(_glue(inside) if self.glued else inside)
            changes.append(Change(start, end, new, min(row[2] for row in rows), KIND))
        return changes


@dataclass(frozen=True)
class GrammarRules:
    """A table of patterns, the cost of a candidate by rule, and the weights of the language models.

    `other` is the cost of rules that are not in `costs`.
    """

    table: str
    costs: Mapping[str, float] = field(default_factory=dict)
    forms: float = 0.5
    tags: float = 0.5
    other: float = 0.0

    def text(self) -> str:
        """As lines: the weights and the costs, an empty line, the table."""
        head = {"forms": self.forms, "tags": self.tags, "other": self.other, **self.costs}
        return "\n".join(f"{name}\t{value:g}" for name, value in head.items()) + "\n\n" + self.table

    @classmethod
    def parse(cls, text: str) -> GrammarRules:
        """Parse the result of `text`; a ValueError for anything else."""
        head, separator, table = text.partition("\n\n")
        if not separator:
            raise ValueError("a grammar without rules")
        costs = {name: float(value) for name, value in (line.split("\t") for line in head.split("\n"))}
        if not all(abs(value) <= _HIGHEST for value in costs.values()):
            raise ValueError("costs of a grammar that are not numbers")
        return cls(table, costs, *(costs.pop(name) for name in ("forms", "tags", "other")))


@dataclass(frozen=True)
class Grammar:
    """Corrects English grammar in tokenised sentences, contractions split (`do n't`) or not.

    A candidate is accepted if its gain by the language models exceeds its rule's cost.
    """

    rules: GrammarRules
    language: LanguageCosts
    known: Callable[[str], bool]

    @cached_property
    def patterns(self) -> Patterns:
        """The rules of the table."""
        return Patterns.parse(self.rules.table.split("\n"), Inflection(self.known, self._may))

    @cached_property
    def _tagger(self) -> EmbeddedTagger:
        return EmbeddedTagger("en")

    def prepare(self) -> None:
        """Read the rules and the tagger now, so that threads do not read them twice."""
        self.patterns  # noqa: B018
        self._verb_forms  # noqa: B018

    @cached_property
    def _usual(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _verb_forms(self) -> dict[str, set[str]]:
        """The tags of all forms of the table's set of verbs; the lexicon lists some only as nouns."""
        tags_of: dict[str, set[str]] = {}
        inflection = Inflection(self.known, self._tagger.lexicon_tags)
        for line in self.rules.table.split("\n"):
            if line.startswith("set\tverbs\t"):
                for base in line.split("\t")[2].split():
                    for tag in ("VB", "VBP", "VBZ", "VBG", "VBD", "VBN"):
                        tags_of.setdefault(inflection.conjugated(base, tag) or base, set()).add(tag)
        return tags_of

    def _may(self, word: str) -> frozenset[str]:
        """The tags that a word may have."""
        tags = self._usual.get(word)
        if tags is None:
            tags = _usual_tags(word, self._tagger.lexicon_tags) | self._verb_forms.get(word, frozenset())
            self._usual[word] = tags
        return tags

    def changes(self, sentences: Sequence[Sequence[str]]) -> dict[int, list[Change]]:
        """The corrections by the numbers of sentences, with margins."""
        states: dict[int, _State] = {}
        current = {number: split_contractions(tokens)[0] for number, tokens in enumerate(sentences)}
        current = {number: tokens for number, tokens in current.items() if not _is_heading(tokens)}
        for _ in range(_ROUNDS):
            if not current:
                break
            rows = self._tagged([*current.values()])
            matched = [
                (number, row, self.patterns.written(row, hits))
                for number, row, hits in zip(current, rows, self.patterns.search.hits(rows), strict=True)
                if hits
            ]
            current = {}
            scored = self._scored([row for _, row, _ in matched], [some for _, _, some in matched])
            for (number, row, _), candidates in zip(matched, scored, strict=True):
                best = _best(states.get(number), candidates)
                if best is not None:
                    state = states.setdefault(number, _split(sentences[number]))
                    state.apply(best.candidate, self._names(row[1:-1]), best.margin)
                    current[number] = state.tokens
        return {number: state.changes() for number, state in states.items()}

    def _tagged(self, sentences: Sequence[Sequence[str]]) -> list[list[Token]]:
        """Sentences as tokens for the patterns."""
        forms: dict[str, int] = {}
        ids = [forms.setdefault(form, len(forms)) for form in chain.from_iterable(sentences)]
        offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        labels, tags = self._tagger.fine_tags([*forms], np.array(ids, dtype=np.int32), offsets)
        tokens = map(self.token, chain.from_iterable(sentences), (labels[tag] for tag in tags.tolist()))
        return [[_BEGINNING, *islice(tokens, len(sentence)), _ENDING] for sentence in sentences]

    @cached_property
    def token(self) -> Callable[[str, str], Token]:
        """Makes the token of a form with a tag."""

        def token(form: str, tag: str) -> Token:
            word = _plain(form)
            return Token(word, form, tag, self._may(word))

        return lru_cache(maxsize=_TOKENS)(token)

    def _names(self, row: Sequence[Token]) -> list[bool]:
        """Which tokens are written with a capital anywhere."""
        return [
            token.form == "I" or (token.tag in _NAMES and not self._may(token.form.lower()) & _COMMON)
            for token in row
        ]

    def scored(self, sentences: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Iterator[list[Scored]]:
        """All candidates for sentences of split tokens with their tags, best or not."""
        rows = [[_BEGINNING, *map(self.token, forms, tags), _ENDING] for forms, tags in sentences]
        hits = self.patterns.search.hits(rows)
        yield from self._scored(rows, [*map(self.patterns.written, rows, hits)])

    def _scored(
        self, rows: Sequence[Sequence[Token]], candidates: Sequence[Sequence[Candidate]]
    ) -> Iterator[list[Scored]]:
        """The candidates of sentences with their gains."""
        stretches: list[Stretch] = []
        for row, some in zip(rows, candidates, strict=True):
            words = [token.word for token in row[1:-1]] if some else []
            for candidate in some:
                stretches += _compared(words, candidate)
        costs = iter(self.language(stretches))
        for some in candidates:
            yield [self._gained(candidate, next(costs), next(costs)) for candidate in some]

    def _gained(
        self, candidate: Candidate, before: tuple[float, float], after: tuple[float, float]
    ) -> Scored:
        rules = self.rules
        gains = before[0] - after[0], before[1] - after[1]
        cost = rules.costs.get(candidate.rule, rules.other)
        return Scored(candidate, gains, rules.forms * gains[0] + rules.tags * gains[1] - cost)


def _compared(words: Sequence[str], candidate: Candidate) -> Iterator[Stretch]:
    """The words that a candidate changes and the two after them, without and with the change."""
    changed = list(words)
    for place, written in sorted(candidate.changes, reverse=True):
        changed[place - 1 : place] = map(str.lower, written)
    places = [place - 1 for place, _ in candidate.changes]
    start, behind = min(places), len(words) - max(places) - 1
    for text in (words, changed):
        yield text, start, len(text) - behind + min(2, behind + 1)


def _best(state: _State | None, scored: Iterable[Scored]) -> Scored | None:
    """The best candidate that does not restore an earlier state of the sentence."""
    fresh = [
        one
        for one in scored
        if one.margin > 0
        and not (state and any(state.written(place - 1, words) for place, words in one.candidate.changes))
    ]
    return max(fresh, key=lambda one: one.margin, default=None)


def _usual_tags(word: str, lexicon: Callable[[str], frozenset[str]]) -> frozenset[str]:
    """The tags in the tagger's lexicon; for a missing regular form, those that follow from its base."""
    listed = lexicon(word)
    if listed or not word.isalpha():
        return listed
    tags: set[str] = set()
    for ending, noun, verb in (("s", "NNS", ("VBZ",)), ("ed", "", ("VBD", "VBN")), ("ing", "", ("VBG",))):
        if word.endswith(ending):
            for base in _bases(word[: -len(ending)], ending):
                of_base = lexicon(base)
                tags |= {noun} if noun and "NN" in of_base else set()
                tags |= set(verb) if of_base & {"VB", "VBP"} else set()
    return frozenset(tags)


def _bases(stem: str, ending: str) -> set[str]:
    """The possible bases of a word, given its stem before a regular ending."""
    if ending == "s":
        bases = {stem}
        bases |= {stem[:-2] + "y"} if stem.endswith("ie") else set()
        return bases | ({stem[:-1]} if stem.endswith(("che", "she", "xe", "sse", "ze", "oe")) else set())
    bases = {stem, stem + "e"} | ({stem[:-1]} if stem[-1:] == stem[-2:-1] else set())
    return bases | ({stem[:-1] + "y"} if stem.endswith("i") else set())


def split_contractions(tokens: Sequence[str]) -> tuple[list[str], list[int]]:
    """Tokens with contractions split (`do n't`), and the place of the original token of each."""
    parts: list[str] = []
    owners: list[int] = []
    for owner, token in enumerate(tokens):
        match = _CLITIC.fullmatch(token) if "'" in token or "’" in token else None
        some = match.groups() if match else (token,)
        parts += some
        owners += [owner] * len(some)
    return parts, owners


def _is_heading(tokens: Sequence[str]) -> bool:
    """Whether most words of a sentence are in capitals."""
    long = [token for token in tokens if len(token) > 2 and token.isalpha()]
    return len(long) > 2 and 2 * sum(map(str.isupper, long)) > len(long)


def _split(tokens: Sequence[str]) -> _State:
    parts, owners = split_contractions(tokens)
    return _State(parts, owners, not any(token.lower() in CLITICS for token in tokens))


def _glue(tokens: Iterable[str]) -> list[str]:
    """Tokens with contractions joined."""
    joined: list[str] = []
    for token in tokens:
        if joined and _plain(token) in CLITICS:
            joined[-1] += token
        else:
            joined.append(token)
    return joined


def _plain(form: str) -> str:
    return form.lower().replace("’", "'")
