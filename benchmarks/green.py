"""GREEN against gec-metrics, and CLEME's sentences per second: python benchmarks/green.py [--quick]"""

from __future__ import annotations

import time
from collections.abc import Iterator

import script
from measure import Budget, Contest
from texts import Texts

from errata import Corpus
from errata.corpus.model import EditedLines
from errata.metrics import Metric, metric
from errata.metrics.errant.extraction import EditMetric
from errata.tables import Column, Table

RULE = "green:empty=gec-metrics"  # where there is nothing to count, as the other package has it


def contests(data: Texts) -> Iterator[Contest]:
    def ours() -> list[float]:
        corpus = Corpus.from_lists(data.sources, data.by_sentence)
        return [metric(RULE).score(corpus, lines, jobs=1).value for lines in data.outputs]

    def gec_metrics() -> list[float]:
        from gec_metrics.metrics import GREEN

        green = GREEN(GREEN.Config(beta=2))
        return [green.score_corpus(data.sources, lines, data.references) for lines in data.outputs]

    task = f"GREEN, {len(data.outputs)} systems"
    yield Contest(task, "gec-metrics", "gec-metrics", ours, gec_metrics, memory=True)


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    """CLEME from edits that are known: sentences per second of CPU, by the best of a few runs."""
    corpus = Corpus.from_lists(data.sources, data.by_sentence)
    rows = []
    for name in ("cleme", "sentcleme", "cleme2", "sentcleme2"):
        chosen = metric(f"{name}:tagger=embedded")
        assert isinstance(chosen, EditMetric)
        edits = chosen.hypothesis_edits(corpus, data.outputs[0], 1)
        lines = EditedLines(data.outputs[0], edits)
        chosen.reference_edits(corpus)  # extracted once for all systems
        best = min(_seconds(chosen, corpus, lines) for _ in range(3))
        rows.append([name, round(len(corpus) / best)])
    yield Table([Column("metric"), Column("sentences per second")], list(rows), title="CLEME, one thread")


def _seconds(chosen: Metric, corpus: Corpus, lines: EditedLines) -> float:
    start = time.process_time()
    float(chosen.score(corpus, lines, jobs=1))
    return time.process_time() - start


if __name__ == "__main__":
    script.main(__doc__, contests, details=details)
