"""BLEU and TER on the 13 CoNLL-2014 systems next to sacreBLEU in the same run, one thread.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bleu_ter.py [--all] [SHARED]

sacreBLEU's TER takes seconds a system: it scores two systems unless `--all` is given. Every number is
checked against the oracle's: BLEU to 1e-9, the edits of every sentence exactly.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sacrebleu

from errata import BLEU, TER
from errata.corpus.parallel import read_outputs, read_parallel
from errata.report.table import Column, Table

ARGUMENTS = [argument for argument in sys.argv[1:] if argument != "--all"]
SHARED = Path(ARGUMENTS[0]) if ARGUMENTS else Path(__file__).parents[2] / "shared"


def timed(work: Callable[[], Any], repeat: int = 1) -> tuple[float, Any]:
    """CPU seconds, the best of several, and the last result."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        result = work()
        times.append(time.process_time() - begin)
    return min(times), result


def main() -> None:
    folder = SHARED / "data/conll14"
    references = [folder / f"refs/nucle{i}.txt" for i in (0, 1)]

    def read() -> tuple[Any, Any]:
        corpus = read_parallel(folder / "source.txt", references)
        return corpus, read_outputs(sorted((folder / "systems").glob("*.txt")), corpus)

    reading, (corpus, outputs) = timed(read)
    streams = [list(map(str, corpus.references(i))) for i in (0, 1)]
    bleu_time, bleu = timed(lambda: {s: BLEU().score(corpus, outputs[s], jobs=1).value for s in outputs})
    oracle = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
    theirs_time, theirs = timed(
        lambda: {s: oracle.corpus_score(list(outputs[s]), streams).score / 100 for s in outputs}
    )
    assert all(abs(bleu[s] - theirs[s]) < 1e-9 for s in outputs)
    rows = [("BLEU", 13, bleu_time, theirs_time, theirs_time / bleu_time)]
    chosen = list(outputs) if "--all" in sys.argv else ["AMU", "NTHU"]
    ter_time, ter = timed(lambda: {s: TER().statistics(corpus, outputs[s], jobs=1) for s in chosen}, repeat=3)
    judge = sacrebleu.TER(case_sensitive=True)
    theirs_time, theirs = timed(
        lambda: {s: judge._extract_corpus_statistics(list(outputs[s]), streams) for s in chosen}
    )
    for system in chosen:
        edits, _ = TER().best(ter[system])
        assert edits.sum(axis=1).tolist() == np.array(theirs[system])[:, 0].tolist(), system
    rows.append(("TER", len(chosen), ter_time, theirs_time, theirs_time / ter_time))
    columns = [Column("metric"), Column("systems"), Column("errata s", 3), Column("sacreBLEU s", 2)]
    print(Table([*columns, Column("ratio", 0)], list(rows)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"reading {reading * 1e3:.0f} ms; peak memory {peak:.0f} MB; all numbers equal")


if __name__ == "__main__":
    main()
