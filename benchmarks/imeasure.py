"""The I-measure of the 13 CoNLL-2014 systems: time against the official program's, cells, memory, threads."""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

from errata import Corpus, IMeasure, Outputs, read_corpus, read_outputs
from errata.metrics.imeasure_candidates import align_one, candidate_rows, count_columns
from errata.report.table import Column, Table

OFFICIAL_SECONDS = 3600  # CPU of the official program for the 13 systems, without mixing
SHARED = Path(os.environ.get("ERRATA_SHARED", Path(__file__).parents[2] / "shared"))


def score_all(jobs: int = 1) -> tuple[Corpus, Outputs]:
    """What a user asks for, from the files to the scores."""
    folder = SHARED / "data" / "conll14"
    corpus = read_corpus(folder / "test.m2")
    outputs = read_outputs(sorted((folder / "systems").glob("*.txt")), corpus)
    for hypotheses in outputs.values():
        IMeasure().score(corpus, hypotheses, jobs=jobs).value  # noqa: B018 (computed when asked for)
    return corpus, outputs


def align_all(
    corpus: Corpus, outputs: Outputs, jobs: int, clock=time.process_time, mix: bool = False
) -> tuple[float, int, int]:
    """The alignments alone: seconds, cells of the three-way tables visited, cells a full table would have."""
    rows = candidate_rows(corpus, mix=mix, retokenize=True, limit=10_000)
    encoded = [corpus.vocabulary.encode_lines(hypotheses) for hypotheses in outputs.values()]
    values = np.empty((len(rows.owner), 7), dtype=np.int64)
    start = clock()
    visited = sum(
        count_columns(corpus.source_ids, texts, rows.ids, rows.owner, values, jobs) for texts in encoded
    )
    seconds = clock() - start
    full = sum(
        int(((corpus.source_ids.lengths + 1) * (texts.lengths + 1))[rows.owner] @ (rows.ids.lengths + 1))
        for texts in encoded
    )
    return seconds, visited, full


def best(function, times: int = 5) -> float:
    """The least seconds of several calls."""
    return min(function() for _ in range(times))


def timed(function, clock=time.process_time) -> float:
    start = clock()
    function()
    return clock() - start


def main() -> None:
    if not (SHARED / "data").is_dir():
        sys.exit("the shared corpora are not here (set ERRATA_SHARED)")
    corpus, outputs = score_all()
    rows: list[tuple[str, float | None, str]] = []
    total = best(lambda: timed(score_all))
    rows.append(
        ("13 systems, files to scores", total, f"{OFFICIAL_SECONDS / total:,.0f} × the official program")
    )
    alone = best(lambda: align_all(corpus, outputs, 1)[0])
    _, visited, full = align_all(corpus, outputs, 1)
    rows.append(("  the alignments alone", alone, f"{visited:,} of {full:,} three-way cells"))
    rows.append(("  a cell of the full tables", None, f"{1e9 * alone / full:.3f} ns"))
    amu = Outputs({"AMU": outputs["AMU"]})
    one, two = (
        best(lambda jobs=jobs: align_all(corpus, amu, jobs, time.perf_counter, mix=True)[0], 7)
        for jobs in (1, 2)
    )
    rows.append(("AMU's alignments, mixed references (wall clock)", one, ""))
    rows.append(("  on two threads", two, f"{one / two:.2f} × one thread"))
    seconds = best(lambda: timed(lambda: IMeasure(mix=True).score(corpus, outputs["AMU"], jobs=1)), 2)
    rows.append(("AMU, mixed references", seconds, "one sentence has 17,179,869,184"))
    generator = np.random.default_rng(1)
    for name, words in (("5 words", 5), ("50 words", 50), ("5,000 words", 5000)):
        three = [generator.integers(0, words, 400).astype(str).tolist() for _ in range(3)]
        seconds = best(lambda three=three: timed(lambda: align_one(*three)), 2)
        rows.append((f"400 random tokens of {name}, three times", seconds, ""))
    three = [["the"] * 400, ["the"] * 380, ["the"] * 350]
    rows.append(("“the the the …”, 400 tokens", best(lambda: timed(lambda: align_one(*three))), ""))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows.append(("peak memory", None, f"{peak:.0f} MB"))
    columns = [Column("what"), Column("seconds", decimals=4), Column("")]
    print(Table(columns, list(rows), title="I-measure"))


if __name__ == "__main__":
    main()
