"""A profile of the errors people make, estimated from annotated corrections, readable and adjustable."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errata.corpus.apply_edits import levenshtein_runs
from errata.corpus.files import open_output, read_bytes
from errata.errors import DataError
from errata.tables import Column, Table
from errata_correct.letters import without_marks
from errata_correct.noise import Errors, Noise

ASPECTS = (
    "diacritics", "casing", "whitespace", "punctuation", "spelling", "word order", "affixes", "confusions",
    "insertions",
)  # fmt: skip
_CHANCE_ASPECT = {
    "insert": "insertions", "swap": "word order", "lower": "casing", "upper": "casing", "capitals": "casing",
    "strip": "diacritics", "strip_line": "diacritics", "join": "whitespace", "split": "whitespace",
    "capitals_line": "casing", "boundary": "punctuation",
}  # fmt: skip
Pairs = Iterable[tuple[Sequence[str], Sequence[str]]]  # (with errors, corrected), as tokens
Aligned = tuple[tuple[str, ...], tuple[str, ...]]  # tokens of both that belong together
_SEEN = 2  # a confusion of two words or suffixes counts once it was seen this often
_PRIOR = 10  # occurrences without error that are added to those of a word, for its swaps and joins
_LONGEST_SUFFIX = 4
_INSERTED = 2000  # texts to insert
_SIGNS = 8  # signs that may be written for one, such as dots for an ellipsis
_FINAL = (".", "!", "?", "…")


@dataclass(frozen=True)
class Profile:
    """Chances of every kind of error per clean unit, by aspect; `noise` applies them at any strength."""

    chances: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    suffixes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    characters: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # "replace b", "delete", …
    insertions: Mapping[str, float] = field(default_factory=dict)
    sentence_deviation: float = 0.5  # of the error rate over sentences, relative to its mean
    swaps: Mapping[str, float] = field(default_factory=dict)  # of single words with the next one
    joins: Mapping[str, float] = field(default_factory=dict)

    def noise(
        self, strength: float = 1.0, aspects: Mapping[str, float] | None = None, *, tokenized: bool = False
    ) -> Noise:
        """Noise of this profile; `aspects` multiplies single aspects, such as `{"casing": 0}`."""
        factors = dict.fromkeys(ASPECTS, 1.0) | dict(aspects or {})
        unknown = sorted(set(factors) - set(ASPECTS))
        if unknown:
            raise DataError(f"no aspect {unknown[0]!r}", hint="one of " + ", ".join(ASPECTS))
        chances = {name: p * factors[_CHANCE_ASPECT[name]] for name, p in self.chances.items()}
        words = {
            word: {text: p * factors[_word_aspect(word, text)] for text, p in texts.items()}
            for word, texts in self.words.items()
        }
        suffixes = {
            s: {t: p * factors["affixes"] for t, p in texts.items()} for s, texts in self.suffixes.items()
        }
        characters: dict[str, dict[tuple[str, str], float]] = {}
        for char, operations in self.characters.items():
            for operation, p in operations.items():
                kind, _, other = operation.partition(" ")
                marks = kind == "replace" and without_marks(char) == without_marks(other)
                p *= factors["diacritics" if marks else "spelling"]
                characters.setdefault(char, {})[kind, other] = p
        swaps = {word: p * factors["word order"] for word, p in self.swaps.items()}
        joins = {word: p * factors["whitespace"] for word, p in self.joins.items()}
        errors = Errors(chances, words, suffixes, characters, self.insertions, swaps, joins)
        factor = (strength, strength * self.sentence_deviation)
        return Noise(errors, factor, factor, tokenized)

    def _checked(self) -> Profile:
        """The profile itself, if all its chances are numbers that a chance can be."""
        tables = [self.chances, self.insertions, self.swaps, self.joins]
        for nested in (self.words, self.suffixes, self.characters):
            tables += nested.values()
        for chance in (self.sentence_deviation, *(p for table in tables for p in table.values())):
            if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance < 1e9:
                raise ValueError(f"a chance of {chance!r}"[:80])
        unknown = self.chances.keys() - _CHANCE_ASPECT.keys()
        if unknown:
            raise ValueError(f"no chance is called {min(unknown)!r}"[:80])
        for operation in (name for names in self.characters.values() for name in names):
            kind, _, other = operation.partition(" ")
            if kind not in ("replace", "insert", "delete", "swap") or len(other) != (
                kind in ("replace", "insert")
            ):
                raise ValueError(f"no operation is called {operation!r}"[:80])
        return self

    def table(self) -> Table:
        """The chances per unit, and the sizes of the other parts."""
        rows: list[tuple[str, float]] = [
            (f"{name} (per unit)", round(p, 5)) for name, p in self.chances.items()
        ]
        rows += [
            ("words with confusions", len(self.words)), ("suffixes", len(self.suffixes)),
            ("letters", len(self.characters)), ("words with a chance to be swapped", len(self.swaps)),
            ("words with a chance to be joined", len(self.joins)),
            ("deviation over sentences", self.sentence_deviation),
        ]  # fmt: skip
        return Table([Column("error"), Column("value")], rows)

    def save(self, path: str | Path) -> None:
        """Write the profile as JSON."""
        with open_output(path) as file:
            json.dump(self.__dict__, file, ensure_ascii=False, indent=1)
            file.write("\n")

    @classmethod
    def load(cls, path: str | Path) -> Profile:
        """Read a profile that `save` wrote or a person edited."""
        try:
            content: dict[str, Any] = json.loads(read_bytes(path))
            return cls(**content)._checked()
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(
                f"not an error profile: {error}", path=path, hint="see `errata noise estimate`"
            ) from None


def _word_aspect(word: str, text: str) -> str:
    if not any(c.isalnum() for c in word):
        return "punctuation"
    if word.lower() == text.lower():
        return "casing"
    return "diacritics" if without_marks(word) == without_marks(text) else "confusions"


def estimate(pairs: Pairs) -> Profile:
    """The profile of (erroneous, corrected) sentences: counts of errors over counts of clean units."""
    counts = _Counts()
    for wrong, right in pairs:
        counts.add(list(wrong), list(right))
    return counts.profile()


def pairs_of(corpus: Any) -> Iterable[tuple[list[str], list[str]]]:
    """The tokens of every source with each of its annotators' corrections."""
    for segment in corpus:
        for annotation in segment.annotations:
            yield segment.source.split(), annotation.text.split()


