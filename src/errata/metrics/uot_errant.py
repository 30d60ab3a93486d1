"""UOT-ERRANT: edits as vectors, and optimal transport between the edits of hypothesis and reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from errata.corpus.apply_edits import Span, apply_edits
from errata.corpus.segment import Edit
from errata.metrics.base import ScanMetric
from errata.metrics.batch import Batch, require_references
from errata.metrics.edit_matching import Matching
from errata.metrics.edit_metric import EditMetric
from errata.metrics.model_metric import ModelMetric
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Numbers
from errata.metrics.totals import prf
from errata.models.loading import sentence_encoder

_PRECISE = 1e-13  # change of the potentials, at which the iteration ends
_TURNS = 10_000


@dataclass(frozen=True)
class UOTERRANT(ModelMetric, EditMetric, ScanMetric):
    """F_β of the mass that unbalanced optimal transport moves between the edits of two texts.

    An edit is the difference between the vectors of its text with and without it, and its mass is the length
    of that vector. Moving mass costs the distance of the vectors. `model` gives vectors of texts (means over
    tokens). `reg` is the weight of the entropy and `reg_m` that of keeping the masses. Every sentence is
    compared with the annotator that has the largest F; masses are added up over the corpus.
    """

    model: str = "google/electra-base-discriminator"
    reg: float = parameter(0.1, above=0)
    reg_m: float = parameter(0.1, above=0)
    beta: float = parameter(0.5, above=0)

    name: ClassVar[str] = "uoterrant"
    title: ClassVar[str] = "UOT-ERRANT"
    columns: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "tp", "fp", "fn")
    of_tokens: ClassVar[bool] = True
    running: ClassVar[bool] = False
    by_reference: ClassVar[bool] = False

    def counts(self, batch: Batch) -> list[npt.ArrayLike]:
        """Moved mass, and masses left of hypothesis and reference, for every segment and annotator."""
        base, numbers = batch.distinct
        references = self.reference_edits(base)
        require_references([len(references[i]) for i in numbers], self.name, batch.corpus.first)
        edits = self.hypothesis_edits(batch.corpus, batch.hypotheses, batch.jobs)
        hypotheses = [_Edited(source, _spans(row)) for source, row in zip(batch.sources, edits, strict=True)]
        annotators = [
            [_Edited(segment.source, _spans(row)) for row in rows]
            for segment, rows in zip(base, references, strict=True)
        ]
        edited = [*hypotheses, *chain.from_iterable(annotators)]
        texts = list(dict.fromkeys(text for one in edited for text in one.texts()))
        embed = sentence_encoder(self.model, self.device, self.precision).embed
        vectors = dict(zip(texts, embed(texts), strict=True)) if texts else {}
        return [
            np.array([self._moved(one.vectors(vectors), other.vectors(vectors)) for other in annotators[n]])
            for one, n in zip(hypotheses, numbers, strict=True)
        ]

    def _moved(self, hypothesis: Floats, reference: Floats) -> tuple[float, float, float]:
        """The mass that is moved, and the masses left of hypothesis and reference."""
        a, b = np.linalg.norm(hypothesis, axis=1), np.linalg.norm(reference, axis=1)
        costs = np.linalg.norm(hypothesis[:, None] - reference[None], axis=2)
        plan = transport(a, b, costs, self.reg, self.reg_m)
        left = np.maximum(a - plan.sum(axis=1), 0), np.maximum(b - plan.sum(axis=0), 0)
        return float(plan.sum()), float(left[0].sum()), float(left[1].sum())

    def from_totals(self, totals: Numbers) -> Floats:
        """F, precision and recall of total masses, and the masses."""
        tp, fp, fn = totals.astype(np.float64).T
        return np.column_stack([*prf(tp, fp, fn, self.beta), totals])


@dataclass(frozen=True)
class _Edited:
    """A source with the edits of one text."""

    source: str
    spans: Sequence[Span]

    def texts(self) -> list[str]:
        """The text with all edits, and without each of them; none if there are no edits."""
        if not self.spans:
            return []
        kept = [self.spans, *([*self.spans[:i], *self.spans[i + 1 :]] for i in range(len(self.spans)))]
        tokens = self.source.split()
        return [" ".join(apply_edits(tokens, spans)) for spans in kept]

    def vectors(self, by_text: dict[str, Floats]) -> Floats:
        """One vector per edit that has an effect."""
        vectors = [by_text[text] for text in self.texts()]
        differences = [vectors[0] - without for without in vectors[1:]]
        kept = [vector for vector in differences if vector.any()]
        return np.array(kept) if kept else np.zeros((0, 1))


def _spans(edits: Sequence[Edit]) -> list[Span]:
    """The corrections of edits, without edits that mark an error but do not correct it."""
    matching = Matching()
    return [(edit.start, edit.end, edit.correction) for edit in edits if matching.keys([edit])]


def transport(a: Floats, b: Floats, costs: Floats, reg: float, reg_m: float) -> Floats:
    """The plan P with the least ⟨P, C⟩ + reg·KL(P, abᵀ) + reg_m·(KL(P1, a) + KL(Pᵀ1, b)).

    Sinkhorn's scaling (Chizat et al. 2018, Algorithm 1) in the logarithmic domain, repeated until nothing
    changes. Each turn shrinks every difference by a factor below 1, so few turns are needed.
    """
    if not (a.size and b.size):
        return np.zeros((a.size, b.size))
    log_a, log_b = np.log(a), np.log(b)
    kernel = log_a[:, None] + log_b[None] - costs / reg
    share = reg_m / (reg_m + reg)
    u, v = np.zeros(a.size), np.zeros(b.size)
    for _ in range(_TURNS):
        before = v
        u = share * (log_a - logsumexp(kernel + v[None], axis=1))
        v = share * (log_b - logsumexp(kernel + u[:, None], axis=0))
        if np.abs(v - before).max() < _PRECISE:
            break
    plan: Floats = np.exp(kernel + u[:, None] + v[None])
    return plan
