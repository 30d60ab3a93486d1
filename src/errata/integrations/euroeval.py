"""Metrics for tasks of EuroEval: `Task(…, metrics=[metric("gleu")])`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from euroeval.metrics.base import Metric as EuroEvalMetric

from errata.errors import DataError
from errata.metrics.api import as_metric, score
from errata.metrics.base import Metric


class ErrataMetric(EuroEvalMetric):
    """A metric with the interface of EuroEval; `metric` builds it."""

    def __init__(self, metric: Metric) -> None:
        super().__init__(metric.name, metric.title or metric.name)
        self.metric = metric

    def __call__(
        self,
        predictions: Sequence[str],
        references: Sequence[str],
        dataset: Any,
        dataset_config: Any = None,
        benchmark_config: Any = None,
    ) -> float:
        """The corpus score; the columns `text` and `target_text` are the sources and the references."""
        by_reference = _sources(dataset)
        sources = [by_reference[reference] for reference in references]
        outputs = [" ".join(prediction.split()) for prediction in predictions]
        return score(sources, outputs, metric=self.metric, references=[[text] for text in references]).value


def _sources(dataset: Any) -> dict[str, str]:
    """The source of every reference: EuroEval changes the order of the rows, and not that of the dataset."""
    if "prompt" in dataset.column_names and "messages" not in dataset.column_names:
        raise DataError(
            "EuroEval has replaced the sources of this dataset by prompts",
            hint="serve the model, and name the server with --api-base",
        )
    sources: dict[str, str] = {}
    for source, reference in zip(dataset["text"], dataset["target_text"], strict=True):
        if sources.setdefault(reference, source) != source:
            raise DataError(
                f"two sources have the reference {reference[:80]!r}, and EuroEval does not tell which",
                hint="leave one of them out of the dataset",
            )
    return sources


def metric(specification: str | Metric) -> ErrataMetric:
    """A metric of EuroEval by its name on the command line: `metric("gleu:n=3")`."""
    return ErrataMetric(as_metric(specification))
