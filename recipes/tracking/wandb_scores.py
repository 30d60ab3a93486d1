"""Log the scores of a system's output to Weights & Biases: python wandb_scores.py gold.m2 A.txt

WANDB_PROJECT and WANDB_MODE=offline work as for every program with W&B.
"""

from __future__ import annotations

import sys
from pathlib import Path

import wandb

import errata


def log_scores(gold: str, output: str, metrics: tuple[str, ...] = ("m2", "gleu")) -> dict[str, float]:
    """Score an output, log the scores in a run of its own, and return its summary."""
    lines = Path(output).read_text(encoding="utf-8").splitlines()
    with wandb.init(name=Path(output).stem, config={"gold": gold, "output": output}) as run:
        found: dict[str, float] = {}
        for name in metrics:
            score = errata.score(gold, lines, metric=name)
            found |= {name: score.value, **{f"{name}/{part}": value for part, value in score.parts.items()}}
            run.config[f"{name}_signature"] = score.signature
        run.log(found)
        return {name: run.summary[name] for name in found}


if __name__ == "__main__":
    log_scores(*sys.argv[1:3])
