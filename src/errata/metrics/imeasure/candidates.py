"""The texts a hypothesis may be compared with (I-measure's candidate references), and their alignments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from errata import limits
from errata.corpus.apply_edits import Span
from errata.corpus.corpus_cache import once
from errata.corpus.edit_clusters import Cluster, cluster_edits, explicit
from errata.corpus.model import Corpus, Edit, Segment
from errata.errors import DataError
from errata.metrics.imeasure.fast_references import plain_texts
from errata.metrics.imeasure.limits import Marks, star_columns, star_counts
from errata.metrics.statistics import Integers
from errata.native import imeasure as kernel
from errata.native.ragged import Ragged, select_runs
from errata.text.vocabulary import SentenceVocabulary

_STEPS = 4  # of work a cell: seven moves are compared, and it is visited again when the bound grows


class TooManyCandidatesError(DataError):
    """Mixing the annotators' corrections would give more references than the limit allows."""

    def __init__(self, where: str, limit: int, options: list[list[list[Span]]]) -> None:
        self.options = options
        super().__init__(
            f"mixing the annotators' corrections gives more than {limit:,} references: {where}",
            hint="use mix=no (-nomix), raise max_candidates, or leave these sentences out",
        )

    @property
    def count(self) -> int:
        return math.prod(map(len, self.options))


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of all segments as token ids, and what the source alone would get against each."""

    ids: Ragged
    offsets: Integers  # candidates of segment i are the rows offsets[i]:offsets[i + 1]
    owner: Integers  # the segment of each row
    references: Integers  # the annotator of each row, or its number among the mixed ones
    baseline: Integers  # rows × (tn, fn)
    cut: Marks  # rows whose baseline went beyond a limit
    unlisted: Mapping[int, TooManyCandidatesError]  # segments with more than the limit; they have no rows

    def select(self, segments: Integers) -> Candidates:
        """The candidates of these segments, in this order; one may come several times."""
        offsets, rows = select_runs(self.offsets, segments)
        owner = np.repeat(np.arange(len(segments), dtype=np.int64), np.diff(offsets))
        unlisted = {i: self.unlisted[s] for i, s in enumerate(segments.tolist()) if s in self.unlisted}
        return Candidates(
            self.ids.select(rows),
            offsets,
            owner,
            self.references[rows],
            self.baseline[rows],
            self.cut[rows],
            unlisted,
        )


def candidate_rows(corpus: Corpus, *, mix: bool, retokenize: bool, limit: int) -> Candidates:
    """The candidates of a corpus; made once, however many systems are scored."""
    base, numbers = corpus.distinct
    if base is not corpus:
        return candidate_rows(base, mix=mix, retokenize=retokenize, limit=limit).select(numbers)
    key = "candidates", mix, retokenize, limit, limits.current()
    return once(corpus, key, lambda: _candidate_rows(corpus, mix, retokenize, limit))


def _candidate_rows(corpus: Corpus, mix: bool, retokenize: bool, limit: int) -> Candidates:
    plain = None if mix else plain_texts(corpus, retokenize=retokenize)
    others: list[list[str]] = []
    references: list[int] = []
    owners: list[int] = []
    unlisted: dict[int, TooManyCandidatesError] = {}
    for index in range(len(corpus)) if plain is None else np.flatnonzero(~plain.simple).tolist():
        found: list[tuple[int, list[str]]] = []
        with corpus.at(index):
            try:
                found = candidates(corpus[index], mix=mix, retokenize=retokenize, limit=limit)
            except TooManyCandidatesError as error:
                unlisted[index] = error
        for reference, tokens in found:
            references.append(reference)
            owners.append(index)
            others.append(tokens)
    ids, owner = corpus.vocabulary.encode(others), np.array(owners, dtype=np.int64)
    numbers = np.array(references, dtype=np.int64)
    if plain is not None:
        rows, simple = plain.candidates
        order = np.argsort(np.concatenate([simple, owner]), kind="stable")
        kept = np.concatenate([rows, len(plain.texts.ids) + np.arange(len(owner))])[order]
        ids = Ragged.concatenated([plain.texts.ids, ids]).select(kept)
        owner = np.concatenate([simple, owner])[order]
        numbers = np.concatenate([plain.texts.annotators[rows], numbers])[order]
    bounds = np.searchsorted(owner, np.arange(len(corpus) + 1))
    values, cut = count_columns(corpus.source_ids, corpus.source_ids, ids, owner)
    baseline = np.ascontiguousarray(values[:, [1, 3]])
    return Candidates(ids, bounds, owner, numbers, baseline, cut, unlisted)


def candidates(
    segment: Segment, *, mix: bool, retokenize: bool = True, limit: int = 10_000
) -> list[tuple[int, list[str]]]:
    """The candidate references of a segment as (annotator, tokens), each text once, in annotator order."""
    source = segment.source.split()
    annotations = explicit(segment)
    if not annotations:
        return [(0, source)]
    if not mix and all(annotation.given_as_text for annotation in annotations):
        return _distinct((a.annotator, a.text.split()) for a in annotations)
    clusters = cluster_edits(segment, retokenize=retokenize)
    if mix:
        return _distinct(enumerate(_mixed(source, clusters, limit)))
    return _distinct(
        (annotation.annotator, _apply(source, _spans_of(annotation.annotator, clusters)))
        for annotation in annotations
    )


def _distinct(found: Iterator[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    texts: dict[tuple[str, ...], int] = {}
    for reference, tokens in found:
        texts.setdefault(tuple(tokens), reference)
    return [(reference, list(tokens)) for tokens, reference in texts.items()]


def _spans_of(annotator: int, clusters: Sequence[Cluster]) -> list[Span]:
    """One annotator's edits; in each cluster those of the same span are one."""
    chosen = (
        next((edits for who, edits in cluster.alternatives if who == annotator), ()) for cluster in clusters
    )
    return [span for edits in chosen for span in _joined(edits)]


