"""Patterns of grammatical errors: each line of a table describes an error and its correction.

A pattern is a row of elements, each for one token; its change names elements by their numbers from 1 on.

    rule  modal  $modal *$adverb ~VBZ|VBD&!~VB  3:VB  He can sings .  He can sing .

`sure` instead of `rule` marks errors in any context (`dont`, `goed`): their cost is not estimated.

Terms of an element, joined by `&`, each negated by `!` in front:

- `a|b`: these words, in lower case; `$name`: the words of a set (`set name words…`); `<s>`, `</s>`: the ends;
- `=depend|rely`: all forms of these verbs;
- `@NN|NNS`: the tags of the token in its context; `~VB|VBD`: tags that the word may have;
- `%vowel`: the word begins with the sound of a vowel; `%number`, `%capital`, `%any`.

Alternatives of several kinds may be mixed: `@NNS|people` is a plural or this word.

An element with `?` in front may be missing; one with `*` may be missing or repeat up to three times. A
change is `ELEMENT:TOKENS`; a rule may have several, and `/` separates alternatives. Tokens are joined by
`_`. `0` is the token itself, `#2` that of element 2, `VBD` the token's form with this tag, `#2.VBD`
that of another, `A` the article that suits the next word, `CAP` the token with a capital, and `-`
nothing. Where an element has as many words as its change has alternatives, each word has the
alternative in its place; otherwise the language models choose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

from errata.errors import DataError
from errata_correct.grammar.inflection import Inflection
from errata_correct.grammar.rule_search import Hit, RuleSearch

BEGIN, END = "<s>", "</s>"
_MOST_REPEATS = 3
_MOST_TOKENS = 60
_TAGS = frozenset(["VB", "VBP", "VBZ", "VBG", "VBD", "VBN", "NN", "NNS", "JJ", "JJR", "JJS", "RB"])
_GROUPS = {  # a change of number or person keeps the tense
    word: group
    for group, words in enumerate(
        (("am", "is", "are", "'m", "'re", "'s"), ("was", "were"), ("have", "has"), ("do", "does"))
    )
    for word in words
}
_SILENT = ("hour", "honest", "honor", "honour", "heir")
_LIKE_CONSONANT = re.compile(
    r"(?:uni(?!m|n)|use|usu|usa|uti|ura|euro|eu|one(?![a-z])|once|ubi|ufo|ewe|ukr|uk(?![a-z])|us(?![a-z]))"
)


class Token(NamedTuple):
    """A token with the properties that patterns test."""

    word: str  # in lower case
    form: str
    tag: str
    may: frozenset[str]  # the tags it may have


@dataclass(frozen=True, slots=True)
class Term:
    """One condition on a token: one of these words, tags, possible tags or tests."""

    words: Mapping[str, int]  # each with its place in the table
    tags: frozenset[str]
    may: frozenset[str]
    tests: tuple[Callable[[Token], bool], ...]
    negated: bool

    def holds(self, token: Token) -> bool:
        """Whether the condition holds for a token."""
        holds = (
            token.word in self.words
            or token.tag in self.tags
            or not self.may.isdisjoint(token.may)
        )  # fmt: skip
        for test in self.tests:
            holds = holds or test(token)
        return holds != self.negated


# Each depends only on the tag or only on the word.
_TESTS: dict[str, Callable[[Token], bool]] = {
    "vowel": lambda token: _begins_with_vowel(token.form),
    "number": lambda token: token.tag == "CD" or token.word[:1].isdigit(),
    "capital": lambda token: token.form[:1].isupper(),
    "any": lambda token: token.word not in (BEGIN, END),
}


class Element(NamedTuple):
    """Conditions on one token, and the allowed number of such tokens."""

    terms: tuple[Term, ...]
    least: int = 1
    most: int = 1

    def holds(self, token: Token) -> bool:
        """Whether all conditions hold for a token."""
        for term in self.terms:  # noqa: SIM110 (a loop is faster here)
            if not term.holds(token):
                return False
        return True


class Candidate(NamedTuple):
    """The new tokens of a rule for some places."""

    rule: str
    changes: tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Rule:
    """A pattern and its change."""

    name: str
    elements: tuple[Element, ...]
    changes: tuple[tuple[int, tuple[tuple[str, ...], ...]], ...]  # element, alternatives
    wrong: str = ""
    right: str = ""
    sure: bool = False  # whether every match is an error, even in edited text
    anchor: int = field(init=False, default=0)
    fixed: tuple[int, int] = field(init=False, default=(0, 0))  # the required elements around it

    def __post_init__(self) -> None:
        if sum(element.most for element in self.elements) > _MOST_TOKENS:
            raise ValueError(f"a pattern of more than {_MOST_TOKENS} tokens")
        sizes = [
            (bool(term.tags), len(term.words), number)
            for number, element in enumerate(self.elements)
            for term in element.terms
            if element.least and _finds(term)
        ]
        if not sizes:
            raise ValueError("no element that must be there has words or tags alone")
        first = last = min(sizes)[2]
        object.__setattr__(self, "anchor", first)
        while first and self.elements[first - 1].least:
            first -= 1
        while last + 1 < len(self.elements) and self.elements[last + 1].least:
            last += 1
        object.__setattr__(self, "fixed", (first, last + 1))

    @property
    def found_by(self) -> Term:
        """The term of the anchor with the words or tags of which a token must have one."""
        return min(filter(_finds, self.elements[self.anchor].terms), key=lambda term: bool(term.tags))

    def matches(self, tokens: Sequence[Token], at: int) -> Iterator[dict[int, int]]:
        """The places of the elements if the anchor is at this token."""
        first, stop = self.fixed
        shift = at - self.anchor
        if first + shift < 0 or stop + shift > len(tokens):
            return
        for number in range(first, stop):
            if not self.elements[number].holds(tokens[number + shift]):
                return
        for left in _match(self.elements, first - 1, tokens, first + shift - 1, -1):
            for right in _match(self.elements, stop, tokens, stop + shift, 1):
                yield {number: number + shift for number in range(first, stop)} | left | right
                return

    def _suited(self, number: int, word: str) -> Sequence[tuple[str, ...]]:
        """The alternatives for a word: the one at its place if there are as many as words, otherwise all."""
        alternatives = next(some for place, some in self.changes if place == number)
        terms = self.elements[number].terms
        words = next((term.words for term in terms if term.words and not term.negated), {})
        if len(words) == len(alternatives) > 1:
            return [alternatives[words[word]]] if word in words else ()
        old = _GROUPS.get(word)
        same = [one for one in alternatives if old is not None and _GROUPS.get("_".join(one)) == old]
        return same or alternatives

    def candidates(self, tokens: Sequence[Token], at: int, inflection: Inflection) -> Iterator[Candidate]:
        """The candidates of the rule with its anchor at this token."""
        for places in self.matches(tokens, at):
            if any(number not in places for number, _ in self.changes):
                continue
            chosen_from = [self._suited(number, tokens[places[number]].word) for number, _ in self.changes]
            for chosen in product(*chosen_from):
                changes = []
                for (number, _), parts in zip(self.changes, chosen, strict=True):
                    new = _written(parts, number, places, tokens, inflection)
                    if new is None:
                        break
                    changes.append((places[number], new))
                else:
                    if any(
                        new not in ((tokens[place].form,), (tokens[place].word,)) for place, new in changes
                    ):
                        yield Candidate(self.name, tuple(changes))


def _finds(term: Term) -> bool:
    """Whether a token that meets the term has one of a few words or tags."""
    return not (term.negated or term.may or term.tests)


def _match(
    elements: Sequence[Element], number: int, tokens: Sequence[Token], at: int, step: int
) -> Iterator[dict[int, int]]:
    """The places of the elements from `number` on, to the right or to the left."""
    if not 0 <= number < len(elements):
        yield {}
        return
    element = elements[number]
    fitting = 0
    while (
        fitting < element.most
        and 0 <= at + step * fitting < len(tokens)
        and element.holds(tokens[at + step * fitting])
    ):
        fitting += 1
    for count in range(fitting, element.least - 1, -1):
        for rest in _match(elements, number + step, tokens, at + step * count, step):
            yield ({number: at} if count == 1 else {}) | rest


def _written(
    parts: Sequence[str], own: int, places: Mapping[int, int], tokens: Sequence[Token], inflection: Inflection
) -> tuple[str, ...] | None:
    """The new tokens of a change; None if a form does not exist."""
    new: list[str] = []
    for part in parts:
        source, _, tag = part[1:].partition(".") if part[:1] == "#" else ("", "", "")
        number = int(source) - 1 if source else own
        tag = tag or (part if part in _TAGS else "")
        if tag or part == "0" or source:
            if number not in places:
                return None
            token = tokens[places[number]]
            form = inflection.form(token.word, tag) if tag else token.form
            if form is None:
                return None
            new.append(form)
        elif part == "CAP":
            new.append(tokens[places[own]].form.capitalize())
        else:
            new.append(part)
    following = tokens[places[own] + 1].form if places[own] + 1 < len(tokens) else ""
    for index, part in enumerate(new):
        if part == "A":
            new[index] = article((new[index + 1 :] or [following])[0])
    return tuple(new)


def _begins_with_vowel(word: str) -> bool:
    """Whether a word begins with the sound of a vowel, by its spelling."""
    lower = word.lower()
    if len(word) > 1 and word.isupper():  # an abbreviation is spelt out
        return lower[0] in "aefhilmnorsx"
    if lower.startswith(_SILENT):
        return True
    if lower[:1].isdigit():
        return lower.startswith("8") or re.match(r"(11|18)(?!\d)", lower) is not None
    return lower[:1] in tuple("aeiou") and not _LIKE_CONSONANT.match(lower)


def article(word: str) -> str:
    """The indefinite article that suits a word."""
    return "an" if _begins_with_vowel(word) else "a"


@dataclass(frozen=True)
class Patterns:
    """The rules of a table."""

    rules: tuple[Rule, ...]
    inflection: Inflection

    @cached_property
    def search(self) -> RuleSearch:
        """Finds the places where rules match."""
        return RuleSearch(self.rules)

    def written(self, tokens: Sequence[Token], hits: Iterable[Hit]) -> list[Candidate]:
        """The candidates of the rules at the places where they match."""
        candidates = (self.rules[number].candidates(tokens, at, self.inflection) for at, number in hits)
        return list(dict.fromkeys(chain.from_iterable(candidates)))

    @classmethod
    def parse(cls, lines: Iterable[str], inflection: Inflection, path: str | Path | None = None) -> Patterns:
        """Rules from the lines of a table; a comment begins with `#`."""
        sets: dict[str, tuple[str, ...]] = {}
        names: Counter[str] = Counter()
        rules = []
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            kind, *fields = line.rstrip("\n").split("\t")
            try:
                if kind == "set":
                    name, words = fields
                    sets[name] = tuple(_words(words.split(), sets))
                elif kind in ("rule", "sure"):
                    names[fields[0]] += 1
                    numbered = f"{fields[0]}.{names[fields[0]]}"
                    rules.append(_rule([numbered, *fields[1:]], sets, inflection, kind == "sure"))
                else:
                    raise ValueError(f"{kind!r} is none of `set`, `rule` and `sure`")
            except (ValueError, KeyError, IndexError) as error:
                raise DataError(
                    f"not a rule: {error}", path=path, line=number,
                    hint="columns: rule, its name, pattern, change, a wrong sentence, its correction",
                ) from None  # fmt: skip
        return cls(tuple(rules), inflection)


def _rule(
    fields: Sequence[str], sets: Mapping[str, tuple[str, ...]], inflection: Inflection, sure: bool
) -> Rule:
    name, pattern, change, *examples = fields
    elements = tuple(_element(text, sets, inflection) for text in pattern.split())
    changes = []
    for item in change.split():
        number, _, alternatives = item.partition(":")
        place = int(number) - 1
        if not 0 <= place < len(elements):
            raise ValueError(f"there is no element {number}")
        changes.append(
            (place, tuple(tuple(() if one == "-" else one.split("_")) for one in alternatives.split("/")))
        )
    wrong, right = (*examples, "", "")[:2]
    return Rule(name, elements, tuple(changes), wrong, right, sure)


def _words(names: Iterable[str], sets: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for name in names:
        yield from sets[name[1:]] if name.startswith("$") else (name,)


def _element(text: str, sets: Mapping[str, tuple[str, ...]], inflection: Inflection) -> Element:
    least, most = 1, 1
    if len(text) > 1 and text[0] in "?*":
        least, most = 0, 1 if text[0] == "?" else _MOST_REPEATS
        text = text[1:]
    return Element(tuple(_term(term, sets, inflection) for term in text.split("&")), least, most)


def _term(text: str, sets: Mapping[str, tuple[str, ...]], inflection: Inflection) -> Term:
    negated = len(text) > 1 and text[0] == "!"
    mode = ""
    words: list[str] = []
    found: dict[str, set[str]] = {"@": set(), "~": set(), "%": set()}
    for part in text[negated:].split("|"):
        if len(part) > 1 and part[0] in "@~%=":
            mode, part = part[0], part[1:]
            if mode == "%" and part not in _TESTS:
                raise ValueError(f"there is no test %{part}")
        if mode == "%" and part in _TESTS:
            found["%"].add(part)
        elif mode in "@~" and mode and part.isupper():
            found[mode].add(part)
        elif mode == "=" and part.isalpha():
            words += _forms(part, inflection)
        elif part:
            words += _words([part], sets)
    numbered = {word: place for place, word in enumerate(dict.fromkeys(words))}
    tests = tuple(_TESTS[name] for name in sorted(found["%"]))
    return Term(numbered, frozenset(found["@"]), frozenset(found["~"]), tests, negated)


def _forms(base: str, inflection: Inflection) -> Iterator[str]:
    if base == "be":
        yield from ("am", "is", "are", "was", "were", "'m", "'re")
    for tag in ("VB", "VBZ", "VBG", "VBD", "VBN"):
        form = inflection.conjugated(base, tag)
        if form:
            yield form
