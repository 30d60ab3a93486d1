"""How each metric explains the score of a sentence.

N-grams are counted here with Python's counters, independently of the native code: tests compare the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from errata import limits
from errata.corpus.model import Corpus
from errata.corpus.segment import Edit, Segment
from errata.errors import DataError
from errata.metrics.base import Metric
from errata.metrics.batch import Batch, encode, split_as_bytes
from errata.metrics.explanation import (
    AlignedTokens,
    Comparison,
    ExplainedEdit,
    Explanation,
    NgramCounts,
    Shift,
    Verdict,
    align_edits,
)

if TYPE_CHECKING:
    from errata.metrics.bleu import BLEU
    from errata.metrics.errant import ERRANT
    from errata.metrics.gleu import GLEU, GLEU2015
    from errata.metrics.imeasure import IMeasure
    from errata.metrics.m2 import M2
    from errata.metrics.m2_edits import AnnotatorView
    from errata.metrics.ter import TER

_COLUMN_KINDS: dict[str, tuple[Verdict, str]] = {
    "TN": ("neutral", "unchanged, as in the reference"),
    "TP": ("right", "corrected as in the reference"),
    "FP": ("wrong", "changed although it was right"),
    "FN": ("missed", "left uncorrected"),
    "FPN": ("wrong", "changed, but not as in the reference (counts as FP and FN)"),
}
_TER_STEPS: dict[str, tuple[str, Verdict, str]] = {
    "keep": ("", "neutral", ""),
    "substitute": ("S", "wrong", "substituted by the token of the reference"),
    "insert": ("I", "missed", "inserted from the reference"),
    "delete": ("D", "wrong", "deleted"),
}


# -- edits: M² and ERRANT --------------------------------------------------------------------------------


def explain_m2(metric: M2, segment: Segment, hypothesis: str) -> Explanation:
    """The edits of the hypothesis against those of every annotator."""
    from errata.metrics.m2 import visiting_order
    from errata.metrics.m2_edits import view

    if not segment.annotations:
        raise DataError("the segment has no annotation to compare with")
    order = visiting_order([annotation.annotator for annotation in segment.annotations])
    views = [view(metric, segment.source, hypothesis, segment.annotations[place]) for place in order]
    if metric.sentence == "last":
        chosen = views[-1]
    else:
        chosen = max(views, key=lambda v: (v.f, v.correct, -v.proposed - metric.beta**2 * v.gold_count))
    comparisons = tuple(
        _compare_annotator(each, segment.source, metric.beta, each is chosen) for each in views
    )
    return Explanation(metric.signature, segment.source, hypothesis, chosen.f, comparisons)


def _compare_annotator(view: AnnotatorView, source: str, beta: float, chosen: bool) -> Comparison:
    proposed = tuple(
        ExplainedEdit(
            edit.start,
            edit.end,
            edit.source,
            edit.correction,
            "right" if edit.matched else "wrong",
            ", ".join(view.gold[i].type for i in edit.matched) or "not in gold",
        )
        for edit in view.edits
    )
    missed = tuple(
        ExplainedEdit(
            edit.start,
            edit.end,
            edit.source,
            " or ".join(text or "∅" for text in edit.corrections),
            "neutral" if edit.outside else "missed",
            "outside the sentence, ignored" if edit.outside else f"{edit.type}, missed",
        )
        for edit in view.gold
        if not edit.matched
    )
    return Comparison(
        f"annotator {view.annotator}",
        {
            "correct": view.correct,
            "proposed": view.proposed,
            "gold": view.gold_count,
            "P": view.precision,
            "R": view.recall,
            f"F{beta:g}": view.f,
        },
        chosen,
        edits=proposed + missed,
        texts=("source", "hypothesis"),
        alignment=align_edits(source.split(), proposed),
    )


def explain_errant(metric: ERRANT, segment: Segment, hypothesis: str) -> Explanation:
    """The edits of the hypothesis against those of the reference that the score chooses."""
    corpus = Corpus([segment])
    statistics = metric.statistics(corpus, [hypothesis])
    row = int(metric.chosen(statistics)[0])
    if row < 0:
        raise DataError("this segment has no reference")
    (proposed,) = metric.hypothesis_edits(corpus, [hypothesis], None)
    gold = metric.reference_edits(corpus)[0][row]
    tokens = segment.tokens

    def judged(edit: Edit, others: Sequence[Edit], otherwise: Verdict) -> ExplainedEdit:
        keys, other_keys = metric.matching.keys([edit]), metric.matching.keys(others)
        verdict: Verdict = otherwise
        if not keys:
            verdict = "neutral"
        elif all(key in other_keys for key in keys):
            verdict = "right"
        note = f"{edit.type}, " + ("ignored" if verdict == "neutral" else verdict)
        before = " ".join(tokens[edit.start : edit.end])
        return ExplainedEdit(edit.start, edit.end, before, edit.correction, verdict, note)

    edits = tuple(judged(edit, gold, "wrong") for edit in proposed)
    missed = tuple(judged(edit, proposed, "missed") for edit in gold)
    score = metric.score(statistics)
    counts = zip(metric.columns, statistics.values[row].tolist(), strict=True)
    numbers: dict[str, float] = {name.upper(): int(count) for name, count in counts}
    numbers |= {metric.label(part).split()[-1]: value for part, value in score.parts.items()}
    comparison = Comparison(
        f"reference {statistics.references[row]}",
        numbers,
        chosen=True,
        edits=edits + tuple(edit for edit in missed if edit.verdict != "right"),
        texts=("source", "hypothesis"),
        alignment=align_edits(tokens, edits),
    )
    return Explanation(metric.signature, segment.source, hypothesis, float(score.sentences[0]), (comparison,))


# -- alignments: I-measure and TER -----------------------------------------------------------------------


def explain_imeasure(metric: IMeasure, segment: Segment, hypothesis: str) -> Explanation:
    """The alignment with the chosen reference, and the numbers of all references."""
    from errata.metrics.imeasure_references import align_one, candidates

    source, tokens = segment.source.split(), hypothesis.split()
    references = candidates(
        segment, mix=metric.mix, retokenize=metric.retokenize, limit=metric.max_candidates
    )
    rows = []
    for _, reference in references:
        base = align_one(source, source, reference)[1]
        rows.append([*align_one(source, tokens, reference)[1], base[1], base[3]])
    values = np.array(rows, dtype=np.int64)
    chosen = metric.best_row(values)
    measures = metric.measures(values, ("cwacc", "cwacc_base", "ci")).T.tolist()
    path, _ = align_one(source, tokens, references[chosen][1])
    alignment = _three_texts(path, source, tokens, references[chosen][1])
    comparisons = []
    for i, ((annotator, reference), row) in enumerate(zip(references, rows, strict=True)):
        wacc, wacc_base, improvement = measures[i]
        counts = {name.upper(): count for name, count in zip(metric.columns[:5], row[:5], strict=True)}
        comparisons.append(
            Comparison(
                f"reference {annotator}",
                {**counts, "WAcc": wacc, "WAcc of the source": wacc_base, "I": improvement},
                i == chosen,
                (" ".join(reference),),
                texts=("source", "hypothesis", "reference") if i == chosen else (),
                alignment=alignment if i == chosen else (),
            )
        )
    labels = {column.label for column in alignment if column.verdict != "neutral"}
    notes = tuple(f"{kind}: {meaning}" for kind, (_, meaning) in _COLUMN_KINDS.items() if kind in labels)
    return Explanation(
        metric.signature, segment.source, hypothesis, measures[chosen][2], tuple(comparisons), notes
    )


def _three_texts(
    path: Sequence[int], source: Sequence[str], hypothesis: Sequence[str], reference: Sequence[str]
) -> tuple[AlignedTokens, ...]:
    """The columns of a path, in which bit k says whether text k has a token there."""
    texts = [iter(source), iter(hypothesis), iter(reference)]
    columns = []
    for bits in path:
        s, h, r = (next(text) if bits >> k & 1 else None for k, text in enumerate(texts))
        if s == h:
            kind = "TN" if h == r else "FN"
        elif s == r:
            kind = "FP"
        else:
            kind = "TP" if h == r else "FPN"
        columns.append(AlignedTokens((s, h, r), kind, _COLUMN_KINDS[kind][0]))
    return tuple(columns)


def explain_ter(metric: TER, segment: Segment, hypothesis: str) -> Explanation:
    """The shifts and the alignment that TER finds for every reference; the fewest edits count."""
    pairs = [_align_with_shifts(hypothesis.split(), reference) for reference in segment.references]
    comparisons = []
    for i, (reference, (shifts, alignment)) in enumerate(zip(segment.references, pairs, strict=True), 1):
        steps = Counter(column.label for column in alignment)
        numbers: dict[str, float] = {
            "edits": len(shifts) + steps["I"] + steps["D"] + steps["S"],
            "shifts": len(shifts),
            "insertions": steps["I"],
            "deletions": steps["D"],
            "substitutions": steps["S"],
        }
        comparisons.append(
            Comparison(
                f"reference {i}",
                numbers,
                references=(reference,),
                shifts=shifts,
                texts=("hypothesis", "reference"),
                alignment=alignment,
            )
        )
    score = float(metric.score(Corpus([segment]), [hypothesis]).sentences[0])
    labels = {column.label for _, alignment in pairs for column in alignment if column.label}
    notes = tuple(f"{label}: {text}" for label, _, text in _TER_STEPS.values() if label in labels)
    return Explanation(metric.signature, segment.source, hypothesis, score, tuple(comparisons), notes)


def _align_with_shifts(
    tokens: list[str], reference: str
) -> tuple[tuple[Shift, ...], tuple[AlignedTokens, ...]]:
    from errata.metrics.ter import OPERATIONS
    from errata.native import ter

    text = " ".join(tokens)
    encoded = encode(Batch(Corpus.from_lists([text], [[reference]]), [text]), "ter")
    reference_tokens = reference.split()
    ids = encoded.hypothesis[0], encoded.references.ids[0]
    moves, path = ter.alignment(*ids, limits.current().work)
    shifts = []
    shifted = list(tokens)
    for start, count, target in moves.tolist():
        block, rest = shifted[start : start + count], shifted[:start] + shifted[start + count :]
        place = target - count if target > start + count else target
        shifted = rest[:place] + block + rest[place:]
        shifts.append(Shift(" ".join(block), start, target))
    columns = []
    i = j = 0
    for operation in path.tolist():
        name = OPERATIONS[operation]
        in_hypothesis, in_reference = name != "insert", name != "delete"
        pair = (shifted[i] if in_hypothesis else None, reference_tokens[j] if in_reference else None)
        columns.append(AlignedTokens(pair, *_TER_STEPS[name][:2]))
        i += in_hypothesis
        j += in_reference
    return tuple(shifts), tuple(columns)


# -- n-grams: GLEU and BLEU ------------------------------------------------------------------------------


def explain_gleu(metric: GLEU, segment: Segment, hypothesis: str) -> Explanation:
    """Rewarded: shared with the reference; penalised: shared with the source only."""
    statistics = metric.statistics(Corpus([segment]), [hypothesis])
    scores = metric.reference_scores(statistics)
    comparisons = []
    for i, (reference, values, score) in enumerate(
        zip(segment.references, statistics.values, scores, strict=True), 1
    ):
        ngrams = []
        for n in range(1, metric.n + 1):
            in_hypothesis, in_source, in_reference = (
                _count(text, n, split_as_bytes) for text in (hypothesis, segment.source, reference)
            )
            rewarded = in_hypothesis & in_reference
            if metric.variant == "code":
                penalised = in_hypothesis & _without(in_source, in_reference)
            else:
                penalised = (in_hypothesis & in_source) - rewarded
            numerator = max(0, rewarded.total() - penalised.total())
            neither = in_hypothesis - rewarded - penalised
            ngrams.append(
                NgramCounts(
                    n, dict(rewarded), dict(penalised), dict(neither), numerator, in_hypothesis.total()
                )
            )
        lengths = int(values[-2]), int(values[-1])
        numbers = _brevity(lengths, metric.brevity) | {"score": float(score)}
        comparisons.append(Comparison(f"reference {i}", numbers, False, (reference,), ngrams=tuple(ngrams)))
    mean = sum(each.numbers["score"] for each in comparisons) / len(comparisons)
    return Explanation(metric.signature, segment.source, hypothesis, mean, tuple(comparisons))


def explain_gleu2015(metric: GLEU2015, segment: Segment, hypothesis: str) -> Explanation:
    """Rewarded: shared with the references; penalised: shared with the source only; neither: introduced."""
    statistics = metric.statistics(Corpus([segment]), [hypothesis])
    terms = metric.summands(statistics)[0].tolist()
    ngrams = []
    for n in range(1, metric.n + 1):
        in_hypothesis, in_source = (_count(text, n, split_as_bytes) for text in (hypothesis, segment.source))
        in_references = _pool(segment, n, split_as_bytes)
        if metric.difference == "counts":
            penalised = in_hypothesis & (in_source - in_references)
        else:
            penalised = in_hypothesis & _without(in_source, in_references)
        introduced = _without(_without(in_hypothesis, in_references), in_source)
        ngrams.append(
            NgramCounts(
                n, dict(in_hypothesis & in_references), dict(penalised), dict(introduced),
                float(terms[n - 1]), float(terms[metric.n + n - 1]),
            )
        )  # fmt: skip
    numbers = _brevity((int(terms[-2]), int(terms[-1])), metric.brevity)
    score = float(metric.sentence_scores(statistics)[0])
    return _all_references(metric, segment, hypothesis, numbers, ngrams, score)


def explain_bleu(metric: BLEU, segment: Segment, hypothesis: str) -> Explanation:
    """Rewarded: shared with the references, each at most as often as in one of them."""
    statistics = metric.statistics(Corpus([segment]), [hypothesis])
    ngrams = []
    for n in range(1, metric.n + 1):
        counts = _count(hypothesis, n)
        rewarded = counts & _pool(segment, n)
        ngrams.append(
            NgramCounts(n, dict(rewarded), {}, dict(counts - rewarded), rewarded.total(), counts.total())
        )
    lengths = int(statistics.values[0, -2]), int(statistics.values[0, -1])
    score = float(metric.sentence_scores(statistics)[0])
    return _all_references(metric, segment, hypothesis, _brevity(lengths, "fixed"), ngrams, score)


def _all_references(
    metric: Metric,
    segment: Segment,
    hypothesis: str,
    numbers: dict[str, float],
    ngrams: Sequence[NgramCounts],
    score: float,
) -> Explanation:
    numbers = numbers | {"score": score}
    comparison = Comparison("all references", numbers, False, segment.references, ngrams=tuple(ngrams))
    return Explanation(metric.signature, segment.source, hypothesis, score, (comparison,))


def _count(text: str, n: int, split: Callable[[str], list[str]] = str.split) -> Counter[str]:
    tokens = split(text)
    return Counter(" ".join(tokens[i : i + n]) for i in range(len(tokens) + 1 - n))


def _pool(segment: Segment, n: int, split: Callable[[str], list[str]] = str.split) -> Counter[str]:
    """Every n-gram of the references, as often as in the reference that has it most often."""
    pooled: Counter[str] = Counter()
    for reference in segment.references:
        pooled |= _count(reference, n, split)
    return pooled


def _without(counts: Counter[str], others: Counter[str]) -> Counter[str]:
    """The n-grams that do not occur among the others at all."""
    return Counter({ngram: count for ngram, count in counts.items() if ngram not in others})


def _brevity(lengths: tuple[int, int], brevity: str) -> dict[str, float]:
    """The lengths of hypothesis and reference, and the penalty for a short hypothesis."""
    short, long = lengths if brevity == "fixed" else lengths[::-1]
    penalty = 1.0
    if brevity != "none":
        penalty = float(np.exp(min(0.0, 1 - long / short))) if short else float(long == 0)
    return {"hypothesis length": lengths[0], "reference length": lengths[1], "brevity": penalty}
