"""Correctors by name or path: what kind a model is follows from its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol, cast

from errata.errors import DataError, needs_extra
from errata.models.correctors import OPENER
from errata.models.correctors import Corrector as BaseCorrector
from errata_correct.confidence import SUFFIX, Calibration
from errata_correct.suggestions import Change, Suggester

SHIPPED = Path(__file__).parent / "models"
_SUFFIX = ".channel"
_PACKAGES = {"cs-transformer": "errata-gec-cs-transformer"}  # models of our own in packages of their own


class Corrector(BaseCorrector, Protocol):
    """Also says what it changes in tokenised sentences, with the margin of each change."""

    def changes(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]: ...


def models() -> list[str]:
    """The names of the shipped models and of those in installed packages."""
    return sorted({path.stem for path in SHIPPED.glob(f"*{_SUFFIX}")} | set(_installed()))


def _installed() -> dict[str, EntryPoint]:
    """Models of other packages: entry points of the group `errata.correctors`."""
    return {point.name: point for point in entry_points(group="errata.correctors") if point.name != OPENER}


def model_path(name: str) -> Path:
    """Where a model is: a shipped or installed one or `quire` by its name, any other by its path."""
    if name == "quire" and not Path(name).exists():
        from errata_correct.edit_tagger import quire_folder

        return quire_folder()
    shipped = SHIPPED / f"{name}{_SUFFIX}"
    if shipped.is_file():
        return shipped
    value = _installed_model(name)
    return Path(name) if value is None or callable(value) else Path(value)


def _installed_model(name: str) -> Path | Callable[[], Corrector] | None:
    """What an installed package offers under this name: a path, or a function that makes the corrector."""
    point = _installed().get(name)
    if point is None:
        return None
    try:
        value = point.load()
        return cast(Callable[[], Corrector], value) if callable(value) else Path(value)
    except (ImportError, AttributeError, TypeError) as error:
        package = point.dist.name if point.dist else point.value
        raise DataError(
            f"the package {package} cannot be loaded: {error}", path=name, hint=f"install {package} again"
        ) from None


def calibration_path(name: str) -> Path | None:
    """The calibration of a model: NAME.calibration.json beside its file, calibration.json in its folder."""
    path = model_path(name)
    found = path / SUFFIX[1:] if path.is_dir() else path.with_suffix(SUFFIX)
    return found if found.is_file() else None


def model_digest(name: str) -> str:
    """Some letters that tell one model from another, whatever its name."""
    path, calibration = model_path(name), calibration_path(name)
    digest = blake2b(digest_size=8)
    point = _installed().get(name)
    if point is not None and point.dist and callable(_installed_model(name)):
        digest.update(f"{point.dist.name} {point.dist.version}".encode())
        return digest.hexdigest()
    for file in sorted(path.iterdir()) if path.is_dir() else [path, *([calibration] if calibration else [])]:
        if file.is_file():
            digest.update(file.read_bytes())
    return digest.hexdigest()


def load_corrector(name: str, mode: str = "spelling") -> Corrector:
    """A shipped or installed model or `quire` by its name, or the one in a file (noisy channel) or folder."""
    made = _installed_model(name)
    if callable(made):
        return made()
    path = model_path(name)
    if path.is_file():
        from errata_correct.noisy_channel import NoisyChannel

        return NoisyChannel.load(path, mode)
    if (path / "model.bin").is_file():
        from errata_correct.transformer.export import CT2Corrector

        return CT2Corrector(path)
    if (path / "model.json").is_file():
        with needs_extra("a Transformer model", "torch", "errata-gec-correct"):
            from errata_correct.transformer.corrector import TorchCorrector
        return TorchCorrector(path)
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


def load_suggester(name: str, mode: str = "spelling", threshold: float | None = None) -> Suggester:
    """The corrector of this name with its calibration, where it has one.

    Restoring and removing diacritics leave nothing out by default.
    """
    corrector = load_corrector(name, mode)
    if mode != "spelling":
        return Suggester(corrector, None, threshold)
    found = calibration_path(name)
    return Suggester(corrector, Calibration.load(found) if found else None, threshold)
