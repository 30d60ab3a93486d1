"""Stress a metric with systems nobody wants, and see where it rewards them, ties them or loses the order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from errata.corpus.model import Corpus
from errata.corpus.rewriting import apply_edits
from errata.errors import DataError
from errata.metrics.base import Metric

RATES = (0.05, 0.1, 0.2, 0.4, 0.8)


def another(corpus: Corpus, seed: int) -> list[str]:
    """Every sentence's output is another sentence."""
    sources = corpus.sources
    if len(sources) < 2:
        return list(sources)
    shift = 1 + int(np.random.default_rng(seed).integers(len(sources) - 1))
    return [sources[(i + shift) % len(sources)] for i in range(len(sources))]


def damaged(texts: Sequence[str], rate: float, seed: int) -> list[str]:
    """A share of tokens deleted, doubled, replaced by a token of the corpus or swapped with the next one.

    Damage is nested: what is damaged at a low rate is damaged alike at every higher one.
    """
    generator = np.random.default_rng(seed)
    pool = [token for text in texts for token in text.split()] or ["X"]
    found = []
    for text in texts:
        tokens = text.split()
        chance = generator.random(len(tokens))
        kind = generator.integers(0, 4, len(tokens))
        foreign = generator.integers(0, len(pool), len(tokens))
        out: list[str] = []
        held: str | None = None
        for i, token in enumerate(tokens):
            new = [token]
            if chance[i] < rate:
                if kind[i] == 0:
                    new = []
                elif kind[i] == 1:
                    new = [token, token]
                elif kind[i] == 2:
                    new = [pool[foreign[i]]]
                elif held is None:
                    held = token  # comes after the next token
                    continue
            out += new
            if held is not None:
                out.append(held)
                held = None
        found.append(" ".join(out if held is None else [*out, held]))
    return found


def wrong_corrections(corpus: Corpus) -> list[str]:
    """Every error of the first annotator found, and replaced by X instead of its correction."""
    found = []
    for segment in corpus:
        tokens = segment.tokens
        edits = segment.annotations[0].edits if segment.annotations else ()
        found.append(" ".join(apply_edits(tokens, [(edit.start, edit.end, "X") for edit in edits])))
    return found


def mixed(corpus: Corpus, seed: int) -> list[str]:
    """For every sentence one of its references, at random: as good as the annotators."""
    generator = np.random.default_rng(seed)
    return [
        segment.references[int(generator.integers(len(segment.references)))]
        if segment.references
        else segment.source
        for segment in corpus
    ]


def first_references(corpus: Corpus) -> list[str]:
    """The first reference of every sentence."""
    if not any(segment.annotations for segment in corpus):
        raise DataError("an audit needs references")
    return [segment.references[0] if segment.references else segment.source for segment in corpus]


@dataclass(frozen=True, slots=True)
class Probe:
    """An output nobody wants, and what a sound metric should say of it."""

    name: str
    group: str  # probes of one group are damaged more and more
    expected: str  # "below" or "above" leaving the source as it is
    rate: float
    output: Callable[[Corpus, int], list[str]]


def probes() -> list[Probe]:
    """All outputs, from harmless to absurd."""

    def sources(corpus: Corpus) -> Sequence[str]:
        return corpus.sources

    def graded(texts: Callable[[Corpus], Sequence[str]], rate: float) -> Callable[[Corpus, int], list[str]]:
        return lambda corpus, seed: damaged(texts(corpus), rate, seed)

    found = [
        Probe("references mixed", "", "above", 0, mixed),
        Probe(
            "over-corrector", "", "", 0, graded(first_references, 0.1)
        ),  # no error is left, new ones are made
        Probe("X for every error", "", "below", 0, lambda corpus, seed: wrong_corrections(corpus)),
        Probe("X for every sentence", "", "below", 1, lambda corpus, seed: ["X"] * len(corpus)),
        Probe("everything deleted", "", "below", 1, lambda corpus, seed: [""] * len(corpus)),
        Probe("a a a", "", "below", 1, lambda corpus, seed: ["a a a"] * len(corpus)),
        Probe("another sentence", "", "below", 1, another),
    ]
    groups = (("source", "below", sources), ("reference", "", first_references))
    return found + [
        Probe(f"{group}, {rate:.0%} damaged", group, expected, rate, graded(texts, rate))
        for group, expected, texts in groups
        for rate in RATES
    ]


@dataclass(frozen=True, slots=True)
class Finding:
    """A probe's score, where it would rank among real systems, and what is wrong with that."""

    probe: Probe
    score: float
    rank: int | None
    fault: str  # "", "rewarded", "tied", "out of order", "not rewarded"


@dataclass(frozen=True)
class Audit:
    """What a metric makes of all probes; `source` is its score for leaving everything as it is."""

    metric: Metric
    source: float
    reference: float
    systems: int
    findings: Sequence[Finding]

    @property
    def faults(self) -> int:
        return sum(bool(finding.fault) for finding in self.findings)


def audit(
    metric: Metric,
    corpus: Corpus,
    scores: Sequence[float] = (),
    *,
    seed: int = 1,
    jobs: int | None = None,
    tolerance: float = 1e-9,
) -> Audit:
    """Score every probe; `scores` are those of real systems, to say where a probe would rank among them."""
    sign = 1.0 if metric.higher_is_better else -1.0

    def value(texts: Sequence[str]) -> float:
        return sign * metric.score(corpus, texts, jobs=jobs).value

    references = first_references(corpus)
    source = value(corpus.sources)
    before = {"source": source, "reference": value(references)}
    reference = before["reference"]
    found = []
    for probe in probes():
        score = value(probe.output(corpus, seed))
        fault = ""
        if probe.expected == "below" and score > source + tolerance:
            fault = "rewarded: above the unchanged source"
        elif probe.expected == "below" and score >= source - tolerance:
            fault = "tied with the unchanged source"
        elif probe.expected == "above" and score <= source + tolerance:
            fault = "not above the unchanged source"
        if probe.group:
            if score > before[probe.group] + tolerance:
                fault = "; ".join(filter(None, [fault, "out of order: better than with less damage"]))
            before[probe.group] = score
        rank = 1 + sum(sign * other > score for other in scores) if len(scores) else None
        found.append(Finding(probe, sign * score, rank, fault))
    return Audit(metric, sign * source, sign * reference, len(scores), found)
