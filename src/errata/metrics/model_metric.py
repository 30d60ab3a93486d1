"""The base of metrics with a model: where it runs, and how a signature names it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from errata.metrics.base import Metric
from errata.metrics.parameters import parameter
from errata.models.loading import identity
from errata.models.protocols import PRECISIONS


@dataclass(frozen=True)
class ModelMetric(Metric):
    """A metric with one or more models; `device` is auto, cpu, cuda or cuda:NUMBER.

    `precision=float32` is faster, but then the last digits depend on which texts share a batch. The signature
    names every model by the end of its path and a digest of its files.
    """

    device: str = parameter("auto", signed=False)
    precision: str = parameter(PRECISIONS[0], choices=PRECISIONS)

    models: ClassVar[tuple[str, ...]] = ("model",)  # the parameters that name models
    white_space = "kept"
    of_tokens: ClassVar[bool] = False
    computed_by = "model"

    def settings(self) -> dict[str, object]:
        """The parameters that can change the number, with digests of the models."""
        return {k: identity(str(v)) if k in self.models else v for k, v in super().settings().items()}
