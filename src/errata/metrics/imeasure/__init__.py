"""The I-measure."""

from errata.metrics.imeasure.metric import ASPECTS, MAXIMISE, MEASURES, IMeasure

__all__ = ["ASPECTS", "MAXIMISE", "MEASURES", "IMeasure"]
