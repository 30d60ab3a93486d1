"""errata: the reference toolkit for evaluating grammatical error correction."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public names and the module each lives in: loaded on first use, so that `import errata` stays quick.
_PUBLIC = {
    "Annotation": "errata.corpus.segment",
    "BLEU": "errata.metrics.bleu",
    "CER": "errata.metrics.simple_metrics",
    "ChrF": "errata.metrics.chrf",
    "Corpus": "errata.corpus.model",
    "DataError": "errata.errors",
    "ERRANT": "errata.metrics.errant",
    "Edit": "errata.corpus.segment",
    "ErrataError": "errata.errors",
    "ExactMatch": "errata.metrics.simple_metrics",
    "Extractor": "errata.edits.pipeline",
    "GLEU": "errata.metrics.gleu",
    "GLEU2015": "errata.metrics.gleu",
    "IMeasure": "errata.metrics.imeasure",
    "M2": "errata.metrics.m2",
    "Outputs": "errata.corpus.model",
    "Results": "errata.metrics.results",
    "ScanMetric": "errata.metrics.base",
    "Score": "errata.metrics.score",
    "Segment": "errata.corpus.segment",
    "SentenceMetric": "errata.metrics.base",
    "SumMetric": "errata.metrics.base",
    "TER": "errata.metrics.ter",
    "Table": "errata.tables",
    "UnchangedRate": "errata.metrics.simple_metrics",
    "WER": "errata.metrics.simple_metrics",
    "compare": "errata.significance.compare",
    "metric": "errata.metrics",
    "parameter": "errata.metrics.parameters",
    "read_corpus": "errata.corpus.formats",
    "read_outputs": "errata.corpus.formats",
    "score": "errata.metrics.api",
    "write_corpus": "errata.corpus.formats",
}

__all__ = ["__version__", "data", *_PUBLIC]

if TYPE_CHECKING:
    from errata import data as data
    from errata.corpus.formats import read_corpus as read_corpus
    from errata.corpus.formats import read_outputs as read_outputs
    from errata.corpus.formats import write_corpus as write_corpus
    from errata.corpus.model import Corpus as Corpus
    from errata.corpus.model import Outputs as Outputs
    from errata.corpus.segment import Annotation as Annotation
    from errata.corpus.segment import Edit as Edit
    from errata.corpus.segment import Segment as Segment
    from errata.edits.pipeline import Extractor as Extractor
    from errata.errors import DataError as DataError
    from errata.errors import ErrataError as ErrataError
    from errata.metrics import metric as metric
    from errata.metrics.api import score as score
    from errata.metrics.base import ScanMetric as ScanMetric
    from errata.metrics.base import SentenceMetric as SentenceMetric
    from errata.metrics.base import SumMetric as SumMetric
    from errata.metrics.bleu import BLEU as BLEU
    from errata.metrics.chrf import ChrF as ChrF
    from errata.metrics.errant import ERRANT as ERRANT
    from errata.metrics.gleu import GLEU as GLEU
    from errata.metrics.gleu import GLEU2015 as GLEU2015
    from errata.metrics.imeasure import IMeasure as IMeasure
    from errata.metrics.m2 import M2 as M2
    from errata.metrics.parameters import parameter as parameter
    from errata.metrics.results import Results as Results
    from errata.metrics.score import Score as Score
    from errata.metrics.simple_metrics import CER as CER
    from errata.metrics.simple_metrics import WER as WER
    from errata.metrics.simple_metrics import ExactMatch as ExactMatch
    from errata.metrics.simple_metrics import UnchangedRate as UnchangedRate
    from errata.metrics.ter import TER as TER
    from errata.significance.compare import compare as compare
    from errata.tables import Table as Table


def _warn_of_namesake() -> None:
    """Warn if the other distribution with this import name is installed into the same folder."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if any(name.startswith("errata-") and name.endswith(".dist-info") for name in os.listdir(folder)):
        from errata.errors import NAMESAKE

        warnings.warn(NAMESAKE, UserWarning, stacklevel=3)


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value
    if name == "data":  # a subpackage: errata.data.path("conll14")
        return import_module("errata.data")
    raise AttributeError(f"module 'errata' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


_warn_of_namesake()
