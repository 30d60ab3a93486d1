"""Agreement of metrics with people about single edits: labelled edits, and edits kept in post-editing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from errata.corpus.apply_edits import apply_edits, levenshtein_edits
from errata.corpus.model import Corpus
from errata.corpus.segment import Edit
from errata.errors import DataError
from errata.human.edit_labels import LabelledEdit
from errata.metrics.cleme import Chunk, chunks_of
from errata.metrics.edit_metric import EditMetric
from errata.metrics.errant import ERRANT
from errata.metrics.results import Results
from errata.significance.agreement_coefficients import krippendorff_alpha
from errata.tables import Cell, Column, Table

METRICS = ("M²", "ERRANT", "CLEME")
Key = tuple[int, int, str]
UNMATCHED = "(other)"  # type of an edit that ERRANT segments differently


@dataclass(frozen=True, eq=False)
class EditAgreement:
    """Labelled edits with the verdict of every metric and ERRANT's type; others are left out."""

    labels: Sequence[LabelledEdit]
    verdicts: Mapping[str, Sequence[bool]]  # by metric, in the order of the labels
    types: Sequence[str]

    @cached_property
    def pairs(self) -> list[tuple[bool, bool]]:
        """Pairs of labels of two annotators for the same edit of the same sentence."""
        by_edit: dict[tuple[int, Key], dict[str, bool]] = defaultdict(dict)
        for each in self.labels:
            by_edit[each.line, _key(each.edit)].setdefault(each.annotator, bool(each.good))
        return [pair for labels in by_edit.values() for pair in combinations(labels.values(), 2)]

    @property
    def alpha(self) -> float:
        """Krippendorff's α between annotators, over edits with several labels."""
        if not self.pairs:
            return float("nan")
        ratings = np.array(self.pairs, dtype=np.float64).T
        return float(krippendorff_alpha(ratings))

    def rows(self, chosen: Sequence[int]) -> EditRow:
        """The judgments of people and metrics about the edits with these numbers."""
        good = np.array([self.labels[i].good for i in chosen], dtype=bool)
        shares, missed, passed = {}, {}, {}
        for metric, verdicts in self.verdicts.items():
            right = np.array([verdicts[i] for i in chosen], dtype=bool)
            shares[metric] = float(right.mean())
            missed[metric] = float((~right & good).mean())
            passed[metric] = float((right & ~good).mean())
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

    def tables(self) -> list[Table]:
        """Agreement of annotators, precision by system, and disagreement by error type."""
        pairs = self.pairs
        same = sum(first == second for first, second in pairs) / len(pairs) if pairs else float("nan")
        total = self.rows(range(len(self.labels)))
        columns = [Column("edits"), Column("useful", 3), Column("labelled twice"), Column("same label", 3)]
        overview = Table(
            [*columns, Column("Krippendorff's α", 3)],
            [[total.edits, total.useful, len(pairs), same, self.alpha]],
            "Labels of single edits",
        )
        precision = [Column("system"), Column("edits"), Column("people", 3, "max")]
        precision += [Column(metric, 3, "max") for metric in METRICS]
        rows: list[Sequence[Cell]] = [
            [name, row.edits, row.useful, *(row.right[metric] for metric in METRICS)]
            for name, row in self.by_system().items()
        ]
        notes = ["shares of a system's labelled edits that people call useful and that metrics call right"]
        systems = Table(precision, rows, "Precision by people and by metrics", notes)
        return [overview, systems, _disagreement({"(all)": total, **self.by_type()})]


@dataclass(frozen=True)
class EditRow:
    """Judgments about some edits: the share that people call useful, and the metrics' verdicts."""

    edits: int
    useful: float
    right: Mapping[str, float]  # share that the metric counts as right: its precision on these edits
    missed: Mapping[str, float]  # share useful to people and wrong for the metric
    passed: Mapping[str, float]  # share right for the metric and not useful to people


