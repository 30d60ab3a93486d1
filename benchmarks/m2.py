"""M² against the recorded original, and where its time goes: python benchmarks/m2.py [--quick]

Times are CPU seconds of one thread, files read, unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import script
from measure import Budget, Recorded, best_of
from texts import Texts

import errata.metrics.m2.alignment as alignment
from errata import M2
from errata.tables import Column, Table

OFFICIAL = 533.0  # CPU seconds of the m2scorer for the 13 systems of CoNLL-2014


def everything(data: Texts) -> None:
    """What a user asks for: the files to the scores of all systems."""
    corpus, outputs = data.read()
    for lines in outputs.values():
        assert M2().score(corpus, lines, jobs=1).value >= 0


def recorded(data: Texts) -> Iterator[Recorded]:
    task = f"M², {len(data.systems)} systems, files read"
    yield Recorded(task, "m2scorer, Python 2", OFFICIAL, lambda: everything(data))


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    rounds = budget.fewest
    corpus, outputs = data.read()
    lines = list(outputs.values())[1]
    pairs = len(corpus) * len(outputs)
    total = best_of(lambda: everything(data), rounds)
    rows: list[tuple[str, float, str]] = [("all systems", total, f"{pairs / total:,.0f} sentences/s")]
    texts = [corpus.vocabulary.encode_lines(hypotheses) for hypotheses in outputs.values()]
    letters, skipped = M2().letters(corpus.vocabulary), np.zeros(len(corpus), dtype=bool)

    def align() -> None:
        for some in texts:
            alignment.count_edits(corpus.source_ids, some, corpus.edit_ids, letters, 2, skipped)

    alone = best_of(align, rounds)
    rows.append(("  the alignment alone", alone, f"{1e6 * alone / pairs:.1f} µs a sentence"))
    for count in (1, 2):
        references = [texts[:count] for texts in data.by_sentence]
        together = best_of(lambda r=references: M2().score(data.sources, lines, r, jobs=1).sentences, rounds)
        scorers = [*map(M2().scorer, data.sources, references)]
        single = best_of(lambda s=scorers: [one(text) for one, text in zip(s, lines, strict=True)], rounds)
        for name, took in (("lists of strings, one call", together), ("prepared, a call a sentence", single)):
            rows.append((f"{name}, {count} ref", took, f"{len(corpus) / took:,.0f} sentences/s"))
    statistics = M2().statistics(corpus, lines)
    weights = np.random.default_rng(1).multinomial(len(corpus), [1 / len(corpus)] * len(corpus), size=1000)
    rows.append(("1,000 bootstrap samples", best_of(lambda: M2().aggregate(statistics, weights), rounds), ""))
    betas = np.linspace(0.1, 2, 100).tolist()
    rows.append(("100 values of β", best_of(lambda: M2().sweep(statistics, betas), rounds), ""))
    yield Table([Column("what"), Column("CPU s", 4), Column("")], list(rows), title="M²")


if __name__ == "__main__":
    script.main(__doc__, recorded=recorded, details=details)
