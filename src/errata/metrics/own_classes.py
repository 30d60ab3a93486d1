"""Metrics that users write and have not registered: a class in a file or an importable module."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from errata.errors import ErrataError, one_of
from errata.metrics import METRICS
from errata.metrics.base import Metric
from errata.metrics.signature import digest_of


def own_class(path: str) -> type[Metric]:
    """The class at FILE.py:CLASS or MODULE:CLASS; its signature has a digest of the file."""
    place, _, name = path.partition(":")
    module = _module_of_file(Path(place)) if place.endswith(".py") else _module(place)
    classes = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Metric) and value.__module__ == module.__name__
    }
    if name not in classes:
        what = "is not a metric" if hasattr(module, name) else "is not there"
        hint = "derive it from SumMetric, ScanMetric or SentenceMetric of errata"
        raise ErrataError(f"{place}: {name} {what}\n  hint: {one_of(name, classes) if classes else hint}")
    cls = classes[name]
    for attribute in ("name", *sorted(cls.__abstractmethods__)):
        if attribute == "name" and not hasattr(cls, "name"):
            raise ErrataError(f'{place}: {name} has no name\n  hint: name: ClassVar[str] = "{name.lower()}"')
        if attribute in cls.__abstractmethods__:
            raise ErrataError(f"{place}: {name} does not define {attribute}\n  hint: docs/own-metric.md")
    if cls.name in METRICS:
        raise ErrataError(
            f"{place}: {name} has the name of another metric, {cls.name}\n  hint: choose a new name"
        )
    if module.__file__:
        cls.code = digest_of({"code": Path(module.__file__).read_bytes().decode("utf-8", "replace")})
    return cls


def _module(name: str) -> ModuleType:
    try:
        if not all(name.split(".")):  # a relative name
            raise ModuleNotFoundError(name=name)
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _broken(name, error) from error
        hint = f"did you mean the file {name}.py:CLASS?" if Path(f"{name}.py").is_file() else (
            "the first part is a metric, a file FILE.py, or a module that Python can import"
        )  # fmt: skip
        raise ErrataError(f"there is no metric and no module {name!r}\n  hint: {hint}") from None
    except Exception as error:
        raise _broken(name, error) from error


def _module_of_file(path: Path) -> ModuleType:
    """The module in a file. It has the name of the file, so that worker processes can import it."""
    if not path.is_file():
        raise ErrataError(f"{path}: there is no such file\n  hint: a metric is FILE.py:CLASS")
    name, file = path.stem, str(path.resolve())
    if name in sys.modules:
        if sys.modules[name].__file__ == file:
            return sys.modules[name]
        raise ErrataError(f"{path}: a module {name} is loaded already\n  hint: rename the file")
    installed = PathFinder.find_spec(name)
    if installed is not None and installed.origin not in (None, file):
        raise ErrataError(f"{path}: a module {name} is installed already\n  hint: rename the file")
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise _broken(str(path), error) from error
    if str(Path(file).parent) not in sys.path:
        sys.path.append(str(Path(file).parent))
    return module


def _broken(place: str, error: Exception) -> ErrataError:
    """An error for a file that cannot be loaded, with the line at which it failed."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = getattr(error, "lineno", None) or last.lineno
    file = getattr(error, "filename", None) or last.filename
    what = f"{type(error).__name__}: {error}"
    return ErrataError(f"{place} cannot be loaded: {what}\n  hint: see {Path(file).name}, line {line}")
