"""Do people agree with metrics about single edits? Labels of edits, and edits kept in post-editing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from errata.corpus.model import Corpus, Edit
from errata.corpus.rewriting import apply_edits, levenshtein_edits
from errata.errors import DataError
from errata.human.edit_labels import LabelledEdit
from errata.metrics.cleme.chunks import Chunk, chunks_of
from errata.metrics.errant import ERRANT
from errata.metrics.errant.extraction import EditMetric
from errata.metrics.results import Results
from errata.significance.agreement_coefficients import krippendorff_alpha

METRICS = ("M²", "ERRANT", "CLEME")
Key = tuple[int, int, str]
UNMATCHED = "(other)"  # an edit that ERRANT divides otherwise, so that it has no type


@dataclass(frozen=True, eq=False)
class EditAgreement:
    """Labelled edits with the verdict of every metric and ERRANT's type; unlabelled edits are left out."""

    labels: Sequence[LabelledEdit]
    verdicts: Mapping[str, Sequence[bool]]  # by metric, in the order of the labels
    types: Sequence[str]

    @cached_property
    def pairs(self) -> list[tuple[bool, bool]]:
        """Labels of two annotators for the same edit of the same sentence."""
        by_edit: dict[tuple[int, Key], dict[str, bool]] = defaultdict(dict)
        for each in self.labels:
            by_edit[each.line, _key(each.edit)].setdefault(each.annotator, bool(each.good))
        return [pair for labels in by_edit.values() for pair in combinations(labels.values(), 2)]

    @property
    def alpha(self) -> float:
        """Krippendorff's α between annotators, over edits that several of them labelled."""
        ratings = np.array(self.pairs, dtype=np.float64).T
        return float(krippendorff_alpha(ratings))

    def rows(self, chosen: Sequence[int]) -> EditRow:
        """How people and metrics judge some of the edits, by their numbers."""
        good = np.array([self.labels[i].good for i in chosen], dtype=bool)
        shares, missed, passed = {}, {}, {}
        for metric, verdicts in self.verdicts.items():
            said = np.array([verdicts[i] for i in chosen], dtype=bool)
            shares[metric] = float(said.mean())
            missed[metric] = float((~said & good).mean())
            passed[metric] = float((said & ~good).mean())
        return EditRow(len(chosen), float(good.mean()), shares, missed, passed)

    def by_system(self) -> dict[str, EditRow]:
        """The edits of each system."""
        numbers: dict[str, list[int]] = defaultdict(list)
        for i, each in enumerate(self.labels):
            for system in each.systems:
                numbers[system].append(i)
        return {system: self.rows(numbers[system]) for system in sorted(numbers)}

    def by_type(self, least: int = 30) -> dict[str, EditRow]:
        """The edits of each type that occurs often enough, the most frequent first."""
        numbers: dict[str, list[int]] = defaultdict(list)
        for i, type_ in enumerate(self.types):
            numbers[type_].append(i)
        frequent = sorted(
            (name for name in numbers if len(numbers[name]) >= least), key=lambda n: -len(numbers[n])
        )
        return {name: self.rows(numbers[name]) for name in frequent}


@dataclass(frozen=True)
class EditRow:
    """Some edits: how many, the share that people call useful, and what metrics say."""

    edits: int
    useful: float
    right: Mapping[str, float]  # the share that a metric counts as right: precision on these edits
    missed: Mapping[str, float]  # useful to people, wrong for the metric
    passed: Mapping[str, float]  # right for the metric, not useful to people


def judge_edits(labels: Sequence[LabelledEdit], corpus: Corpus, *, jobs: int | None = None) -> EditAgreement:
    """Let M², ERRANT and CLEME judge the edits that people labelled.

    An edit is right for M² and ERRANT if an annotator has the same span and correction, in the gold edits and
    in the edits that ERRANT extracts; for CLEME if its chunk equals that of a reference.
    """
    lines = sorted({each.line for each in labels})
    place = {line: i for i, line in enumerate(lines)}
    some = corpus.select(lines)
    errant = ERRANT()
    references = errant.reference_edits(some)
    gold = [
        {(e.start, e.end, text) for a in segment.annotations for e in a.edits for text in e.corrections}
        for segment in some
    ]
    extracted = [{_key(edit) for edits in each for edit in edits} for each in references]
    corrections: dict[tuple[str, str, str], list[Edit]] = defaultdict(list)
    for each in labels:
        corrections[each.correction].append(each.edit)
    types = _types(errant, labels, some, place, corrections, jobs)
    known = [each for each in labels if each.good is not None]
    verdicts = {
        "M²": [_key(each.edit) in gold[place[each.line]] for each in known],
        "ERRANT": [_key(each.edit) in extracted[place[each.line]] for each in known],
        "CLEME": [
            _right_chunk(found, each.edit)
            for found, each in zip(
                chunks_of(
                    [some[place[each.line]].source for each in known],
                    [tuple(corrections[each.correction]) for each in known],
                    [references[place[each.line]] for each in known],
                    independent=True,
                ),
                known,
                strict=True,
            )
        ],
    }
    return EditAgreement(known, verdicts, [types.get((e.correction, _key(e.edit)), UNMATCHED) for e in known])


