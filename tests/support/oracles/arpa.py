"""An independent reader of ARPA files, for models that errata has written."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from errata.models.ngram_model import SPECIAL, UNKNOWN
from errata_correct.language_model import LanguageModel, pack


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