def judge_edits(labels: Sequence[LabelledEdit], corpus: Corpus, *, jobs: int | None = None) -> EditAgreement:
    """Let M², ERRANT and CLEME judge the edits that people labelled.

    An edit is right if an annotator has the same span and correction: for M² in the gold edits, for ERRANT in
    the extracted edits. For CLEME it is right if its chunk equals that of a reference.
    """
    for each in labels:
        if each.line >= len(corpus) or each.edit.end > len(corpus[each.line].source.split()):
            raise DataError(
                f"an edit of the tokens {each.edit.start} to {each.edit.end} of line {each.line + 1}, which "
                "the corpus does not have",
                hint="give the corpus of the labels",
            )
    lines = sorted({each.line for each in labels})
    index = {line: i for i, line in enumerate(lines)}
    judged = corpus.select(lines)
    errant = ERRANT()
    references = errant.reference_edits(judged)
    gold = [
        {(e.start, e.end, text) for a in segment.annotations for e in a.edits for text in e.corrections}
        for segment in judged
    ]
    extracted = [{_key(edit) for edits in each for edit in edits} for each in references]
    corrections: dict[tuple[str, str, str], list[Edit]] = defaultdict(list)
    for each in labels:
        corrections[each.correction].append(each.edit)
    types = _types(errant, labels, judged, index, corrections, jobs)
    labelled = [each for each in labels if each.good is not None]
    segments = [index[each.line] for each in labelled]
    chunks = chunks_of(
        [judged[segment].source for segment in segments],
        [tuple(corrections[each.correction]) for each in labelled],
        [references[segment] for segment in segments],
        independent=True,
    )
    edits = [each.edit for each in labelled]
    verdicts = {
        "M²": [_key(edit) in gold[i] for edit, i in zip(edits, segments, strict=True)],
        "ERRANT": [_key(edit) in extracted[i] for edit, i in zip(edits, segments, strict=True)],
        "CLEME": [_right_chunk(each, edit) for each, edit in zip(chunks, edits, strict=True)],
    }
    types_of_edits = [types.get((each.correction, _key(each.edit)), UNMATCHED) for each in labelled]
    return EditAgreement(labelled, verdicts, types_of_edits)


def _key(edit: Edit) -> Key:
    return edit.start, edit.end, edit.correction


def _types(
    errant: ERRANT,
    labels: Sequence[LabelledEdit],
    corpus: Corpus,
    index: Mapping[int, int],
    corrections: Mapping[tuple[str, str, str], Sequence[Edit]],
    jobs: int | None,
) -> dict[tuple[tuple[str, str, str], Key], str]:
    """ERRANT's types of the edits of every correction."""
    line = {each.correction: index[each.line] for each in labels}
    sources = [corpus[number].source for number in line.values()]
    texts = [
        " ".join(apply_edits(source.split(), [_key(edit) for edit in corrections[key]]))
        for key, source in zip(line, sources, strict=True)
    ]
    extract = errant.extractor
    extract.jobs = jobs
    extracted = extract.extract_all(zip(sources, texts, strict=True))
    return {
        (key, _key(edit)): edit.type for key, edits in zip(line, extracted, strict=True) for edit in edits
    }


def _right_chunk(chunks: Sequence[Chunk], edit: Edit) -> bool:
    """Whether the chunk with this edit equals that of a reference."""
    start = 0
    for chunk in chunks:
        end = start + len(chunk.source)
        if chunk.hypothesis.changed and start <= edit.start <= edit.end <= end:
            return chunk.columns == ("tp",)
        start = end
    return False


# -- edits kept in post-editing ----------------------------------------------------------------------


@dataclass(frozen=True)
class KeptEdits:
    """A system's edits, in the references or not, and how many of each the post-edits keep."""

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

    def table(self) -> Table:
        """Matched and unmatched edits by system, and how many unmatched ones post-editors kept."""
        columns = [
            Column("system"), Column("edits"), Column("matched"), Column("unmatched"), Column("kept"),
            Column("kept %", 1), Column("precision", 4), Column("with kept", 4),
        ]  # fmt: skip
        rows = [
            (
                counts.system, counts.edits, counts.matched, counts.unmatched, counts.unmatched_kept,
                100 * counts.unmatched_kept / counts.unmatched if counts.unmatched else None,
                counts.matched / counts.edits if counts.edits else None,
                (counts.matched + counts.unmatched_kept) / counts.edits if counts.edits else None,
            )
            for counts in self.systems
        ]  # fmt: skip
        note = (
            f"edits by {self.metric.label('f').split()[0]}, against the annotator that its score chooses; "
            "kept: unmatched edits that the post-edit of the output leaves unchanged"
        )
        return Table(columns, rows, title="edits that the references lack", notes=[note])


