"""BERTScore (Zhang et al. 2020): contextual token vectors matched greedily, as in `bert-score` 0.3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from errata.corpus.files import read_lines
from errata.errors import DataError, ErrataError
from errata.metrics.base import Need, SumMetric
from errata.metrics.batch import Batch, require_references
from errata.metrics.model_metric import ModelMetric
from errata.metrics.parameters import parameter
from errata.metrics.signature import setting
from errata.metrics.statistics import Floats
from errata.models.loading import token_encoder
from errata.models.protocols import TokenEncoder, TokenVectors

# The layers and, for English, the means of unrelated sentences (P, R, F) that the package uses.
LAYERS = {"bert-base-uncased": 9, "bert-base-multilingual-cased": 9, "roberta-large": 17}
_BASELINES = {("bert-base-uncased", 9): (0.35375935, 0.3537393, 0.35219112)}
Triple = tuple[float, float, float]  # P, R, F


@dataclass(frozen=True)
class EncoderMetric(ModelMetric):
    """A metric with vectors of tokens; `layer` is 0 for the layer that `bert-score` uses for the model."""

    model: str = "bert-base-uncased"
    layer: int = parameter(0, at_least=0)

    @property
    def encoder(self) -> TokenEncoder:
        """The encoder, at the layer that counts."""
        return token_encoder(self.model, layer_of(self.model, self.layer), self.device, self.precision)

    def settings(self) -> dict[str, object]:
        """The parameters, with the layer that is used."""
        return {**super().settings(), "layer": layer_of(self.model, self.layer)}


@dataclass(frozen=True)
class SegmentMeans(EncoderMetric, SumMetric):
    """A metric whose F, precision and recall are means over segments; `features` has them, and 1."""

    columns: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "segments")
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall")

    def from_sums(self, sums: Floats) -> Floats:
        """Means over segments."""
        return sums[:, :3] / np.maximum(sums[:, 3:], 1)


@dataclass(frozen=True)
class BERTScore(SegmentMeans):
    """Precision, recall and F of hypothesis tokens matched with reference tokens by the cosine of vectors.

    `layer` is 0 for the layer that `bert-score` uses for this model. With `rescale`, scores are shifted so
    that unrelated sentences have 0. `baseline` is a file of `bert-score` with the scores of unrelated
    sentences, a line per layer; bert-base-uncased needs no file. `idf` weights tokens by their rarity in the
    references. With several references, each number is the largest over them. The package `bert-score` gives
    the official number.
    """

    rescale: bool = True
    baseline: str = ""
    idf: bool = False

    name: ClassVar[str] = "bertscore"
    title: ClassVar[str] = "BERTScore"
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})

    def settings(self) -> dict[str, object]:
        """The model by its digest, the layer that is used, and the baseline's numbers."""
        settings = super().settings()
        settings["baseline"] = "/".join(map(setting, self.baselines)) if self.rescale else "none"
        return {k: v for k, v in settings.items() if k != "rescale"}

    @property
    def baselines(self) -> Triple:
        """Precision, recall and F of unrelated sentences; zeros without rescaling."""
        if not self.rescale:
            return 0.0, 0.0, 0.0
        layer = layer_of(self.model, self.layer)
        if self.baseline:
            return read_baseline(self.baseline, layer)
        baselines = _BASELINES.get((Path(self.model).name, layer))
        if baselines is None:
            raise ErrataError(
                f"bertscore: no baseline is known for layer {layer} of {self.model}\n"
                "  hint: give the file of bert-score with baseline=FILE, or use rescale=no"
            )
        return baselines

    # -- rarity of tokens --------------------------------------------------------------------------

    @property
    def first_pass(self) -> bool:
        """Whether the rarity of tokens is counted."""
        return self.idf

    @property
    def depends_on_systems(self) -> bool:
        """Only references are counted."""
        return False

    def observe(self, batches: Mapping[str, Batch]) -> Any:
        """The number of references, and the number that each token occurs in."""
        if not self.idf or not batches:
            return 0, Counter()
        texts = [text for row in next(iter(batches.values())).references for text in row]
        return len(texts), Counter(i for ids in self.encoder.token_ids(texts) for i in set(ids))

    def settle(self, observations: Sequence[Any]) -> Mapping[str, Any]:
        """The number of references, and the tokens with their numbers of references."""
        if not self.idf:
            return {}
        counts: Counter[int] = Counter()
        for _, chunk_counts in observations:
            counts.update(chunk_counts)
        tokens = sorted(counts)
        return {
            "references": sum(n for n, _ in observations),
            "tokens": np.array(tokens, dtype=np.int64),
            "counts": np.array([counts[i] for i in tokens], dtype=np.int64),
        }

    def _weights(self, text: TokenVectors, settled: Mapping[str, Any]) -> Floats:
        if not self.idf:
            return (~text.special).astype(np.float64)
        references = dict(zip(settled["tokens"].tolist(), settled["counts"].tolist(), strict=True))
        counts = np.array([references.get(i, 0) for i in text.ids.tolist()], dtype=np.float64)
        return np.log((float(settled["references"]) + 1) / (counts + 1))

    # -- scores ------------------------------------------------------------------------------------

    def features(self, batch: Batch) -> npt.ArrayLike:
        """F, precision and recall per segment, each against its best reference; and 1."""
        references = batch.references
        require_references([len(texts) for texts in references], self.name, batch.corpus.first)
        texts = list(dict.fromkeys([*batch.hypotheses, *(text for row in references for text in row)]))
        vectors = dict(zip(texts, map(unit, self.encoder.encode(texts)), strict=True))
        weights = {text: self._weights(tokens, batch.settled) for text, tokens in vectors.items()}
        low = np.array(self.baselines)
        rows = []
        for hypothesis, row in zip(batch.hypotheses, references, strict=True):
            tokens, mass = vectors[hypothesis], weights[hypothesis]
            scores = [matched(tokens, vectors[text], mass, weights[text]) for text in row]
            p, r, f = (np.max(scores, axis=0) - low) / (1 - low)
            rows.append((f, p, r, 1.0))
        return np.array(rows).reshape(-1, 4)


