"""The noisy-channel corrector (after Korektor, Richter et al. 2012): lexicon, errors, n-gram models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.arrays import expect, pack, unpack
from errata.correct.error_model import ErrorModel, cost
from errata.correct.grammar.grammar import Grammar, GrammarRules
from errata.correct.letters import without_marks
from errata.correct.morphology import Morphology
from errata.correct.suggestions import Change
from errata.correct.tokens import replacements, rewrite, token_spans
from errata.correct.trie import Trie, letter_sets
from errata.engine import spread
from errata.errors import DataError
from errata.kernels import channel
from errata.models.grams import UNIT, Grams, tables
from errata.models.language_model import BEGIN, BITS, END, SPECIAL, UNKNOWN, LanguageModel

MODES = ("spelling", "diacritics", "strip")
_LONGEST = 28  # letters of a word that is looked up
_CANDIDATES = 12
_BEAM = 12
_CACHED = 500_000  # words whose candidates are kept
_WITH_COMMA = 3  # candidates that are also tried behind a comma
_MOST_LETTERS = 1000  # of all words; costs are a table of every letter for every other
_RANGES = {
    **dict.fromkeys(("language", "lemma", "tag"), (0, 1000)),  # the search relies on bounds from below
    **dict.fromkeys(("edits_known", "edits_unknown"), (0, 4)),
    "capitalize": (0, 1),
}
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
        if self.rules:
            arrays["grammar"] = _bytes(self.rules.text())
        arrays["errors"] = _bytes("\n".join(self.errors.lines()))
        arrays["weights"] = _bytes("\n".join(f"{k}\t{v}" for k, v in asdict(self.weights).items()))
        with open_binary_output(path) as file:
            file.write(pack(arrays))

    @classmethod
    def load(cls, path: str | Path, mode: str = "spelling") -> NoisyChannel:
        """Read what `save` wrote; a file may come from anyone, so that all of it is checked."""
        from errata.corpus.files import read_bytes

        arrays = unpack(read_bytes(path), str(path))
        try:
            words = _text(arrays["words"]).split("\n")
            if tuple(words[: len(SPECIAL)]) != SPECIAL or len(set(words)) != len(words):
                raise ValueError("words that are there twice, or no special ones")
            if len(set().union(*words[len(SPECIAL) :])) > _MOST_LETTERS:
                raise ValueError(f"words of more than {_MOST_LETTERS} different characters")
            bits = expect(arrays["names"], "u", (len(words) + 7) // 8)
            names = np.unpackbits(bits, count=len(words)).astype(bool)
            forms = Grams.from_arrays(arrays)
            expect(forms.costs[0], "u", len(words))
            morphology = Morphology.from_arrays(arrays) if "lemma_of" in arrays else None
            if morphology:
                expect(morphology.classes, "i", len(words), 2)
            weights = _weights(_text(arrays["weights"]))
            errors = _text(arrays["errors"]).split("\n")
            rules = GrammarRules.parse(_text(arrays["grammar"])) if "grammar" in arrays else None
        except (KeyError, ValueError, TypeError) as error:
            raise DataError(f"not a noisy-channel model: {error}"[:300], path=path) from None
        return cls(words, names, forms, ErrorModel.parse(errors, path), weights, mode, morphology, rules)

    @cached_property
    def ids(self) -> Mapping[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def trie(self) -> Trie:
        return Trie.build(self.words)

    @cached_property
    def _letters(self) -> tuple[Any, ...]:
        """Costs of replace, delete and insert, pairs that are no edit, and the set each letter accepts."""
        replace, delete, insert, same = self.errors.tables(self.trie.alphabet, self.mode)
        own = same.astype(bool) | np.eye(len(same), dtype=bool)
        sets = letter_sets(np.arange(len(same), dtype=np.int32))
        accepts = np.bitwise_or.reduce(np.where(own, sets[:, None], 0), axis=0).astype(np.int32)
        by_written = np.ascontiguousarray(replace.T), np.ascontiguousarray(same.T, dtype=np.uint8)
        return by_written[0], delete, insert, by_written[1], accepts

    @cached_property
    def _models(self) -> tuple[Any, ...]:
        """Every word's form, lemma and tag, and the three models, as the kernel reads them."""
        morphology = self.morphology or Morphology.none(len(self.words))
        classes = np.column_stack([np.arange(len(self.words), dtype=np.int32), morphology.classes])
        return classes, *tables([self.forms, morphology.lemmas, morphology.tags])

    @cached_property
    def _language(self) -> tuple[Any, ...]:
        """The weights of the three models, and what `_models` gives."""
        given = (self.weights.language, self.weights.lemma, self.weights.tag)
        weights = np.rint(np.array(given) * 256).astype(np.int32)
        if not self.morphology:
            weights[1:] = 0
        return weights, *self._models

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

    @cached_property
    def grammar(self) -> Grammar | None:
        """The corrector of grammar, if the model has rules and its mode is to correct."""
        if self.rules is None or self.mode != "spelling":
            return None
        return Grammar(self.rules, self.costs, self.ids.__contains__)

    def costs(self, words: Sequence[str], start: int, stop: int) -> tuple[float, float]:
        """The costs of the words `start:stop` of a sentence in lower case, by forms and by tags.

        The word after the last is the end of the sentence.
        """
        morphology = self.morphology or Morphology.none(len(self.words))
        first = max(start - 2, 0)
        ids = [*(self.ids.get(word, UNKNOWN) for word in words[first:stop]), *([END] * (stop > len(words)))]
        if start < 2:
            ids = [BEGIN, *ids]
        skipped = len(ids) - (stop - start)
        found = []
        for model, column in ((self.forms, None), (morphology.tags, morphology.classes[:, 1])):
            row = ids if column is None else [int(column[word]) for word in ids]
            found.append(
                sum(
                    model.cost(row[i - 2] if i > 1 else -1, row[i - 1], row[i])
                    for i in range(skipped, len(row))
                )
            )
        return found[0], found[1]

    def commonness(self, words: Sequence[str]) -> float:
        """The mean log-probability of words by themselves; one that the lexicon lacks counts as very rare."""
        steps = self.forms.costs[0]
        known = [self.ids.get(word.lower(), UNKNOWN) for word in words if word[:1].isalpha()]
        total = sum(int(steps[word]) if word else 255 for word in known)
        return -total / 8 / max(len(known), 1)

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
        replace, delete, insert, same, accepts = self._letters
        nodes, unigrams, swap = self.trie.nodes, self._models[2], cost(self.errors.swap)

        def work(start: int, stop: int) -> None:
            channel.candidates(
                flat, offsets, limits, self.trie.letters, nodes, replace, delete, insert, swap, same, accepts,
                unigrams, start, stop, np.empty((4096, 4), dtype=np.int64), out_words, out_costs, counts,
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
        if self.grammar:
            return [
                _applied(tokens, changes)
                for tokens, changes in zip(sentences, self.changes(sentences, jobs), strict=True)
            ]
        search = self._search(sentences, jobs)
        found = []
        for tokens, changed in zip(sentences, self._rewritten(sentences, search), strict=True):
            corrected = list(tokens)
            for index, words in reversed(changed):
                corrected[index : index + 1] = words
            found.append(corrected)
        return found

    def changes(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[list[Change]]:
        """What `correct_tokens` changes, and by how much each change raises the probability.

        The margin of a change is the logarithm of how much less probable the corrected sentence would be with
        this token as it was written. Capitals are set by rule: their margin is 0.
        """
        if self.mode == "strip":
            return [_stripped(tokens) for tokens in sentences]
        search = self._search(sentences, jobs)
        margins = np.zeros(len(search.best), dtype=np.int32)

        def work(start: int, stop: int) -> None:
            compare: Any = channel.margins
            compare(*search.arrays, *self._language, start, stop, search.best, margins)

        spread(work, len(sentences), jobs, chunk=64)
        found = []
        for number, changed in enumerate(self._rewritten(sentences, search)):
            begin, tokens = search.offsets[number], sentences[number]
            found.append(
                [
                    change
                    for index, words in changed
                    for change in _split(index, words, tokens[index], int(margins[begin + index]) / UNIT)
                ]
            )
        if self.grammar:
            of_grammar = self.grammar.changes(sentences, jobs)
            return [
                _merged(
                    [self._told_apart(one, tokens) for one in first],
                    [self._with_kind(one, tokens) for one in second],
                )
                for first, second, tokens in zip(of_grammar, found, sentences, strict=True)
            ]
        return found

    def _told_apart(self, change: Change, tokens: Sequence[str]) -> Change:
        """A correction by a pattern; that of a word which is not in the lexicon is one of spelling."""
        old = tokens[change.start] if change.end == change.start + 1 and len(change.tokens) == 1 else ""
        unknown = old.isalpha() and old.lower() not in self.ids
        return change._replace(kind="misspelling") if unknown else change

    def _with_kind(self, change: Change, tokens: Sequence[str]) -> Change:
        """A spelling correction with what tells how it is to be trusted: a name, or a word of the lexicon."""
        old = tokens[change.start] if change.end == change.start + 1 and len(change.tokens) == 1 else ""
        if not old.isalpha() or old.lower() == change.tokens[0].lower():
            return change
        if old[0].isupper() and (change.start or old.isupper()):
            return change._replace(kind="name")
        return change._replace(kind="real-word") if old.lower() in self.ids else change

    def _search(self, sentences: Sequence[Sequence[str]], jobs: int | None) -> _Search:
        """The best choice for every token."""
        kinds: dict[str, int] = {}
        flat = [kinds.setdefault(token.lower(), len(kinds)) for tokens in sentences for token in tokens]
        if len(self._cache) > _CACHED:
            self._cache.clear()
        missing = [word for word in kinds if word not in self._cache]
        if missing:
            self._look_up(missing, jobs)
        rows = [self._cache[word] for word in kinds]
        counts = [len(row) for row in rows]
        choice_offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(counts, out=choice_offsets[1:])
        numbers = chain.from_iterable(chain.from_iterable(rows))
        choices = np.fromiter(numbers, np.int32, 3 * int(choice_offsets[-1])).reshape(-1, 3)
        offsets = np.zeros(len(sentences) + 1, dtype=np.int64)
        np.cumsum([len(tokens) for tokens in sentences], out=offsets[1:])
        search = _Search(offsets, np.array(flat, dtype=np.int32), choice_offsets, choices)
        longest, most = max(map(len, sentences), default=0), max(counts, default=0)

        def work(start: int, stop: int) -> None:
            states = np.empty(((longest + 1) * _BEAM, 8), dtype=np.int64)
            memo = np.empty(((_BEAM + 1) * most, 3), dtype=np.int64)
            find: Any = channel.viterbi
            find(*search.arrays, *self._language, start, stop, _BEAM, states, memo, search.best)

        self._language  # noqa: B018 (built before the threads start)
        spread(work, len(sentences), jobs, chunk=64)
        return search

    def _rewritten(
        self, sentences: Sequence[Sequence[str]], search: _Search
    ) -> Iterator[list[tuple[int, list[str]]]]:
        """For every sentence: the tokens that are not kept, by their places, and what stands for them."""
        capitalize = self.mode == "spelling" and bool(self.weights.capitalize)
        kept = search.choice_offsets[search.kinds]
        looked_at = search.best != kept
        if capitalize:
            looked_at |= self.names[search.choices[kept, 0]]
        places = np.flatnonzero(looked_at)
        bounds = np.searchsorted(places, search.offsets).tolist()
        chosen = search.choices[search.best[places], :2].tolist()
        starts = search.offsets.tolist()
        for number, tokens in enumerate(sentences):
            low, high = bounds[number], bounds[number + 1]
            here = {
                place - starts[number]: words
                for place, words in zip(places[low:high].tolist(), chosen[low:high], strict=True)
            }
            first = -1  # the last token that begins the sentence: the first one with a letter or a digit
            if capitalize and tokens and tokens[-1] in _SENTENCE_END:
                first = next((i for i, t in enumerate(tokens) if any(map(str.isalnum, t))), len(tokens) - 1)
                here = {i: [UNKNOWN, -1] for i in range(first + 1)} | here
            found = []
            for index in sorted(here):
                one, two = here[index]
                words = self._written(tokens[index], one, two, index <= first, capitalize)
                if words != [tokens[index]]:
                    found.append((index, words))
            yield found

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
        return [" ".join(tokens) for tokens in self.correct_tokens([line.split() for line in lines], jobs)]

    def correct(self, lines: Sequence[str], jobs: int | None = None) -> list[str]:
        """Corrected running text, which differs from the lines only where something is corrected."""
        spans = [token_spans(line) for line in lines]
        sentences = [[line[a:b] for a, b in found] for line, found in zip(lines, spans, strict=True)]
        return [
            rewrite(line, replacements(line, found, [change[:3] for change in changes]))
            for line, found, changes in zip(lines, spans, self.changes(sentences, jobs), strict=True)
        ]


@dataclass(frozen=True)
class _Search:
    """Sentences as the kernels read them, and the best choice for every token."""

    offsets: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int32]
    choice_offsets: npt.NDArray[np.int64]
    choices: npt.NDArray[np.int32]  # two words and a cost; the first choice of a token is to keep it

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        return self.offsets, self.kinds, self.choice_offsets, self.choices

    @cached_property
    def best(self) -> npt.NDArray[np.int32]:
        return np.zeros(len(self.kinds), dtype=np.int32)


def _split(index: int, words: Sequence[str], token: str, margin: float) -> Iterator[Change]:
    """A token's change; a comma set before it is a change of its own."""
    if len(words) == 2:
        yield Change(index, index, (words[0],), margin)
    if words[-1:] != [token]:
        yield Change(index, index + 1, tuple(words[-1:]), margin)


def _applied(tokens: Sequence[str], changes: Sequence[Change]) -> list[str]:
    corrected = list(tokens)
    for change in reversed(changes):
        corrected[change.start : change.end] = change.tokens
    return corrected


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


def _weights(text: str) -> Weights:
    """The weights in the lines of a model."""
    kinds: dict[str, Any] = {f.name: type(f.default) for f in fields(Weights)}
    given = dict(line.split("\t") for line in text.split("\n"))
    values: dict[str, Any] = {name: kinds[name](value) for name, value in given.items()}
    for name, value in values.items():
        least, most = _RANGES.get(name, (-1000, 1000))
        if not least <= value <= most:
            raise ValueError(f"the weight {name} is {value}")
    return Weights(**values)


def _text(array: npt.NDArray[Any]) -> str:
    return expect(array, "u").tobytes().decode("utf-8")


def _bytes(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
