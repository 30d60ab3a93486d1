"""GLEU (Napoles, Sakaguchi, Post and Tetreault 2015, 2016): BLEU that also compares with the source.

N-grams that hypothesis and reference share are rewarded, and n-grams of the source that should have been
changed are penalised. GLEU+ of 2016 is the usual one; the GLEU of 2015 pools the references and has a weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from errata.corpus.segment import Segment
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch, encode_as_bytes
from errata.metrics.bleu import geometric_score, log_brevity, ngram_columns
from errata.metrics.gleu_draws import DrawnScore, MeanScore, choice_sums, moments
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.metrics.totals import Accumulator
from errata.native import ngrams

if TYPE_CHECKING:
    from errata.metrics.explanation import Explanation

Brevity = Literal["fixed", "inverted"]
_MANY_FREE = 40  # segments with a choice: resamples of as many have more than 1024 choices
MOST_ENUMERATED = 1024  # up to this number, choices of references are scored one by one
NORMAL_95 = 1.959963984540054  # half a normal 95 % interval, in standard deviations


def _parts(mean: Floats, deviation: Floats) -> Floats:
    """Score, standard deviation and a normal interval."""
    margin = NORMAL_95 * deviation
    return np.stack([mean, deviation, mean - margin, mean + margin], axis=1)


@dataclass(frozen=True)
class GLEU(SumMetric):
    """GLEU+, by default as the official program (`compute_gleu` of June 2017) computes it.

    `variant` is the penalty of the released `code` or of the `paper`; `brevity="inverted"` is the brevity
    penalty of the programs of 2015 and 2016. With several references, `sampling="official"` averages over
    `iterations` corpora of one reference per segment drawn with the official seeds; `"all"` is the mean
    and standard deviation over all such corpora, in closed form.
    """

    n: int = parameter(4, at_least=1, at_most=32)
    variant: Literal["code", "paper"] = "code"
    brevity: Brevity = "fixed"
    iterations: int = parameter(500, at_least=1)
    sampling: Literal["official", "all"] = "official"

    name: ClassVar[str] = "gleu"
    title: ClassVar[str] = "GLEU"
    parts: ClassVar[tuple[str, ...]] = ("gleu", "sd", "low", "high")
    computed_by = "native"
    white_space = "ascii"
    needs_ngrams = True
    by_reference: ClassVar[bool] = True

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The ten numbers of the official program (for n = 4)."""
        return ngram_columns("numerator", "denominator", self.n)

    def features(self, batch: Batch) -> Statistics:
        """The ten numbers for every segment and reference."""
        texts = encode_as_bytes(batch, self.name)
        references = texts.references
        counts = ngrams.gleu_counts(*texts.texts, self.n, self.variant == "paper")
        return Statistics(self.columns, counts, references.offsets, references.annotators)

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        """Corpus scores over the official draws, or over all choices of references."""
        if not len(statistics):
            return np.zeros((len(weights), len(self.parts)))
        if self.sampling == "all":
            return _parts(*self._all(statistics, weights))
        return self.drawn_parts(self.drawn_sums(statistics, weights))

    def drawn_sums(self, statistics: Statistics, weights: Integers) -> Floats:
        """Sums (samples × draws × columns) of the rows that the official program draws.

        A sample is the corpus in which each segment is repeated as often as its weight says. If there is
        nothing to choose, there is a single draw.
        """
        draws = self.iterations if (statistics.counts > 1).any() else 1
        sums = np.empty((len(weights), draws, len(statistics.columns)))
        for sample, weight in zip(sums, weights, strict=True):
            drawn = DrawnScore(self)
            drawn.add(statistics.select(np.repeat(np.arange(len(weight)), weight)))
            sample[:] = drawn.sums
        return sums

    def drawn_parts(self, sums: Floats) -> Floats:
        """Parts of the score from sums of drawn rows (samples × draws × columns)."""
        scores = self._scores(sums)
        return _parts(scores.mean(axis=1), scores.std(axis=1))

    def accumulator(self) -> Accumulator:
        """The official draws, which continue from chunk to chunk; or the moments of all choices."""
        return MeanScore(self) if self.sampling == "all" else DrawnScore(self)

    @property
    def for_resampling(self) -> GLEU:
        """The mean over all choices of references instead of some hundred of them."""
        return replace(self, sampling="all")

    def summands(self, statistics: Statistics) -> Floats | None:
        """The moments of a segment's statistics over its references.

        None with the official draws, and where a sample may have so few choices that they are enumerated.
        """
        free = int((statistics.counts > 1).sum())
        if self.sampling != "all" or not len(statistics) or 0 < free < _MANY_FREE:
            return None
        return self.moments(statistics)

    def from_sums(self, sums: Floats) -> Floats:
        return _parts(*self._closed_form(sums))

    def value_from_sums(self, sums: Floats) -> Floats:
        return self._moments_of_score(sums, 1)[0]

    def _all(self, statistics: Statistics, weights: Integers) -> tuple[Floats, Floats]:
        """Mean and standard deviation over all choices: enumerated where few, otherwise in closed form."""
        mean, deviation = self._closed_form(weights @ self.moments(statistics))
        ways = weights.astype(np.float64) @ np.log(statistics.counts)
        for sample in np.flatnonzero(self.enumerates(ways)):
            scores = self._scores(choice_sums(statistics.values, statistics.offsets, weights[sample]))
            mean[sample], deviation[sample] = scores.mean(), scores.std()
        return mean, deviation

    def enumerates(self, ways: Any) -> Any:
        """Whether all choices are scored one by one; `ways` is the logarithm of their number."""
        return ways <= np.log(MOST_ENUMERATED) + 1e-9

    def _scores(self, sums: Floats) -> Floats:
        n, length, reference = self.n, sums[..., 2 * self.n], sums[..., 2 * self.n + 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            penalty = log_brevity(length, reference, self.brevity)
        scores = geometric_score(sums[..., :n], sums[..., n : 2 * n], penalty)
        return np.where((length == 0) | (reference == 0), 0.0, scores)

    def moments(self, statistics: Statistics) -> Floats:
        """Per segment, the numbers that all references share, and mean and covariance of the others."""
        n, values = self.n, statistics.values
        fixed = values[statistics.offsets[:-1], n : 2 * n + 1]
        mean, covariance = moments(values[:, [*range(n), 2 * n + 1]], statistics.offsets)
        return np.column_stack([fixed, mean, covariance])

    def _closed_form(self, sums: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation over all choices of references, from sums of moments."""
        expected, square = self._moments_of_score(sums, 2)
        return expected, np.sqrt(np.maximum(square - expected**2, 0.0))

    def _moments_of_score(self, sums: Floats, most: int) -> list[Floats]:
        """E[score^k] over all choices of references for k = 1 … `most`, from sums of moments.

        The sums' exact means and covariances; the sums of many segments are all but normal, so that
        (log precision, log brevity) is taken as a normal pair with second-order means. The kink of the
        brevity penalty, where the lengths are equal, is integrated, not linearised.
        """
        from scipy.special import ndtr

        n = self.n
        fixed, mean, covariance = np.split(np.ascontiguousarray(sums.T), [n + 1, 2 * n + 2])
        first, second = np.triu_indices(n + 1)
        variances, inner = covariance[first == second], second < n
        length, reference = fixed[n], mean[n]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = 1 / mean[:n] / n  # of the mean log precision in each numerator
            log_mean = np.log(mean[:n] / fixed[:n]).sum(axis=0) / n
            log_mean -= (variances[:n] / mean[:n] ** 2).sum(axis=0) / (2 * n)
            twice = np.where(first == second, 1.0, 2.0)[inner, None]
            slopes = slope[first[inner]] * slope[second[inner]]
            log_variance = (twice * slopes * covariance[inner]).sum(axis=0)
            if self.brevity == "fixed":
                edge, tilt = 1 - reference / length, -1 / length
            else:
                edge = 1 - length / reference * (1 + variances[n] / reference**2)
                tilt = length / reference**2
            together = (slope * covariance[(first < n) & ~inner]).sum(axis=0) * tilt
            edge_variance = variances[n] * tilt**2
            width = np.sqrt(np.maximum(edge_variance, 1e-300))
            raw = []
            for k in range(1, most + 1):  # the part without a penalty and the part with one
                free = np.exp(k * log_mean + k * k * log_variance / 2) * ndtr((edge + k * together) / width)
                both = log_variance + 2 * together + edge_variance
                below = ndtr(-(edge + k * (together + edge_variance)) / width)
                raw.append(free + np.exp(k * (log_mean + edge) + k * k * both / 2) * below)
        empty = (mean == 0).any(axis=0) | (fixed == 0).any(axis=0)
        return [np.where(empty, 0.0, moment) for moment in raw]

    def reference_scores(self, statistics: Statistics) -> Floats:
        """The score of every single row (segment, reference); statistics of 0 are replaced by 1."""
        return self._scores(np.maximum(statistics.values, 1).astype(np.float64))

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """As the official `-d`: the mean over all references of the smoothed score."""
        counts, scores = statistics.counts, self.reference_scores(statistics)
        if not len(counts):
            return scores
        # the same way of adding for all, so that a sentence's last digit does not depend on the others
        return np.add.reduceat(scores, statistics.offsets[:-1]) / counts

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """Which n-grams are rewarded and penalised against every reference."""
        from errata.metrics.explainers import explain_gleu

        return explain_gleu(self, segment, hypothesis)


@dataclass(frozen=True)
class GLEU2015(SumMetric):
    """GLEU of 2015 with its weight λ on source n-grams that should have been changed (`lambda_`: 0 or 0.1).

    `false_positives` is a weight on n-grams that neither source nor references have, the extension that the
    paper suggests. The defaults are those of the released program: `brevity="inverted"`,
    `denominator="code"` and `difference="types"` (an n-gram is new to a text that does not have it at all).
    The paper's equations, which give its rankings, are `denominator="paper"`, `difference="counts"` (the
    occurrences by which one text has more are new) and `brevity="none"`. All weights use the same statistics.
    """

    lambda_: float = parameter(0.0, at_least=0)
    false_positives: float = parameter(0.0, at_least=0)
    brevity: Literal["fixed", "inverted", "none"] = "inverted"
    denominator: Literal["code", "paper"] = "code"
    difference: Literal["types", "counts"] = "types"
    n: int = parameter(4, at_least=1, at_most=32)

    name: ClassVar[str] = "gleu2015"
    title: ClassVar[str] = "GLEU 2015"
    parts: ClassVar[tuple[str, ...]] = ("gleu", "brevity")
    computed_by = "native"
    white_space = "ascii"
    needs_ngrams = True

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """n-gram counts by order and the two lengths."""
        groups = ("new_matched", "left_wrong", "introduced", "new_in_references")
        further = [f"{group}{k}" for group in groups for k in range(1, self.n + 1)]
        return (*ngram_columns("matched", "total", self.n), *further)

    def features(self, batch: Batch) -> Statistics:
        """Counts of n-grams, from which all weights make their terms."""
        texts = encode_as_bytes(batch, self.name)
        counts = ngrams.pooled_counts(*texts.texts, self.n, 2 if self.difference == "counts" else 1)
        return Statistics.one_row_each(self.columns, counts)

    def summands(self, statistics: Statistics) -> Numbers:
        """Numerators, denominators and the two lengths."""
        n, values = self.n, statistics.values
        new, wrong, introduced, wanted = np.split(values[:, 2 * n + 2 :], 4, axis=1)
        kept = values[:, :n]
        if self.lambda_ or self.false_positives:
            kept = np.maximum(0.0, kept - self.lambda_ * wrong - self.false_positives * introduced)
        terms = values[:, : 2 * n + 2].astype(kept.dtype)
        np.add(new, kept, out=terms[:, :n])
        terms[:, n : 2 * n] += new if self.denominator == "code" else wanted
        return terms

    def from_sums(self, sums: Floats) -> Floats:
        n, hypothesis, reference = self.n, sums[:, -2], sums[:, -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            none = self.brevity == "none"
            penalty = np.zeros_like(hypothesis) if none else log_brevity(hypothesis, reference, self.brevity)
        scores = geometric_score(sums[:, :n], sums[:, n : 2 * n], penalty)
        empty = (hypothesis == 0) | (reference == 0)
        return np.where(empty[:, None], 0.0, np.stack([scores, np.exp(penalty)], axis=1))

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """The score of every single segment; terms of 0 are replaced by 1, as in GLEU+."""
        terms = self.summands(statistics)
        return self.from_sums(np.where(terms == 0, 1.0, terms))[:, 0]

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """Which n-grams count for and against the hypothesis."""
        from errata.metrics.explainers import explain_gleu2015

        return explain_gleu2015(self, segment, hypothesis)
