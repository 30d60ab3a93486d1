"""A network that learns to make errors (Kiyono et al. 2019): its training pairs, their labels, its samples.

The clean sentence begins with two labels: a letter for the file of corrections (a domain, say), and a digit
for how much of the sentence is wrong. Labels drawn as they were seen give errors of every kind and density.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from errata.errors import DataError

Pair = tuple[str, str]  # source, target
FILE = "labels.json"
_SENTENCES = 200_000  # sorted by length together
_AMOUNTS = (0.0, 0.1, 0.25)  # shares of changed words; the digit tells how many of them are exceeded


def label(source: str, target: str, number: int) -> str:
    """The labels of a pair of the file with this number."""
    words = target.split()
    share = (Counter(words) - Counter(source.split())).total() / max(len(words), 1)
    if not share and source != target:  # only words left out or put elsewhere
        share = 1 / max(len(words), 1)
    return f"{chr(ord('A') + number % 26)} {sum(share > amount for amount in _AMOUNTS)}"


def turned(pairs: Sequence[Pair], number: int) -> list[Pair]:
    """Pairs of a labelled clean sentence and the sentence with errors."""
    return [(f"{label(source, target, number)} {target}", source) for source, target in pairs]


def save_labels(folder: Path, files: Sequence[Sequence[Pair]], sizes: Sequence[float]) -> None:
    """Write how often each label was seen in turned pairs, by the files' weighted sizes."""
    seen: defaultdict[str, float] = defaultdict(float)
    for pairs, size in zip(files, sizes, strict=True):
        for clean, _ in pairs:
            seen[clean[:3]] += size / len(pairs)
    rounded = {name: round(count, 2) for name, count in sorted(seen.items())}
    (folder / FILE).write_text(json.dumps(rounded, indent=1) + "\n")


def draw_labels(folder: Path, count: int, random: np.random.Generator) -> list[str]:
    """Labels for so many sentences, as often as they were seen."""
    try:
        seen = {str(name): float(chance) for name, chance in json.loads((folder / FILE).read_bytes()).items()}
        chances = np.array(list(seen.values()))
        if not (len(chances) and np.isfinite(chances).all() and (chances >= 0).all() and chances.any()):
            raise ValueError("expected labels and how often each was seen")
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"not the labels of a model of errors: {error}"[:300], path=folder / FILE,
            hint="train the model again",
        ) from None  # fmt: skip
    return [list(seen)[i] for i in random.choice(len(seen), count, p=chances / chances.sum())]


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
    from errata_correct.transformer.torch_decoder import TorchDecoder

    model = TorchDecoder(folder)
    import torch

    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    for start in range(0, len(clean), _SENTENCES):
        part = clean[start : start + _SENTENCES]
        labels = draw_labels(folder, len(part), random)
        labelled = [f"{label} {line}" for label, line in zip(labels, part, strict=True)]
        noisy = model.generate(labelled, 150_000, 5, temperature)
        for wrong, right in zip(noisy, part, strict=True):
            if wrong is not None and 2 * len(right) > len(wrong) > len(right) / 2:
                yield wrong, right