def _key(edit: Edit) -> Key:
    return edit.start, edit.end, edit.correction


def _types(
    errant: ERRANT,
    labels: Sequence[LabelledEdit],
    corpus: Corpus,
    place: Mapping[int, int],
    corrections: Mapping[tuple[str, str, str], Sequence[Edit]],
    jobs: int | None,
) -> dict[tuple[tuple[str, str, str], Key], str]:
    """ERRANT's types of the edits in every corrected text."""
    line = {each.correction: place[each.line] for each in labels}
    sources = [corpus[number].source for number in line.values()]
    texts = [
        " ".join(apply_edits(source.split(), [_key(edit) for edit in corrections[key]]))
        for key, source in zip(line, sources, strict=True)
    ]
    extract = errant.extractor
    extract.jobs = jobs
    found = extract.extract_all(zip(sources, texts, strict=True))
    return {(key, _key(edit)): edit.type for key, edits in zip(line, found, strict=True) for edit in edits}


def _right_chunk(chunks: Sequence[Chunk], edit: Edit) -> bool:
    """Whether the chunk with this edit has the text of a reference."""
    start = 0
    for chunk in chunks:
        end = start + len(chunk.source)
        if chunk.hypothesis.changed and start <= edit.start <= edit.end <= end:
            return chunk.columns == ("tp",)
        start = end
    return False


# -- How many edits that the references lack did post-editors keep?

@dataclass(frozen=True)
class KeptEdits:
    """A system's edits: those that the references have and lack, and how many the post-edits keep of each."""

    system: str
    matched: int = 0
    matched_kept: int = 0
    unmatched: int = 0
    unmatched_kept: int = 0

    @property
    def edits(self) -> int:
        """All edits of the system."""
        return self.matched + self.unmatched

    @property
    def kept(self) -> int:
        """The edits that the post-edits keep."""
        return self.matched_kept + self.unmatched_kept


@dataclass(frozen=True)
class UnmatchedEdits:
    """The edits of all systems, and the metric that extracted and compared them."""

    metric: ERRANT
    systems: tuple[KeptEdits, ...]


def unmatched_edits(results: Results, jobs: int | None = None) -> UnmatchedEdits:
    """Count the edits that ERRANT takes for right and for wrong, and those that the post-edits keep.

    Edits are extracted with the settings of the first metric of the results that extracts some, otherwise
    with the embedded tagger. The annotator is the one that the corpus score of ERRANT chooses.
    """
    corpus, outputs = results.corpus, results.outputs
    if corpus is None or outputs is None or not results.has_post_edits:
        raise DataError("there are no post-edits", hint="give a file per system with --post-edits")
    metric = _errant(results)
    found = []
    for system in results.systems:
        post_edited = results.scores[system, 0].corpus
        assert post_edited is not None
        texts = [segment.references[0] for segment in post_edited]
        counts = [0, 0, 0, 0]
        compared = metric.compared(corpus, outputs[system], jobs=jobs)
        for (segment, ours, theirs), text in zip(compared, texts, strict=True):
            gold = metric.matching.keys(theirs)
            for edit, is_kept in zip(ours, kept(segment.tokens, ours, text), strict=True):
                unmatched = any(key not in gold for key in metric.matching.keys([edit]))
                counts[2 * unmatched] += 1
                counts[2 * unmatched + 1] += is_kept
        found.append(KeptEdits(system, *counts))
    return UnmatchedEdits(metric, tuple(found))


def _errant(results: Results) -> ERRANT:
    for metric in results.metrics:
        if isinstance(metric, EditMetric):
            return ERRANT(metric.language, metric.tagger, metric.words, metric.merge, metric.references)
    return ERRANT(tagger="embedded")


def kept(source: Sequence[str], edits: Sequence[Edit], post_edit: str) -> list[bool]:
    """Whether the post-edit of an output leaves what each edit of the output wrote as it is.

    The output and its post-edit are aligned word by word. A deletion is kept if nothing is put in its place.
    """
    output = apply_edits(source, [(edit.start, edit.end, edit.correction) for edit in edits])
    changes = levenshtein_edits(output, post_edit.split())
    found, moved = {}, 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        start = edit.start + moved
        end = start + len(edit.correction.split())
        moved += end - start - (edit.end - edit.start)
        found[id(edit)] = not any(_touches(a, b, start, end) for a, b, _ in changes)
    return [found[id(edit)] for edit in edits]


def _touches(a: int, b: int, start: int, end: int) -> bool:
    """Whether a change of the tokens a:b concerns the tokens start:end, or the gap if these are the same."""
    if start == end:
        return a < start < b or a == b == start
    return start < a < end if a == b else a < end and b > start
