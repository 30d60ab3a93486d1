"""Recipes of quality estimators, and the examples they learn from: ranked corrections or scored texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from errata.corpus.apply_edits import Span, apply_edits
from errata.corpus.files import read_lines
from errata.errors import DataError
from errata.models.protocols import Floats, SentenceEncoder, cosines
from errata_correct.recipes import read_sections

OBJECTIVES = ("ranking", "regression")


@dataclass(frozen=True)
class Data:
    """Texts to learn from; paths are relative to the recipe."""

    parallel: tuple[str, ...] = ()  # for ranking: .m2, or .tsv with source and correction, without a header
    scores: tuple[str, ...] = ()  # for regression: .tsv with the columns hypothesis, score and perhaps source
    pairs: int = 4  # for ranking: pairs of partial corrections that are drawn per sentence
    dev_share: float = 0.1  # of the sentences, held out to choose the epoch and for the model card
    language: str = "en"  # of the edits between source and correction in .tsv


@dataclass(frozen=True)
class Model:
    """The network: an encoder with one number on top of it."""

    encoder: str = ""  # a folder of `transformers`, or a name on the Hugging Face Hub
    objective: str = OBJECTIVES[0]
    pair: bool = False  # read source and hypothesis together; only regression has sources for it
    longest: int = 128  # tokens of a text


@dataclass(frozen=True)
class Training:
    """How long and how fast to learn."""

    epochs: int = 10
    batch: int = 32  # texts, or pairs of them
    learning_rate: float = 1e-5
    warmup: float = 0.1  # share of the steps
    seed: int = 1
    device: str = "auto"  # cpu, cuda, or cuda if there is one


@dataclass(frozen=True)
class Recipe:
    """A whole training run."""

    data: Data = field(default_factory=Data)
    model: Model = field(default_factory=Model)
    training: Training = field(default_factory=Training)
    path: Path = field(default_factory=Path)

    def file(self, name: str) -> Path:
        """The file that a field names."""
        return self.path.parent / name


def read_recipe(path: str | Path) -> Recipe:
    """Read and check a recipe with `kind = "metric"`."""
    data, model, training = read_sections(path, Data, Model, Training)
    recipe = Recipe(data, model, training, Path(path))
    _check(recipe)
    return recipe


def _check(recipe: Recipe) -> None:
    data, model, training = recipe.data, recipe.model, recipe.training
    wanted = "parallel" if model.objective == "ranking" else "scores"
    wrong = (
        (not model.encoder, "encoder is missing", "name a model: encoder = FOLDER"),
        (model.objective not in OBJECTIVES, f"objective = {model.objective!r}", " or ".join(OBJECTIVES)),
        (not getattr(data, wanted), f"there is no {wanted} data", f"{model.objective} learns from {wanted}"),
        (model.pair and model.objective == "ranking", "pair = true", "only regression reads pairs"),
        (not 0 <= data.dev_share < 1, f"dev_share = {data.dev_share}", "a share from 0 to below 1"),
        (not 0 <= training.warmup <= 1, f"warmup = {training.warmup}", "a share from 0 to 1"),
        (training.learning_rate <= 0, f"learning_rate = {training.learning_rate}", "a number above 0"),
        (min(data.pairs, model.longest, training.epochs, training.batch) < 1, "a number below 1",
         "pairs, longest, epochs and batch are at least 1"),
    )  # fmt: skip
    for is_wrong, problem, hint in wrong:
        if is_wrong:
            raise DataError(problem, path=recipe.path, hint=hint)


# -- examples -------------------------------------------------------------------------------------------


class Ranked(NamedTuple):
    """Two corrections of a sentence; the first has the larger impact."""

    better: str
    worse: str


class Scored(NamedTuple):
    """A text with its score, and its source, which may be empty."""

    text: str
    source: str
    score: float


Corrected = tuple[str, list[Span]]  # a source with the edits of its correction


def read_ranked(recipe: Recipe, encoder: SentenceEncoder) -> list[list[Ranked]]:
    """Per sentence with errors, pairs of partial corrections ranked by the impact of their edits.

    This is the recipe of IMPARA (Maeda, Kaneko & Okazaki 2022). The impact of an edit is 1 − the similarity
    of the corrected sentence with and without it, that of several edits their sum.
    """
    corrected = [one for name in recipe.data.parallel for one in _corrections(recipe, recipe.file(name))]
    impacts = _impacts(corrected, encoder)
    draw = np.random.default_rng(recipe.training.seed)
    groups = []
    for (source, spans), impact in zip(corrected, impacts, strict=True):
        pairs = list(_pairs(source, spans, impact, recipe.data.pairs, draw))
        if pairs:
            groups.append(pairs)
    if len(groups) < 2:
        raise DataError(
            f"{len(groups)} sentences with corrections", path=recipe.path, hint="give more parallel data"
        )
    return groups


def _corrections(recipe: Recipe, path: Path) -> Iterator[Corrected]:
    if path.suffix == ".m2":
        from errata.corpus.m2 import read_m2

        for segment in read_m2(path):
            edits = segment.annotations[0].edits if segment.annotations else ()
            yield segment.source, [(edit.start, edit.end, edit.correction) for edit in edits]
        return
    from errata.edits.pipeline import Extractor

    pairs = []
    for number, line in enumerate(read_lines(path), 1):
        cells = line.split("\t")
        if len(cells) != 2:
            raise DataError(
                f"{len(cells)} columns", path=path, line=number, hint="expected SOURCE TAB CORRECTION"
            )
        pairs.append((cells[0], cells[1]))
    for (source, _), edits in zip(pairs, Extractor(recipe.data.language).extract_all(pairs), strict=True):
        yield source, [(edit.start, edit.end, edit.correction) for edit in edits]


def _impacts(corrected: Sequence[Corrected], encoder: SentenceEncoder) -> list[Floats]:
    """The impact of every edit of every sentence."""
    whole, without = [], []
    for source, spans in corrected:
        tokens = source.split()
        for number in range(len(spans)):
            whole.append(" ".join(apply_edits(tokens, spans)))
            without.append(" ".join(apply_edits(tokens, [*spans[:number], *spans[number + 1 :]])))
    texts = list(dict.fromkeys([*whole, *without]))
    if not texts:
        return [np.zeros(0) for _ in corrected]
    index = {text: i for i, text in enumerate(texts)}
    vectors = encoder.embed(texts)
    impacts = 1 - cosines(*(vectors[[index[text] for text in some]] for some in (whole, without)))
    return np.split(impacts, np.cumsum([len(spans) for _, spans in corrected])[:-1])


def _pairs(
    source: str, spans: Sequence[Span], impact: Floats, count: int, draw: np.random.Generator
) -> Iterator[Ranked]:
    """Pairs of random subsets of the edits; those with equal impacts or texts are left out."""
    tokens = source.split()
    for _ in range(count if spans else 0):
        chosen = draw.random((2, len(spans))) < 0.5
        sums = chosen.astype(np.float64) @ impact
        texts = [" ".join(apply_edits(tokens, list(compress(spans, row)))) for row in chosen]
        if texts[0] != texts[1] and sums[0] != sums[1]:
            yield Ranked(*(texts if sums[0] > sums[1] else texts[::-1]))


def read_scored(recipe: Recipe) -> list[Scored]:
    """Texts with human scores from tables with the columns `hypothesis` and `score`, perhaps `source`."""
    texts = [text for name in recipe.data.scores for text in _scored(recipe, recipe.file(name))]
    if len(texts) < 2:
        raise DataError(f"{len(texts)} texts with scores", path=recipe.path, hint="give more")
    return texts


def _scored(recipe: Recipe, path: Path) -> Iterator[Scored]:
    lines = read_lines(path)
    header = lines[0].split("\t") if lines else []
    needed = ["hypothesis", "score", *(["source"] if recipe.model.pair else [])]
    lacking = [name for name in needed if name not in header]
    if lacking:
        hint = "the first line names the columns, separated by tabs"
        raise DataError(f"there is no column {lacking[0]!r}", path=path, line=1, hint=hint)
    for number, line in enumerate(lines[1:], 2):
        row = dict(zip(header, line.split("\t"), strict=False))
        try:
            score = float(row["score"])
        except (KeyError, ValueError):
            score = math.nan
        if len(line.split("\t")) != len(header) or not math.isfinite(score):
            hint = f"expected {len(header)} columns and a number as score"
            raise DataError(f"found {line[:80]!r}", path=path, line=number, hint=hint)
        yield Scored(row["hypothesis"], row.get("source", ""), score)


def held_out(count: int, share: float, seed: int) -> tuple[list[int], list[int]]:
    """Random indices for training (at least one) and for testing."""
    order = np.random.default_rng([seed, 1]).permutation(count).tolist()
    dev = min(math.ceil(count * share), count - 1)
    return sorted(order[dev:]), sorted(order[:dev])
