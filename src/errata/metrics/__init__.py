"""Metrics by name: `metric("m2")`, `metric("m2:beta=1")`, or a class: `metric("mine.py:Jaccard")`.

Other packages can add names.
"""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from importlib.util import find_spec
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
        from errata.metrics.own_classes import own_class

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
