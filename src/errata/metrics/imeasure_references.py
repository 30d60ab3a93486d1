"""The candidate references of the I-measure, and their alignments with source and hypothesis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest

import numpy as np
import numpy.typing as npt

from errata import limits
from errata.corpus.apply_edits import Span
from errata.corpus.columns import NEVER, EncodedEdits, EncodedReferences, corrected_texts
from errata.corpus.edit_clusters import Cluster, cluster_edits, explicit
from errata.corpus.model import Corpus
from errata.corpus.segment import Edit, Segment
from errata.errors import DataError
from errata.metrics.statistics import Integers
from errata.native import imeasure as kernel
from errata.native.ragged import Ragged, select_runs
from errata.text.python2 import string_order
from errata.text.tokenizers import is_plain, word_tokenize
from errata.text.vocabulary import SentenceVocabulary, Vocabulary, equal_rows

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
    """The candidates of all segments as token ids, and the counts of the unchanged source against each."""

    ids: Ragged
    offsets: Integers  # candidates of segment i are the rows offsets[i]:offsets[i + 1]
    owner: Integers  # the segment of each row
    references: Integers  # the annotator of each row, or its number among the mixed ones
    baseline: Integers  # rows × (tn, fn)
    cut: Marks  # rows whose baseline went beyond a limit
    unlisted: Mapping[int, TooManyCandidatesError]  # segments with more than the limit; they have no rows

    def select(self, segments: Integers) -> Candidates:
        """The candidates of these segments, in this order; a segment may be repeated."""
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
    """The candidates of a corpus; computed once for all systems."""
    base, numbers = corpus.distinct
    if base is not corpus:
        return candidate_rows(base, mix=mix, retokenize=retokenize, limit=limit).select(numbers)
    key = "candidates", mix, retokenize, limit, limits.current()
    return corpus.once(key, lambda: _candidate_rows(corpus, mix, retokenize, limit))


def _candidate_rows(corpus: Corpus, mix: bool, retokenize: bool, limit: int) -> Candidates:
    plain = None if mix else plain_texts(corpus, retokenize=retokenize)
    others: list[list[str]] = []
    references: list[int] = []
    owners: list[int] = []
    unlisted: dict[int, TooManyCandidatesError] = {}
    for index in range(len(corpus)) if plain is None else np.flatnonzero(~plain.simple).tolist():
        texts: list[tuple[int, list[str]]] = []
        with corpus.at(index):
            try:
                texts = candidates(corpus[index], mix=mix, retokenize=retokenize, limit=limit)
            except TooManyCandidatesError as error:
                unlisted[index] = error
        for reference, tokens in texts:
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
    """The candidate references of a segment as (annotator, tokens), each text once.

    They come in the order of the official program, which decides ties: it writes them into a dictionary of
    Python 2, first the source if an annotator has no edits. Its annotators come in such an order, too.
    """
    source = segment.source.split()
    annotations = explicit(segment)
    if not annotations:
        return [(0, source)]
    as_texts = not mix and all(annotation.given_as_text for annotation in annotations)
    clusters = () if as_texts else cluster_edits(segment, retokenize=retokenize)
    changing = {annotator for cluster in clusters for annotator, _ in cluster.alternatives}
    texts: Iterable[tuple[int, list[str]]]
    if mix:
        unchanged_first = len(changing) < len(annotations)
        texts = enumerate(_mixed(source, clusters, limit, unchanged_first=unchanged_first))
    else:
        ordered = [annotations[place] for place in string_order([str(a.annotator) for a in annotations])]
        ordered.sort(key=lambda a: a.annotator in changing)
        texts = (
            (a.annotator, a.text.split() if as_texts else _apply(source, _spans_of(a.annotator, clusters)))
            for a in ordered
        )
    first: dict[str, int] = {}  # the first annotator of each text
    for reference, tokens in texts:
        text = " ".join(tokens)
        first[text] = min(reference, first.get(text, reference))
    names = [*first]
    return [(first[names[place]], names[place].split()) for place in string_order(names)]


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


def _mixed(
    source: list[str], clusters: Sequence[Cluster], limit: int, *, unchanged_first: bool
) -> Iterator[list[str]]:
    """Every combination of the clusters' alternatives, and of none if a cluster is not required.

    The combination without any edit is the last one, or the first one.
    """
    options: list[list[list[Span]]] = []
    for cluster in clusters:
        choices: list[list[Span]] = [] if cluster.required else [[]]
        choices += [_joined(edits) for _, edits in cluster.alternatives]
        options.append([choice for i, choice in enumerate(choices) if choice not in choices[:i]])
    count = math.prod(map(len, options))
    if count > limit:
        raise TooManyCandidatesError(f"{count:,} for {' '.join(source)[:60]!r}", limit, options)
    unchanged = [source] if all([] in choices for choices in options) else []
    if unchanged_first:
        yield from unchanged
    for choice in product(*reversed(options)):
        spans = [span for part in reversed(choice) for span in part]
        if spans and len({span[:2] for span in spans}) == len(spans):
            yield _apply(source, spans)
    yield from unchanged


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


@dataclass(frozen=True)
class PlainTexts:
    """The text of every annotator, and whether the segment has nothing out of the ordinary."""

    texts: EncodedReferences
    simple: npt.NDArray[np.bool_]

    @property
    def candidates(self) -> tuple[Integers, Integers]:
        """The rows of the texts of all simple segments, and these segments; each text of a segment once."""
        ids, counts = self.texts.ids, np.diff(self.texts.offsets)
        owner, row, lengths = np.repeat(np.arange(len(counts)), counts), np.arange(len(ids)), ids.lengths
        place = row - np.repeat(self.texts.offsets[:-1], counts)
        kept = self.simple[owner]
        for before in range(1, int(counts.max(initial=0))):  # the rows of a segment at this distance
            later = np.flatnonzero(kept & (place >= before))
            later = later[lengths[later] == lengths[later - before]]
            kept[later[equal_rows(ids.select(later), ids.select(later - before))]] = False
        return row[kept], owner[kept]


def plain_texts(corpus: Corpus, *, retokenize: bool) -> PlainTexts | None:
    """The texts that gold edits make; None if some annotations are texts, or edits do not make texts.

    A segment is simple if the edits of an annotator follow each other, corrections have the tokens of the
    Penn Treebank (unless `retokenize` is false), and no text is empty: then edits need not be grouped.
    """
    rows = corpus.annotations
    if rows.as_text.any() or not rows.ascending or not rows.counts.all() or corpus.clusters is not None:
        return None
    gold = corpus.edit_ids
    texts = corrected_texts(gold, corpus.source_ids)
    if texts is None:
        return None
    good = _apart(gold) & _as_tokenised(gold, corpus.vocabulary, retokenize=retokenize)
    simple = np.ones(len(corpus), dtype=np.bool_)
    owner = np.repeat(np.arange(len(corpus)), np.diff(gold.rows))
    simple[owner[gold.owners[~good]]] = False
    simple[owner[texts.ids.lengths == 0]] = False
    return PlainTexts(texts, simple)


def _apart(gold: EncodedEdits) -> npt.NDArray[np.bool_]:
    """Which edits begin after the end of the one before them, and not both at the first token.

    There, an edit that empties the text is left out where an insertion follows: see `_apply`.
    """
    row, (start, end), order = gold.owners, gold.spans.T, gold.ascending
    first, second = order[:-1], order[1:]
    same = (start[first] == start[second]) & ((end[first] == end[second]) | (start[first] == 0))
    good: npt.NDArray[np.bool_] = start <= end
    good[second] &= (row[first] != row[second]) | ((end[first] <= start[second]) & ~same)
    return good


def _as_tokenised(gold: EncodedEdits, vocabulary: Vocabulary, *, retokenize: bool) -> npt.NDArray[np.bool_]:
    """Which edits have a regular correction that the tokeniser of the official program leaves as it is."""
    corrections = gold.tokens.select(gold.corrections[:-1])
    odd = np.zeros(len(vocabulary) + 1, dtype=np.bool_)  # tokens; the last one stands for NEVER
    spelled: dict[int, str] = {}
    if retokenize:
        odd[corrections.values] = True
        used = np.flatnonzero(odd[:-1]).tolist()
        spelled.update(zip(used, vocabulary.some_tokens(used), strict=True))
        odd[used] = [not is_plain(word) for word in spelled.values()]
    odd[NEVER] = True
    before = np.concatenate([[0], np.cumsum(odd[corrections.values])])[corrections.offsets]
    good: npt.NDArray[np.bool_] = before[1:] == before[:-1]
    for edit in np.flatnonzero(~good).tolist() if retokenize else ():
        tokens = [spelled.get(token, "") for token in corrections[edit].tolist()]
        good[edit] = [*word_tokenize(" ".join(tokens))] == tokens
    return good


Marks = npt.NDArray[np.uint8]


def star_columns(source: Sequence[int], hypothesis: Sequence[int], reference: Sequence[int]) -> list[int]:
    """The columns (bits: 1 source, 2 hypothesis, 4 reference have a token), from left to right."""
    return [
        (x is not None) + 2 * (y is not None) + 4 * (z is not None)
        for x, y, z in _star(source, hypothesis, reference)
    ]


def star_counts(source: Sequence[int], hypothesis: Sequence[int], reference: Sequence[int]) -> list[int]:
    """tp, tn, fp, fn and fpn of these columns."""
    tp = tn = fp = fn = fpn = 0
    for x, y, z in _star(source, hypothesis, reference):
        if x == y:
            tn += y == z
            fn += y != z
        elif x == z:
            fp += 1
        elif y == z:
            tp += 1
        else:
            fp, fn, fpn = fp + 1, fn + 1, fpn + 1
    return [tp, tn, fp, fn, fpn]


Column = tuple[int | None, int | None, int | None]


def _star(source: Sequence[int], hypothesis: Sequence[int], reference: Sequence[int]) -> Iterator[Column]:
    """Each source token with its counterparts in both texts, after the tokens inserted before it."""
    in_hypothesis, before_hypothesis = _against(source, hypothesis)
    in_reference, before_reference = _against(source, reference)
    for i in range(len(source) + 1):
        for inserted in zip_longest(before_hypothesis[i], before_reference[i]):
            yield None, *inserted
        if i < len(source):
            yield source[i], in_hypothesis[i], in_reference[i]


def _against(source: Sequence[int], text: Sequence[int]) -> tuple[list[int | None], list[list[int]]]:
    """The counterpart of each source token (None: deleted) and the tokens inserted before it."""
    from rapidfuzz.distance import Levenshtein

    became: list[int | None] = [None] * len(source)
    before: list[list[int]] = [[] for _ in range(len(source) + 1)]
    for step in Levenshtein.opcodes(source, text):
        if step.tag == "insert":
            before[step.src_start] += text[step.dest_start : step.dest_end]
        elif step.tag != "delete":
            became[step.src_start : step.src_end] = text[step.dest_start : step.dest_end]
    return became, before
