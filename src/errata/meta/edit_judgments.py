"""Do metrics and people agree about single edits? M², ERRANT and CLEME beside labels of edits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from errata.corpus.model import Corpus, Edit
from errata.corpus.rewriting import apply_edits
from errata.human.edit_labels import LabelledEdit
from errata.metrics.cleme.chunks import Chunk, chunks_of
from errata.metrics.errant import ERRANT
from errata.significance.agreement import krippendorff_alpha

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