def _joined(edits: Sequence[Edit]) -> list[Span]:
    spans: dict[tuple[int, int], list[str]] = {}
    for edit in edits:
        spans.setdefault((edit.start, edit.end), []).append(edit.correction)
    return [(start, end, " ".join(corrections)) for (start, end), corrections in spans.items()]


def _mixed(source: list[str], clusters: Sequence[Cluster], limit: int) -> Iterator[list[str]]:
    """Every combination of the clusters' alternatives, and of none where a cluster is not required."""
    options: list[list[list[Span]]] = []
    for cluster in clusters:
        choices = [_joined(edits) for _, edits in cluster.alternatives]
        if not cluster.required:
            choices.append([])
        options.append([choice for i, choice in enumerate(choices) if choice not in choices[:i]])
    count = math.prod(map(len, options))
    if count > limit:
        raise TooManyCandidatesError(f"{count:,} for {' '.join(source)[:60]!r}", limit, options)
    for choice in product(*options):
        spans = [span for part in choice for span in part]
        if len({span[:2] for span in spans}) == len(spans):
            yield _apply(source, spans)


def _apply(source: list[str], spans: Sequence[Span]) -> list[str]:
    """The source after these edits, from right to left; it is never emptied."""
    tokens = list(source)
    for start, end, correction in sorted(spans, key=lambda span: span[:2], reverse=True):
        changed = tokens[:start] + correction.split() + tokens[end:]
        tokens = changed or tokens
    return tokens


def count_columns(
    sources: Ragged, hypotheses: Ragged, references: Ragged, owner: Integers
) -> tuple[Integers, Marks]:
    """Count tp, tn, fp, fn, fpn of every row's alignment, and mark the rows that go beyond a limit.

    Those are counted by pairwise alignments with the source.
    """
    now = limits.current()
    values, cut, *_ = kernel.count_rows(
        sources, hypotheses, references, owner, now.memory, now.work // _STEPS
    )
    for row in np.flatnonzero(cut).tolist():
        texts = sources[owner[row]], hypotheses[owner[row]], references[row]
        values[row] = star_counts(*(text.tolist() for text in texts))
    return values, cut


def align_one(
    source: Sequence[str], hypothesis: Sequence[str], reference: Sequence[str]
) -> tuple[list[int], list[int]]:
    """The columns of an alignment (bits: 1 source, 2 hypothesis, 4 reference have a token) and the counts."""
    vocabulary, now = SentenceVocabulary(), limits.current()
    texts = [vocabulary.encode([text]) for text in (source, hypothesis, reference)]
    owner = np.zeros(1, dtype=np.int64)
    one, two, three = texts
    counts, cut, _, path = kernel.count_rows(one, two, three, owner, now.memory, now.work // _STEPS)
    if cut[0]:
        ids = [text.values.tolist() for text in texts]
        return star_columns(*ids), star_counts(*ids)
    return path.tolist(), counts[0].tolist()
