"""The noisy-channel corrector (after Korektor, Richter et al. 2012): lexicon, errors, n-gram models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.files import open_binary_output, read_bytes
from errata.corpus.model_file import expect, pack, unpack
from errata.errors import DataError
from errata.models.ngram_model import BEGIN, END, SPECIAL, UNKNOWN, Grams
from errata.native.ragged import Ragged
from errata_correct.beam import Beam, Found
from errata_correct.candidate_cache import FINAL, LETTERS, LOWER, Choices
from errata_correct.candidates import Candidates
from errata_correct.confidence import kind_of
from errata_correct.error_model import ErrorModel
from errata_correct.grammar.forms import Forms
from errata_correct.grammar.grammar import Grammar, GrammarRules, Stretch
from errata_correct.language_model import LanguageModel, build_grams, gram_arrays
from errata_correct.letters import without_marks
from errata_correct.morphology import Morphology
from errata_correct.suggestions import Change, applied, rewritten
from errata_correct.tokens import Sentences, tokenize
from errata_correct.weights import Weights

MODES = ("spelling", "diacritics", "strip")
_CACHED = 500_000  # tokens of which what is known is remembered
_MOST_LETTERS = 1000  # of all words; costs are a table of every letter for every other


@dataclass(frozen=True)
class NoisyChannel:
    """Corrects spelling and diacritics word by word in context; words it does not know may stay."""

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
        """Read what `save` wrote; a file may come from anyone, so that all of it is checked."""
        arrays = unpack(read_bytes(path), str(path))
        try:
            words = _text(arrays["words"]).split("\n")
            if tuple(words[: len(SPECIAL)]) != SPECIAL or len(set(words)) != len(words):
                raise ValueError("words that are there twice, or no special ones")
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
        """What finds the words that a written one may stand for."""
        return Candidates(self.words, self.ids, self.forms, self.errors, self.weights, self.mode)

    @cached_property
    def beam(self) -> Beam:
        """What finds the best of them for every token."""
        return Beam(self.forms, self.morphology, self.weights)

    @cached_property
    def _remembered(self) -> list[tuple[Choices, Forms | None]]:
        """What is known of tokens seen before, until they are too many and others take their place."""
        return [self._nothing_known()]

    def _nothing_known(self) -> tuple[Choices, Forms | None]:
        choices = Choices(self.candidates.find)
        return choices, self.grammar.forms(choices.vocabulary) if self.grammar else None

    def prepare(self) -> None:
        """Build all tables now, so that threads do not build them twice."""
        if self.mode != "strip":
            self.candidates.prepare()
            self.beam.prepare()
            if self.grammar:
                self.grammar.prepare()
            self._remembered  # noqa: B018

    @cached_property
    def grammar(self) -> Grammar | None:
        """The corrector of grammar, if the model has rules and its mode is to correct."""
        if self.rules is None or self.mode != "spelling":
            return None
        return Grammar(self.rules, self.costs, self.ids.__contains__)

    def costs(self, asked: Sequence[Stretch]) -> list[tuple[float, float]]:
        """The costs by forms and by tags of stretches of sentences.

        The word after the last of a sentence is its end.
        """
        number = self.ids.get
        rows, known = [], []
        for words, start, stop in asked:
            row = [BEGIN] if start < 2 else []
            row += [number(word, UNKNOWN) for word in words[max(start - 2, 0) : stop]]
            row += [END] * (stop > len(words))
            rows.append(row)
            known.append(len(row) - (stop - start))
        return [(by_form, by_tag) for by_form, _, by_tag in self.beam.costs(rows, known)]

    def commonness(self, words: Sequence[str]) -> float:
        """The mean log-probability of words by themselves; one that the lexicon lacks counts as very rare."""
        steps = self.forms.costs[0]
        known = [self.ids.get(word.lower(), UNKNOWN) for word in words if word[:1].isalpha()]
        total = sum(int(steps[word]) if word else 255 for word in known)
        return -total / 8 / max(len(known), 1)

    def correct_tokens(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[list[str]]:
        """Corrected sentences, given and returned as tokens."""
        return [*map(applied, sentences, self.changes(sentences, jobs))]

    def changes(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[list[Change]]:
        """What `correct_tokens` changes, and by how much each change raises the probability.

        The margin of a change is the logarithm of how much less probable the corrected sentence would be with
        this token as it was written. Capitals are set by rule: their margin is 0.
        """
        if self.mode == "strip":
            return [_stripped(tokens) for tokens in sentences]
        if len(self._remembered[0][0].vocabulary) > _CACHED:
            self._remembered[0] = self._nothing_known()
        try:
            return self._changes(sentences, *self._remembered[0], jobs)
        except BaseException:  # such as ^C: nobody knows how far the tables were filled
            self._remembered[0] = self._nothing_known()
            raise

    def _changes(
        self, sentences: Sequence[Sequence[str]], choices: Choices, forms: Forms | None, jobs: int | None
    ) -> list[list[Change]]:
        if isinstance(sentences, Sentences):
            rows = choices.vocabulary.encode_lines(sentences.lines)
        else:
            rows = choices.vocabulary.encode(sentences)
        found: list[list[Change]] = [[] for _ in range(len(sentences))]
        for number, one in self._rewritten(choices, rows, jobs):
            found[number].append(one)
        if self.grammar and forms:
            for number, some in self.grammar.changes(sentences, rows, forms, jobs).items():
                first = [self._told_apart(one, sentences[number]) for one in some]
                found[number] = _merged(first, found[number])
        return found

    def _told_apart(self, change: Change, tokens: Sequence[str]) -> Change:
        """A correction by a pattern; that of a word which is not in the lexicon is one of spelling."""
        old = tokens[change.start] if change.end == change.start + 1 and len(change.tokens) == 1 else ""
        unknown = old.isalpha() and old.lower() not in self.ids
        return change._replace(kind="misspelling") if unknown else change

    def _kind(self, old: str, new: str, first: bool) -> str:
        """What tells how a correction is to be trusted: a sign left out, a name, or a word of the lexicon.

        It is empty where the words themselves show the kind.
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

    def _rewritten(self, choices: Choices, rows: Ragged, jobs: int | None) -> Iterator[tuple[int, Change]]:
        """The changes of the tokens that are not kept, with the numbers of their sentences."""
        capitalize = self.mode == "spelling" and bool(self.weights.capitalize)
        lattice = choices.lattice(rows.values, jobs)
        found = self.beam.search(rows.offsets, lattice, jobs)
        kept = lattice.offsets[lattice.kinds]
        looked_at = found.best != kept
        begins = _beginnings(found) if capitalize else np.zeros_like(looked_at)
        if capitalize:
            looked_at |= (begins | self.names[lattice.choices[kept, 0]]) & ((lattice.flags & LOWER) > 0)
        places = np.flatnonzero(looked_at)
        owners = np.searchsorted(found.offsets, places, side="right") - 1
        tokens = choices.vocabulary.some_tokens(rows.values[places])
        indices = places - found.offsets[owners]
        sign = (lattice.flags & LETTERS) == 0
        before = [sign[np.maximum(places - back, 0)] for back in (1, 2)]
        early = (indices < 2) | before[0] | before[1]  # after a sign, or one word behind it
        columns = (
            owners, indices, lattice.choices[found.best[places], 0], lattice.choices[found.best[places], 1],
            begins[places], found.margins[places], early,
        )  # fmt: skip
        for token, number, index, one, two, first, margin, soon in zip(
            tokens, *(column.tolist() for column in columns), strict=True
        ):
            words = self._written(token, one, two, first, capitalize)
            if len(words) == 2:  # a comma set before a token is a change of its own
                yield number, Change(index, index, (words[0],), margin, "early-comma" if soon else "")
            if words[-1:] != [token]:
                new = words[-1] if words else ""
                kind = self._kind(token, new, not index) if self.mode == "spelling" else ""
                yield number, Change(index, index + 1, tuple(words[-1:]), margin, kind)

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

    def correct_tokenized(self, lines: Sequence[str], jobs: int | None = None) -> list[str]:
        """Corrected tokenised lines."""
        return [" ".join(tokens) for tokens in self.correct_tokens(Sentences(lines), jobs)]

    def correct(self, lines: Sequence[str], jobs: int | None = None) -> list[str]:
        """Corrected running text, which differs from the lines only where something is corrected."""
        return rewritten(lines, self.changes([tokenize(line) for line in lines], jobs))


def _beginnings(found: Found) -> npt.NDArray[np.bool_]:
    """The tokens that begin a sentence with a final sign: up to the first one with a letter or a digit."""
    starts, ends, flags = found.offsets[:-1], found.offsets[1:], found.lattice.flags
    final = (ends > starts) & ((np.append(flags, 0)[ends - 1] & FINAL) > 0)
    lettered = np.append(np.flatnonzero(flags & LETTERS), len(flags))
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
