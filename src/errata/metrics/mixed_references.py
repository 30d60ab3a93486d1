"""Counts for all mixed references of a sentence without writing each of them out.

Where a stretch of the sentence is the same in source, hypothesis and every reference, the alignment can
often be cut: if no optimal alignment of any combination goes around the stretch, the trace-back passes its
first cell (equal tokens are always aligned first), what lies to the right of it is aligned as if it stood
alone, and so is what lies to the left. Counts of blocks then add up, and combinations are sums of vectors.

That none goes around is proven with a price. An alignment that goes around a stretch of L tokens matches
each of them in at most one of the three pairs of texts. Charge `PRICE` for every match of the stretch in a
pair: the three cheapest charged pairwise alignments together, less `PRICE`·L, cost at most as much as
any alignment that goes around. If that is more than some three-way alignment costs, none of those is
optimal. Both sides are sums over the corrections chosen, so that one pass over the lattice of all
references finds the combination for which the difference is least.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise, product

import numpy as np
import numpy.typing as npt

from errata.corpus.apply_edits import Span, apply_edits
from errata.corpus.model import Corpus
from errata.metrics.imeasure_references import TooManyCandidatesError, align_one, count_columns
from errata.metrics.statistics import Integers, Statistics
from errata.text.vocabulary import SentenceVocabulary

PRICE = 3
GAP, MISMATCH = 2, 3  # the costs of the alignment
Tokens = tuple[str, ...]
Options = Sequence[Sequence[Sequence[Span]]]  # the alternatives of every cluster, each a list of edits
Cut = tuple[int, int]  # in source and hypothesis


@dataclass(frozen=True, slots=True)
class Group:
    """Source tokens `start:end` and the texts that references may have instead."""

    start: int
    end: int
    texts: tuple[Tokens, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A token of the source (at `place`) or a group, and the cost that each text adds to an alignment."""

    place: int | None
    texts: list[npt.NDArray[np.int32]]
    weights: tuple[list[int], list[int]]  # shared out: on the pair with the source, with the hypothesis


def with_unlisted(
    listed: Statistics,
    unlisted: Mapping[int, TooManyCandidatesError],
    corpus: Corpus,
    hypotheses: Sequence[str],
    limit: int,
) -> Statistics:
    """Statistics with the rows of segments that have too many references to write them out."""
    parts = np.split(listed.values, listed.offsets[1:-1])
    failed = []
    for index, error in unlisted.items():
        rows = mixed_counts(
            tuple(corpus.sources[index].split()), tuple(hypotheses[index].split()), error.options, limit
        )
        if rows is None:
            failed.append(f"sentence {index + 1} ({error.count:,})")
        else:
            parts[index] = rows
    if failed:
        more = f" and {len(failed) - 10:,} others" if len(failed) > 10 else ""
        raise TooManyCandidatesError(", ".join(failed[:10]) + more, limit, [])
    offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    numbers = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    return Statistics(listed.columns, np.concatenate(parts), offsets, numbers, listed.cuts)


def mixed_counts(source: Tokens, hypothesis: Tokens, options: Options, limit: int) -> Integers | None:
    """The distinct rows of counts (and the baseline's) over all references; None if too many are left.

    A single block has at most `limit` references.
    """
    groups = _groups(source, options, limit)
    if groups is None:
        return None
    also = set(_cuts(source, source, groups))
    cuts = [cut for cut in _cuts(source, hypothesis, groups) if (cut[0], cut[0]) in also]
    if not cuts:
        return None
    places = [(0, 0), *cuts, (len(source), len(hypothesis))]
    total = np.zeros((1, 7), dtype=np.int64)
    for (p, q), (p_end, q_end) in pairwise(places):
        inside = [g for g in groups if (p < g.end or g.start == 0 == p) and p <= g.start and g.end <= p_end]
        if math.prod(len(group.texts) for group in inside) > limit:
            return None
        texts = list(dict.fromkeys(_texts(source, p, p_end, inside)))
        block = _block_counts(source[p:p_end], hypothesis[q:q_end], texts)
        if len(total) * len(block) > 100 * limit:
            return None
        total = np.unique((total[:, None] + block).reshape(-1, 7), axis=0)
    return total


