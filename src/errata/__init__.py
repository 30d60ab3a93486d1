"""errata: the reference toolkit for evaluating grammatical error correction."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public names and the module each lives in: loaded on first use, so that `import errata` stays quick.
_PUBLIC = {
    "Annotation": "errata.corpus.model",
    "Corpus": "errata.corpus.model",
    "DataError": "errata.errors",
    "Edit": "errata.corpus.model",
    "ErrataError": "errata.errors",
    "Outputs": "errata.corpus.model",
    "Segment": "errata.corpus.model",
    "Table": "errata.report.table",
    "read_corpus": "errata.corpus.formats",
    "read_outputs": "errata.corpus.formats",
    "write_corpus": "errata.corpus.formats",
}

__all__ = ["__version__", "data", *_PUBLIC]

if TYPE_CHECKING:
    from errata import data as data
    from errata.corpus.formats import read_corpus as read_corpus
    from errata.corpus.formats import read_outputs as read_outputs
    from errata.corpus.formats import write_corpus as write_corpus
    from errata.corpus.model import Annotation as Annotation
    from errata.corpus.model import Corpus as Corpus
    from errata.corpus.model import Edit as Edit
    from errata.corpus.model import Outputs as Outputs
    from errata.corpus.model import Segment as Segment
    from errata.errors import DataError as DataError
    from errata.errors import ErrataError as ErrataError
    from errata.report.table import Table as Table


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value
    if name == "data":  # a room of its own: errata.data.path("conll14")
        return import_module("errata.data")
    raise AttributeError(f"module 'errata' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
