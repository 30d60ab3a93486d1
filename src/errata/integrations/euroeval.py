"""Metrics for data sets of EuroEval: `metric("gleu")` for `Task(metrics=[…])`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from euroeval.metrics.base import Metric as EuroEvalMetric

from errata.errors import DataError
from errata.metrics.api import as_corpus, as_metric, score
from errata.metrics.base import Metric


class CorpusMetric(EuroEvalMetric):
    """The corpus score of predictions; the column `text` of the data set has the sources."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        super().__init__(f"errata_{metric.name}", metric.title or metric.name)

    def __call__(
        self,
        predictions: Sequence[str],
        references: Sequence[Any],
        dataset: Mapping[str, Any],
        *_: Any,
        **__: Any,
    ) -> float:
        """`references` has one text, or a list of texts, per sentence."""
        sources = [*dataset["text"]]
        if len(sources) != len(predictions):
            raise DataError(f"{len(predictions)} predictions for {len(sources)} sources")
        texts = [[each] if isinstance(each, str) else [*each] for each in references]
        lines = [" ".join(text.split()) for text in predictions]
        return score(as_corpus(sources, texts), lines, metric=self.metric).value


def metric(specification: str | Metric) -> CorpusMetric:
    """A metric in EuroEval's form, by its name on the command line."""
    return CorpusMetric(as_metric(specification))
