"""What the recipe of a quality estimator may say; every field has a default."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from errata.errors import DataError
from errata.models.recipes import read_sections

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
    device: str = "auto"  # cpu, cuda, or cuda where there is one


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
    found = Recipe(data, model, training, Path(path))
    _check(found)
    return found


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
