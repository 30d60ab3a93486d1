"""Realistic errors, drawn from a network that learned to make them (Kiyono et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from errata.errors import DataError
from errata_correct.transformer.corrector import TorchCorrector
from errata_correct.transformer.error_labels import FILE, Pair, draw_labels

_SENTENCES = 200_000  # sorted by length together


def sampled_pairs(
    folder: str | Path, clean: Sequence[str], seed: int = 1, temperature: float = 1.0
) -> Iterator[Pair]:
    """Tokenised clean sentences with errors: pairs of source and correction, in the sentences' order.

    `folder` has a model whose recipe says `reversed = true`. A sentence that is too long for it, or whose
    length errors would halve or double, is left out.
    """
    folder = Path(folder)
    if not (folder / FILE).exists():
        raise DataError(
            "not a model of errors", path=folder, hint="train one: `reversed = true` under [data] of a recipe"
        )
    model = TorchCorrector(folder)
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    for start in range(0, len(clean), _SENTENCES):
        part = clean[start : start + _SENTENCES]
        labels = draw_labels(folder, len(part), random)
        labelled = [f"{label} {line}" for label, line in zip(labels, part, strict=True)]
        made = model.generate(labelled, 150_000, 5, temperature)
        for wrong, right in zip(made, part, strict=True):
            if wrong is not None and 2 * len(right) > len(wrong) > len(right) / 2:
                yield wrong, right