def _groups(source: Tokens, options: Options, limit: int) -> tuple[Group, ...] | None:
    """Clusters whose spans interleave, together; None if edits of different clusters are in conflict."""
    spans = [sorted({span[:2] for choice in choices for span in choice}) for choices in options]
    if not all(0 <= start <= end <= len(source) for cluster in spans for start, end in cluster):
        return None
    for one, other in combinations(spans, 2):
        if any(not _apart(a, b) for a, b in product(one, other)):
            return None
    if any(not _apart(a[:2], b[:2]) for c in options for choice in c for a, b in combinations(choice, 2)):
        return None
    hulls = sorted(
        (cluster[0][0], max(end for _, end in cluster), i) for i, cluster in enumerate(spans) if cluster
    )
    merged: list[tuple[int, int, list[int]]] = []
    for start, end, i in hulls:
        if merged and start < merged[-1][1]:
            before, until, members = merged[-1]
            merged[-1] = before, max(until, end), [*members, i]
        else:
            merged.append((start, end, [i]))
    groups = []
    for start, end, members in merged:
        if math.prod(len(options[i]) for i in members) > limit:
            return None
        texts = []
        for choices in product(*(options[i] for i in members)):
            edits = [(s - start, e - start, text) for choice in choices for s, e, text in choice]
            texts.append(tuple(apply_edits(source[start:end], edits)))
        groups.append(Group(start, end, tuple(dict.fromkeys(texts))))
    return tuple(groups)


def _apart(one: tuple[int, int], other: tuple[int, int]) -> bool:
    first, second = sorted((one, other))
    return first != second and first[1] <= second[0]


def _texts(source: Tokens, start: int, end: int, groups: Sequence[Group]) -> Iterator[Tokens]:
    """All references of a block."""
    borders = [start, *(border for group in groups for border in (group.start, group.end)), end]
    fixed = [source[borders[i] : borders[i + 1]] for i in range(0, len(borders), 2)]
    for choice in product(*(group.texts for group in groups)):
        text = fixed[0]
        for chosen, after in zip(choice, fixed[1:], strict=True):
            text += chosen + after
        yield text


def _block_counts(source: Tokens, hypothesis: Tokens, references: Sequence[Tokens]) -> Integers:
    vocabulary = SentenceVocabulary()
    s, h, r = (vocabulary.encode(texts) for texts in ([source], [hypothesis], references))
    owner = np.zeros(len(references), dtype=np.int64)
    values, baseline = (count_columns(s, text, r, owner)[0] for text in (h, s))
    return np.unique(np.concatenate([values, baseline[:, [1, 3]]], axis=1), axis=0)


@lru_cache(maxsize=256)
def _cuts(source: Tokens, hypothesis: Tokens, groups: tuple[Group, ...]) -> tuple[Cut, ...]:
    """Where the alignment of every combination may be cut."""
    return tuple(_Lattice(source, hypothesis, groups).cuts())


