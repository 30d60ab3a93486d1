"""Scores as a share of human performance: systems and annotators against annotators (Bryant & Ng 2015)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit
from errata.errors import DataError
from errata.metrics.base import Metric
from errata.metrics.results import Results
from errata.tables import Cell, Column, Table


def join_annotators(corpora: Iterable[Corpus]) -> Corpus:
    """One corpus with the annotators of several, which have the same sentences; annotators are renumbered."""
    corpora = list(corpora)
    if len(set(map(len, corpora))) > 1:
        counts = ", ".join(f"{len(corpus):,}" for corpus in corpora)
        raise DataError(f"the corpora have different sentences: {counts} of them")
    segments = []
    for versions in zip(*corpora, strict=True):
        if len({segment.source for segment in versions}) > 1:
            raise DataError(f"the corpora have different sentences: {versions[0].source!r} and others")
        edits = [annotation.edits for segment in versions for annotation in segment.annotations]
        annotations = [Annotation(versions[0].source, edits=e, annotator=k) for k, e in enumerate(edits)]
        segments.append(replace(versions[0], annotations=tuple(annotations)))
    return Corpus(segments)


def without_overlaps(edits: Iterable[Edit]) -> list[Edit]:
    """The edits in order; of two that overlap, the first is kept."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept


def annotator_texts(corpus: Corpus, annotator: int) -> list[str]:
    """The sentences as an annotator corrected them; of edits that overlap, the first is applied."""
    annotations = (segment.annotation(annotator) for segment in corpus)
    return [Annotation(a.source, edits=without_overlaps(a.edits)).text for a in annotations if a is not None]


def without_annotator(corpus: Corpus, annotator: int) -> Corpus:
    """The corpus without the edits of an annotator."""
    return Corpus(
        [replace(s, annotations=tuple(a for a in s.annotations if a.annotator != annotator)) for s in corpus]
    )


def human_scores(corpus: Corpus, metric: Metric, *, jobs: int | None = None) -> list[float]:
    """Score of each annotator against all others."""
    return [
        metric.score(without_annotator(corpus, k), annotator_texts(corpus, k), jobs=jobs).value
        for k in corpus.annotators
    ]


def human_tables(results: Results, *, jobs: int | None = None) -> list[Table]:
    """One table per metric: mean scores of systems and annotators against all but one annotator; ratios."""
    corpus, outputs = results.corpus, results.outputs
    if corpus is None or outputs is None:
        raise DataError("human performance needs the texts", hint="give the gold edits, not statistics")
    count = len(corpus.annotators)
    if count < 2 or (corpus.annotation_counts != count).any():
        raise DataError(
            "human performance needs the same two or more annotators for every sentence",
            path=corpus.origin.path if corpus.origin else None,
            hint="errata score --benchmark conll14-10 --human has ten",
        )
    columns = [Column("system"), Column(f"against {count - 1}", 4), Column("people", 4), Column("share %", 2)]
    tables = []
    for metric in results.metrics:
        people = float(np.mean(human_scores(corpus, metric, jobs=jobs)))
        corpora = [without_annotator(corpus, k) for k in corpus.annotators]
        rows: list[list[Cell]] = []
        for system, lines in outputs.items():
            score = float(np.mean([metric.score(each, lines, jobs=jobs).value for each in corpora]))
            rows.append([system, score, people, 100 * score / people if people else None])
        title = f"{metric.title or metric.name}: share of human performance"
        notes = [
            f"means over {count} choices of {count - 1} annotators; people are scored against the others"
        ]
        tables.append(Table(columns, rows, title, notes))
    return tables
