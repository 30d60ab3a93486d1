"""Find sentences of training text that are in a test set, exactly or nearly (MinHash, Broder 1997).

Sentences are compared by their letters and digits in lower case: without signs, blanks and diacritics. A near
duplicate shares at least `THRESHOLD` of its runs of five characters (Jaccard) with a sentence to keep out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from errata_correct.letters import without_marks

THRESHOLD = 0.7
_RUN = 5  # characters
_BANDS, _ROWS = 10, 3  # finds 99 % of the pairs at .7 and nearly all at .8
_CHUNK = 100_000  # sentences


def bare(sentence: str) -> str:
    """What is compared."""
    return "".join(filter(str.isalnum, without_marks(sentence).lower()))


def leaked(texts: Sequence[str], kept_out: Sequence[str]) -> tuple[set[int], set[int]]:
    """The numbers of the texts that are in the sentences to keep out exactly, and nearly."""
    forbidden = sorted({bare(sentence) for sentence in kept_out} - {""})
    exact_texts = set(forbidden)
    long = [text for text in forbidden if len(text) >= 4 * _RUN]  # shorter ones are compared exactly
    tables: list[dict[int, list[int]]] = [defaultdict(list) for _ in range(_BANDS)]
    for number, row in enumerate(_bands(long)):
        for table, key in zip(tables, row.tolist(), strict=True):
            table[key].append(number)
    known = [np.fromiter(table, dtype=np.uint64, count=len(table)) for table in tables]
    runs = [_runs(text) for text in long]
    exact: set[int] = set()
    near: set[int] = set()
    for start in range(0, len(texts), _CHUNK):
        chunk = [bare(text) for text in texts[start : start + _CHUNK]]
        exact.update(start + i for i, text in enumerate(chunk) if text in exact_texts)
        longer = [i for i, text in enumerate(chunk) if len(text) >= 4 * _RUN and text not in exact_texts]
        keys = _bands([chunk[i] for i in longer])
        hits = np.stack([np.isin(keys[:, band], known[band]) for band in range(_BANDS)], 1)
        for row in np.flatnonzero(hits.any(1)):
            others = {n for band in np.flatnonzero(hits[row]) for n in tables[band][int(keys[row, band])]}
            own = _runs(chunk[longer[row]])
            if any(len(own & runs[n]) >= THRESHOLD * len(own | runs[n]) for n in others):
                near.add(start + longer[row])
    return exact, near


def _runs(text: str) -> set[str]:
    return {text[i : i + _RUN] for i in range(len(text) - _RUN + 1)}


def _bands(texts: Sequence[str]) -> npt.NDArray[np.uint64]:
    """A hash per text and band of its MinHash signature."""
    if not texts:
        return np.zeros((0, _BANDS), dtype=np.uint64)
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])[:-1]])
    with np.errstate(over="ignore"):
        run = np.zeros(len(codes), dtype=np.uint64)
        for k in range(_RUN):
            run[: len(codes) - _RUN + 1] = (
                run[: len(codes) - _RUN + 1] * np.uint64(0x100000001B3) + codes[k : len(codes) - _RUN + 1 + k]
            )
        inside = np.ones(len(codes), dtype=bool)  # runs that reach into the next text do not count
        for k in range(1, _RUN):
            inside[starts[1:] - k] = False
        inside[len(codes) - _RUN + 1 :] = False
        random: Any = np.random.default_rng(1)
        keys = np.zeros((len(texts), _BANDS), dtype=np.uint64)
        for band in range(_BANDS):
            for _ in range(_ROWS):
                factor, shift = (random.integers(1, 2**63, 2, dtype=np.uint64) * np.uint64(2)) + np.uint64(1)
                mixed = ((run * factor + shift) >> np.uint64(32)).astype(np.uint32)
                mixed[~inside] = 0xFFFFFFFF
                least = np.minimum.reduceat(mixed, starts).astype(np.uint64)
                keys[:, band] = keys[:, band] * np.uint64(0x9E3779B97F4A7C15) + least
    return keys
