"""Metrics of errata for Hugging Face `evaluate`: `add_batch` and `compute`, without a script on the Hub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from errata.errors import needs_extra
from errata.metrics.api import as_metric
from errata.metrics.base import Metric

with needs_extra("errata.integrations.evaluate", "huggingface"):
    import evaluate
    from datasets import Features, Value
    from datasets import Sequence as ListOf

_INPUTS = """
Args:
    sources: the sentences before correction, tokens separated by blanks
    predictions: the hypotheses, one for every source
    references: a list of corrected texts for every source
"""


class EvaluateMetric(evaluate.Metric):
    """A metric with the interface of `evaluate.Metric`; `metric` builds it."""

    def __init__(self, metric: Metric, **options: Any) -> None:
        self.metric = metric
        super().__init__(config_name=metric.name, **options)

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=(type(self.metric).__doc__ or "").strip(),
            citation="",
            inputs_description=_INPUTS,
            features=Features(
                {
                    "sources": Value("string"),
                    "predictions": Value("string"),
                    "references": ListOf(Value("string")),
                }
            ),
        )

    def _compute(
        self, sources: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str | None]]
    ) -> dict[str, Any]:
        score = self.metric.score(list(sources), list(predictions), [list(texts) for texts in references])
        return {self.metric.name: score.value, **score.parts, "signature": score.signature}


def metric(specification: str | Metric, **options: Any) -> EvaluateMetric:
    """An `evaluate` metric by its name on the command line: `metric("gleu:n=3")`.

    `compute` returns the corpus score under the metric's name, its parts, and the signature. Options are
    those of `evaluate.Metric`: `keep_in_memory`, `cache_dir`, `num_process`, `process_id`, …
    """
    return EvaluateMetric(as_metric(specification), **options)
