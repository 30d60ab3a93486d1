"""The embedded sample: a small made-up corpus, six systems and judgments, for the demo, docs and tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from errata.corpus.model import Corpus, Outputs

LANGUAGES = ("en", "cs")


@dataclass(frozen=True)
class Sample:
    """The sample of one language: its corpus, its systems' outputs, and where its files are."""

    corpus: Corpus
    outputs: Outputs
    folder: Path


def folder(language: str = "en") -> Path:
    """Where the files of the sample are."""
    if language not in LANGUAGES:
        raise ValueError(f"the samples are {', '.join(LANGUAGES)}, not {language!r}")
    return Path(__file__).parent / language


def load(language: str = "en") -> Sample:
    """Read the sample of a language."""
    from errata.corpus.formats import read_corpus, read_outputs

    place = folder(language)
    corpus = read_corpus(place / "gold.m2", meta=[place / "meta.tsv"])
    systems = ("input", "spellfix", "rules", "overcorrect", "neural", "fluent")
    return Sample(
        corpus, read_outputs([place / "systems" / f"{name}.txt" for name in systems], corpus), place
    )
