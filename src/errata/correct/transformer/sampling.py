"""Realistic errors, drawn from a network that learned to make them (Kiyono et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from errata.correct.transformer.corrector import TorchCorrector
from errata.correct.transformer.examples import Pair, padded
from errata.correct.transformer.reversal import FILE, draw_labels
from errata.errors import DataError

_SENTENCES = 200_000  # sorted by length together


def sampled_pairs(
    folder: str | Path, clean: Sequence[str], seed: int = 1, temperature: float = 1.0, batch_subwords: int = 0
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
        made = _drawn(model, labelled, temperature, batch_subwords)
        for wrong, right in zip(made, part, strict=True):
            if 2 * len(right) > len(wrong) > len(right) / 2:
                yield wrong, right


def _drawn(model: TorchCorrector, lines: Sequence[str], temperature: float, batch_subwords: int) -> list[str]:
    """The lines as the network draws them; empty where it cannot."""
    model.model.eval()
    device = next(model.model.parameters()).device
    batch_subwords = batch_subwords or (150_000 if device.type == "cuda" else 8000)
    rows: list[list[int]] = model.subwords.encode(list(lines))
    usable = [i for i in np.argsort([len(row) for row in rows], kind="stable").tolist() if rows[i]]
    found = [""] * len(lines)
    batch: list[int] = []

    def work() -> None:
        source = torch.from_numpy(padded([[*rows[i], 3] for i in batch])).to(device).long()
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            output = model.model.greedy(source, int(source.shape[1] * 1.3) + 5, temperature)
        ids = [row[: row.index(3)] if 3 in row else [] for row in output.tolist()]
        for i, text in zip(batch, model.subwords.decode(ids), strict=True):
            found[i] = " ".join(text.split())
        batch.clear()

    for i in usable:
        if len(rows[i]) >= model.settings.longest:
            continue
        batch.append(i)
        if len(batch) * len(rows[i]) > batch_subwords:
            work()
    if batch:
        work()
    return found
