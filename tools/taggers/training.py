"""What training a tagger of any language needs: treebanks, the perceptron, pruning, lemma rules."""

from __future__ import annotations

import lzma
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from errata.edits.taggers.lexicon import COLUMNS, WHOLE, LemmaRules, Lexicon, Script, spellings
from errata.edits.taggers.models import Layer, padded
from errata.native import tagger as kernel
from errata.native.ragged import Ragged

SEED = 1


class Token(NamedTuple):
    form: str
    lemma: str
    upos: str
    tag: str
    dep: str
    feats: str = ""


CONTENT = frozenset(["ADJ", "ADV", "AUX", "NOUN", "NUM", "PROPN", "VERB"])
Sentence = list[Token]


def treebank(*paths: Path, surface: bool = False) -> list[Sentence]:
    """The sentences of CoNLL-U files (xz or not): words of multiword tokens, no empty nodes.

    With `surface` a multiword token is one token, as in text: `zum`, `dell'`. It has the analysis of its
    first content word, otherwise of its first word.
    """
    sentences: list[Sentence] = []
    for path in paths:
        opened = lzma.open if path.suffix == ".xz" else open
        with opened(path, "rt", encoding="utf-8") as lines:
            rows: list[list[str]] = []
            for line in (*lines, ""):  # the last line may not be empty
                if line.strip():
                    rows.append(line.rstrip("\n").split("\t"))
                elif any(row[0].isdigit() for row in rows):
                    sentences.append(_sentence(rows, surface))
                    rows = []
    return sentences


def _sentence(rows: list[list[str]], surface: bool) -> Sentence:
    multiword = {row[0].partition("-")[0]: row for row in rows if "-" in row[0] and row[0][0].isdigit()}
    words = [Token(*(row[i] for i in (1, 2, 3, 4, 7, 5))) for row in rows if row[0].isdigit()]
    if not surface:
        return words
    sentence: Sentence = []
    number = 1
    while number <= len(words):
        last = number
        if str(number) in multiword:
            row = multiword[str(number)]
            last = int(row[0].partition("-")[2])
        parts = words[number - 1 : last]
        head = next((word for word in parts if word.upos in CONTENT), parts[0])
        sentence.append(head._replace(form=row[1]) if last > number else head)
        number = last + 1
    return sentence


class Words:
    """Sentences as the kernel sees them."""

    def __init__(self, sentences: Sequence[Sequence[str]], lexicon: Lexicon) -> None:
        numbers: dict[str, int] = {}
        self.types = np.array(
            [numbers.setdefault(form, len(numbers)) for sentence in sentences for form in sentence],
            dtype=np.int32,
        )
        self.offsets = np.concatenate([[0], np.cumsum([len(s) for s in sentences])]).astype(np.int64)
        self.spellings = np.array([spellings(word, lexicon) for word in numbers], dtype=np.uint64)
        assert self.spellings.shape[1] == COLUMNS

    def of(self, sentences: Iterable[int]) -> np.ndarray:
        """Which tokens belong to these sentences."""
        chosen = np.zeros(len(self.types), dtype=bool)
        for number in sentences:
            chosen[self.offsets[number] : self.offsets[number + 1]] = True
        return chosen


def learn(
    words: Words,
    gold: np.ndarray,
    labels: Sequence[str],
    *,
    given: np.ndarray | None = None,
    over: str = "",
    bits: int = 20,
    epochs: int = 8,
    least: int = 6,
    levels: int = 63,
    only: Sequence[int] | None = None,
    runs: int = 1,
) -> Layer:
    """An averaged perceptron, its weights in `levels` steps and those under `least` of them left out.

    With several `runs` the mean of as many, each of which sees the sentences in an order of its own.
    """
    began = time.process_time()
    average = np.zeros((1 << bits, len(labels)))
    texts = Ragged(words.types, words.offsets)
    sentences = np.arange(len(words.offsets) - 1) if only is None else np.array(only)
    for run in range(runs):
        random = np.random.default_rng(SEED + run)
        weights = np.zeros((1 << bits, len(labels)), dtype=np.float32)
        history = np.zeros((1 << bits, len(labels)), dtype=np.float64)
        step, mistakes = 0.0, 0
        for _ in range(epochs):
            step, mistakes = kernel.learn(
                texts, random.permutation(sentences), words.spellings, given, gold, weights, history, step
            )
        average += (weights - history / step) / runs
    scale = levels / np.quantile(np.abs(average[average != 0]), 0.9995)
    small = np.clip(np.rint(average * scale), -levels, levels).astype(np.int8)
    small[np.abs(small) < least] = 0
    rows = small.any(axis=1)
    index = np.where(rows, np.cumsum(rows), 0).astype(np.int32)
    kept = padded(small[rows])
    print(
        f"  {len(labels)} labels, {epochs} epochs, {mistakes:,} mistakes in the last, {len(kept):,} rows, "
        f"{np.count_nonzero(kept):,} weights, {time.process_time() - began:.0f} s",
        flush=True,
    )
    return Layer(tuple(labels), over, index, kept)


def predict(layer: Layer, words: Words, given: np.ndarray | None = None) -> np.ndarray:
    own = kernel.own_sums(words.spellings, layer)
    texts = Ragged(words.types, words.offsets)
    return kernel.predict(texts, words.offsets[1:], words.spellings, given, layer, own, None)


def jackknife(
    words: Words, gold: np.ndarray, labels: Sequence[str], folds: int, **options: int
) -> np.ndarray:
    """Labels of every sentence by a layer that was trained on the other folds."""
    found = np.zeros(len(words.types), dtype=np.int32)
    count = len(words.offsets) - 1
    for fold in range(folds):
        layer = learn(words, gold, labels, only=[i for i in range(count) if i % folds != fold], **options)
        held_out = words.of(range(fold, count, folds))
        found[held_out] = predict(layer, words)[held_out]
    return found


def numbered(values: Sequence[str], labels: Sequence[str] | None = None) -> tuple[list[str], np.ndarray]:
    """The different labels, and each token's number among them (-1: not one of them)."""
    names = sorted(set(values)) if labels is None else list(labels)
    numbers = {name: number for number, name in enumerate(names)}
    return names, np.array([numbers.get(value, -1) for value in values], dtype=np.int32)


def lemma_rules(counts: Counter[tuple[str, str, Script]], longest: int = 6, least: int = 2) -> LemmaRules:
    """Rules from counts of (tag, form, script): an ending has one only where a shorter one says otherwise."""
    by_ending: dict[str, Counter[Script]] = defaultdict(Counter)
    kinds: Counter[str] = Counter()
    for (tag, form, script), count in counts.items():
        lower = WHOLE + form.lower()
        for length in {len(lower), *range(min(longest, len(lower) - 1) + 1)}:
            key = f"{tag} {lower[len(lower) - length :]}"
            # A word counts once for its endings, however frequent: what is regular shows in many words.
            by_ending[key][script] += count if length == len(lower) else 1
            kinds[key] += 1
    rules: dict[str, Script] = {}
    for key in sorted(by_ending, key=lambda key: (len(key), key)):
        tag, _, ending = key.partition(" ")
        whole = ending.startswith(WHOLE)
        if not whole and ending and kinds[key] < least:
            continue
        script = min(by_ending[key].items(), key=lambda item: (-item[1], str(item[0])))[0]
        shorter = ending[1:]
        while f"{tag} {shorter}" not in rules and shorter:
            shorter = shorter[1:]
        if not ending or rules.get(f"{tag} {shorter}") != script:
            rules[key] = script
    return LemmaRules(rules, longest)