def unmatched_edits(results: Results, jobs: int | None = None) -> UnmatchedEdits:
    """Count the edits that are right and wrong for ERRANT, and those that the post-edits keep.

    Edits are extracted with the settings of the first metric in the results that extracts edits, otherwise
    with the embedded tagger. The annotator is the one chosen by ERRANT's corpus score.
    """
    corpus, outputs = results.corpus, results.outputs
    if corpus is None or outputs is None or not results.has_post_edits:
        raise DataError("there are no post-edits", hint="give a file per system with --post-edits")
    metric = _errant(results)
    kept_edits = []
    for system in results.systems:
        post_edited = results.scores[system, 0].corpus
        assert post_edited is not None
        texts = [segment.references[0] for segment in post_edited]
        counts = [0, 0, 0, 0]
        compared = metric.compared(corpus, outputs[system], jobs=jobs)
        for (segment, edits, gold_edits), text in zip(compared, texts, strict=True):
            gold = metric.matching.keys(gold_edits)
            for edit, is_kept in zip(edits, kept(segment.tokens, edits, text), strict=True):
                unmatched = any(key not in gold for key in metric.matching.keys([edit]))
                counts[2 * unmatched] += 1
                counts[2 * unmatched + 1] += is_kept
        kept_edits.append(KeptEdits(system, *counts))
    return UnmatchedEdits(metric, tuple(kept_edits))


def _errant(results: Results) -> ERRANT:
    for metric in results.metrics:
        if isinstance(metric, EditMetric):
            return ERRANT(metric.language, metric.tagger, metric.words, metric.merge, metric.references)
    return ERRANT(tagger="embedded")


def kept(source: Sequence[str], edits: Sequence[Edit], post_edit: str) -> list[bool]:
    """Whether the post-edit of an output keeps each of the edits.

    The output and its post-edit are aligned word by word. A deletion is kept if nothing is inserted there.
    """
    output = apply_edits(source, [(edit.start, edit.end, edit.correction) for edit in edits])
    changes = levenshtein_edits(output, post_edit.split())
    is_kept = [False] * len(edits)
    offset = 0  # of positions in the output from those in the source
    for i in sorted(range(len(edits)), key=lambda i: (edits[i].start, edits[i].end)):
        start = edits[i].start + offset
        end = start + len(edits[i].correction.split())
        offset = end - edits[i].end
        is_kept[i] = not any(_touches(a, b, start, end) for a, b, _ in changes)
    return is_kept


def _touches(a: int, b: int, start: int, end: int) -> bool:
    """Whether a change of tokens a:b affects tokens start:end, or the gap at start if start equals end."""
    if start == end:
        return a < start < b or a == b == start
    return start < a < end if a == b else a < end and b > start


def _disagreement(by_type: Mapping[str, EditRow]) -> Table:
    columns = [Column("type"), Column("edits"), Column("useful", 3)]
    for metric in METRICS:
        columns += [Column(f"{metric} missed", 3, "min"), Column(f"{metric} passed", 3, "min")]
    rows: list[Sequence[Cell]] = []
    for name, row in by_type.items():
        cells: list[Cell] = [name, row.edits, row.useful]
        for metric in METRICS:
            cells += [row.missed[metric], row.passed[metric]]
        rows.append(cells)
    notes = [
        "missed: useful to people, wrong for the metric; passed: right for the metric, not useful to people; "
        "both as shares of the edits of the type",
        "types are ERRANT's; (other): ERRANT divides the correction into other edits",
    ]
    return Table(columns, rows, "Disagreement about single edits", notes, frozenset([1]))
