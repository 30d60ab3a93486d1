"""Draw the pictures of docs/which-metric.md with errata itself: python tools/which_metric.py DATA"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FIGURES = Path(__file__).parents[1] / "docs" / "images"
METRICS = "m2,gleu,imeasure"


def main() -> None:
    data = Path(sys.argv[1])
    conll = data / "conll14"
    systems = sorted((conll / "systems").glob("*.txt"))
    inputs = [
        "--m2", conll / "test.m2", "--ref", *(conll / "refs" / f"nucle{i}.txt" for i in range(2)),
        "--hyp", *systems,
    ]  # fmt: skip
    people = ["--human", data / "gjg15" / "judgments.xml"]
    FIGURES.mkdir(exist_ok=True)
    for name, metrics in (
        ("scatter", METRICS), ("beta-people", "m2"), ("references-people", METRICS),
    ):  # fmt: skip
        figure = f"{name}={FIGURES / f'which-{name}.svg'}"
        errata("report", *inputs, "--metric", metrics, *people, "--plot", figure)
    # The audit without the references: M² and GLEU read the same edits
    audit = ["--m2", conll / "test.m2", "--hyp", *systems, "--metric", METRICS]
    errata("meta", "audit", *audit, "--plot", FIGURES / "which-audit.svg")


def errata(*words: object) -> None:
    done = subprocess.run([sys.executable, "-m", "errata", *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)


if __name__ == "__main__":
    main()
