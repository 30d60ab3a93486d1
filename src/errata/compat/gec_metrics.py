"""The Python calls of gec-metrics 0.1: `from errata.compat import gec_metrics`.

`get_metric` and `get_meta_eval` return classes with the `Config` of gec-metrics, and their objects have its
methods. The numbers are errata's: docs/howto/migrate.md says which ones equal those of gec-metrics. Options
that change the speed alone (`batch_size`, `no_cuda`, …) are ignored; other options that errata does not have
are errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, make_dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from errata.array_types import Floats
from errata.corpus.model import Corpus
from errata.data.benchmarks import judged_benchmarks
from errata.errors import ErrataError, one_of
from errata.meta.aggregation import aggregate_scores
from errata.meta.benchmarks import load
from errata.meta.judged_outputs import BenchmarkAgreement, JudgedOutputs
from errata.metrics import metric_class
from errata.metrics.base import Metric
from errata.metrics.results import Results
from errata.significance.correlations import CORRELATIONS

_SPEED = ("batch_size", "no_cuda", "nthreads", "use_fast_tokenizer", "max_length")
AGGREGATIONS = ("default", "trueskill")
_UNITS = {"word": "word", "char": "character"}


def _check(what: str, name: str, known: Iterable[str]) -> None:
    names = list(known)
    if name not in names:
        raise ErrataError(f"there is no {what} {name!r}\n  hint: {one_of(name, names)}")


@dataclass(frozen=True)
class _Adapter:
    """How a metric of gec-metrics is made in errata."""

    name: str  # in errata
    defaults: dict[str, Any]  # the options of gec-metrics
    parameters: Callable[[Any], dict[str, Any]]  # errata's parameters for them


def _words_alone(config: Any) -> None:
    if config.unit != "word":
        raise ErrataError(f"unit={config.unit!r} is not supported by this metric\n  hint: unit='word'")


def _gleu(config: Any) -> dict[str, Any]:
    _words_alone(config)
    return {"n": config.n, "iterations": config.iter}


def _green(config: Any) -> dict[str, Any]:
    _check("unit", config.unit, _UNITS)
    return {"n": config.n, "beta": config.beta, "unit": _UNITS[config.unit], "empty": "gec-metrics"}


def _gotoscorer(config: Any) -> dict[str, Any]:
    weights = "none" if config.no_weight else config.weight_file or "systems"
    return {"beta": config.beta, "language": config.language, "annotator": config.ref_id, "weights": weights}


def _pterrant(config: Any) -> dict[str, Any]:
    if config.weight_model_name != "bertscore" or config.weight_model_config is not None:
        raise ErrataError("errata weights by BERTScore with its defaults\n  hint: leave weight_model_* out")
    return {"beta": config.beta, "language": config.language}


def _bertscore(config: Any) -> dict[str, Any]:
    return {
        "model": config.model_type, "layer": config.num_layers or 0, "rescale": config.rescale_with_baseline,
        "baseline": config.baseline_path or "", "idf": config.idf,
    }  # fmt: skip


def _some(config: Any) -> dict[str, Any]:
    return {
        "grammaticality": config.model_g, "fluency": config.model_f, "meaning": config.model_m,
        "g": config.weight_g, "f": config.weight_f, "m": config.weight_m,
    }  # fmt: skip


_GLEU = _Adapter("gleu", {"iter": 500, "n": 4, "unit": "word"}, _gleu)
_EDITS = {"beta": 0.5, "language": "en"}
_ADAPTERS = {
    "gleu": _GLEU,
    "gleuofficial": _GLEU,
    "errant": _Adapter("errant", _EDITS, vars),
    "green": _Adapter("green", {"n": 4, "beta": 2.0, "unit": "word"}, _green),
    "gotoscorer": _Adapter(
        "gotoscorer", {**_EDITS, "weight_file": "", "ref_id": 0, "no_weight": True}, _gotoscorer
    ),
    "pterrant": _Adapter(
        "pterrant", {**_EDITS, "weight_model_name": "bertscore", "weight_model_config": None}, _pterrant
    ),
    "bertscore": _Adapter(
        "bertscore",
        {
            "model_type": "bert-base-uncased", "num_layers": None, "idf": False,
            "rescale_with_baseline": True, "baseline_path": None,
        },
        _bertscore,
    ),
    "some": _Adapter(
        "some",
        {
            "model_g": "gfm-models/grammer", "model_f": "gfm-models/fluency",
            "model_m": "gfm-models/meaning", "weight_f": 0.55, "weight_g": 0.43, "weight_m": 0.02,
        },
        _some,
    ),
    "impara": _Adapter(
        "impara",
        {"model_qe": "gotutiyan/IMPARA-QE", "model_se": "bert-base-cased", "threshold": 0.9},
        lambda config: {
            "model": config.model_qe, "encoder": config.model_se, "threshold": config.threshold,
        },
    ),
    "scribendi": _Adapter(
        "scribendi",
        {"model": "gpt2", "threshold": 0.8},
        lambda config: {"model": config.model, "threshold": config.threshold},
    ),
}  # fmt: skip


class MetricBase:
    """A metric with the methods of gec-metrics; `references` are lists of texts by reference, as there."""

    adapter: ClassVar[_Adapter]
    Config: ClassVar[type]

    def __init__(self, config: Any = None) -> None:
        self.config = self.Config() if config is None else config
        options = {name: getattr(self.config, name) for name in self.adapter.defaults}
        parameters = self.adapter.parameters(SimpleNamespace(**options))
        self.metric: Metric = metric_class(self.adapter.name)(**parameters)

    def _results(
        self, hypotheses: Sequence[Sequence[str]], sources: Sequence[str] | None, references: Any
    ) -> Results:
        if sources is None:
            sources = [""] * len(hypotheses[0])
        by_sentence = None if references is None else [list(texts) for texts in zip(*references, strict=True)]
        outputs = {f"{number}": list(texts) for number, texts in enumerate(hypotheses)}
        return Results.compute(Corpus.from_lists(sources, by_sentence), outputs, [self.metric])

    def score_corpus(
        self,
        sources: Sequence[str] | None = None,
        hypotheses: Sequence[str] = (),
        references: Sequence[Sequence[str]] | None = None,
    ) -> float:
        """The score of a corpus."""
        return self._results([hypotheses], sources, references).score("0").value

    def score_sentence(
        self,
        sources: Sequence[str] | None = None,
        hypotheses: Sequence[str] = (),
        references: Sequence[Sequence[str]] | None = None,
    ) -> list[float]:
        """The scores of its sentences."""
        scores: list[float] = self._results([hypotheses], sources, references).score("0").sentences.tolist()
        return scores

    def _sentences(self, hypotheses: Sequence[Sequence[str]], sources: Any, references: Any) -> Floats:
        results = self._results(hypotheses, sources, references)
        return np.array([results.score(system).sentences for system in results.systems])

    def score_pairwise(
        self,
        sources: Sequence[str] | None = None,
        hypotheses: Sequence[Sequence[str]] = (),
        references: Sequence[Sequence[str]] | None = None,
    ) -> list[list[list[int]]]:
        """By sentence and two systems: 1 if the first scores better, −1 if worse, 0 for a tie."""
        scores = self._sentences(hypotheses, sources, references)
        pairwise: list[list[list[int]]] = (
            np.sign(scores.T[:, :, None] - scores.T[:, None, :]).astype(int).tolist()
        )
        return pairwise

    def rank_systems(
        self,
        sources: Sequence[str] | None = None,
        hypotheses: Sequence[Sequence[str]] = (),
        references: Sequence[Sequence[str]] | None = None,
        aggregation: str = "default",
    ) -> list[float]:
        """The score of each system, or its TrueSkill rating by sentence scores (aggregation="trueskill")."""
        _check("aggregation", aggregation, AGGREGATIONS)
        if aggregation == "default":
            results = self._results(hypotheses, sources, references)
            return [results.score(system).value for system in results.systems]
        return _ratings(self._sentences(hypotheses, sources, references))


def _ratings(scores: Floats) -> list[float]:
    names = [f"{number}" for number in range(len(scores))]
    ratings: list[float] = aggregate_scores(names, scores, orders=1).mu.tolist()
    return ratings


def _metric_class(name: str) -> type[MetricBase]:
    adapter = _ADAPTERS[name]
    options = {**adapter.defaults, **dict.fromkeys(_SPEED)}
    config = make_dataclass("Config", [(key, Any, field(default=value)) for key, value in options.items()])
    return type(name, (MetricBase,), {"adapter": adapter, "Config": config})


_CLASSES = {name: _metric_class(name) for name in _ADAPTERS}


def get_metric_ids() -> list[str]:
    """The names that `get_metric` accepts."""
    return list(_CLASSES)


def get_metric(name: str) -> type[MetricBase]:
    """A class of metrics by its name."""
    _check("metric", name, _CLASSES)
    return _CLASSES[name]


@dataclass
class Corr:
    """The agreement of a metric with people."""

    pearson: float | None = None
    spearman: float | None = None
    accuracy: float | None = None
    kendall: float | None = None
    human_scores: list[float] | None = None
    metric_scores: list[float] | None = None


class _MetaEval:
    """Agreement with the judgments of a benchmark of errata."""

    benchmark: ClassVar[str]

    def __init__(self, config: Any = None) -> None:
        self.config = config
        self.judged: JudgedOutputs = load(judged_benchmarks()[self.benchmark])

    def _views(self) -> dict[str, str]:
        """The names of the benchmark's views, by the end of the names of the results."""
        return {"": "all"}

    def _agreements(self, metric: MetricBase) -> dict[str, BenchmarkAgreement]:
        agreements = self.judged.agreements([metric.metric])
        return {kind: agreements[f"{self.judged.name}, {view}"] for kind, view in self._views().items()}

    def corr_system(self, metric: MetricBase, aggregation: str = "default") -> SimpleNamespace:
        """Correlations of the scores of systems with people's."""
        _check("aggregation", aggregation, AGGREGATIONS)
        correlations = {}
        for kind, agreement in self._agreements(metric).items():
            scores = agreement.levels["EW"].scores[0]
            if aggregation == "trueskill":
                scores = np.array(_ratings(agreement.sentences_by_metric[0]))
            for method, human in agreement.view.human.items():
                r, rho = (float(CORRELATIONS[name](scores, human)) for name in ("pearson", "spearman"))
                name = "_".join(filter(None, (method.lower(), kind)))
                correlations[name] = Corr(r, rho, None, None, human.tolist(), scores.tolist())
        return SimpleNamespace(**correlations)

    def corr_sentence(self, metric: MetricBase) -> SimpleNamespace:
        """Agreement with people's comparisons; a tie of the metric counts as in SEEDA's script."""
        correlations = {}
        for kind, agreement in self._agreements(metric).items():
            (accuracy,) = agreement.sentences.decided_accuracy("official").tolist()
            correlations[kind or "corr"] = Corr(accuracy=accuracy, kendall=2 * accuracy - 1)
        return SimpleNamespace(**correlations)


