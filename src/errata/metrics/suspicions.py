"""Warnings about texts that do not belong together, or do not suit the metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from errata.corpus.answers import clean_answer
from errata.corpus.checks import Finding, copies, suspicions, untokenised
from errata.corpus.checks.alignment_checks import spread
from errata.corpus.checks.output_checks import Punctuation
from errata.corpus.checks.raw_output_checks import RawOutputChecks
from errata.corpus.checks.reference_checks import (
    edit_findings,
    equals,
    reference_findings,
    swapped_with_source,
    typography_findings,
)
from errata.corpus.segment import are_edited
from errata.errors import DataError
from errata.metrics.statistics import Statistics

if TYPE_CHECKING:
    from errata.corpus.checks.systematic_edits import SystematicEdit
    from errata.corpus.model import Corpus
    from errata.corpus.segment import Segment
    from errata.metrics.base import Metric
    from errata.metrics.results import Results

_MANY = 20_000  # segments; of more, only the first references are compared with their sources
_EXAMINED = 600  # segments whose outputs and references are compared in detail
_MOST_EDITS = 3  # systematic edits that are reported
_LEAST_COST = 0.002  # of a score, below which a systematic edit is not reported


def warn_about(
    corpus: Corpus,
    outputs: Mapping[str, Sequence[str]],
    metrics: Iterable[Metric],
    statistics: Callable[[str], Statistics] | None = None,
) -> list[Finding]:
    """Find signs that the scores of these outputs would be wrong; see docs/checks.md.

    Checks the tokenisation, the order, the case and the language of a sample of the texts, in a few
    milliseconds per system. Nothing is printed; for a stream the first chunk is enough. `statistics` gives
    those of a system by the first metric; it is called for few systems, and without it they are computed.
    """
    metrics = list(metrics)
    sources, first = _without_last_blanks(corpus.sources), corpus.first
    where = corpus.origin.path if corpus.origin else "the corpus"
    signs = Punctuation.of(sources)
    findings = list(_languages(sources, where, metrics))
    if any(metric.of_tokens for metric in metrics):
        findings += untokenised(sources, where, signs)
    findings += edit_findings(corpus, where)
    scored, corpus = corpus, corpus.as_texts()
    if corpus.annotations.as_text.any():
        for name, texts in _texts(corpus[:_MANY] if len(corpus) > _MANY else corpus):
            findings += suspicions(sources[: len(texts)], texts, name, first=first, punctuation=signs)
    sample = spread(len(corpus), _EXAMINED)
    numbers = [first + index for index in sample]
    examined = corpus.select(sample)
    examined_sources = [sources[index] for index in sample]
    columns = [_column(examined, annotator) for annotator in corpus.annotators]
    names = [_name(corpus, annotator) for annotator in corpus.annotators]
    references = dict(zip(names, columns, strict=True))
    if any(metric.needs & {"references", "edits"} for metric in metrics):
        findings += reference_findings(examined_sources, columns, names)
        differences = list(typography_findings(examined_sources, references, numbers, where))
        findings += differences
        if corpus.annotations.as_text.any() and not differences:
            findings += swapped_with_source(
                examined_sources,
                references,
                {system: [lines[i] for i in sample] for system, lines in outputs.items()},
            )
    columns = [column for column in columns if not equals(column, examined_sources)]
    checks = RawOutputChecks(examined_sources, columns, numbers)
    for system, lines in outputs.items():
        lines = _without_last_blanks(lines) if len(lines) <= _MANY else lines
        chatter = list(checks.chatter([lines[i] for i in sample], system))
        written = (
            [clean_answer(*pair).text for pair in zip(sources, lines, strict=True)] if chatter else lines
        )
        about_lines = suspicions(sources, written, system, first=first, punctuation=signs)
        findings += [*chatter, *about_lines]
        as_given = None if chatter or are_edited(outputs[system]) else statistics
        findings += _writing(checks, scored, written, sample, system, about_lines, metrics, as_given)
        findings += copies(examined_sources, [lines[i] for i in sample], references, system)
    return findings


def zeros(results: Results) -> Iterator[Finding]:
    """Scores that are 0 because the corpus is short."""
    for (system, _), score in results.scores.items():
        message = score.zero_note()
        if message:
            yield Finding(system, 1, "W312", message)


def _without_last_blanks(lines: Sequence[str]) -> list[str]:
    """The lines without blanks at the end, which mean nothing: fewer lines then differ from their source."""
    return [line.rstrip(" ") for line in lines]


def _writing(
    checks: RawOutputChecks,
    corpus: Corpus,
    lines: Sequence[str],
    sample: Sequence[int],
    system: str,
    about_lines: Sequence[Finding],
    metrics: Sequence[Metric],
    statistics: Callable[[str], Statistics] | None,
) -> Iterator[Finding]:
    """Findings about the way an output is written; every damage is reported once."""
    examined = [lines[index] for index in sample]
    about_typography = list(checks.typography(examined, system))
    yield from about_typography
    if about_typography:
        lines, examined, statistics = checks.normalized(lines), checks.normalized(examined), None
    yield from checks.characters(examined, system)
    if any(each.is_error and each.code != "E302" for each in about_lines):  # they explain what else is found
        return
    explained: set[int] = set()
    edits = checks.systematic_edits(examined)[:_MOST_EDITS]
    scored = None if statistics is None else partial(statistics, system)
    for edit, cost in zip(edits, _costs(corpus, lines, edits, metrics, scored), strict=True):
        if cost is not None:
            explained.update(edit.lines)
            yield Finding(
                system, sample[edit.lines[0]] + corpus.first, "W308",
                f"{edit.pattern}, in {len(edit.lines):,} of {edit.examined:,} lines, and hardly in any "
                f"reference{cost}",
            )  # fmt: skip
    yield from checks.lengths(examined, system, explained)
    yield from checks.frequencies(examined, system, explained)


def _costs(
    corpus: Corpus,
    lines: Sequence[str],
    edits: Sequence[SystematicEdit],
    metrics: Sequence[Metric],
    statistics_of_lines: Callable[[], Statistics] | None,
) -> list[str | None]:
    """What each edit costs by the first metric; empty if that takes long, None if it costs nothing.

    Lines are scored anew only if they have an edit.
    """
    metric = metrics[0] if metrics else None
    if not edits or metric is None or metric.computed_by != "native" or metric.first_pass:
        return [""] * len(edits)
    undone = [list(map(edit.undo, corpus.sources, lines)) for edit in edits]
    changed = [[n for n, text in enumerate(texts) if text != lines[n]] for texts in undone]
    again = [(n, texts[n]) for texts, numbers in zip(undone, changed, strict=True) for n in numbers]
    parts = [metric.statistics(corpus, lines) if statistics_of_lines is None else statistics_of_lines()]
    if again:
        parts.append(
            metric.statistics(corpus.repeat(np.array([n for n, _ in again])), [text for _, text in again])
        )
    statistics, score = Statistics.joined(parts), metric.score(parts[0]).value
    messages: list[str | None] = []
    first = len(lines)
    for numbers in changed:
        places = np.arange(len(lines))
        places[numbers] = np.arange(first, first + len(numbers))
        first += len(numbers)
        without = metric.score(statistics.select(places)).value
        loss = without - score if metric.higher_is_better else score - without
        cost = f": {metric.name} {score:.4f}, without it {without:.4f}"
        messages.append(cost if loss >= _LEAST_COST else None)
    return messages


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
    """The corrected text; None if there is none, or where the edits do not make one."""
    annotation = segment.annotation(annotator)
    try:
        return None if annotation is None else annotation.text
    except DataError:  # overlapping edits, which some metrics accept
        return None


def _column(corpus: Corpus, annotator: int) -> Sequence[str | None]:
    """The corrected texts of an annotator; see `_text`."""
    try:
        return corpus.references(annotator)
    except DataError:
        return [_text(segment, annotator) for segment in corpus]


def _texts(corpus: Corpus) -> Iterator[tuple[str, list[str]]]:
    """The references that were read as texts, by name; the source replaces a missing one."""
    rows = corpus.annotations
    for annotator in sorted(set(rows.annotators[rows.as_text].tolist())):
        column = zip(_column(corpus, annotator), corpus.sources, strict=True)
        yield _name(corpus, annotator), [source if text is None else text for text, source in column]
