"""The noisy-channel corrector (after Korektor, Richter et al. 2012): lexicon, errors, n-gram models."""

from __future__ import annotations

import io
import lzma
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.correct.error_model import UNIT, ErrorModel, cost
from errata.correct.grams import Grams
from errata.correct.language_model import BITS, UNKNOWN, LanguageModel
from errata.correct.letters import without_marks
from errata.correct.morphology import Morphology
from errata.correct.tokens import rejoin, tokenize
from errata.correct.trie import Trie
from errata.engine import spread
from errata.errors import DataError
from errata.kernels import channel

MODES = ("spelling", "diacritics", "strip")
_LONGEST = 28  # letters of a word that is looked up
_CANDIDATES = 12
_BEAM = 12
_WITH_COMMA = 3  # candidates that are also tried behind a comma
_SENTENCE_END = frozenset(".!?…")


@dataclass(frozen=True)
class Weights:
    """What tuning sets: how much each part counts, in natural logarithms where it is a cost."""

    language: float = 1.0  # of forms
    lemma: float = 0.0
    tag: float = 0.0
    change: float = 2.0  # for every word changed
    unknown: float = 4.0  # for keeping a word that the lexicon lacks
    comma: float = 1.0  # for every comma set or removed
    edits_known: int = 1  # most edits of a word that is in the lexicon
    edits_unknown: int = 2
    capitalize: int = 1  # the first word of a sentence


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
        return cls(
            list(model.words),
            capital,
            Grams.build(model),
            errors,
            weights or Weights(),
            morphology=morphology,
        )

    def save(self, path: str | Path) -> None:
        """Write the model as one compressed file."""
        from errata.corpus.files import open_binary_output

        arrays: dict[str, Any] = {"words": _bytes("\n".join(self.words)), "names": np.packbits(self.names)}
        arrays |= self.forms.arrays()
        if self.morphology:
            arrays |= self.morphology.arrays()
        arrays["errors"] = _bytes("\n".join(self.errors.lines()))
        arrays["weights"] = _bytes("\n".join(f"{k}\t{v}" for k, v in asdict(self.weights).items()))
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        with open_binary_output(path) as file:
            file.write(lzma.compress(buffer.getvalue(), preset=6))

    @classmethod
    def load(cls, path: str | Path, mode: str = "spelling") -> NoisyChannel:
        """Read what `save` wrote."""
        from errata.corpus.files import read_bytes

        try:
            arrays = np.load(io.BytesIO(lzma.decompress(read_bytes(path))), allow_pickle=False)
            words = bytes(arrays["words"]).decode("utf-8").split("\n")
            names = np.unpackbits(arrays["names"], count=len(words)).astype(bool)
            forms = Grams.from_arrays(arrays)
            morphology = Morphology.from_arrays(arrays) if "lemma_of" in arrays else None
            settings = dict(line.split("\t") for line in bytes(arrays["weights"]).decode().split("\n"))
            errors = bytes(arrays["errors"]).decode("utf-8").split("\n")
        except (lzma.LZMAError, KeyError, ValueError, OSError) as error:
            raise DataError(f"not a noisy-channel model: {error}", path=path) from None
        values: dict[str, Any] = {name: kind(settings[name]) for name, kind in _kinds() if name in settings}
        return cls(words, names, forms, ErrorModel.parse(errors), Weights(**values), mode, morphology)

    @cached_property
    def ids(self) -> Mapping[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def trie(self) -> Trie:
        return Trie.build(self.words)

    @cached_property
    def _letters(self) -> tuple[Any, ...]:
        return self.errors.tables(self.trie.alphabet, self.mode)

    @cached_property
    def _language(self) -> tuple[Any, ...]:
        """The weights, every word's lemma and tag, and the three models' tables, as the kernel reads them."""
        given = (self.weights.language, self.weights.lemma, self.weights.tag)
        weights = np.rint(np.array(given) * 256).astype(np.int32)
        morphology = self.morphology or Morphology.none(len(self.words))
        if not self.morphology:
            weights[1:] = 0
        return (
            weights, morphology.classes.astype(np.int64),
            *self.forms.tables, *morphology.lemmas.tables, *morphology.tags.tables,
        )  # fmt: skip

    @cached_property
    def _cache(self) -> dict[str, list[tuple[int, int, int]]]:
        return {}

    @cached_property
    def _confusions(self) -> dict[str, list[tuple[int, int]]]:
        found: dict[str, list[tuple[int, int]]] = {}
        for (clean, written), p in self.errors.words.items():
            if clean in self.ids:
                found.setdefault(written, []).append((self.ids[clean], cost(p)))
        return found

    def _look_up(self, words: list[str], jobs: int | None) -> None:
        """Put the choices of these words into the cache: (word, second word, cost)."""
        weights = self.weights
        searched = [
            w for w in words if any(c.isalpha() for c in w) and len(w) <= _LONGEST and not w.isdigit()
        ]
        flat, offsets = self.trie.classes(searched)
        limits = np.empty((len(searched), 2), dtype=np.int32)
        if self.mode == "diacritics":
            limits[:] = (0, 1 << 19)
        else:
            for i, word in enumerate(searched):
                known = word in self.ids
                edits = weights.edits_known if known else weights.edits_unknown
                limits[i] = (min(edits, (len(word) + 1) // 3), 16 * UNIT if not known else 11 * UNIT)
        out_words = np.zeros((len(searched), _CANDIDATES), dtype=np.int32)
        out_costs, counts = np.zeros_like(out_words), np.zeros(len(searched), dtype=np.int32)
        replace, delete, insert, same = self._letters
        trie, unigrams = self.trie, self.forms.tables[0]

        def work(start: int, stop: int) -> None:
            channel.candidates(
                flat, offsets, limits, trie.letters, trie.first, trie.count, trie.words, replace, delete,
                insert, cost(self.errors.swap), same.astype(np.uint8), unigrams, start, stop,
                np.empty((4096, 4), dtype=np.int64), out_words, out_costs, counts,
            )  # fmt: skip

        spread(work, len(searched), jobs, chunk=256)
        change = round(weights.change * UNIT) if self.mode == "spelling" else 0
        unknown = round(weights.unknown * UNIT)
        comma = self.ids.get(",", -1)
        set_comma = cost(self.errors.drop.get(",", 0.0)) + round(weights.comma * UNIT)
        for i, word in enumerate(searched):
            own = self.ids.get(word, UNKNOWN)
            choices = {own: 0 if own else unknown}
            for k in range(counts[i]):
                found = int(out_words[i, k])
                if found != own:
                    choices[found] = int(out_costs[i, k]) + change
            if self.mode == "spelling":
                for found, price in self._confusions.get(word, ()):
                    choices[found] = min(price + change // 2, choices.get(found, 1 << 30))
            rows = [(found, -1, price) for found, price in choices.items()]
            if self.mode == "spelling" and comma >= 0:
                likely = sorted(choices.items(), key=lambda choice: choice[1])[:_WITH_COMMA]
                after = [
                    (found, price) for found, price in likely if ((comma << BITS) | found) in self._pair_set
                ]
                rows += [(comma, found, price + set_comma) for found, price in after]
            self._cache[word] = rows
        for word in set(words) - set(searched):
            rows = [(self.ids.get(word, UNKNOWN), -1, 0)]
            if word == "," and self.mode == "spelling" and self.errors.add.get(",", 0.0) > 0:
                rows.append((-1, -1, cost(self.errors.add[","]) + round(weights.comma * UNIT)))
            self._cache[word] = rows

    @cached_property
    def _pair_set(self) -> set[int]:
        comma = self.ids.get(",", -1)
        keys = self.forms.keys[0]
        return set(keys[keys >> BITS == comma].tolist())

    def correct_tokens(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[list[str]]:
        """Corrected sentences, given and returned as tokens."""
        if self.mode == "strip":
            return [[without_marks(token) for token in tokens] for tokens in sentences]
        lowered = [[token.lower() for token in tokens] for tokens in sentences]
        kinds: dict[str, int] = {}
        flat = [kinds.setdefault(word, len(kinds)) for words in lowered for word in words]
        missing = [word for word in kinds if word not in self._cache]
        if missing:
            self._look_up(missing, jobs)
        rows = [self._cache[word] for word in kinds]
        choice_offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=choice_offsets[1:])
        table = np.array([choice for row in rows for choice in row], dtype=np.int32).reshape(-1, 3)
        offsets = np.zeros(len(sentences) + 1, dtype=np.int64)
        np.cumsum([len(words) for words in lowered], out=offsets[1:])
        best = np.zeros(len(flat), dtype=np.int32)
        longest = max(map(len, lowered), default=0)
        choices, costs = table[:, :2].astype(np.int64), np.ascontiguousarray(table[:, 2])
        tokens = np.array(flat, dtype=np.int32)

        def work(start: int, stop: int) -> None:
            states = np.zeros(((longest + 1) * _BEAM, 6), dtype=np.int64)
            states[0, 5] = _BEAM
            search: Any = channel.viterbi
            search(
                offsets, tokens, choice_offsets, choices, costs, *self._language, start, stop, states, best,
            )  # fmt: skip

        self._language  # noqa: B018 (built before the threads start)
        spread(work, len(sentences), jobs, chunk=64)
        return [
            self._written(sentence, choices[best[offsets[i] : offsets[i + 1]]].tolist())
            for i, sentence in enumerate(sentences)
        ]

    def _written(self, tokens: Sequence[str], chosen: list[list[int]]) -> list[str]:
        """The chosen words in the case of those they replace."""
        found: list[str] = []
        capitalize = self.mode == "spelling" and self.weights.capitalize
        first = bool(capitalize) and bool(tokens) and tokens[-1] in _SENTENCE_END
        for token, (one, two) in zip(tokens, chosen, strict=True):
            if one < 0:
                continue
            if two >= 0:
                found.append(self.words[one])
                one = two
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
            first = first and not any(c.isalnum() for c in token)
            found.append(word)
        return found

    def correct_tokenized(self, lines: Sequence[str], jobs: int | None = None) -> list[str]:
        """Corrected tokenised lines."""
        return [" ".join(tokens) for tokens in self.correct_tokens([line.split() for line in lines], jobs)]

    def correct(self, lines: Sequence[str], jobs: int | None = None) -> list[str]:
        """Corrected running text, in its own spacing."""
        corrected = self.correct_tokens([tokenize(line) for line in lines], jobs)
        return [rejoin(line, tokens) for line, tokens in zip(lines, corrected, strict=True)]


def _kinds() -> list[tuple[str, Any]]:
    """The weights' names and types."""
    return [(f.name, type(f.default)) for f in fields(Weights)]


def _bytes(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
