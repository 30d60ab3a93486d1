"""Why a sentence gets its GLEU, BLEU or TER: objects that print themselves and turn into plain data.

Counted here with Python's counters, apart from the kernels: tests hold one against the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from errata import limits
from errata.corpus.model import Corpus, Segment
from errata.metrics.base import Metric
from errata.metrics.batch import Batch
from errata.metrics.encoding import encode, split_as_bytes

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

    from errata.metrics.bleu import BLEU
    from errata.metrics.gleu import GLEU, GLEU2015
    from errata.metrics.ter import TER

Ngrams = dict[str, int]


@dataclass(frozen=True, slots=True)
class Order:
    """The n-grams of one length: which count for the hypothesis, which against it, which for nothing."""

    n: int
    rewarded: Ngrams
    penalised: Ngrams
    other: Ngrams
    numerator: float
    denominator: float

    @property
    def ratio(self) -> float:
        """What this order contributes: numerator / denominator, 0 where that is empty."""
        return self.numerator / self.denominator if self.denominator else 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """A hypothesis against one reference, or against several together."""

    references: tuple[str, ...]
    orders: tuple[Order, ...]
    hypothesis_length: int
    reference_length: int
    brevity: float
    score: float


@dataclass(frozen=True, slots=True)
class NgramExplanation:
    """How n-grams make a sentence's score; the score is the mean over the comparisons."""

    metric: str
    source: str
    hypothesis: str
    comparisons: tuple[Comparison, ...]
    score: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        plain = asdict(self)
        for comparison, given in zip(plain["comparisons"], self.comparisons, strict=True):
            for order, original in zip(comparison["orders"], given.orders, strict=True):
                order["ratio"] = original.ratio
        return plain

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        shown: list[Any] = [
            Text(f"source      {self.source}"),
            Text(f"hypothesis  {self.hypothesis}"),
        ]
        for comparison in self.comparisons:
            shown += [Text(f"\nreference   {reference}") for reference in comparison.references]
            table = Table("n", "rewarded", "penalised", "neither", "ratio")
            for order in comparison.orders:
                table.add_row(
                    str(order.n),
                    _listed(order.rewarded, "green"),
                    _listed(order.penalised, "red"),
                    _listed(order.other, "yellow"),
                    f"{order.numerator:g}/{order.denominator:g} = {order.ratio:.4f}",
                )
            shown.append(table)
            shown.append(
                Text(
                    f"lengths {comparison.hypothesis_length} to {comparison.reference_length}: "
                    f"brevity {comparison.brevity:.4f}; score {comparison.score:.4f}"
                )
            )
        shown.append(Text(f"\n{self.metric} {self.score:.6f}", style="bold"))
        return Group(*shown)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an alignment: `keep`, `substitute`, `insert` (a reference token) or `delete`."""

    operation: str
    hypothesis: str
    reference: str


@dataclass(frozen=True, slots=True)
class Shift:
    """A block of hypothesis tokens that moves from `start` to before `target`."""

    tokens: str
    start: int
    target: int


@dataclass(frozen=True, slots=True)
class ShiftComparison:
    """A hypothesis against one reference: first the shifts, then what the alignment still changes."""

    reference: str
    shifts: tuple[Shift, ...]
    steps: tuple[Step, ...]

    @property
    def edits(self) -> int:
        """Shifts, insertions, deletions and substitutions together."""
        return len(self.shifts) + sum(step.operation != "keep" for step in self.steps)


@dataclass(frozen=True, slots=True)
class ShiftExplanation:
    """The edits of TER against every reference; the fewest count."""

    metric: str
    source: str
    hypothesis: str
    comparisons: tuple[ShiftComparison, ...]
    score: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        plain = asdict(self)
        for comparison, given in zip(plain["comparisons"], self.comparisons, strict=True):
            comparison["edits"] = given.edits
        return plain

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.text import Text

        styles = {"keep": "", "substitute": "yellow", "insert": "green", "delete": "red strike"}
        shown: list[Any] = [Text(f"hypothesis  {self.hypothesis}")]
        for comparison in self.comparisons:
            shown.append(Text(f"\nreference   {comparison.reference}"))
            for shift in comparison.shifts:
                place = f"from {shift.start} to {shift.target}"
                shown.append(Text.assemble("shift       ", (shift.tokens, "magenta"), f" {place}"))
            line = Text("alignment  ")
            for step in comparison.steps:
                both = f"{step.hypothesis}→{step.reference}"
                token = both if step.operation == "substitute" else step.hypothesis or step.reference
                line.append(" ").append(token, style=styles[step.operation])
            shown += [line, Text(f"edits       {comparison.edits}")]
        shown.append(Text(f"\n{self.metric} {self.score:.6f}", style="bold"))
        return Group(*shown)


def _listed(ngrams: Mapping[str, int], style: str) -> Text:
    from rich.text import Text

    words = (f"{ngram} ×{count}" if count > 1 else ngram for ngram, count in ngrams.items())
    return Text(" · ".join(words), style=style)


def _count(text: str, n: int, split: Callable[[str], list[str]] = str.split) -> Counter[str]:
    tokens = split(text)
    return Counter(" ".join(tokens[i : i + n]) for i in range(len(tokens) + 1 - n))


def _explained(
    metric: Metric, segment: Segment, hypothesis: str, comparisons: list[Comparison]
) -> NgramExplanation:
    score = sum(comparison.score for comparison in comparisons) / len(comparisons)
    return NgramExplanation(metric.name, segment.source, hypothesis, tuple(comparisons), score)


def explain_gleu(metric: GLEU, segment: Segment, hypothesis: str) -> NgramExplanation:
    """Rewarded: shared with the reference; penalised: shared with the source only."""
    statistics = metric.statistics(Corpus([segment]), [hypothesis])
    scores = metric.reference_scores(statistics)
    comparisons = []
    for reference, values, score in zip(segment.references, statistics.values, scores, strict=True):
        orders = []
        for n in range(1, metric.n + 1):
            ours, source, theirs = (
                _count(text, n, split_as_bytes) for text in (hypothesis, segment.source, reference)
            )
            rewarded = ours & theirs
            if metric.variant == "code":
                left = ours & Counter({gram: k for gram, k in source.items() if gram not in theirs})
            else:
                left = (ours & source) - rewarded
            numerator = max(0, rewarded.total() - left.total())
            other = ours - rewarded - left
            orders.append(Order(n, dict(rewarded), dict(left), dict(other), numerator, ours.total()))
        lengths = int(values[-2]), int(values[-1])
        comparisons.append(_compared((reference,), orders, lengths, metric.brevity, float(score)))
    return _explained(metric, segment, hypothesis, comparisons)


def explain_gleu2015(metric: GLEU2015, segment: Segment, hypothesis: str) -> NgramExplanation:
    """Rewarded: shared with the references; penalised: shared with the source only; other: introduced."""
    statistics = metric.statistics(Corpus([segment]), [hypothesis])
    terms = metric.summands(statistics)[0].tolist()
    orders = []
    for n in range(1, metric.n + 1):
        ours, source = (_count(text, n, split_as_bytes) for text in (hypothesis, segment.source))
        theirs = _pool(segment, n, split_as_bytes)
        if metric.difference == "counts":
            left = ours & (source - theirs)
        else:
            left = ours & Counter({gram: k for gram, k in source.items() if gram not in theirs})
        other = {gram: k for gram, k in ours.items() if gram not in theirs and gram not in source}
        counts = float(terms[n - 1]), float(terms[metric.n + n - 1])
        orders.append(Order(n, dict(ours & theirs), dict(left), other, *counts))
    lengths = int(terms[-2]), int(terms[-1])
    score = float(metric.sentence_scores(statistics)[0])
    comparison = _compared(segment.references, orders, lengths, metric.brevity, score)
    return _explained(metric, segment, hypothesis, [comparison])


def explain_bleu(metric: BLEU, segment: Segment, hypothesis: str) -> NgramExplanation:
    """Rewarded: shared with the references, each at most as often as one of them has it."""
    statistics = metric.statistics(Corpus([segment]), [hypothesis])
    orders = []
    for n in range(1, metric.n + 1):
        ours = _count(hypothesis, n)
        matched = ours & _pool(segment, n)
        orders.append(Order(n, dict(matched), {}, dict(ours - matched), matched.total(), ours.total()))
    lengths = int(statistics.values[0, -2]), int(statistics.values[0, -1])
    score = float(metric.sentence_scores(statistics)[0])
    comparison = _compared(segment.references, orders, lengths, "fixed", score)
    return _explained(metric, segment, hypothesis, [comparison])


def _pool(segment: Segment, n: int, split: Callable[[str], list[str]] = str.split) -> Counter[str]:
    pooled: Counter[str] = Counter()
    for reference in segment.references:
        pooled |= _count(reference, n, split)
    return pooled


def _compared(
    references: tuple[str, ...], orders: list[Order], lengths: tuple[int, int], brevity: str, score: float
) -> Comparison:
    short, long = lengths if brevity == "fixed" else lengths[::-1]
    penalty = 1.0
    if brevity != "none":
        penalty = float(np.exp(min(0.0, 1 - long / short))) if short else float(long == 0)
    return Comparison(references, tuple(orders), *lengths, penalty, score)


def explain_ter(metric: TER, segment: Segment, hypothesis: str) -> ShiftExplanation:
    """The shifts and the alignment that TER finds against every reference."""
    comparisons = [_explain_pair(hypothesis.split(), reference) for reference in segment.references]
    score = float(metric.score(Corpus([segment]), [hypothesis]).sentences[0])
    return ShiftExplanation(metric.name, segment.source, hypothesis, tuple(comparisons), score)


def _explain_pair(tokens: list[str], reference: str) -> ShiftComparison:
    from errata.kernels.ter import alignment
    from errata.metrics.ter import OPERATIONS

    text = " ".join(tokens)
    encoded = encode(Batch(Corpus.from_lists([text], [[reference]]), [text]), "ter")
    theirs = reference.split()
    ids = encoded.hypothesis[0], encoded.references.ids[0]
    moves, path = alignment(*ids, limits.current().work)
    shifts = []
    ours = list(tokens)
    for start, count, target in moves.tolist():
        block, rest = ours[start : start + count], ours[:start] + ours[start + count :]
        place = target - count if target > start + count else target
        ours = rest[:place] + block + rest[place:]
        shifts.append(Shift(" ".join(block), start, target))
    steps = []
    i = j = 0
    for operation in path.tolist():
        name = OPERATIONS[operation]
        from_hypothesis, from_reference = name != "insert", name != "delete"
        steps.append(Step(name, ours[i] if from_hypothesis else "", theirs[j] if from_reference else ""))
        i += from_hypothesis
        j += from_reference
    return ShiftComparison(reference, tuple(shifts), tuple(steps))
