"""What tables, figures and pages call metrics."""

from __future__ import annotations

from collections.abc import Sequence

from errata.metrics.base import Metric


def metric_names(metrics: Sequence[Metric]) -> list[str]:
    """A name for every metric's score: metrics of one kind are told apart by the parameters that differ."""
    names = []
    for metric in metrics:
        twins = [other for other in metrics if other.name == metric.name]
        differ = [
            f"{key}={value}"
            for key, value in metric.parameters.items()
            if any(twin.parameters[key] != value for twin in twins)
        ]
        names.append(" ".join([metric.label(metric.parts[0]), *differ]))
    return names


def metric_labels(metrics: Sequence[Metric]) -> list[str]:
    """Short names that tell metrics apart: with the settings of the signature if a metric is given twice."""
    names = [metric.name for metric in metrics]
    return [
        name if names.count(name) == 1 else metric.signature.rpartition("|")[0]
        for name, metric in zip(names, metrics, strict=True)
    ]
