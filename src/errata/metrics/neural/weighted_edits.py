"""PT-M2 and PT-ERRANT (Gong et al. 2022): edits weighted by what they change in BERTScore."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from errata.corpus.apply_edits import apply_edits
from errata.corpus.model import Annotation, Edit
from errata.metrics.base import Need
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references
from errata.metrics.errant.extraction import EditMetric
from errata.metrics.errant.matching import Matching
from errata.metrics.m2.marked_edits import view
from errata.metrics.m2.metric import M2
from errata.metrics.neural.bertscore import SegmentMeans, similarities
from errata.metrics.parameters import parameter
from errata.metrics.totals import prf

Change = tuple[int, int, str]  # the source tokens start:end become this text


class Compared(NamedTuple):
    """One hypothesis against one annotation: the reference text, and the edits by what they count as."""

    source: str
    reference: str
    right: Sequence[Change]
    wrong: Sequence[Change]
    missed: Sequence[Change]


@dataclass(frozen=True)
class WeightedEdits(SegmentMeans):
    """What both metrics share: the weights, and the mean over sentences of the best annotator's F_β.

    The weight of an edit is |B(source with this edit, reference) − B(source, reference)|, where B is the F of
    BERTScore from this `model` and `layer` (0: the layer that `bert-score` uses for the model). Rescaling
    would change all weights by the same factor, and no score.
    """

    beta: float = parameter(0.5, at_least=0)

    def weighted(self, segments: Sequence[Sequence[Compared]]) -> npt.ArrayLike:
        """F, precision and recall per segment with its best annotation (the first of equal ones), and 1."""
        weigh = self._weigher([one for some in segments for one in some])
        rows = []
        for some in segments:
            masses = [[sum(weigh(one, edit) for edit in part) for part in one[2:]] for one in some]
            right, wrong, missed = np.array(masses, dtype=np.float64).T
            scores = np.stack(prf(right, wrong, missed, self.beta), axis=1)
            rows.append((*scores[np.argmax(scores[:, 0])], 1.0))
        return np.array(rows, dtype=np.float64).reshape(-1, 4)

    def _weigher(self, compared: Sequence[Compared]) -> Callable[[Compared, Change], float]:
        """A function that weighs an edit; all texts are encoded at once before."""
        pairs = [(one.source, one.reference) for one in compared]
        pairs += [
            (_edited(one.source, e), one.reference) for one in compared for some in one[2:] for e in some
        ]
        known = similarities(self.encoder, pairs)

        def weigh(one: Compared, edit: Change) -> float:
            changed = known[_edited(one.source, edit), one.reference]
            return abs(changed - known[one.source, one.reference])

        return weigh


@dataclass(frozen=True)
class PTM2(WeightedEdits):
    """M² with edits weighted by BERTScore: the mean over sentences of the best annotator's F_β."""

    max_unchanged_words: int = parameter(2, at_least=0)

    name: ClassVar[str] = "ptm2"
    title: ClassVar[str] = "PT-M²"
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})
    of_tokens: ClassVar[bool] = True

    def features(self, batch: Batch) -> npt.ArrayLike:
        """The best alignment with each annotation decides which edits are right."""
        require_references(batch.corpus.annotation_counts, self.name, batch.corpus.first)
        m2 = M2(self.beta, self.max_unchanged_words)
        found = []
        for segment, hypothesis in zip(batch.corpus, batch.hypotheses, strict=True):
            found.append([_by_m2(m2, hypothesis, annotation) for annotation in segment.annotations])
        return self.weighted(found)


@dataclass(frozen=True)
class PTERRANT(WeightedEdits, EditMetric):
    """ERRANT with edits weighted by BERTScore: the mean over sentences of the best annotator's F_β."""

    name: ClassVar[str] = "pterrant"
    title: ClassVar[str] = "PT-ERRANT"
    of_tokens: ClassVar[bool] = True

    def features(self, batch: Batch) -> npt.ArrayLike:
        """Edits of hypothesis and reference are compared by span and correction."""
        base, numbers = batch.distinct
        require_references(batch.corpus.annotation_counts, self.name, batch.corpus.first)
        hypotheses = self.hypothesis_edits(batch.corpus, batch.hypotheses, batch.jobs)
        references = self.reference_edits(base)
        found = []
        for number, ours in zip(numbers.tolist(), hypotheses, strict=True):
            pairs = zip(base[number].annotations, references[number], strict=True)
            found.append([_by_errant(annotation, ours, theirs) for annotation, theirs in pairs])
        return self.weighted(found)


def _by_m2(m2: M2, hypothesis: str, annotation: Annotation) -> Compared:
    seen = view(m2, annotation.source, hypothesis, annotation)
    edits = [((e.start, e.end, e.correction), bool(e.matched)) for e in seen.edits]
    missed = [(g.start, g.end, g.corrections[0]) for g in seen.gold if not (g.found or g.outside)]
    return _compared(annotation, edits, missed)


def _by_errant(annotation: Annotation, ours: Sequence[Edit], theirs: Sequence[Edit]) -> Compared:
    matching = Matching()
    our_keys, their_keys = matching.keys(ours), matching.keys(theirs)
    edits = [(_change(edit), key in their_keys) for edit in ours for key in matching.keys([edit])]
    missed = [_change(edit) for edit in theirs for key in matching.keys([edit]) if key not in our_keys]
    return _compared(annotation, edits, missed)


def _compared(
    annotation: Annotation, edits: Sequence[tuple[Change, bool]], missed: Sequence[Change]
) -> Compared:
    right = [edit for edit, found in edits if found]
    wrong = [edit for edit, found in edits if not found]
    return Compared(annotation.source, annotation.text, right, wrong, missed)


def _change(edit: Edit) -> Change:
    return edit.start, edit.end, edit.correction


def _edited(source: str, edit: Change) -> str:
    """The source with one edit alone."""
    return " ".join(apply_edits(source.split(), [edit]))
