"""How many edits that the references lack did post-editors keep?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errata.corpus.model import Edit
from errata.corpus.rewriting import apply_edits, levenshtein_edits
from errata.errors import DataError
from errata.metrics.errant import ERRANT
from errata.metrics.errant.extraction import EditMetric
from errata.metrics.results import Results


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
