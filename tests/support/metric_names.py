"""Which metrics work at once: all but those with a model that the user brings."""

from __future__ import annotations

from errata.metrics import METRICS, metric
from errata.metrics.model_metric import ModelMetric
from errata.models.ngram_model import shipped


def _is_ready(name: str) -> bool:
    made = metric(name)
    return not isinstance(made, ModelMetric) or all(shipped(str(made.parameters[m])) for m in made.models)


READY = [name for name in METRICS if _is_ready(name)]