class _Lattice:
    """All references at once, as a row of items, against one hypothesis."""

    def __init__(self, source: Tokens, hypothesis: Tokens, groups: tuple[Group, ...]) -> None:
        ids = SentenceVocabulary()
        self.source, self.hypothesis = (ids.encode([text]).values for text in (source, hypothesis))
        self.groups = groups
        self.between = 0  # twice what source and hypothesis cost outside the groups
        self.matches: dict[int, int] = {}  # source position to that of the equal token in the hypothesis
        first, last, costs = self._path(source, hypothesis)
        self.items: list[Item] = []
        here = (0, 0)
        for group in groups:
            begin = max(first[group.start], here[1])
            end = max(last[group.end], begin)
            self.between += 2 * (costs[group.start, begin] - costs[here])
            self._fixed(here[0], group.start)
            here = (group.end, end)
            old, new = source[group.start : group.end], hypothesis[begin:end]
            pair = [_cost(old, old, text) // 2 for text in group.texts]
            rest = [_cost(old, new, text) - cost for text, cost in zip(group.texts, pair, strict=True)]
            self.items.append(Item(None, [ids.encode([text]).values for text in group.texts], (pair, rest)))
        self._fixed(here[0], len(source))
        self.between += 2 * (costs[len(source), len(hypothesis)] - costs[here])

    def _fixed(self, start: int, end: int) -> None:
        self.items += _tokens(self.source, start, end)

    def _path(
        self, source: Tokens, hypothesis: Tokens
    ) -> tuple[dict[int, int], dict[int, int], dict[Cut, int]]:
        """The first and the last cell in every row of the pairwise alignment, and the cost up to each."""
        i = j = cost = 0
        first, last, costs = {0: 0}, {0: 0}, {(0, 0): 0}
        for bits in align_one(source, hypothesis, source)[0]:
            if bits == 7 and source[i] == hypothesis[j]:
                self.matches[i] = j
            else:
                cost += MISMATCH if bits == 7 else GAP
            i += bits & 1
            j += bits >> 1 & 1
            first.setdefault(i, j)
            last[i] = j
            costs[i, j] = cost
        return first, last, costs

    def cuts(self) -> Iterator[Cut]:
        """The first cells of stretches that every optimal alignment passes through."""
        start = 0
        borders = [(g.start, g.end) for g in self.groups] + [(len(self.source), len(self.source))]
        for stop, behind in borders:
            p = start
            while p < stop:
                end = p + 1
                if p in self.matches:
                    while end < stop and self.matches.get(end) == self.matches[p] + end - p:
                        end += 1
                    if p > 0 and end - p > 1 and self._certain(p, self.matches[p], end - p):
                        yield p, self.matches[p]
                p = end
            start = behind

    def _certain(self, p: int, q: int, length: int) -> bool:
        """Whether every alignment that goes around the stretch costs more than one that does not."""
        stretch = range(length)
        tokens = _tokens(self.hypothesis, 0, len(self.hypothesis))
        pairs = (
            (self.source, tokens, {q + t: p + t for t in stretch}, 0),
            (self.source, self.items, {p + t: p + t for t in stretch}, 0),
            (self.hypothesis, self.items, {p + t: q + t for t in stretch}, 1),
        )
        least = sum(_cheapest(text, items, charged, pair) for text, items, charged, pair in pairs)
        return least - self.between - PRICE * length > 0


def _tokens(ids: npt.NDArray[np.int32], start: int, end: int) -> list[Item]:
    return [Item(place, [ids[place : place + 1]], ([0], [0])) for place in range(start, end)]


def _cheapest(text: npt.NDArray[np.int32], items: Sequence[Item], charged: dict[int, int], pair: int) -> int:
    """The least cost of aligning a text with any path of the lattice, minus the weights of the path.

    `charged` are the places of items whose match with a place of the text costs `PRICE` more.
    """
    ramp: Integers = GAP * np.arange(len(text) + 1, dtype=np.int64)
    row: Integers = ramp
    for item in items:
        ends: list[Integers] = []
        place = None if item.place is None else charged.get(item.place)
        for tokens, weight in zip(item.texts, item.weights[pair], strict=True):
            now = row
            for token in tokens:
                diagonal = np.where(text == token, 0, MISMATCH)
                if place is not None:
                    diagonal[place] += PRICE
                new = now + GAP
                np.minimum(new[1:], now[:-1] + diagonal, out=new[1:])
                now = np.minimum.accumulate(new - ramp) + ramp
            ends.append(now - weight)
        row = np.stack(ends).min(axis=0)
    return int(row[-1])


def _cost(source: Tokens, hypothesis: Tokens, reference: Tokens) -> int:
    """The cost of the three-way alignment."""
    texts = [iter(source), iter(hypothesis), iter(reference)]
    cost = 0
    for bits in align_one(source, hypothesis, reference)[0]:
        column = [next(text) if bits >> row & 1 else None for row, text in enumerate(texts)]
        for one, other in combinations(column, 2):
            if one != other:
                cost += GAP if one is None or other is None else MISMATCH
    return cost
