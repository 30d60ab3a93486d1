"""Náplava et al. (2022), Table 8: the GECCC finetuned system by error type, parts of speech as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from errata.corpus.model import Corpus
from errata.corpus.segment import Edit, Segment
from errata.edits.pipeline import Extractor
from errata.edits.reannotation import extracted_anew
from errata.metrics.edit_matching import TypeScores, at_level, count_types, f_score
from errata.metrics.errant import ERRANT
from errata.tables import Cell as TableCell
from errata.tables import Column, Table
from errata_studies.replicate.bench import Bench
from errata_studies.replicate.exhibits import Cause, Key, Reproduction, Value, cells, printed

Edits = tuple[Edit, ...]
Compared = tuple[Segment, Edits, Edits]
COLUMNS = ("#", "P", "R", "F0.5")
PUBLISHED = printed("naplava2022", "Table 8")
TYPES = tuple(dict.fromkeys(row for row, _ in PUBLISHED))
_TAGGER = (
    "wrong edits have the types of the embedded tagger and word list, not of UDPipe and MorfFlex (both "
    "non-commercial). Gold edits found and typed by the former move the figure by as much"
)
_VERSION = (
    "the tool's version behind the table typed two verbs of one lemma VERB:INFL, the one behind the released "
    "corpus VERB: the other column counts them as the former did. About it the embedded tagger moves the "
    "figure by as much"
)
BY_VERSION = ("POS", "POS:INFL")


def scores_by_type(bench: Bench, corpus: Corpus, hypotheses: Sequence[str]) -> Reproduction:
    metric = ERRANT(language="cs")
    compared = list(metric.compared(corpus, hypotheses, jobs=bench.jobs))
    released = _by_type(metric, compared)
    earlier = _by_type(metric, _inflected(metric.extractor, compared))
    causes = _causes(
        _figures(released), _figures(earlier), _figures(_by_type(metric, _anew(metric, compared)))
    )
    rows: list[list[TableCell]] = []
    for name in TYPES:
        number, p, r = (float(PUBLISHED[name, column]) for column in ("#", "P", "R"))
        rows.append([name, *_counts(number, p, r), *released.counts.get(name, (0, 0, 0))])
    parts = ("TP", "FP", "FN")
    columns = [Column("type"), *(Column(f"published {part}") for part in parts), *map(Column, parts)]
    return Reproduction(
        cells(PUBLISHED, _figures(released), other=_figures(earlier), causes=causes),
        [Table(columns, [*rows], "Counts behind the cells; the published ones follow from #, P and R")],
        [
            "# counts all edits of a type: right, wrong and missed. The paper does not say so, but with P "
            "and R this gives counts that are nearly ours in most rows",
            "the system is GECCC finetuned. Its output was released with a later paper and may be of a later "
            "run: behind the published cells are 830 more wrong edits of type OTHER than in it, and 190 "
            "fewer right ones of case, punctuation and quotation marks: neither tagger nor version explains "
            "that. How far a later release moves a cell cannot be measured, so that it explains none",
        ],
        other="VERB:INFL",
    )


def _causes(
    released: Mapping[Key, Value], earlier: Mapping[Key, Value], anew: Mapping[Key, Value]
) -> dict[Key, Cause]:
    """For every cell, how far another tagger moves it, measured on the gold edits."""
    causes = {}
    for key in PUBLISHED:
        reach = abs(float(anew[key] or 0) - float(released[key] or 0))
        if key[0] in BY_VERSION:
            causes[key] = Cause(_VERSION, gives=float(earlier[key] or 0), reach=reach)
        else:
            causes[key] = Cause(_TAGGER, reach=reach)
    return causes


def _anew(metric: ERRANT, compared: Iterable[Compared]) -> Iterator[Compared]:
    """The same comparisons with gold edits that the embedded tagger found and typed."""
    segments, system_edits, gold_edits = zip(*compared, strict=True)
    annotated = [(segment.source, edits) for segment, edits in zip(segments, gold_edits, strict=True)]
    return zip(segments, system_edits, extracted_anew(metric.extractor, annotated), strict=True)


def _by_type(metric: ERRANT, compared: Iterable[Compared]) -> TypeScores:
    counts: dict[str, list[int]] = {}
    for _, system_edits, gold_edits in compared:
        count_types(metric.matching.keys(system_edits), metric.matching.keys(gold_edits), counts)
    by_category = at_level(counts, 0)
    return TypeScores({name: (tp, fp, fn) for name, (tp, fp, fn) in by_category.items()}, metric.beta)


def _inflected(extractor: Extractor, compared: Sequence[Compared]) -> list[Compared]:
    """The same comparisons with VERB:INFL for a verb that replaces one of the same lemma."""
    verbs = {
        (segment.source, edit): _both(segment, edit)
        for segment, system_edits, gold_edits in compared
        for edit in (*system_edits, *gold_edits)
        if edit.type == "R:VERB" and edit.end - edit.start == len(edit.correction.split()) == 1
    }
    tagged = extractor.tag(text for both in verbs.values() for text in both)

    def renamed(segment: Segment, edits: Edits) -> Edits:
        new = []
        for edit in edits:
            both = verbs.get((segment.source, edit))
            if both is not None and len({tagged[text].lemmas[edit.start] for text in both}) == 1:
                edit = replace(edit, type="R:VERB:INFL")
            new.append(edit)
        return tuple(new)

    return [
        (segment, renamed(segment, system_edits), renamed(segment, gold_edits))
        for segment, system_edits, gold_edits in compared
    ]


def _both(segment: Segment, edit: Edit) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The source, and the source with this edit alone."""
    source = segment.tokens
    return tuple(source), (*source[: edit.start], *edit.correction.split(), *source[edit.end :])


def _figures(scores: TypeScores) -> dict[Key, Value]:
    reproduced: dict[Key, Value] = {}
    for name in TYPES:
        counts = scores.counts.get(name, (0, 0, 0))
        figures = (sum(counts), *(100 * part for part in f_score(*counts, scores.beta)))
        reproduced |= {(name, column): figure for column, figure in zip(COLUMNS, figures, strict=True)}
    return reproduced


def _counts(number: float, p: float, r: float) -> tuple[int, int, int]:
    """True and false positives and false negatives from their sum and from P and R in percent."""
    right = number / (100 / p + 100 / r - 1)
    return round(right), round(100 * right / p - right), round(100 * right / r - right)
