"""Correctors by name or path; the files of a model determine its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from errata.errors import DataError, needs_extra
from errata.models.protocols import OPENER
from errata_correct.confidence import SUFFIX, Calibration
from errata_correct.corrector import Change, Corrector, Model
from errata_correct.tokens import differences

SHIPPED = Path(__file__).parent / "models"
_SUFFIX = ".channel"
_PACKAGES = {"cs-transformer": "errata-gec-cs-transformer"}  # the packages of further models
_SURE = 100.0  # a margin: the confidence is 1


class _WithoutConfidences:
    """The model of a package that returns corrected text without confidences: all of them are 1."""

    def __init__(self, package: Any) -> None:
        self._package = package

    def changes(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
        texts = self._package.correct_tokenized([" ".join(tokens) for tokens in sentences])
        return [
            [Change(*change, _SURE) for change in differences(tokens, text.split())]
            for tokens, text in zip(sentences, texts, strict=True)
        ]


def models() -> list[str]:
    """The names of the shipped models and of those in installed packages."""
    return sorted({path.stem for path in SHIPPED.glob(f"*{_SUFFIX}")} | set(_installed()))


def _installed() -> dict[str, EntryPoint]:
    """Models of other packages: entry points of the group `errata.correctors`."""
    return {point.name: point for point in entry_points(group="errata.correctors") if point.name != OPENER}


def model_path(name: str) -> Path:
    """The path of a model: of a shipped or installed one or `quire` by its name, of others by their path."""
    if name == "quire" and not Path(name).exists():
        from errata_correct.edit_tagger import quire_folder

        return quire_folder()
    shipped = SHIPPED / f"{name}{_SUFFIX}"
    if shipped.is_file():
        return shipped
    value = _installed_model(name)
    return Path(name) if value is None or callable(value) else Path(value)


def _installed_model(name: str) -> Path | Callable[[], Any] | None:
    """The path of a model in an installed package, or a function that makes the model."""
    point = _installed().get(name)
    if point is None:
        return None
    try:
        value = point.load()
        return value if callable(value) else Path(value)
    except (ImportError, AttributeError, TypeError) as error:
        package = point.dist.name if point.dist else point.value
        raise DataError(
            f"the package {package} cannot be loaded: {error}", path=name, hint=f"install {package} again"
        ) from None


def _calibration_path(name: str) -> Path | None:
    """The calibration of a model: NAME.calibration.json beside its file, calibration.json in its folder."""
    path = model_path(name)
    file = path / SUFFIX[1:] if path.is_dir() else path.with_suffix(SUFFIX)
    return file if file.is_file() else None


def load_model(name: str, mode: str = "spelling") -> Model:
    """A shipped or installed model or `quire` by its name, or the one in a file (noisy channel) or folder."""
    installed = _installed_model(name)
    if callable(installed):
        model = installed()
        return model if hasattr(model, "changes") else _WithoutConfidences(model)
    path = model_path(name)
    if path.is_file():
        from errata_correct.noisy_channel import NoisyChannel

        return NoisyChannel.load(path, mode)
    if (path / "model.bin").is_file():
        from errata_correct.transformer.ct2_decoder import CT2Decoder

        return CT2Decoder(path)
    if (path / "model.json").is_file():
        with needs_extra("a Transformer model", "torch", "errata-gec-correct"):
            from errata_correct.transformer.torch_decoder import TorchDecoder
        return TorchDecoder(path)
    if (path / "tagger.onnx").is_file():
        from errata_correct.edit_tagger import EditTagger

        return EditTagger(path)
    if name in _PACKAGES:
        raise DataError(
            "this model is in a package of its own, which is not installed", path=name,
            hint=f"pip install {_PACKAGES[name]}",
        )  # fmt: skip
    known = ", ".join(models()) or "none is installed"
    packages = ", ".join(sorted(_PACKAGES.keys() - models()))
    raise DataError(
        "there is no such model", path=name,
        hint=f"installed models: {known}; in packages: {packages or 'none more'}; with an extra, quire; "
        "or give a file or folder",
    )  # fmt: skip


def load_corrector(name: str, mode: str = "spelling", threshold: float | None = None) -> Corrector:
    """The corrector of this name, with its calibration if it has one.

    `mode` is what a noisy channel does: correct `spelling`, restore `diacritics`, or `strip` them. The last
    two have no calibration.
    """
    model = load_model(name, mode)
    calibration = _calibration_path(name) if mode == "spelling" else None
    return Corrector(model, Calibration.load(calibration) if calibration else None, threshold)
