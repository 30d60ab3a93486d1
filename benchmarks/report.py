"""How long the report takes and how large it is: python benchmarks/report.py CONLL14 [JUDGMENTS]

CONLL14 is a folder with test.m2 and systems/*.txt.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from errata.corpus.formats import read_corpus, read_outputs
from errata.human.judgment_files import read_judgments
from errata.meta.evaluation import Evaluation
from errata.metrics import metric
from errata.metrics.results import Results
from errata.report.building import build_report


def main(folder: Path, judgments: list[Path]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    corpus = read_corpus(folder / "test.m2")
    outputs = read_outputs(sorted((folder / "systems").glob("*.txt")), corpus)
    metrics = [metric(name) for name in ("m2", "gleu", "imeasure", "bleu", "ter")]
    results = Results.compute(corpus, outputs, metrics)
    scored = time.process_time() - cpu
    page = build_report(Evaluation(results, read_judgments(judgments) if judgments else None))
    print(f"{len(outputs)} systems × {len(corpus)} sentences × {len(metrics)} metrics")
    print(f"scoring   {scored:6.1f} s CPU")
    print(f"report    {time.process_time() - cpu - scored:6.1f} s CPU")
    print(f"together  {time.perf_counter() - wall:6.1f} s   (20 s at most)")
    print(f"size      {len(page.encode()) / 1e6:6.1f} MB  (10 MB at most)")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
