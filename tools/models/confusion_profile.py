"""A profile of confusions between words, without annotated text: spelling, inflection, schoolbook errors.

`python tools/models/confusion_profile.py texts… --lang cs -o confusions.json.xz` follows the recipe of
Náplava & Straka (2019), in which words are replaced by neighbours in a spelling dictionary, and adds other
forms of the same lemma (from the shipped noisy channel's morphology or the embedded tagger), lost diacritics
and capitals, the hand-written confusions of `confusions.LANG.tsv`, and the misspellings of
`spellings.LANG.tsv`. With `--grammar`, most errors are
those of inflection, agreement, negation, word order and commas, in words that are spelled correctly.
"""

from __future__ import annotations

import argparse
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from errata.corpus.files import read_lines
from errata_correct.letters import without_marks
from errata_correct.loading import load_model
from errata_correct.noise import confusion_sets
from errata_correct.noisy_channel import NoisyChannel
from errata_correct.profile import Profile


@dataclass(frozen=True)
class Rates:
    """How probable each kind of error is."""

    neighbours: float = 0.02  # of a word to become a spelling neighbour
    forms: float = 0.055  # another form of its lemma
    agreement: float = 0.06  # another ending of a participle, by `spellings.LANG.tsv`
    negation: float = 0.015  # to lose ne-, or to be written as two words
    patterns: float = 0.04  # of a word to be misspelt, by the same table
    written: float = 1.0  # factor of the hand-written confusions
    characters: float = 0.012  # of a character to go wrong
    marks: float = 0.05  # of a letter to lose or change its diacritics
    chances: Mapping[str, float] = field(
        default_factory=lambda: {
            "insert": 0.012, "swap": 0.012, "lower": 0.06, "upper": 0.006, "capitals": 0.001, "strip": 0.02,
            "strip_line": 0.05, "join": 0.004, "split": 0.003, "capitals_line": 0.004, "boundary": 0.25,
        }
    )  # fmt: skip


MIXED = Rates()
GRAMMAR = Rates(
    neighbours=0.004, forms=0.1, agreement=0.15, negation=0.08, patterns=0.03, written=1.5, characters=0.001,
    marks=0.004,
    chances={
        "insert": 0.01, "swap": 0.025, "lower": 0.02, "upper": 0.003, "join": 0.003, "split": 0.002,
        "boundary": 0.25,
    },
)  # fmt: skip
_OFTEN = 4  # rarer words have no forms in the profile
_MOST = 6  # alternatives of a kind
_VARIANTS = {
    "a": "á", "á": "a", "c": "č", "č": "c", "d": "ď", "ď": "d", "e": "éě", "é": "eě", "ě": "eé", "i": "í",
    "í": "i", "n": "ň", "ň": "n", "o": "ó", "ó": "o", "r": "ř", "ř": "r", "s": "š", "š": "s", "t": "ť",
    "ť": "t", "u": "úů", "ú": "uů", "ů": "uú", "y": "ý", "ý": "y", "z": "ž", "ž": "z",
}  # fmt: skip


def lemma_groups(language: str, words: Iterable[str]) -> list[list[str]]:
    """Words of a lemma together."""
    found: dict[object, list[str]] = defaultdict(list)
    channel = load_model(language)
    assert isinstance(channel, NoisyChannel)
    if channel.morphology is not None:
        lemmas = dict(zip(channel.words, channel.morphology.classes[:, 0].tolist(), strict=True))
        for word in words:
            if word in lemmas:
                found[lemmas[word]].append(word)
    else:
        from errata.edits.taggers import tagger

        chosen = [word for word in words if word.isalpha()]
        for word, tagged in zip(chosen, tagger(language).tag([[word] for word in chosen]), strict=True):
            found[tagged.lemmas[0].lower()].append(word)
    return [group for group in found.values() if 1 < len(group) < 60]


def forms(
    groups: Iterable[Sequence[str]], counts: Mapping[str, int], rates: Rates
) -> dict[str, dict[str, float]]:
    """Other forms of a word's lemma: frequent ones and those that look alike before others."""
    found: dict[str, dict[str, float]] = {}
    for group in groups:
        for word in group:
            weights = {
                other: math.sqrt(counts[other]) / (1 + abs(len(other) - len(word)))
                for other in group
                if other != word and other.startswith("ne") == word.startswith("ne")
            }
            best = sorted(weights, key=lambda other: -weights[other])[:_MOST]
            total = sum(weights[other] for other in best)
            if best:
                found[word] = {other: rates.forms * weights[other] / total for other in best}
            if word.startswith("ne") and word[2:] in group:
                found.setdefault(word, {})[word[2:]] = rates.negation
                found[word][f"ne {word[2:]}"] = rates.negation / 3
    return found


