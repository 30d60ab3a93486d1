"""The metrics, by name: `metric("m2")`, `metric("m2:beta=1")`, and those of other packages."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from errata.errors import ErrataError
from errata.metrics.base import Metric, Score, Statistics

__all__ = ["METRICS", "Metric", "Score", "Statistics", "metric", "metric_class"]

# name -> module:class; other packages add theirs through the entry point group `errata.metrics`
METRICS: dict[str, str] = {
    "bleu": "errata.metrics.bleu:BLEU",
    "cer": "errata.metrics.simple:CER",
    "chrf": "errata.metrics.simple:ChrF",
    "errant": "errata.metrics.errant:ERRANT",
    "exact": "errata.metrics.simple:ExactMatch",
    "gleu": "errata.metrics.gleu:GLEU",
    "gleu2015": "errata.metrics.gleu2015:GLEU2015",
    "imeasure": "errata.metrics.imeasure:IMeasure",
    "m2": "errata.metrics.m2:M2",
    "ter": "errata.metrics.ter:TER",
    "unchanged": "errata.metrics.simple:UnchangedRate",
    "wer": "errata.metrics.simple:WER",
}


def metric_class(name: str) -> type[Metric]:
    """The class of the metric of this name."""
    if name in METRICS:
        module, _, attribute = METRICS[name].partition(":")
        found: type[Metric] = getattr(import_module(module), attribute)
        return found
    for entry in entry_points(group="errata.metrics"):
        if entry.name == name:
            loaded: type[Metric] = entry.load()
            return loaded
    known = sorted({*METRICS, *(entry.name for entry in entry_points(group="errata.metrics"))})
    raise ErrataError(f"there is no metric {name!r}\n  hint: one of {', '.join(known)}")


def metric(specification: str) -> Metric:
    """A metric from its name and parameters as written on the command line: `gleu:variant=paper,n=3`."""
    name, _, settings = specification.partition(":")
    cls = metric_class(name.strip())
    known = {f.name: f for f in fields(cls)}
    parameters: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        key, equals, text = setting.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or key not in known:
            choices = ", ".join(known) or "none"
            raise ErrataError(f"{name} has no parameter {setting!r}\n  hint: its parameters are {choices}")
        parameters[key] = _parse(text.strip(), known[key].default, f"{name}:{key}")
    return cls(**parameters)


def _parse(text: str, default: Any, where: str) -> Any:
    """A parameter's value, of the type its default has."""
    try:
        if isinstance(default, bool):
            return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}[
                text.lower()
            ]
        return type(default)(text)
    except (KeyError, ValueError):
        kind = "yes or no" if isinstance(default, bool) else type(default).__name__
        raise ErrataError(f"{where}={text!r} is not a value of type {kind}") from None