def similarities(encoder: TokenEncoder, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """The F of every pair of texts, without idf and rescaling; equal texts are encoded once."""
    distinct = list(dict.fromkeys(pairs))
    texts = list(dict.fromkeys(text for pair in distinct for text in pair))
    vectors = dict(zip(texts, map(unit, encoder.encode(texts)), strict=True))
    masses = {text: (~tokens.special).astype(np.float64) for text, tokens in vectors.items()}
    return {(a, b): matched(vectors[a], vectors[b], masses[a], masses[b])[2] for a, b in distinct}


def matched(
    hypothesis: TokenVectors, reference: TokenVectors, weights: Floats, reference_weights: Floats
) -> Triple:
    """Precision, recall and F of one pair of texts with unit vectors; zeros if one has no words."""
    empty = hypothesis.special.all() or reference.special.all()
    if empty or not weights.sum() or not reference_weights.sum():
        return 0.0, 0.0, 0.0
    similar = hypothesis.vectors @ reference.vectors.T
    p = float(similar.max(axis=1) @ weights / weights.sum())
    r = float(similar.max(axis=0) @ reference_weights / reference_weights.sum())
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


def unit(tokens: TokenVectors) -> TokenVectors:
    """The same tokens with vectors of length 1, in double precision."""
    vectors = tokens.vectors.astype(np.float64)
    lengths: Floats = np.linalg.norm(vectors, axis=1, keepdims=True)
    return tokens._replace(vectors=vectors / np.maximum(lengths, 1e-300))


def layer_of(model: str, layer: int) -> int:
    """The layer to use: this one, or if it is 0 the one that `bert-score` uses for a model of this name."""
    if layer:
        return layer
    if model.endswith(".onnx"):
        return -1
    default = LAYERS.get(Path(model).name)
    if default is None:
        raise ErrataError(f"no layer is known for {model}\n  hint: give one: layer=NUMBER")
    return default


def read_baseline(path: str, layer: int) -> Triple:
    """The line of a layer in a baseline file of `bert-score`: LAYER,P,R,F."""
    for number, line in enumerate(read_lines(path), 1):
        cells = line.split(",")
        if cells[0] == str(layer):
            try:
                p, r, f = map(float, cells[1:])
            except ValueError:
                hint = "expected LAYER,P,R,F"
                raise DataError(f"found {line!r}", path=path, line=number, hint=hint) from None
            return p, r, f
    raise DataError(f"there is no line for layer {layer}", path=path, hint="expected lines LAYER,P,R,F")