class Misspelling(NamedTuple):
    """A line of `spellings.LANG.tsv`."""

    group: str
    pattern: re.Pattern[str]
    written: str
    share: float


def misspellings(language: str) -> list[Misspelling]:
    """How words of a language are misspelt; none without a table."""
    path = Path(__file__).with_name(f"spellings.{language}.tsv")
    rows = (
        [line.split("\t") for line in read_lines(path) if not line.startswith("#")] if path.exists() else []
    )
    return [Misspelling(row[0], re.compile(row[1]), row[2], float(row[3])) for row in rows]


def misspelt(
    known: Sequence[str], words: dict[str, dict[str, float]], table: Iterable[Misspelling], rates: Rates
) -> None:
    """Add words with the ending of another gender or number, and words that are written by ear."""
    forms = set(known)
    factors = {"agreement": rates.agreement, "spelling": rates.patterns}
    for group, pattern, written, share in table:
        for word in known if group in factors else ():
            wrong = pattern.sub(written, word)
            if wrong != word and len(word) > 3 and (group == "spelling" or wrong in forms):
                chances = words.setdefault(word, {})
                chances[wrong] = chances.get(wrong, 0.0) + share * factors[group]


def characters(
    alphabet: Sequence[str], marked: bool, table: Iterable[Misspelling], rates: Rates
) -> dict[str, dict[str, float]]:
    """Chances of letters to be lost, doubled, swapped, or to become others."""
    found: dict[str, dict[str, float]] = {}
    for char in alphabet:
        operations = {
            "delete": 0.25 * rates.characters,
            "swap": 0.15 * rates.characters,
            f"insert {char}": 0.15 * rates.characters,
        }
        for other in alphabet:
            if other != char:
                operations[f"replace {other}"] = 0.2 * rates.characters / len(alphabet)
                operations[f"insert {other}"] = 0.1 * rates.characters / len(alphabet)
        for group, pattern, other, share in table:
            if group == "sound" and pattern.fullmatch(char) and other in alphabet:
                operations[f"replace {other}"] += share * rates.characters
        variants = _VARIANTS.get(char, "") if marked else ""
        share = rates.marks if without_marks(char) != char else rates.marks / 5
        for other in variants:
            name = f"replace {other}"
            operations[name] = operations.get(name, 0.0) + share / len(variants)
        found[char] = operations
    return found


def build(lines: Iterable[str], language: str, rates: Rates = MIXED) -> Profile:
    """The profile of a text's words."""
    counts = Counter(token for line in lines for token in line.split())
    lower: Counter[str] = Counter()
    for word, count in counts.items():
        lower[word.lower()] += count
    known = [word for word, count in lower.most_common() if count >= _OFTEN and word.isalpha()]
    words = forms(lemma_groups(language, known), lower, rates)
    table = misspellings(language)
    misspelt(known, words, table, rates)
    for word, near in confusion_sets(known[:60_000], 5).items():
        for other in near:
            words.setdefault(word, {})[other] = words.get(word, {}).get(other, 0.0) + rates.neighbours / len(
                near
            )
    for line in read_lines(Path(__file__).with_name(f"confusions.{language}.tsv")):
        if not line.startswith("#"):
            right, wrong, chance = line.split("\t")
            words.setdefault(right, {})[wrong] = min(rates.written * float(chance), 0.4)
    for word, others in list(words.items()):  # at the beginning of a sentence, and names
        title = word[:1].upper() + word[1:]
        if title != word and counts[title] >= _OFTEN:
            words[title] = {other[:1].upper() + other[1:]: p for other, p in others.items() if other != title}
    alphabet = sorted({c for word in known[:20_000] for c in word})
    marked = any(without_marks(c) != c for c in alphabet if lower[c] or c in "áéíěščřž")
    inserted: dict[str, float] = {word: float(lower[word]) for word in known[:150]}
    inserted[","] = 1.2 * sum(inserted.values())
    return Profile(rates.chances, words, {}, characters(alphabet, marked, table, rates), inserted, 0.8)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", nargs="+", type=Path, help="tokenised text, one sentence per line")
    parser.add_argument("--lang", required=True)
    parser.add_argument("--grammar", action="store_true", help="errors of grammar rather than of spelling")
    parser.add_argument("--output", "-o", required=True)
    arguments = parser.parse_args()
    lines = (line for path in arguments.texts for line in read_lines(path))
    profile = build(lines, arguments.lang, GRAMMAR if arguments.grammar else MIXED)
    profile.save(arguments.output)
    print(f"{len(profile.words):,} words with alternatives")


if __name__ == "__main__":
    main()
