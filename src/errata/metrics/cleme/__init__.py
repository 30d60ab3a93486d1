"""CLEME, SentCLEME, CLEME2 and SentCLEME2: evaluation over shared chunks."""

from errata.metrics.cleme.cleme2 import CLEME2, SentCLEME2
from errata.metrics.cleme.metric import CLEME, SentCLEME

__all__ = ["CLEME", "CLEME2", "SentCLEME", "SentCLEME2"]