class MetaEvalSEEDA(_MetaEval):
    """SEEDA (Kobayashi et al. 2024): `corr_system` has ew_edit, ew_sent, ts_edit, ts_sent."""

    benchmark: ClassVar[str] = "seeda"
    _SETS: ClassVar[dict[str, str]] = {
        "base": "base", "+fluency": "+fluency", "+REF-F_GPT-3.5": "+fluency",
    }  # fmt: skip

    @dataclass
    class Config:
        """Which systems take part."""

        system: str = "base"

    def __init__(self, config: Config | None = None) -> None:
        super().__init__(config or self.Config())
        _check("set of systems", self.config.system, self._SETS)

    def _views(self) -> dict[str, str]:
        systems = self._SETS[self.config.system]
        return {"edit": f"{systems}, edits", "sent": f"{systems}, sentences"}


class MetaEvalGJG(_MetaEval):
    """The rankings of Grundkiewicz et al. 2015: `corr_system` has ew and ts, `corr_sentence` has corr."""

    benchmark: ClassVar[str] = "gjg15"

    @dataclass
    class Config:
        """No options."""


_META_CLASSES: dict[str, type[_MetaEval]] = {"gjg": MetaEvalGJG, "seeda": MetaEvalSEEDA}


def get_meta_eval_ids() -> list[str]:
    """The names that `get_meta_eval` accepts."""
    return list(_META_CLASSES)


def get_meta_eval(name: str) -> type[_MetaEval]:
    """A class of meta-evaluations by its name."""
    _check("meta-evaluation", name, _META_CLASSES)
    return _META_CLASSES[name]
