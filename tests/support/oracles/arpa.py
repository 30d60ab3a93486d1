"""An independent reader of ARPA files, and probabilities by trigram models, one word after the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from errata.models.ngram_model import BEGIN, BITS, END, SPECIAL, UNKNOWN
from errata_correct.language_model import LanguageModel


def read_arpa(path: str) -> LanguageModel:
    """The model in an ARPA file of up to three orders."""
    words: list[str] = list(SPECIAL)
    ids = {word: i for i, word in enumerate(words)}
    entries: list[list[tuple[int, float, float]]] = []
    order = 0
    for line in Path(path).read_text("utf-8").splitlines():
        if line.startswith("\\") and line.endswith("-grams:"):
            order += 1
            entries.append([])
        elif order and line and not line.startswith("\\"):
            log, text, *backoff = line.split("\t")
            if order == 1 and text not in ids:
                ids[text] = len(words)
                words.append(text)
            key = pack(ids.get(word, UNKNOWN) for word in text.split(" "))
            entries[-1].append((key, float(log), float(backoff[0]) if backoff else 0.0))
    keys, logs, backoffs = [], [], []
    for rows in entries:
        rows.sort()
        keys.append(np.array([row[0] for row in rows], dtype=np.int64))
        logs.append(np.array([row[1] for row in rows]) * math.log(10))
        backoffs.append(np.array([row[2] for row in rows]) * math.log(10))
    return LanguageModel(words, tuple(keys), tuple(logs), tuple(backoffs))


def sentence_log(model: LanguageModel, words: Sequence[str]) -> float:
    """The natural logarithm of a sentence's probability, with its end."""
    known = {word: i for i, word in enumerate(model.words)}
    ids = [BEGIN, *(known.get(word, UNKNOWN) for word in words), END]
    order = len(model.keys)
    return sum(ngram_log(model, ids[max(0, i - order + 1) : i + 1]) for i in range(1, len(ids)))


def ngram_log(model: LanguageModel, ids: Sequence[int]) -> float:
    """The natural logarithm of the probability of the last word after those before it."""
    place = _find(model, ids)
    if place >= 0 or len(ids) == 1:
        return float(model.logs[len(ids) - 1][place])
    context = _find(model, ids[:-1])
    backoff = float(model.backoffs[len(ids) - 2][context]) if context >= 0 else 0.0
    return backoff + ngram_log(model, ids[1:])


def _find(model: LanguageModel, ids: Sequence[int]) -> int:
    key, keys = pack(ids), model.keys[len(ids) - 1]
    place = int(np.searchsorted(keys, key))
    return place if place < len(keys) and keys[place] == key else -1


def pack(ids: Iterable[int]) -> int:
    """An n-gram of ids as one integer."""
    key = 0
    for i in ids:
        key = (key << BITS) | i
    return key