class _Counts:
    def __init__(self) -> None:
        self.units: Counter[str] = Counter()  # exposures: tokens, spaces, capitalised, small, marked, lines
        self.words: Counter[str] = Counter()
        self.suffixes: Counter[str] = Counter()
        self.letters: Counter[str] = Counter()
        self.chances: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.inserted: Counter[str] = Counter()
        self.swapped: Counter[str] = Counter()  # the first of two words
        self.joined: Counter[str] = Counter()
        self.rates: list[tuple[int, int]] = []

    def add(self, wrong: list[str], right: list[str]) -> None:
        if not right:
            return
        self.units["lines"] += 1
        self.units["tokens"] += len(right)
        for word in right:
            self.words[word] += 1
            self.letters.update(word)
            if word[:1].isupper():
                self.units["upper"] += 1
            elif word[:1].islower():
                self.units["lower"] += 1
            if without_marks(word) != word:
                self.units["marked"] += 1
            for length in range(1, _LONGEST_SUFFIX + 1):
                if len(word) >= length + 2:
                    self.suffixes[word[-length:]] += 1
        marked = sum(without_marks(w) != w for w in right)
        if marked >= 3 and all(without_marks(w) == w for w in wrong):
            self.chances["strip_line"] += 1
            right = [without_marks(w) for w in right]
        if _in_capitals(wrong) and not _in_capitals(right):
            self.chances["capitals_line"] += 1
            right = [w.upper() for w in right]
        changed = 0
        aligned = [pair for pair in self._without_boundaries(align(wrong, right)) if pair[0] != pair[1]]
        # A word that is gone here and appears there has moved.
        gone = Counter(clean for noisy, clean in aligned if not noisy)
        moved = gone & Counter(noisy for noisy, clean in aligned if not clean)
        self.chances["swap"] += moved.total()
        for words, count in moved.items():
            self.swapped[words[0].lower()] += count * (len(words) == 1)
        back = moved.copy()
        for noisy, clean in aligned:
            changed += 1
            if (not clean and moved[noisy] > 0) or (not noisy and back[clean] > 0):
                (back if not noisy else moved)[clean or noisy] -= 1
                continue
            if len(noisy) == len(clean) == 1:
                self.pairs[clean[0], noisy[0]] += 1
            elif not clean:
                self.inserted[" ".join(noisy)] += 1
            elif not noisy:
                self.pairs[clean[0], ""] += 1
            elif len(clean) == 1 and not clean[0].isalnum():  # a sign written as several
                self.pairs[clean[0], " ".join(noisy)] += 1
            elif "".join(noisy) == "".join(clean):
                self.chances["join" if len(noisy) < len(clean) else "split"] += 1
                self.joined[clean[0].lower()] += len(clean) == 2
            else:
                self.chances["swap"] += 1
                self.swapped[clean[0].lower()] += len(clean) == 2
        self.rates.append((changed, len(right)))

    def _without_boundaries(self, aligned: Sequence[Aligned]) -> Iterator[Aligned]:
        """The pairs without lost boundaries of sentences, which are counted: `. A` that became `a`."""
        lost = False
        for place, (noisy, clean) in enumerate(aligned):
            if clean and clean[0] in _FINAL and place + 1 < len(aligned):
                following, capital = (" ".join(words) for words in aligned[place + 1])
                if capital[:1].isupper():
                    self.units["boundaries"] += 1
                    lost = not noisy and following == capital[:1].lower() + capital[1:]
                    self.chances["boundary"] += lost
                    if lost:
                        continue
            yield (clean, clean) if lost else (noisy, clean)
            lost = False

    def _by_word(self, name: str, counts: Counter[str]) -> dict[str, float]:
        """The chances of words that were seen often enough; their counts leave those of any word."""
        words: Counter[str] = Counter()
        for word, count in self.words.items():
            words[word.lower()] += count
        often = {word: count for word, count in counts.items() if count > _SEEN}
        self.chances[name] -= sum(often.values())
        return {word: count / (words[word] + _PRIOR) for word, count in often.items()}

    def profile(self) -> Profile:
        swaps, joins = self._by_word("swap", self.swapped), self._by_word("join", self.joined)
        words: dict[str, dict[str, float]] = defaultdict(dict)
        suffix_pairs: Counter[tuple[str, str]] = Counter()
        operations: Counter[tuple[str, str]] = Counter()
        for (clean, noisy), count in self.pairs.items():
            wordlike = any(c.isalnum() for c in clean)
            if clean.lower() == noisy.lower() and clean and noisy:
                kind = (
                    "capitals"
                    if noisy.isupper() and len(noisy) > 1
                    else "lower"
                    if clean[0].isupper()
                    else "upper"
                )
                self.chances[kind] += count
            elif not noisy or not wordlike or count >= _SEEN + 1:
                if count >= _SEEN:
                    words[clean][noisy] = count / self.words[clean] if self.words[clean] else 0.0
            elif (
                noisy == without_marks(clean)
                and len([a for a, b in zip(clean, noisy, strict=True) if a != b]) > 1
            ):
                self.chances["strip"] += count
            else:
                self._inside(clean, noisy, count, suffix_pairs, operations)
        suffixes: dict[str, dict[str, float]] = defaultdict(dict)
        for (clean, noisy), count in suffix_pairs.items():
            if count >= _SEEN:
                suffixes[clean][noisy] = count / self.suffixes[clean]
        characters: dict[str, dict[str, float]] = defaultdict(dict)
        for (char, operation), count in operations.items():
            if self.letters[char]:
                characters[char][operation] = count / self.letters[char]
        units = {
            "insert": "tokens", "swap": "tokens", "lower": "upper", "upper": "lower", "capitals": "tokens",
            "strip": "marked", "strip_line": "lines", "join": "tokens", "split": "tokens",
            "capitals_line": "lines", "boundary": "boundaries",
        }  # fmt: skip
        self.chances["insert"] = sum(self.inserted.values())
        chances = {name: self.chances[name] / max(self.units[unit], 1) for name, unit in units.items()}
        common = dict(self.inserted.most_common(_INSERTED))
        return Profile(chances, words, suffixes, characters, common, self._deviation(), swaps, joins)

    def _inside(
        self,
        clean: str,
        noisy: str,
        count: int,
        suffix_pairs: Counter[tuple[str, str]],
        operations: Counter[tuple[str, str]],
    ) -> None:
        """A word that differs inside: an affix, single characters, or two words with nothing in common."""
        start = 0
        while start < min(len(clean), len(noisy)) and clean[start] == noisy[start]:
            start += 1
        edits = character_edits(noisy, clean)
        tail = max(start, len(clean) - _LONGEST_SUFFIX)
        ending = start >= 2 and len(clean) - start <= _LONGEST_SUFFIX and len(noisy) - tail <= 6
        if ending and (len(edits) > 1 or (start > 2 and without_marks(clean) != without_marks(noisy))):
            # With the letter before a single change, so that its context counts
            cut = start if start < len(clean) and len(edits) > 1 else max(start - 1, tail)
            cut = min(cut, len(clean) - 1)
            suffix_pairs[clean[cut:], noisy[cut:]] += count
        elif len(edits) <= max(1, len(clean) // 3):
            for char, operation in edits:
                operations[char, operation] += count

    def _deviation(self) -> float:
        """Standard deviation of sentences' error rates beyond chance, relative to the mean rate."""
        tokens = sum(n for _, n in self.rates)
        mean = sum(c for c, _ in self.rates) / max(tokens, 1)
        if not mean:
            return 0.0
        extra = sum((c - mean * n) ** 2 - n * mean * (1 - mean) for c, n in self.rates)
        squares = sum(n * n for _, n in self.rates)
        return round(min(math.sqrt(max(extra / squares, 0.0)) / mean, 2.0), 3)


def _in_capitals(tokens: Sequence[str]) -> bool:
    """Whether the words of a line of at least three are all in capitals."""
    words = [token for token in tokens if token.isalpha()]
    return len(words) >= 3 and all(map(str.isupper, words))


def align(wrong: Sequence[str], right: Sequence[str]) -> list[Aligned]:
    """Pairs of (erroneous, clean) tokens: equal, substituted, moved, joined or split, inserted, deleted."""
    pairs: list[Aligned] = []
    done = 0
    for start, end, begin, stop in levenshtein_runs(wrong, right):
        pairs += [((word,), (word,)) for word in wrong[done:start]]
        pairs += _inside_block(tuple(wrong[start:end]), tuple(right[begin:stop]))
        done = end
    return pairs + [((word,), (word,)) for word in wrong[done:]]


def _inside_block(noisy: tuple[str, ...], clean: tuple[str, ...]) -> list[Aligned]:
    """Pairs within a changed stretch, by a cheapest alignment over the similarity of words."""
    from rapidfuzz.distance import OSA

    if len(noisy) != len(clean) and "".join(noisy) == "".join(clean):
        return [(noisy, clean)]
    if not clean:
        return [(noisy, clean)]
    if len(clean) == 1 and len(noisy) <= _SIGNS and not any(map(str.isalnum, "".join(noisy + clean))):
        return [(noisy, clean)]
    if len(noisy) > 1 and sorted(map(str.lower, noisy)) == sorted(map(str.lower, clean)):
        return [(noisy, clean)]
    rows, columns = len(noisy) + 1, len(clean) + 1
    if rows * columns > 10_000:  # a rewritten paragraph says nothing about single words
        return []
    gap = 55  # in hundredths: integers can be compared exactly when the path is traced back
    cost = [[gap * (i + j) for j in range(columns)] for i in range(rows)]
    similar = [[round(100 * OSA.normalized_distance(a.lower(), b.lower())) for b in clean] for a in noisy]
    for i in range(1, rows):
        for j in range(1, columns):
            cost[i][j] = min(
                cost[i - 1][j - 1] + similar[i - 1][j - 1], cost[i - 1][j] + gap, cost[i][j - 1] + gap
            )
    i, j = rows - 1, columns - 1
    pairs: list[Aligned] = []
    while i or j:
        if i and j and cost[i][j] == cost[i - 1][j - 1] + similar[i - 1][j - 1]:
            pairs.append(((noisy[i - 1],), (clean[j - 1],)))
            i, j = i - 1, j - 1
        elif i and cost[i][j] == cost[i - 1][j] + gap:
            pairs.append(((noisy[i - 1],), ()))
            i -= 1
        else:
            pairs.append(((), (clean[j - 1],)))
            j -= 1
    return pairs[::-1]


def character_edits(noisy: str, clean: str) -> list[tuple[str, str]]:
    """(clean character, operation) of a cheapest alignment: `replace b`, `delete`, `insert b`, `swap`.

    `insert b` puts b after the clean character; an insertion before the word counts for its first one.
    """
    rows, columns = len(clean) + 1, len(noisy) + 1
    cost = [[i + j if not (i and j) else 0 for j in range(columns)] for i in range(rows)]
    for i in range(1, rows):
        for j in range(1, columns):
            best = cost[i - 1][j - 1] + (clean[i - 1] != noisy[j - 1])
            best = min(best, cost[i - 1][j] + 1, cost[i][j - 1] + 1)
            if i > 1 and j > 1 and clean[i - 1] == noisy[j - 2] and clean[i - 2] == noisy[j - 1]:
                best = min(best, cost[i - 2][j - 2] + 1)
            cost[i][j] = best
    i, j = rows - 1, columns - 1
    edits: list[tuple[str, str]] = []
    while i or j:
        swapped = i > 1 and j > 1 and clean[i - 1] == noisy[j - 2] and clean[i - 2] == noisy[j - 1]
        if i and j and clean[i - 1] == noisy[j - 1] and cost[i][j] == cost[i - 1][j - 1]:
            i, j = i - 1, j - 1
        elif swapped and cost[i][j] == cost[i - 2][j - 2] + 1:
            edits.append((clean[i - 2], "swap"))
            i, j = i - 2, j - 2
        elif i and j and cost[i][j] == cost[i - 1][j - 1] + 1:
            edits.append((clean[i - 1], f"replace {noisy[j - 1]}"))
            i, j = i - 1, j - 1
        elif i and cost[i][j] == cost[i - 1][j] + 1:
            edits.append((clean[i - 1], "delete"))
            i -= 1
        else:
            if clean:
                edits.append((clean[max(i - 1, 0)], f"insert {noisy[j - 1]}"))
            j -= 1
    return edits[::-1]
