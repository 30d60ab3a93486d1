"""Average models that were fine-tuned from the same start: `python tools/models/average.py A B… -o OUTPUT`.

The mean of their weights is often better than each of them (Wortsman et al. 2022, "model soups").
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import torch


def average(folders: list[Path], output: Path) -> None:
    """Write the mean of the weights (half precision) beside the settings and subwords of the first model."""
    states = [torch.load(folder / "weights.pt", map_location="cpu", weights_only=True) for folder in folders]
    mean = {name: sum(state[name].float() for state in states) / len(states) for name in states[0]}
    output.mkdir(parents=True, exist_ok=True)
    torch.save({name: tensor.half() for name, tensor in mean.items()}, output / "weights.pt")
    for name in ("model.json", "subwords.model"):
        shutil.copy(folders[0] / name, output / name)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--output", "-o", required=True, type=Path)
    arguments = parser.parse_args()
    average(arguments.models, arguments.output)


if __name__ == "__main__":
    main()
