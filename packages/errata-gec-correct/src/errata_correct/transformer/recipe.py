"""What a TOML recipe may say; every field has a default and a reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from errata.errors import DataError
from errata_correct.recipes import read_sections


@dataclass(frozen=True)
class Data:
    """Texts to learn from; paths are relative to the recipe. All text is tokenised, a sentence a line."""

    clean: tuple[str, ...] = ()  # made wrong by the profiles, anew in every epoch
    clean_weights: tuple[
        float, ...
    ] = ()  # how often each file is seen: 2 is twice as often as 1, the default
    profiles: tuple[str, ...] = ()  # of errors, as `errata noise estimate` writes them; a sentence gets one
    strength: float = 1.0
    authentic: tuple[str, ...] = ()  # .m2, or .tsv with source and correction
    authentic_weights: tuple[float, ...] = ()
    reversed: bool = False  # learn to make the errors of `authentic`, for `errata noise sample`
    draw: int = 0  # sentences of an epoch; 0: as many as the texts have
    synthetic_share: float = 1 / 3  # of the sentences when there are authentic ones: 2 to 1
    dev: str = ""  # M2: decides when to stop
    tokenized: bool = True


@dataclass(frozen=True)
class Model:
    """The size of the network."""

    vocabulary: int = 8000
    width: int = 512
    heads: int = 8
    encoder_layers: int = 6
    decoder_layers: int = 3
    feedforward: int = 2048
    dropout: float = 0.1
    longest: int = 160  # subwords of a sentence


@dataclass(frozen=True)
class Training:
    """How long and how fast to learn."""

    steps: int = 20_000
    minutes: float = 0.0  # a limit on the time of all runs together, if any; the learning rate falls with it
    batch_subwords: int = 16_000
    learning_rate: float = 7e-4
    warmup: int = 1000
    label_smoothing: float = 0.1
    edit_weight: float = 3.0  # of the loss at subwords that differ from the source
    source_word_dropout: float = 0.1
    target_word_dropout: float = 0.1
    precision: str = "bf16"  # on a GPU; "fp32" anywhere
    compile: bool = False  # network and loss by torch.compile: some minutes before the first step
    average: float = 0.0  # decay of a running average of the weights, which then is the model; 0.999 is usual
    workers: int = 0  # processes that prepare batches; a GPU should not wait for them
    check_every: int = 1000  # steps: checkpoint, and dev F0.5 if there is a dev set
    patience: int = 5  # checks without improvement
    seed: int = 1
    start_from: str = ""  # folder of a trained model, or of its export: fine-tuning


@dataclass(frozen=True)
class Recipe:
    """A whole training run."""

    data: Data = field(default_factory=Data)
    model: Model = field(default_factory=Model)
    training: Training = field(default_factory=Training)
    folder: Path = field(default_factory=Path)  # the recipe's own: its paths start there


def read_recipe(path: str | Path) -> Recipe:
    """Read a recipe; unknown fields are errors, for they would be silently without effect."""
    data, model, training = read_sections(path, Data, Model, Training)
    if data.reversed and (data.clean or data.dev or not data.authentic):
        raise DataError(
            "a model of errors learns from corrections alone, and is not checked on a dev set", path=path,
            hint="with `reversed = true`, give `authentic`, and neither `clean` nor `dev`",
        )  # fmt: skip
    return Recipe(data, model, training, Path(path).parent)
