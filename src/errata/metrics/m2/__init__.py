"""M², the MaxMatch score."""

from errata.metrics.m2.metric import M2, M2Sentence, folded

__all__ = ["M2", "M2Sentence", "folded"]
