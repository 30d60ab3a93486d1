"""Log the scores of a system's output to MLflow: python mlflow_scores.py gold.m2 A.txt

MLFLOW_TRACKING_URI and MLFLOW_EXPERIMENT_NAME say where to, as for every MLflow program.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mlflow

import errata


def log_scores(gold: str, output: str, metrics: tuple[str, ...] = ("m2", "gleu")) -> str:
    """Score an output, log the scores in a run of its own, and return the run's ID."""
    lines = Path(output).read_text(encoding="utf-8").splitlines()
    with mlflow.start_run(run_name=Path(output).stem) as run:
        mlflow.log_params({"gold": gold, "output": output})
        for name in metrics:
            score = errata.score(gold, lines, metric=name)
            mlflow.log_metric(name, score.value)
            mlflow.log_metrics({f"{name}.{part}": float(value) for part, value in score.parts.items()})
            mlflow.set_tag(f"{name}.signature", score.signature)
    return run.info.run_id


if __name__ == "__main__":
    print(log_scores(*sys.argv[1:3]))
