"""ERRANT: F over extracted and typed edits."""

from errata.metrics.errant.extraction import EditMetric, extractor
from errata.metrics.errant.metric import ERRANT

__all__ = ["ERRANT", "EditMetric", "extractor"]
