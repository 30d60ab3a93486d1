"""GLEU+ and the GLEU of 2015."""

from errata.metrics.gleu.gleu2015 import GLEU2015
from errata.metrics.gleu.metric import GLEU

__all__ = ["GLEU", "GLEU2015"]
