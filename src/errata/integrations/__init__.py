"""Columns of scores for batches of rows: for Hugging Face datasets, Ray Data, Spark and pandas.

None of these libraries is imported: a batch is a mapping from names to columns.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from errata.corpus.model import Corpus
from errata.errors import DataError, ErrataError
from errata.metrics.api import as_metric
from errata.metrics.base import Metric
from errata.metrics.score import Score
from errata.metrics.statistics import Statistics

__all__ = ["ScoreColumns", "corpus_score", "score_columns"]


Metrics = str | Metric | Sequence[str | Metric] | Mapping[str, str | Metric]


@dataclass(frozen=True)
class ScoreColumns:
    """A function of a batch that returns its scores; `score_columns` builds it."""

    metrics: tuple[tuple[str, Metric], ...]  # with the names of their columns
    source: str
    hypothesis: str
    references: tuple[str, ...]
    statistics: bool
    jobs: int | None

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[Any]]:
        """The new columns: a score for every row, and its statistics if they were requested."""
        hypotheses = self._texts(batch, self.hypothesis)
        corpus = Corpus.from_lists(self._texts(batch, self.source), self._references(batch))
        columns: dict[str, list[Any]] = {}
        for name, metric in self.metrics:
            statistics = metric.statistics(corpus, hypotheses, jobs=self.jobs)
            for cut in statistics.cuts:
                warnings.warn(f"{name}, in this batch: {cut}", stacklevel=2)
            columns[name] = metric.sentence_scores(statistics).tolist()
            if self.statistics:
                rows, offsets = statistics.values.tolist(), statistics.offsets.tolist()
                columns[f"{name}_statistics"] = [rows[a:b] for a, b in pairwise(offsets)]
        return columns

    def _texts(self, batch: Mapping[str, Any], name: str) -> list[str]:
        lines = list(_column(batch, name))
        for i, line in enumerate(lines):
            if not isinstance(line, str):
                raise DataError(
                    f"row {i + 1} of the batch has {line!r} for {name!r}, which is not a text",
                    hint="remove such rows, or use an empty text",
                )
        return lines

    def _references(self, batch: Mapping[str, Any]) -> list[list[str | None]]:
        """For every row, the texts of all reference columns; None means a missing reference."""
        columns = [
            [[cell] if cell is None or isinstance(cell, str) else list(cell) for cell in _column(batch, name)]
            for name in self.references
        ]
        return [[text for texts in row for text in texts] for row in zip(*columns, strict=True)]


def score_columns(
    metrics: Metrics,
    *,
    source: str = "source",
    hypothesis: str = "hypothesis",
    references: str | Sequence[str] = "references",
    statistics: bool = False,
    jobs: int | None = 1,
) -> ScoreColumns:
    """A function that scores every row of a batch: `dataset.map(score_columns("m2"), batched=True)`.

    `source`, `hypothesis` and `references` are names of columns. References are lists of texts in one column,
    or one text in each of several columns. The new column has the metric's name, or its key in a mapping of
    metrics. `statistics` adds the column for `corpus_score`. One thread is used unless `jobs` says otherwise,
    since the caller usually runs batches in parallel.
    """
    chosen: list[tuple[str, Metric]] = []
    if isinstance(metrics, Mapping):
        chosen = [(name, as_metric(metric)) for name, metric in metrics.items()]
    else:
        several = [metrics] if isinstance(metrics, (str, Metric)) else metrics
        chosen = [(metric.name, metric) for metric in map(as_metric, several)]
    if len({name for name, _ in chosen}) < len(chosen):
        raise ErrataError(
            "two metrics have the same column name\n  hint: name them: {'m2': 'm2', 'm2_f1': 'm2:beta=1'}"
        )
    names = (references,) if isinstance(references, str) else tuple(references)
    return ScoreColumns(tuple(chosen), source, hypothesis, names, statistics, jobs)


def corpus_score(metric: str | Metric, statistics: Iterable[Iterable[Iterable[float]]]) -> Score:
    """The exact corpus score from a column of statistics, with rows in the order of the corpus.

    Warnings about sentences that exceed a limit appear when their batch is scored, not here.
    """
    chosen = as_metric(metric)
    segments = [[list(row) for row in rows] for rows in statistics]
    offsets = np.zeros(len(segments) + 1, dtype=np.int64)
    np.cumsum([len(rows) for rows in segments], out=offsets[1:])
    values = np.array([row for rows in segments for row in rows])
    values = values.astype(np.float64 if values.dtype.kind == "f" else np.int64)
    width = len(chosen.columns)
    if values.size != offsets[-1] * width:
        raise DataError(
            f"these are not statistics of {chosen.name}", hint="use the column that ends in _statistics"
        )
    numbers = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    return Score(chosen, Statistics(chosen.columns, values.reshape(-1, width), offsets, numbers))


def _column(batch: Mapping[str, Any], name: str) -> Iterable[Any]:
    try:
        column: Iterable[Any] = batch[name]
    except KeyError:
        names = ", ".join(map(repr, batch.keys()))
        raise DataError(f"the batch has no column {name!r}", hint=f"its columns are {names}") from None
    return column
