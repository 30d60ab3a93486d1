"""The data of the sentence explorer: a small index of all sentences, and the sentences in chunks."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from errata.corpus.model import Edit, Segment
from errata.corpus.rewriting import apply_edits, levenshtein_edits
from errata.meta.breakdowns import Marked
from errata.meta.evaluation import Evaluation
from errata.metrics.results import Results
from errata.report.payload import Data

if TYPE_CHECKING:
    from errata.metrics.m2.explanation import AnnotatorView

CHUNK = 500  # sentences
_MOST_NARROW = 65535  # values that 16 bits can name, with a code left for none
_UNMATCHED = -1
_UNJUDGED = -2  # an edit where there is no reference to hold it against


def sentence_index(evaluation: Evaluation) -> Data:
    """What filters use of every sentence: scores, labels, types, judgments."""
    results = evaluation.results
    assert results.corpus is not None
    types: dict[str, int] = {}
    by_sentence = []
    for segment in results.corpus:
        names = {edit.type for annotation in segment.annotations for edit in annotation.edits}
        by_sentence.append(sorted(types.setdefault(name, len(types)) for name in sorted(names)))
    return {
        "count": len(results),
        "chunk": CHUNK,
        "scores": [_packed(results, number) for number in range(len(results.metrics))],
        "labels": {name: _coded(values) for name, values in results.labels.items()},
        "types": {"names": list(types), "of": by_sentence},
        "distinct": evaluation.distinct,
        "judged": {
            str(line): [{"judge": one.judge, "ranks": one.ranks} for one in ranked]
            for line, ranked in evaluation.ranks.items()
        },
    }


def sentence_chunk(results: Results, marked: Marked | None, number: int) -> list[Data]:
    """The sentences of one chunk: source, references as edits, and every different output once.

    An output is what it changes: its edits, each with the number of the gold edit it matches, or −1.
    """
    corpus, outputs = results.corpus, results.outputs
    assert corpus is not None
    assert outputs is not None
    records = []
    for i in range(number * CHUNK, min((number + 1) * CHUNK, len(corpus))):
        segment = corpus[i]
        different: dict[tuple[str, ...], int] = {}
        made: list[Data] = []
        of_system = []
        for system, lines in outputs.items():
            words = tuple(lines[i].split())
            if words not in different:
                different[words] = len(made)
                view = None if marked is None else marked[system][i]
                made.append(_output(segment, words, view))
            of_system.append(different[words])
        records.append(
            {"s": segment.source, "g": _gold(segment), "o": made, "of": of_system, **_texts(segment)}
        )
    return records


def chunk_count(results: Results) -> int:
    """How many chunks the sentences make."""
    return -(-len(results) // CHUNK)


def _gold(segment: Segment) -> list[Data]:
    length = len(segment.tokens)
    return [
        {
            "a": annotation.annotator,
            "e": [
                [edit.start, edit.end, _counts(edit, length), edit.type, *edit.corrections]
                for edit in annotation.edits
            ],
        }
        for annotation in sorted(segment.annotations, key=lambda a: a.annotator)
    ]


def _counts(edit: Edit, length: int) -> int:
    """1 for an edit that M² counts, 0 for one that reaches outside the sentence."""
    return int(0 <= edit.start <= length and 0 <= edit.end <= length)


def _texts(segment: Segment) -> Data:
    """Reference texts, where the references came as texts besides the edits."""
    return {} if segment.rewrites is None else {"t": list(segment.references)}


def _output(segment: Segment, words: tuple[str, ...], view: AnnotatorView | None) -> Data:
    before = segment.tokens
    if view is None:
        edits: list[list[Any]] = [
            [start, end, text, _UNJUDGED] for start, end, text in levenshtein_edits(before, list(words))
        ]
        return {"e": edits}
    edits = [[edit.start, edit.end, edit.correction, *(edit.matched or (_UNMATCHED,))] for edit in view.edits]
    output: Data = {"a": view.annotator, "e": edits, "m": [view.correct, view.proposed, view.gold_count]}
    spans = [(edit.start, edit.end, edit.correction) for edit in view.edits]
    if tuple(apply_edits(before, spans)) != words:
        output["h"] = " ".join(words)  # edits that do not count are left out: the text says all
    return output


def _packed(results: Results, number: int) -> Data:
    """Sentence scores, systems × sentences, in full precision: the different values, and each one's code.

    A code beyond the values stands for a sentence without a score.
    """
    scores = np.array([results.score(system, number).sentences for system in results.systems])
    known = np.isfinite(scores)
    values, codes = np.unique(np.where(known, scores, np.nan), return_inverse=True)
    values = values[np.isfinite(values)]  # what is not a number comes last
    wide = len(values) >= _MOST_NARROW
    return {
        "values": base64.b64encode(values.astype("<f8").tobytes()).decode(),
        "codes": base64.b64encode(codes.astype("<u4" if wide else "<u2").tobytes()).decode(),
        "wide": wide,
    }


def _coded(values: Sequence[str]) -> Data:
    names: dict[str, int] = {}
    codes = [names.setdefault(value, len(names)) for value in values]
    return {"names": list(names), "of": codes}
