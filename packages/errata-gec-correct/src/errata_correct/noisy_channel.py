"""The noisy-channel corrector (after Korektor, Richter et al. 2012): lexicon, errors, n-gram models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.files import open_binary_output, read_bytes
from errata.corpus.model_file import expect, pack, unpack
from errata.errors import DataError
from errata.models.ngram_model import BEGIN, END, SPECIAL, STEP, UNIT, UNKNOWN, Grams
from errata.native.ragged import Ragged, check_array, check_offsets
from errata_correct.candidates import Candidates, Rows
from errata_correct.confidence import kind_of
from errata_correct.corrector import Change
from errata_correct.error_model import ErrorModel, Weights
from errata_correct.grammar.grammar import Grammar, GrammarRules, Stretch
from errata_correct.language_model import (
    LanguageModel,
    Morphology,
    build_grams,
    gram_arrays,
    least_costs,
    native_trigrams,
)
from errata_correct.letters import without_marks
from errata_correct.native import channel

_CACHED = 500_000  # words whose choices are kept
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Lattice:
    """The choices of the tokens of sentences.

    The tokens of sentence s are `kinds[sentences[s]:sentences[s + 1]]`; a token of kind k may become any of
    `choices[offsets[k]:offsets[k + 1]]`. The first choice is to keep the token.
    """

    sentences: Integers
    kinds: npt.NDArray[np.int32]
    offsets: Integers
    choices: Rows

    def __post_init__(self) -> None:
        check_array("kinds", self.kinds, np.int32)
        check_array("choices", self.choices, np.int32, 3)
        check_offsets("sentences", self.sentences, len(self.kinds))
        check_offsets("offsets", self.offsets, len(self.choices))

    @property
    def kept(self) -> Integers:
        """The choice to keep each token."""
        return self.offsets[self.kinds]


class Lattices:
    """Makes lattices; the choices of words are cached."""

    def __init__(self, find: Callable[[Sequence[str]], list[Rows]]) -> None:
        self._find = find
        self._cache: dict[str, Rows] = {}

    def of(self, sentences: Sequence[Sequence[str]]) -> Lattice:
        """The lattice of tokenised sentences."""
        if len(self._cache) > _CACHED:
            self._cache = {}
        cache = self._cache  # other threads may add to it, and replace it
        words: dict[str, int] = {}
        kinds = [words.setdefault(token.lower(), len(words)) for token in chain.from_iterable(sentences)]
        new = [word for word in words if word not in cache]
        cache.update(zip(new, self._find(new), strict=True))
        rows = [cache[word] for word in words]
        return Lattice(
            np.cumsum([0, *map(len, sentences)], dtype=np.int64),
            np.array(kinds, dtype=np.int32),
            np.cumsum([0, *map(len, rows)], dtype=np.int64),
            np.concatenate([np.empty((0, 3), dtype=np.int32), *rows]),
        )


def word_costs(forms: Grams, morphology: Morphology | None, weights: Weights) -> channel.WordCosts:
    """The weighted models for native code."""
    scale = np.rint(np.array([weights.language, weights.lemma, weights.tag]) * 256).astype(np.int64) * STEP
    words = len(forms.costs[0])
    if morphology is None:
        morphology = Morphology.none(words)
        scale[1:] = 0
    classes = np.column_stack([np.arange(words, dtype=np.int32), morphology.classes])
    models = forms, morphology.lemmas, morphology.tags
    least = [scale[m] * least_costs(model)[classes[:, m]] for m, model in enumerate(models)]
    rest = least[1] + least[2]
    bounds = np.column_stack([(least[0] + rest) >> 8, rest])
    return channel.WordCosts([native_trigrams(model) for model in models], classes, scale, bounds)


MODES = ("spelling", "diacritics", "strip")
_MOST_LETTERS = 1000  # of all words; there is a table of the costs of every letter for every other
_LETTERS, _LOWER, _FINAL = 1, 2, 4  # of tokens: has letters or digits, is in lower case, ends a sentence
_SENTENCE_END = frozenset(".!?…")


@dataclass(frozen=True)
class NoisyChannel:
    """Corrects spelling and diacritics word by word in context; unknown words may stay."""

    words: Sequence[str]  # by id; lower case, the first three special
    names: npt.NDArray[np.bool_]  # which words are written with a capital
    forms: Grams
    errors: ErrorModel = field(default_factory=ErrorModel)
    weights: Weights = field(default_factory=Weights)
    mode: str = "spelling"
    morphology: Morphology | None = None
    rules: GrammarRules | None = None

    @classmethod
    def build(
        cls,
        model: LanguageModel,
        errors: ErrorModel,
        names: Iterable[str] = (),
        weights: Weights | None = None,
        morphology: Morphology | None = None,
    ) -> NoisyChannel:
        """From a trigram model over lower-case words; its costs are rounded to eighths."""
        wanted = set(names)
        capital = np.array([word in wanted for word in model.words])
        grams = build_grams(model)
        return cls(list(model.words), capital, grams, errors, weights or Weights(), morphology=morphology)

    def save(self, path: str | Path) -> None:
        """Write the model as one compressed file."""
        arrays: dict[str, Any] = {"words": _bytes("\n".join(self.words)), "names": np.packbits(self.names)}
        arrays |= gram_arrays(self.forms)
        if self.morphology:
            arrays |= self.morphology.arrays()
        if self.rules:
            arrays["grammar"] = _bytes(self.rules.text())
        arrays["errors"] = _bytes("\n".join(self.errors.lines()))
        arrays["weights"] = _bytes(self.weights.text())
        with open_binary_output(path) as file:
            file.write(pack(arrays))

    @classmethod
    def load(cls, path: str | Path, mode: str = "spelling") -> NoisyChannel:
        """Read a file that `save` wrote; it is untrusted, so everything is checked."""
        arrays = unpack(read_bytes(path), str(path))
        try:
            words = _text(arrays["words"]).split("\n")
            if tuple(words[: len(SPECIAL)]) != SPECIAL or len(set(words)) != len(words):
                raise ValueError("repeated words, or no special ones")
            if len(set("".join(words[len(SPECIAL) :]))) > _MOST_LETTERS:
                raise ValueError(f"words of more than {_MOST_LETTERS} different characters")
            bits = expect(arrays["names"], "u", (len(words) + 7) // 8)
            names = np.unpackbits(bits, count=len(words)).astype(bool)
            forms = Grams.from_arrays(arrays)
            expect(forms.costs[0], "u", len(words))
            morphology = Morphology.from_arrays(arrays) if "lemma_of" in arrays else None
            if morphology:
                expect(morphology.classes, "i", len(words), 2)
            weights = Weights.parse(_text(arrays["weights"]))
            errors = _text(arrays["errors"]).split("\n")
            rules = GrammarRules.parse(_text(arrays["grammar"])) if "grammar" in arrays else None
        except (KeyError, ValueError, TypeError) as error:
            raise DataError(f"not a noisy-channel model: {error}"[:300], path=path) from None
        return cls(words, names, forms, ErrorModel.parse(errors, path), weights, mode, morphology, rules)

    @cached_property
    def ids(self) -> Mapping[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def candidates(self) -> Candidates:
        """Finds candidate corrections of words."""
        return Candidates(self.words, self.ids, self.forms, self.errors, self.weights, self.mode)

    @cached_property
    def lattices(self) -> Lattices:
        return Lattices(self.candidates.find)

    @cached_property
    def word_costs(self) -> channel.WordCosts:
        return word_costs(self.forms, self.morphology, self.weights)

    def prepare(self) -> None:
        """Build all tables now, so that threads do not build them twice."""
        if self.mode != "strip":
            self.candidates.prepare()
            self.lattices, self.word_costs  # noqa: B018
            if self.grammar:
                self.grammar.prepare()

    @cached_property
    def grammar(self) -> Grammar | None:
        """The corrector of grammar, if the model has rules and its mode is to correct."""
        if self.rules is None or self.mode != "spelling":
            return None
        return Grammar(self.rules, self.costs, self.ids.__contains__)

    def costs(self, stretches: Sequence[Stretch]) -> list[tuple[float, float]]:
        """The costs by forms and by tags of stretches of sentences.

        The word after the last of a sentence is its end.
        """
        number = self.ids.get
        rows, known = [], []
        for words, start, stop in stretches:
            row = [BEGIN] if start < 2 else []
            row += [number(word, UNKNOWN) for word in words[max(start - 2, 0) : stop]]
            row += [END] * (stop > len(words))
            rows.append(row)
            known.append(len(row) - (stop - start))
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        ids = np.fromiter(chain.from_iterable(rows), np.int32, int(offsets[-1]))
        steps = channel.stretch_costs(self.word_costs, Ragged(ids, offsets), np.array(known, dtype=np.int64))
        return [(by_form, by_tag) for by_form, by_tag in (steps * STEP / UNIT).tolist()]

    def commonness(self, words: Sequence[str]) -> float:
        """The mean log-probability of single words; a word that the lexicon lacks counts as very rare."""
        steps = self.forms.costs[0]
        ids = [self.ids.get(word.lower(), UNKNOWN) for word in words if word[:1].isalpha()]
        total = sum(int(steps[word]) if word else 255 for word in ids)
        return -total / 8 / max(len(ids), 1)

    def changes(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
        """The changes of tokenised sentences.

        The margin of a change is the logarithm of how much less probable the corrected sentence would be with
        this token as it was written. Capitals are set by rule: their margin is 0.
        """
        if self.mode == "strip":
            return [_stripped(tokens) for tokens in sentences]
        changes: list[list[Change]] = [[] for _ in sentences]
        for number, change in self._spelling_changes(sentences):
            changes[number].append(change)
        if self.grammar:
            for number, by_rules in self.grammar.changes(sentences).items():
                first = [self._with_kind(change, sentences[number]) for change in by_rules]
                changes[number] = _merged(first, changes[number])
        return changes

    def _with_kind(self, change: Change, tokens: Sequence[str]) -> Change:
        """A correction by a pattern; that of a word which the lexicon lacks is a misspelling."""
        old = tokens[change.start] if change.end == change.start + 1 and len(change.tokens) == 1 else ""
        unknown = old.isalpha() and old.lower() not in self.ids
        return change._replace(kind="misspelling") if unknown else change

    def _kind(self, old: str, new: str, first: bool) -> str:
        """The kind of a correction that decides how far to trust it: a removed sign, a name, a known word.

        It is empty if the words themselves show the kind.
        """
        if not new:
            return "removal"
        if not old.isalpha() or old.lower() == new.lower():
            return ""
        if old[0].isupper() and (not first or old.isupper()):
            return "name"
        if old.lower() not in self.ids:
            return ""
        return "real-word-diacritics" if kind_of([old], [new]) == "diacritics" else "real-word"

    def _spelling_changes(self, sentences: Sequence[Sequence[str]]) -> Iterator[tuple[int, Change]]:
        """The changes of the tokens that are not kept, with the numbers of their sentences."""
        capitalize = self.mode == "spelling" and bool(self.weights.capitalize)
        lattice = self.lattices.of(sentences)
        best, margins = channel.best_choices(self.word_costs, lattice)
        flags = _token_flags(sentences)
        changed = best != lattice.kept
        begins = _beginnings(lattice, flags) if capitalize else np.zeros_like(changed)
        if capitalize:
            named = self.names[lattice.choices[lattice.kept, 0]]
            changed |= (begins | named) & ((flags & _LOWER) > 0)
        places = np.flatnonzero(changed)
        numbers = np.searchsorted(lattice.sentences, places, side="right") - 1
        indices = places - lattice.sentences[numbers]
        sign = (flags & _LETTERS) == 0
        before = [sign[np.maximum(places - back, 0)] for back in (1, 2)]
        early = (indices < 2) | before[0] | before[1]  # at most one word after a sign
        words = lattice.choices[best[places], :2].tolist()
        columns = numbers, indices, begins[places], margins[places] / UNIT, early
        rows = zip(words, *(column.tolist() for column in columns), strict=True)
        for (one, two), number, index, first, margin, soon in rows:
            token = sentences[number][index]
            written = self._written(token, one, two, first, capitalize)
            if len(written) == 2:  # a comma before a token is a change of its own
                yield number, Change(index, index, (written[0],), margin, "early-comma" if soon else "")
            if written[-1:] != [token]:
                new = written[-1] if written else ""
                kind = self._kind(token, new, not index) if self.mode == "spelling" else ""
                yield number, Change(index, index + 1, tuple(written[-1:]), margin, kind)

    def _written(self, token: str, one: int, two: int, first: bool, capitalize: bool) -> list[str]:
        """The chosen words in the case of the one they replace."""
        if one < 0:
            return []
        before = [self.words[one]] if two >= 0 else []
        one = two if two >= 0 else one
        word = token if one == UNKNOWN else self.words[one]
        if one != UNKNOWN:
            if word == token.lower():
                word = token
            elif token.isupper() and len(token) > 1:
                word = word.upper()
            elif token[:1].isupper():
                word = word[:1].upper() + word[1:]
        if capitalize and word.islower() and (first or (one != UNKNOWN and self.names[one])):
            word = word[:1].upper() + word[1:]
        return [*before, word]


def _token_flags(sentences: Sequence[Sequence[str]]) -> npt.NDArray[np.uint8]:
    flags: dict[str, int] = {}
    for token in chain.from_iterable(sentences):
        if token not in flags:
            letters = _LETTERS if any(map(str.isalnum, token)) else 0
            final = _FINAL if token in _SENTENCE_END else 0
            flags[token] = letters | (_LOWER if token.islower() else 0) | final
    return np.array([flags[token] for token in chain.from_iterable(sentences)], dtype=np.uint8)


def _beginnings(lattice: Lattice, flags: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """The tokens that begin a sentence with a final sign: up to the first one with a letter or a digit."""
    starts, ends = lattice.sentences[:-1], lattice.sentences[1:]
    final = (ends > starts) & ((np.append(flags, 0)[ends - 1] & _FINAL) > 0)
    lettered = np.append(np.flatnonzero(flags & _LETTERS), len(flags))
    first = np.minimum(lettered[np.searchsorted(lettered, starts)], ends - 1)
    last = np.repeat(np.where(final, first, -1), ends - starts)
    return np.arange(len(flags)) <= last


def _merged(first: Sequence[Change], second: Sequence[Change]) -> list[Change]:
    """The changes of the first list, and those of the second that touch none of them, in order."""
    kept = [
        one
        for one in second
        if not any(one.start < other.end and other.start < max(one.end, one.start + 1) for other in first)
    ]
    return sorted([*first, *kept], key=lambda change: (change.start, change.end))


def _stripped(tokens: Sequence[str]) -> list[Change]:
    """The tokens that lose diacritics."""
    pairs = [(token, without_marks(token)) for token in tokens]
    return [Change(i, i + 1, (new,)) for i, (old, new) in enumerate(pairs) if new != old]


def _text(array: npt.NDArray[Any]) -> str:
    return expect(array, "u").tobytes().decode("utf-8")


def _bytes(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
