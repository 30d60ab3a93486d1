"""The I-measure against the recorded original, and its worst cases: python benchmarks/imeasure.py"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import script
from measure import Budget, Clock, Recorded, best_of
from texts import Texts

from errata import Corpus, IMeasure, Outputs
from errata.kernels.imeasure import count_rows
from errata.metrics.imeasure.candidates import align_one, candidate_rows
from errata.tables import Column, Table

OFFICIAL = 3600.0  # about: CPU seconds of the official program for the 13 systems, without mixing


def everything(data: Texts) -> None:
    """What a user asks for, from the files to the scores."""
    corpus, outputs = data.read()
    for hypotheses in outputs.values():
        assert IMeasure().score(corpus, hypotheses, jobs=1).value <= 1


def recorded(data: Texts) -> Iterator[Recorded]:
    task = f"I-measure, {len(data.systems)} systems, files read"
    yield Recorded(task, "ieval -nomix, Python 2", OFFICIAL, lambda: everything(data))


def align_all(
    corpus: Corpus, outputs: Outputs, clock: Clock = time.process_time, mix: bool = False
) -> tuple[float, int, int]:
    """The alignments alone: seconds, cells of the three-way tables visited, cells a full table would have."""
    rows = candidate_rows(corpus, mix=mix, retokenize=True, limit=10_000)
    encoded = [corpus.vocabulary.encode_lines(hypotheses) for hypotheses in outputs.values()]
    start = clock()
    visited = sum(
        count_rows(corpus.source_ids, texts, rows.ids, rows.owner, 1 << 40, 1 << 40)[2] for texts in encoded
    )
    seconds = clock() - start
    full = sum(
        int(((corpus.source_ids.lengths + 1) * (texts.lengths + 1))[rows.owner] @ (rows.ids.lengths + 1))
        for texts in encoded
    )
    return seconds, visited, full


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    rounds = budget.fewest
    corpus, outputs = data.read()
    rows: list[tuple[str, float | None, str]] = []
    found = [align_all(corpus, outputs) for _ in range(rounds)]
    alone, (_, visited, full) = min(seconds for seconds, _, _ in found), found[0]
    rows.append(("the alignments alone", alone, f"{visited:,} of {full:,} three-way cells"))
    rows.append(("  a cell of the full tables", None, f"{1e9 * alone / full:.3f} ns"))
    first = Outputs({"first": next(iter(outputs.values()))})
    one = min(align_all(corpus, first, mix=True)[0] for _ in range(rounds))
    rows.append(("one system's alignments, mixed references", one, ""))
    seconds = best_of(lambda: IMeasure(mix=True).score(corpus, first["first"], jobs=1), 2)
    rows.append(("one system, mixed references", seconds, "up to 10,000 mixtures a sentence"))
    generator = np.random.default_rng(1)
    for name, words in (("5 words", 5), ("50 words", 50), ("5,000 words", 5000)):
        three = [generator.integers(0, words, 400).astype(str).tolist() for _ in range(3)]
        rows.append(
            (f"400 random tokens of {name}, three times", best_of(lambda t=three: align_one(*t), 2), "")
        )
    three = [["the"] * 400, ["the"] * 380, ["the"] * 350]
    rows.append(("“the the the …”, 400 tokens", best_of(lambda: align_one(*three), rounds), ""))
    yield Table([Column("what"), Column("seconds", 4), Column("")], list(rows), title="I-measure")


if __name__ == "__main__":
    script.main(__doc__, recorded=recorded, details=details)
