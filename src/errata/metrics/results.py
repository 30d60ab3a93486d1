"""Results: the scores of several systems by several metrics over the same segments."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from errata import __version__
from errata.corpus.files import StrPath
from errata.corpus.model import Chunk, Corpus, Outputs
from errata.corpus.parallel import unused
from errata.errors import DataError, one_of
from errata.metrics.base import Metric
from errata.metrics.score import Score
from errata.metrics.statistics import Integers, Statistics
from errata.tables import Table

Key = tuple[str, int]  # a system and the number of a metric
Value = TypeVar("Value")
_DIGESTS_BY_SYSTEM = ("hypotheses", "post-edits")  # in `inputs`
# joined results may differ in these
IGNORED_SIGNATURE_FIELDS = ("version", "cut", "limits", "benchmark", "outputs")


@dataclass(frozen=True)
class Results:
    """Scores of systems × metrics, with labels of the segments and digests of the inputs.

    `corpus` and `outputs` are kept if the results come from texts in memory, not if they were streamed or
    loaded. `inputs` has digests of the texts, and `version` is the release that computed the numbers.
    """

    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    scores: Mapping[Key, Score] = field(repr=False)
    segments: int
    labels: Mapping[str, Sequence[str]] = field(repr=False)  # document, domain, … of every segment
    inputs: Mapping[str, Any] = field(default_factory=dict, repr=False)  # digests of the texts
    corpus: Corpus | None = field(default=None, repr=False)
    outputs: Outputs | None = field(default=None, repr=False)
    version: str = __version__
    _cache: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def compute(
        cls,
        corpus: Corpus,
        outputs: Mapping[str, Sequence[str]],
        metrics: Sequence[Metric],
        *,
        post_edits: Mapping[str, Sequence[str]] | None = None,
        jobs: int | None = None,
        cache: str | Path | None = None,
        advance: Callable[[int], None] = lambda segments: None,
    ) -> Results:
        """Score every system with every metric on a corpus in memory; the results keep the texts.

        With `post_edits`, which have one text per hypothesis, every system is scored against its own.
        """
        from errata.metrics.evaluate import evaluate

        post_edits = post_edits or {}
        for system in outputs if post_edits else ():
            if len(post_edits.get(system, ())) != len(corpus):
                raise DataError(
                    f"the post-edits of {system} are not one text per segment",
                    hint=f"give {len(corpus)} texts for every system",
                )
        chunk = Chunk(corpus, outputs, post_edits)
        results = evaluate([chunk], metrics, jobs=jobs, cache=cache, advance=advance)
        texts = outputs if isinstance(outputs, Outputs) else Outputs(outputs)
        return results.with_texts(corpus, texts, chunk.corpus_of)

    @classmethod
    def of_corpus(cls, corpus: Corpus) -> Results:
        """Results without systems, for analyses of the corpus alone."""
        return cls((), (), {}, len(corpus), labels_of(corpus), corpus=corpus, outputs=Outputs())

    def __len__(self) -> int:
        """The number of segments."""
        return self.segments

    def score(self, system: str, number: int = 0) -> Score:
        """The score of a system by the metric of this number."""
        return self.scores[system, number]

    def __getitem__(self, key: str | tuple[str, str | int]) -> Score:
        """`results["AMU", "m2"]`; the name of the metric may be left out where there is only one.

        Of several metrics with one name, the parameters tell which is meant: `results["AMU", "m2:beta=1"]`.
        """
        system, metric = key if isinstance(key, tuple) else (key, self._only())
        if system not in self.systems:
            raise DataError(
                f"there is no system {system!r}", hint=f"the systems are {', '.join(self.systems)}"
            )
        return self.scores[system, metric if isinstance(metric, int) else self.number_of(metric)]

    def _only(self) -> int:
        """The number of the only metric."""
        if len(self.metrics) != 1:
            names = ", ".join(map(str, self.metrics))
            raise DataError(
                "there are several metrics", hint=f'write results["SYSTEM", "METRIC"] with one of {names}'
            )
        return 0

    def number_of(self, metric: str) -> int:
        """The number of the metric with this name, with or without its parameters."""
        names = [str(each) for each in self.metrics]
        same = [number for number, each in enumerate(self.metrics) if each.name == metric]
        if metric in names or len(same) == 1:
            return names.index(metric) if metric in names else same[0]
        problem = f"{metric!r} may be several of the metrics" if same else f"there is no metric {metric!r}"
        raise DataError(problem, hint=f"the metrics are {', '.join(names)}")

    @property
    def statistics(self) -> dict[Key, Statistics]:
        """The sufficient statistics by system and number of the metric."""
        return {key: score.statistics for key, score in self.scores.items()}

    @property
    def keeps_statistics(self) -> bool:
        """Whether the statistics of single segments are kept; a stream does not keep them by default."""
        return all(score.kept is not None for score in self.scores.values())

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The result of `make`, which is called once per key: intervals and tests are computed once."""
        if key not in self._cache:
            self._cache[key] = make()
        value: Value = self._cache[key]
        return value

    def interval(
        self, system: str, number: int = 0, *, level: float = 0.95, samples: int = 1000, seed: int = 1
    ) -> tuple[float, float]:
        """A percentile bootstrap interval of a score, computed once."""
        score = self.scores[system, number]
        key = ("interval", system, number, level, samples, seed)
        return self.once(key, lambda: score.interval(level=level, samples=samples, seed=seed))

    def with_texts(
        self, corpus: Corpus, outputs: Outputs, corpus_of: Callable[[str], Corpus] | None = None
    ) -> Results:
        """The same results with their texts, which explanations and reports need.

        `corpus_of` returns the corpus with a system's own references, if systems have such.
        """
        corpora = {system: corpus if corpus_of is None else corpus_of(system) for system in self.systems}
        scores = {
            (system, number): replace(score, corpus=corpora[system], hypotheses=outputs[system])
            for (system, number), score in self.scores.items()
        }
        return replace(self, scores=scores, corpus=corpus, outputs=outputs)

    @property
    def has_references(self) -> bool:
        """Whether there are references besides the post-edits, as far as the texts are in memory."""
        return self.corpus is not None and any(segment.annotations for segment in self.corpus)

    @property
    def has_post_edits(self) -> bool:
        """Whether every system was scored against post-edits of its own output."""
        return "post-edits" in self.inputs

    def on_benchmark(self, name: str) -> Results:
        """The same results with the name of the benchmark in every signature."""
        return self.with_signature_fields(benchmark=name)

    def with_signature_fields(self, **fields: str) -> Results:
        """The same results with further fields in every signature; empty ones are left out."""
        scores = {}
        for key, score in self.scores.items():
            signature = score.data_signature
            scores[key] = replace(score, data_signature=signature and signature.adding(**fields))
        return replace(self, scores=scores, _cache={})

    @property
    def benchmark(self) -> str | None:
        """The name of the benchmark that the texts come from, if there is one."""
        signature = next(iter(self.scores.values())).data_signature if self.scores else None
        return None if signature is None else signature.get("benchmark")

    def select(self, indices: Sequence[int] | Integers) -> Results:
        """The results on some of the segments."""
        indices = np.asarray(indices, dtype=np.int64)
        scores = {}
        for key, score in self.scores.items():
            signature = score.data_signature and score.data_signature.of_some(indices, len(self))
            rows = score.statistics.select(indices)
            scores[key] = Score(score.metric, rows, data_signature=signature, settled=score.settled)
        labels = {name: [values[i] for i in indices] for name, values in self.labels.items()}
        selected = Results(
            self.systems, self.metrics, scores, len(indices), labels, self.inputs, version=self.version
        )
        if self.corpus is None or self.outputs is None:
            return selected
        outputs = Outputs({name: [lines[i] for i in indices] for name, lines in self.outputs.items()})
        kept = self.corpus.select(indices.tolist())

        def corpus_of(system: str) -> Corpus:
            own = self.scores[system, 0].corpus
            return kept if own is None or own is self.corpus else own.select(indices.tolist())

        return selected.with_texts(kept, outputs, corpus_of)

    def only(self, metrics: Sequence[Metric]) -> Results:
        """The results by some of the metrics."""
        for metric in metrics:
            if metric not in self.metrics:
                raise DataError(
                    f"there are no statistics of {metric}",
                    hint=f"there are those of {', '.join(map(str, self.metrics))}",
                )
        numbers = [self.metrics.index(metric) for metric in metrics]
        scores = {
            (system, new): self.scores[system, old]
            for new, old in enumerate(numbers)
            for system in self.systems
        }
        return replace(self, metrics=tuple(metrics), scores=scores, _cache={})

    @classmethod
    def joined(cls, parts: Sequence[Results]) -> Results:
        """Join the results of several sets of systems by the same metrics over the same segments."""
        first = parts[0]
        if len(parts) == 1:
            return first
        scores = dict(first.scores)
        systems = list(first.systems)
        digests = {kind: dict(first.inputs[kind]) for kind in _DIGESTS_BY_SYSTEM if kind in first.inputs}
        for other in parts[1:]:
            _check_joinable(first, other)
            for system in other.systems:
                name = unused(system, systems)
                systems.append(name)
                for kind, by_system in digests.items():
                    if system in other.inputs.get(kind, {}):
                        by_system[name] = other.inputs[kind][system]
                for number in range(len(first.metrics)):
                    scores[name, number] = other.scores[system, number]
        inputs = {**first.inputs, **digests}
        return Results(
            tuple(systems), first.metrics, scores, len(first), first.labels, inputs, version=first.version
        )

    def groups(self, label: str) -> dict[str, list[int]]:
        """Segment numbers by document, domain or another label, in order of first appearance."""
        if label not in self.labels:
            names = one_of(label, self.labels)
            raise DataError(f"the segments have no {label!r}", hint=f"{names}; give labels with --meta")
        groups: dict[str, list[int]] = {}
        for index, value in enumerate(self.labels[label]):
            groups.setdefault(value, []).append(index)
        return groups

    def table(self, *, samples: int | None = None, seed: int = 1) -> Table:
        """Systems × metrics as a table; with `samples`, every score has a bootstrap interval."""
        from errata.metrics.score_tables import score_table

        return score_table(self, None if samples is None else (samples, seed))

    def group_table(self, label: str, *, samples: int | None = None, seed: int = 1) -> Table:
        """The same for every domain, document or other label by itself."""
        from errata.metrics.score_tables import by_group_table

        return by_group_table(self, label, None if samples is None else (samples, seed))

    def sentence_table(self) -> Table:
        """The score of every sentence by itself."""
        from errata.metrics.score_tables import sentence_table

        return sentence_table(self)

    def cut_tables(self) -> list[Table]:
        """A table of the sentences that went beyond a limit, if there are any."""
        from errata.metrics.score_tables import cut_tables

        return cut_tables(self)

    def signatures(self) -> dict[str, str]:
        """The signature of every metric's scores, by the name that tables give the metric."""
        from errata.metrics.score_tables import metric_names, signatures

        return dict(zip(metric_names(self.metrics), signatures(self), strict=True))

    def to_frame(self) -> Any:
        """Systems × metrics as a pandas DataFrame."""
        return self.table().to_frame()

    def _repr_html_(self) -> str:
        return self.table().render("html")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: enough to rebuild every number without the texts."""
        from errata.metrics.saving import to_dict

        return to_dict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Results:
        """Read the results that `to_dict` wrote."""
        from errata.metrics.saving import from_dict

        return from_dict(record)

    def save(self, path: StrPath) -> None:
        """Write a compressed `.npz` file: enough to rebuild every number without the texts."""
        from errata.metrics.saving import save

        save(self, path)

    @classmethod
    def load(cls, path: StrPath) -> Results:
        """Read a file of `save`, or the JSON of `errata score --format json-full`."""
        from errata.metrics.saving import load

        return load(path)


def labels_of(corpus: Corpus) -> dict[str, list[str]]:
    """The labels that at least one segment has."""
    labels = {name: corpus.labels(name) for name in corpus.label_names}
    return {name: values for name, values in labels.items() if any(values)}


def _check_joinable(first: Results, other: Results) -> None:
    if len(other) != len(first) or other.labels != first.labels or other.metrics != first.metrics:
        raise DataError(
            "these results cannot be joined: their segments or their metrics differ",
            hint="score all systems on one corpus with the same metrics",
        )
    for number, metric in enumerate(first.metrics):
        one, two = (each.scores[each.systems[0], number].data_signature for each in (first, other))
        if one is None or two is None:
            continue
        names = [name for name, *_ in one.differences(two) if name not in IGNORED_SIGNATURE_FIELDS]
        if names:
            raise DataError(
                f"these results cannot be joined: {metric.name} was computed with another {', '.join(names)}",
                hint=f"compare the signatures: {one} and {two}",
            )
