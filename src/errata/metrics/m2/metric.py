"""M², the MaxMatch score (Dahlmeier & Ng 2012), with the official scorer's counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from errata.corpus.model import Annotation, Edit, Segment, annotated
from errata.errors import DataError
from errata.metrics.base import Need, ScanMetric
from errata.metrics.batch import Batch
from errata.metrics.m2.alignment import Span, count_edits, too_long
from errata.metrics.m2.dominance import without_dominated
from errata.metrics.m2.limits import cut_segments
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.metrics.totals import f_beta, share
from errata.native import scans
from errata.native.ragged import Ragged
from errata.significance.permutation import Swapper
from errata.text.casing import lower_case_5_2
from errata.text.vocabulary import SentenceVocabulary, Vocabulary

if TYPE_CHECKING:
    from errata.metrics.explanation import Explanation
    from errata.metrics.m2.sentence import M2Scorer

_NO_LETTERS = Ragged(np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64))
_FEW = 16  # samples for which it does not pay to leave out rows first


class M2Sentence(NamedTuple):
    """One sentence's score: F of the annotator that was chosen, and that annotator's counts."""

    f: float
    correct: int
    proposed: int
    gold: int
    annotator: int


@dataclass(frozen=True)
class M2(ScanMetric):
    """MaxMatch: the F_β of the edits, in whichever of all minimal alignments agrees best with the gold.

    `sentence="last"` scores single sentences by the last annotator instead of the best, as the files
    published with Chollampatt & Ng (2018) do.
    """

    beta: float = parameter(0.5, at_least=0)
    max_unchanged_words: int = parameter(2, at_least=0)
    ignore_whitespace_casing: bool = False
    sentence: str = parameter("best", choices=("best", "last"))

    name: ClassVar[str] = "m2"
    title: ClassVar[str] = "M²"
    columns: ClassVar[tuple[str, ...]] = ("correct", "proposed", "gold")
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "correct", "proposed", "gold")
    computed_by = "native"
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})

    def counts(self, batch: Batch) -> Statistics:
        """Counts of correct, proposed and gold edits for every segment and annotator."""
        corpus, hypotheses = batch.corpus, batch.hypotheses
        sources, gold = corpus.source_ids, corpus.edit_ids
        if (gold.rows[1:] == gold.rows[:-1]).any():
            raise DataError(
                f"segment {np.argmin(np.diff(gold.rows)) + corpus.first} has no annotation to compare with",
                hint="M² needs gold edits (an M2 file) or a reference text for every segment",
            )
        texts = corpus.vocabulary.encode_lines(hypotheses)
        letters, words = self.letters(corpus.vocabulary), self.max_unchanged_words
        long = too_long(sources, texts, gold, words)
        values, grown, _ = count_edits(sources, texts, gold, letters, words, long)
        cuts = cut_segments(self, corpus, hypotheses, long, grown, values)
        return Statistics(self.columns, values, gold.rows, gold.annotators, cuts)

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        """Corpus scores; for many samples, rows that can never be chosen are left out first."""
        if len(weights) > _FEW:
            statistics = without_dominated(statistics, self.beta)
        return super().aggregate(statistics, weights)

    def scan(self, statistics: Statistics, weights: Integers, totals: Numbers) -> None:
        """Add the counts of the chosen annotators to the totals of every sample, in native code."""
        scans.scan(statistics.values, statistics.offsets, weights, totals, scans.M2, self.beta)

    def from_totals(self, totals: Numbers) -> Floats:
        """F, precision and recall of total counts, and the counts."""
        return np.column_stack([*self._f(totals), totals])

    def swapper(self, systems: Sequence[Statistics]) -> Swapper:
        """Scores of pairs with segments swapped; most segments have the same row in every permutation."""
        from errata.significance.permutation_pruning import never_chosen, running_swapper

        fewer = [without_dominated(statistics, self.beta) for statistics in systems]
        forms = [self._form(statistics) for statistics in fewer]

        decided = never_chosen(fewer, forms)
        return running_swapper(fewer, decided, (scans.M2, self.beta), lambda totals: self._f(totals)[0])

    def _form(self, statistics: Statistics) -> Floats:
        """Hits and mass of every row, of which F is the ratio."""
        correct, proposed, gold = statistics.values.T
        return np.stack([correct, self.beta**2 * gold + proposed], axis=1)

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """F_β of every segment by itself: of its best annotator, or its last one."""
        if self.sentence == "last":
            rows = statistics.offsets[1:] - 1
        else:
            rows = self.chosen(statistics, running=False)
        correct, proposed, gold = statistics.values[rows].T
        return share((1 + self.beta**2) * correct, self.beta**2 * gold + proposed)

    def chosen(self, statistics: Statistics, *, running: bool | None = None) -> Integers:
        """The number of the chosen row per segment: in the corpus run, or each by itself."""
        rows: Integers = scans.choose(
            statistics.values, statistics.offsets, running is not False, scans.M2, self.beta
        )
        return rows

    def sweep(
        self, statistics: Statistics, betas: Sequence[float], weights: Integers | None = None
    ) -> npt.NDArray[np.float64]:
        """Corpus scores for many β (β × samples × parts): a scan each, nothing is aligned again."""
        if weights is None:
            weights = np.ones((1, len(statistics)), dtype=np.int64)
        return np.stack([replace(self, beta=beta).aggregate(statistics, weights) for beta in betas])

    def scorer(self, source: str, references: Sequence[str | Sequence[Edit]]) -> M2Scorer:
        """One source and its references prepared: `scorer(hypothesis)` gives F and counts at once.

        For loops that score hypotheses one by one as they come (many at once: `score_batch`); a reference
        is a text or its edits.
        """
        from errata.metrics.m2.sentence import M2Scorer

        if not references:
            raise DataError("a sentence needs at least one reference")
        return M2Scorer(self, source, annotated(source, references).annotations)

    def score_sentence(
        self, source: str, hypothesis: str, references: Sequence[str | Sequence[Edit]]
    ) -> M2Sentence:
        """One sentence's F and counts. Quicker: `scorer` for a source seen again, `score` for many."""
        return self.scorer(source, references)(hypothesis)

    def sentence_score(self, annotator: int, correct: int, proposed: int, gold: int) -> M2Sentence:
        """F of one annotator's counts, by itself."""
        mass = self.beta**2 * gold + proposed
        f = (1 + self.beta**2) * correct / mass if mass else 1.0
        return M2Sentence(f, correct, proposed, gold, annotator)

    def system_edits(self, source: str, hypothesis: str, annotation: Annotation) -> list[Span]:
        """The edits of the best path for one annotator: spans of source and hypothesis tokens."""
        from errata.metrics.m2.sentence import M2Scorer

        _, edits = M2Scorer(self, source, [annotation]).align(hypothesis)
        if self.ignore_whitespace_casing:
            before, after = source.split(), hypothesis.split()
            edits = [(a, b, c, d) for a, b, c, d in edits if folded(before[a:b]) != folded(after[c:d])]
        return edits

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The edits of the hypothesis against those of every annotator."""
        from errata.metrics.explainers import explain_m2

        return explain_m2(self, segment, hypothesis)

    # -- text to counts ---------------------------------------------------------------------------

    def letters(self, vocabulary: Vocabulary | SentenceVocabulary) -> Ragged:
        """Every token as lower-cased characters, when edits of case and blanks alone are not to count."""
        if not self.ignore_whitespace_casing:
            return _NO_LETTERS
        tokens = vocabulary.tokens
        codes = folded(tokens).encode("utf-32-le", "surrogatepass")  # a character for a character
        offsets = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
        return Ragged(np.frombuffer(codes, dtype="<i4").astype(np.int32), offsets)

    def _f(self, totals: Numbers) -> tuple[Floats, Floats, Floats]:
        """F, precision and recall of total counts."""
        correct, proposed, gold = totals.T
        precision, recall = share(correct, proposed), share(correct, gold)
        return f_beta(precision, recall, self.beta), precision, recall


def folded(tokens: Sequence[str]) -> str:
    """The text without blanks and case, lower-cased as the official scorer does it under Python 2.7."""
    return lower_case_5_2("".join(tokens))
