"""Metrics by name: `metric("m2")`, `metric("m2:beta=1")`, or a class: `metric("mine.py:Jaccard")`.

Other packages can add names.
"""

from __future__ import annotations

import sys
from dataclasses import fields
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from errata.errors import ErrataError, one_of
from errata.metrics.base import Metric, ScanMetric, SentenceMetric, SumMetric
from errata.metrics.batch import Batch
from errata.metrics.parameters import parameter
from errata.metrics.score import Score
from errata.metrics.statistics import Statistics

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "METRICS", "Batch", "Metric", "ScanMetric", "Score", "SentenceMetric", "Statistics", "SumMetric",
    "metric", "metric_class", "parameter",
]  # fmt: skip

# name -> module:class; other packages add metrics through the entry point group `errata.metrics`
METRICS: dict[str, str] = {
    "bertscore": "errata.metrics.bertscore:BERTScore",
    "bleu": "errata.metrics.bleu:BLEU",
    "cer": "errata.metrics.simple_metrics:CER",
    "cherrant": "errata.metrics.cherrant:ChERRANT",
    "chrf": "errata.metrics.chrf:ChrF",
    "cleme": "errata.metrics.cleme:CLEME",
    "cleme2": "errata.metrics.cleme:CLEME2",
    "detection": "errata.metrics.detection:Detection",
    "emdiff": "errata.metrics.editing:EMDiff",
    "errant": "errata.metrics.errant:ERRANT",
    "exact": "errata.metrics.simple_metrics:ExactMatch",
    "fluency": "errata.metrics.model_metric:Fluency",
    "gleu": "errata.metrics.gleu:GLEU",
    "gleu2015": "errata.metrics.gleu:GLEU2015",
    "gotoscorer": "errata.metrics.gotoscorer:GoToScorer",
    "green": "errata.metrics.green:GREEN",
    "ibleu": "errata.metrics.editing:IBLEU",
    "id": "errata.metrics.editing:InsertDelete",
    "imeasure": "errata.metrics.imeasure:IMeasure",
    "impara": "errata.metrics.model_metric:IMPARA",
    "length": "errata.metrics.simple_metrics:Length",
    "m2": "errata.metrics.m2:M2",
    "peet": "errata.metrics.peet:PEET",
    "perplexity": "errata.metrics.model_metric:Perplexity",
    "pterrant": "errata.metrics.bertscore_weights:PTERRANT",
    "ptm2": "errata.metrics.bertscore_weights:PTM2",
    "sari": "errata.metrics.editing:SARI",
    "scribendi": "errata.metrics.model_metric:Scribendi",
    "sentcleme": "errata.metrics.cleme:SentCLEME",
    "sentcleme2": "errata.metrics.cleme:SentCLEME2",
    "senterrant": "errata.metrics.errant:SentERRANT",
    "sentm2": "errata.metrics.m2:SentM2",
    "sentsimcleme2": "errata.metrics.bertscore_weights:SentSimCLEME2",
    "simcleme2": "errata.metrics.bertscore_weights:SimCLEME2",
    "some": "errata.metrics.model_metric:SOME",
    "ter": "errata.metrics.ter:TER",
    "unchanged": "errata.metrics.simple_metrics:UnchangedRate",
    "uoterrant": "errata.metrics.uot_errant:UOTERRANT",
    "wer": "errata.metrics.simple_metrics:WER",
}


def metric_class(name: str) -> type[Metric]:
    """Find the class of a metric by its name, or by a file or module and the class: `mine.py:Jaccard`."""
    if name in METRICS:
        module, _, attribute = METRICS[name].partition(":")
        registered: type[Metric] = getattr(import_module(module), attribute)
        return registered
    if ":" in name:
        return own_class(name)
    entries = _entry_points()
    if name in entries:
        loaded: type[Metric] = entries[name].load()
        return loaded
    if (own := _class_in_module(name)) is not None:
        return own
    hint = one_of(name, sorted({*METRICS, *entries}))
    if name.endswith(".py"):
        hint = f"add the class of the metric: {name}:NAME"
    raise ErrataError(f"there is no metric {name!r}\n  hint: {hint}")


def _entry_points() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group="errata.metrics")}


def _class_in_module(name: str) -> type[Metric] | None:
    """The metric of the module `errata.metrics.NAME`, which needs no entry in METRICS while it is written."""
    if not name.isidentifier() or find_spec(f"{__name__}.{name}") is None:
        return None
    classes = vars(import_module(f"{__name__}.{name}")).values()
    metrics = (each for each in classes if isinstance(each, type) and issubclass(each, Metric))
    return next((each for each in metrics if vars(each).get("name") == name), None)


def metric(specification: str) -> Metric:
    """Make a metric from its name and parameters as on the command line: `gleu:variant=paper,n=3`."""
    name, settings = _name_and_settings(specification)
    cls = metric_class(name)
    declared = {f.name: f for f in fields(cls)}
    parameters: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        key, equals, text = setting.partition("=")
        key = key.strip().replace("-", "_")
        if key in declared and not equals:
            raise ErrataError(f"{name}: {key} has no value\n  hint: write {name}:{key}=VALUE")
        if key not in declared:
            raise ErrataError(f"{name} has no parameter {key!r}\n  hint: {one_of(key, declared)}")
        parameters[key] = _parse(text.strip(), declared[key].default, f"{name}:{key}")
    return cls(**parameters)


def _name_and_settings(specification: str) -> tuple[str, str]:
    name, _, settings = (part.strip() for part in specification.partition(":"))
    class_name, _, its_settings = settings.partition(":")
    if name not in METRICS and class_name.isidentifier() and name not in _entry_points():
        return f"{name}:{class_name}", its_settings
    return name, settings


def _parse(text: str, default: Any, where: str) -> Any:
    """A parameter's value, in the type of its default."""
    try:
        if isinstance(default, bool):
            return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}[
                text.lower()
            ]
        return type(default)(text)
    except (KeyError, ValueError):
        kind = "yes or no" if isinstance(default, bool) else type(default).__name__
        raise ErrataError(f"{where}={text!r} is not a value of type {kind}") from None


# -- metrics of users: a class in a file or an importable module -------------------------------------------


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
        from errata.metrics.signature import digest_of

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
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    line = getattr(error, "lineno", None) or last.lineno
    file = getattr(error, "filename", None) or last.filename
    what = f"{type(error).__name__}: {error}"
    return ErrataError(f"{place} cannot be loaded: {what}\n  hint: see {Path(file).name}, line {line}")
