"""Language models as ARPA files, which other toolkits read."""

from __future__ import annotations

import math

from errata.corpus.files import open_output
from errata.models.ngram_model import BEGIN, BITS
from errata_correct.language_model import LanguageModel

_NEVER = -99.0  # log10 of the probability of <s>


def write_arpa(model: LanguageModel, path: str) -> None:
    """Write a model in the ARPA format."""
    with open_output(path) as file:
        file.write("\\data\\\n")
        for n, keys in enumerate(model.keys, 1):
            file.write(f"ngram {n}={len(keys)}\n")
        for n, keys in enumerate(model.keys, 1):
            file.write(f"\n\\{n}-grams:\n")
            for k, key in enumerate(keys.tolist()):
                text = " ".join(model.words[i] for i in _ids(key, n))
                log = _NEVER if n == 1 and key == BEGIN else model.logs[n - 1][k] / math.log(10)
                end = f"\t{model.backoffs[n - 1][k] / math.log(10):.6f}" if n < len(model.keys) else ""
                file.write(f"{log:.6f}\t{text}{end}\n")
        file.write("\n\\end\\\n")


def _ids(key: int, n: int) -> list[int]:
    """The ids of a packed n-gram."""
    return [(key >> (BITS * k)) & ((1 << BITS) - 1) for k in reversed(range(n))]
