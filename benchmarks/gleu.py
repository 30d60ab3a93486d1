"""GLEU+ with 500 draws against gec-metrics, NLTK and the original: python benchmarks/gleu.py [--quick]

NLTK's GLEU is another score, Google's variant of BLEU without a source; it is timed for what it is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import script
from measure import Budget, Contest, Recorded, best_of
from texts import Texts

from errata import GLEU, Corpus
from errata.metrics.gleu.draws import _first_numbers
from errata.metrics.resampling import paired_bootstrap
from errata.tables import Column, Table

OFFICIAL = 3.69  # CPU seconds a system: compute_gleu, Python 2.7, two references, 500 draws, reading included


def contests(data: Texts) -> Iterator[Contest]:
    sources, lines = data.sources, data.outputs[0]

    def ours() -> float:
        _first_numbers.cache_clear()
        return GLEU().score(Corpus.from_lists(sources, data.by_sentence), lines, jobs=1).value

    def gec_metrics() -> float:
        from gec_metrics.metrics import GLEUOfficial

        return GLEUOfficial(GLEUOfficial.Config(iter=500)).score_corpus(sources, lines, data.references)

    def nltk_gleu() -> float:
        from nltk.translate.gleu_score import corpus_gleu

        split = [[text.split() for text in texts] for texts in data.by_sentence]
        return corpus_gleu(split, [line.split() for line in lines])

    task = "GLEU+, 1 system, 500 draws"
    yield Contest(task, "gec-metrics GLEUOfficial", "gec-metrics", ours, gec_metrics, memory=True)
    yield Contest(
        task, "NLTK corpus_gleu", "nltk", ours, nltk_gleu, note="another score: Google's, no source"
    )


def recorded(data: Texts) -> Iterator[Recorded]:
    def score() -> None:
        _first_numbers.cache_clear()
        corpus, outputs = data.read_texts()
        for lines in outputs.values():
            assert GLEU().score(corpus, lines, jobs=1).value > 0

    count = len(data.systems)
    yield Recorded(f"GLEU+, {count} systems, files read", "compute_gleu, Python 2", OFFICIAL * count, score)


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    """The stages next to a floor: 5 ns for every n-gram looked up, half of one for every sum of a draw."""
    stages: dict[str, list[float]] = {"read": [], "tokens to ids, n-grams": [], "500 draws, scores": []}
    for _ in range(budget.fewest):
        _first_numbers.cache_clear()
        marks = [time.process_time()]
        corpus, outputs = data.read_texts()
        marks.append(time.process_time())
        statistics = [GLEU().statistics(corpus, lines, jobs=1) for lines in outputs.values()]
        marks.append(time.process_time())
        assert all(GLEU().score(found).value > 0 for found in statistics)
        marks.append(time.process_time())
        for stage, begin, end in zip(stages, marks, marks[1:], strict=False):
            stages[stage].append(end - begin)
    tokens = sum(len(line.split()) for lines in data.outputs for line in lines)
    tokens += len(outputs) * (len(corpus.source_ids.values) + len(corpus.reference_ids.ids.values))
    floors = {
        "tokens to ids, n-grams": 4 * tokens * 5e-9,
        "500 draws, scores": len(outputs) * 500 * len(corpus) * 5 * 0.5e-9,
    }
    rows = [
        (stage, min(seconds) * 1e3, floors[stage] * 1e3 if stage in floors else None)
        for stage, seconds in stages.items()
    ]
    for label, metric in (("official draws", GLEU()), ("all draws", GLEU(sampling="all"))):
        spent = best_of(lambda metric=metric: paired_bootstrap(metric, statistics[:1], samples=1000), 1)
        rows.append((f"bootstrap of one system, 1,000 samples, {label}", spent * 1e3, None))
    columns = [Column("stage"), Column("CPU ms", 1), Column("floor ms", 1)]
    yield Table(columns, list(rows), title=f"GLEU+ of {len(outputs)} systems, stage by stage")


if __name__ == "__main__":
    script.main(__doc__, contests, recorded, details)
