"""Realistic errors from a model that learned to make them.

`python tools/models/sample_errors.py MODEL texts… -o pairs.tsv.xz` reads clean text (tokenised, one sentence
per line), lets a model that was trained with `reversed = true` write every sentence with errors, and writes
pairs of source and correction for `authentic` in a recipe (Kiyono et al. 2019). Every subword is drawn from
the ten most probable ones. Run it on a GPU.
"""

from __future__ import annotations

import argparse
import lzma
from pathlib import Path

import torch

from errata.corpus.files import read_lines
from errata.correct.transformer.corrector import TorchCorrector


def chosen(path: Path, most: int) -> list[str]:
    """At most so many sentences of a text, evenly spread."""
    lines = [line for line in read_lines(path) if line]
    return lines[:: -(-len(lines) // most)] if len(lines) > most else lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="folder of a model trained with reversed = true")
    parser.add_argument("texts", nargs="+", type=Path, help="tokenised text, one sentence per line")
    parser.add_argument("--most", type=int, default=10**9, help="sentences to take of each text")
    parser.add_argument("--times", type=int, default=1, help="how often each sentence is written with errors")
    parser.add_argument("--best", type=int, default=10, help="draw from so many most probable subwords")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", "-o", required=True, type=Path)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    clean = [line for path in arguments.texts for line in chosen(path, arguments.most)] * arguments.times
    wrong = TorchCorrector(arguments.model).correct_tokenized(clean, sampled=arguments.best)
    pairs = [(a, b) for a, b in zip(wrong, clean, strict=True) if a and 2 * len(b) > len(a) > len(b) / 2]
    with lzma.open(arguments.output, "wt", encoding="utf-8", preset=1) as file:
        file.writelines(f"{source}\t{target}\n" for source, target in pairs)
    changed = sum(source != target for source, target in pairs)
    print(f"{len(pairs):,} pairs, {changed:,} with errors")


if __name__ == "__main__":
    main()
