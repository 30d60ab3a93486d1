"""Warnings about texts that do not belong together, or do not suit the metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from errata.corpus.checks import Finding, copies, suspicions, untokenised
from errata.corpus.checks.alignment_checks import spread
from errata.corpus.checks.output_checks import Punctuation
from errata.errors import DataError

if TYPE_CHECKING:
    from errata.corpus.model import Corpus
    from errata.corpus.segment import Segment
    from errata.metrics.base import Metric

_MANY = 20_000  # segments; of more, only the first references are compared with their sources
_COMPARED = 200  # segments whose references are compared with the outputs


def warn_about(
    corpus: Corpus, outputs: Mapping[str, Sequence[str]], metrics: Iterable[Metric]
) -> list[Finding]:
    """Find signs that the scores of these outputs would be wrong; see docs/checks.md.

    Checks the tokenisation, the order, the case and the language of a sample of the texts, in a few
    milliseconds per system. Nothing is printed; for a stream the first chunk is enough.
    """
    metrics = list(metrics)
    sources, first = corpus.sources, corpus.first
    where = corpus.origin.path if corpus.origin else "the corpus"
    signs = Punctuation.of(sources)
    findings = list(_languages(sources, where, metrics))
    if any(metric.of_tokens for metric in metrics):
        findings += untokenised(sources, where, signs)
    corpus = corpus.as_texts()
    compared = corpus.select(spread(len(corpus), _COMPARED))
    references = {_name(corpus, a): [_text(segment, a) for segment in compared] for a in compared.annotators}
    if any(annotation.given_as_text for segment in compared for annotation in segment.annotations):
        for name, texts in _texts(corpus[:_MANY] if len(corpus) > _MANY else corpus):
            findings += suspicions(sources[: len(texts)], texts, name, first=first, punctuation=signs)
    for system, lines in outputs.items():
        lines = [*lines] if len(lines) <= _MANY else lines  # all strings at once take less time
        findings += suspicions(sources, lines, system, first=first, punctuation=signs)
        findings += copies(
            compared.sources, [lines[i] for i in spread(len(corpus), _COMPARED)], references, system
        )
    return findings


def _languages(sources: Sequence[str], where: str, metrics: Iterable[Metric]) -> Iterator[Finding]:
    """Findings for metrics with the rules of another language than that of the text."""
    for metric in metrics:
        code = getattr(metric, "language", None)
        if not isinstance(code, str):
            continue
        from errata.text.languages import language_name, misfit

        wrong = misfit(code, sources)
        if wrong is None:
            continue
        seems = f" seems to be {language_name(wrong.found)}" if wrong.found else " does not seem to be"
        fix = f"Name the language of the text: {metric.name}:language={wrong.found or 'CODE'}"
        yield Finding(
            where, 1, "E309",
            f"{metric.name} has the rules of {language_name(wrong.expected)}, but the text{seems}: "
            f"{wrong.reason}",
            fix,
        )  # fmt: skip


def _name(corpus: Corpus, annotator: int) -> str:
    return corpus.names.get(annotator) or f"reference {annotator}"


def _text(segment: Segment, annotator: int) -> str | None:
    """The corrected text; None where there is none, or where the edits do not make one."""
    annotation = segment.annotation(annotator)
    try:
        return None if annotation is None else annotation.text
    except DataError:  # overlapping edits, which some metrics accept
        return None


def _texts(corpus: Corpus) -> Iterator[tuple[str, list[str]]]:
    """The references that were read as texts, by name; the source replaces a missing one."""
    for annotator in corpus.annotators:
        texts = [
            annotation.text
            if (annotation := segment.annotation(annotator)) is not None and annotation.given_as_text
            else segment.source
            for segment in corpus
        ]
        yield _name(corpus, annotator), texts
