"""The statistics of several systems by several metrics: made once, saved, and all that later verbs need."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from errata import __version__
from errata.corpus.files import StrPath, display
from errata.corpus.model import Corpus, Outputs
from errata.corpus.parallel import unused
from errata.errors import DataError
from errata.metrics import metric_class
from errata.metrics.base import Integers, Metric, Score, Statistics
from errata.metrics.cuts import Cut

# What numpy and json raise for files that are something else; an empty one ends too early.
_NOT_SAVED = (OSError, EOFError, ValueError, LookupError, TypeError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class Results:
    """Systems × metrics of sufficient statistics over the same segments, with the segments' labels.

    `corpus` and `outputs` are there when the results come from texts, not when they were loaded. Where the
    references came twice, as edits and as texts, `texts` has the latter.
    """

    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    statistics: Mapping[tuple[str, int], Statistics] = field(repr=False)  # by system and number of metric
    labels: Mapping[str, Sequence[str]] = field(repr=False)  # document, domain, … of every segment
    corpus: Corpus | None = field(default=None, repr=False)
    outputs: Outputs | None = field(default=None, repr=False)
    texts: Corpus | None = field(default=None, repr=False)

    @classmethod
    def compute(
        cls,
        corpus: Corpus,
        outputs: Outputs,
        metrics: Sequence[Metric],
        *,
        texts: Corpus | None = None,
        jobs: int | None = None,
        advance: Callable[[int], None] = lambda steps: None,
    ) -> Results:
        """Score every system with every metric; `advance` is told of every one that is done."""
        statistics = {}
        for number, metric in enumerate(metrics):
            references = texts if texts is not None and metric.reads == "texts" else corpus
            for system, hypotheses in outputs.items():
                statistics[system, number] = metric.statistics(references, hypotheses, jobs=jobs)
                advance(1)
        return cls(tuple(outputs), tuple(metrics), statistics, labels_of(corpus), corpus, outputs, texts)

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.statistics[self.systems[0], 0])

    def score(self, system: str, number: int) -> Score:
        """The score of a system by the metric of this number."""
        metric = self.metrics[number]
        hypotheses = None if self.outputs is None else self.outputs[system]
        corpus = self.texts if self.texts is not None and metric.reads == "texts" else self.corpus
        return Score(metric, self.statistics[system, number], corpus, hypotheses)

    def select(self, indices: Sequence[int] | Integers) -> Results:
        """The results on some of the segments."""
        indices = np.asarray(indices, dtype=np.int64)
        return Results(
            self.systems,
            self.metrics,
            {key: statistics.select(indices) for key, statistics in self.statistics.items()},
            {name: [values[i] for i in indices] for name, values in self.labels.items()},
            None if self.corpus is None else self.corpus.select(indices.tolist()),
            None
            if self.outputs is None
            else Outputs({name: [lines[i] for i in indices] for name, lines in self.outputs.items()}),
            None if self.texts is None else self.texts.select(indices.tolist()),
        )

    def only(self, metrics: Sequence[Metric]) -> Results:
        """The results by some of the metrics."""
        for metric in metrics:
            if metric not in self.metrics:
                raise DataError(
                    f"there are no statistics of {metric.signature}",
                    hint=f"there are those of {', '.join(known.signature for known in self.metrics)}",
                )
        numbers = [self.metrics.index(metric) for metric in metrics]
        statistics = {
            (system, new): self.statistics[system, old]
            for new, old in enumerate(numbers)
            for system in self.systems
        }
        return replace(self, metrics=tuple(metrics), statistics=statistics)

    @classmethod
    def joined(cls, parts: Sequence[Results]) -> Results:
        """Results of other systems by the same metrics, over the same segments, in one."""
        first = parts[0]
        statistics = dict(first.statistics)
        systems = list(first.systems)
        for other in parts[1:]:
            if len(other) != len(first) or other.labels != first.labels or other.metrics != first.metrics:
                raise DataError(
                    "these results cannot be joined: their segments or their metrics differ",
                    hint="score all systems on one corpus with the same metrics",
                )
            for system in other.systems:
                name = unused(system, systems)
                systems.append(name)
                for number in range(len(first.metrics)):
                    statistics[name, number] = other.statistics[system, number]
        if len(parts) == 1:
            return first
        return cls(tuple(systems), first.metrics, statistics, first.labels)

    def groups(self, label: str) -> dict[str, list[int]]:
        """Segment numbers by document, domain or another label, in order of first appearance."""
        if label not in self.labels:
            known = ", ".join(self.labels) or "none"
            raise DataError(
                f"the segments have no {label!r}", hint=f"labels there are: {known}; give one with --meta"
            )
        found: dict[str, list[int]] = {}
        for index, value in enumerate(self.labels[label]):
            found.setdefault(value, []).append(index)
        return found

    # -- to files and back ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: enough to rebuild every number without the texts."""
        record = self._header()
        record["statistics"] = [
            {
                "system": system,
                "metric": number,
                "columns": list(statistics.columns),
                "values": statistics.values.tolist(),
                "offsets": statistics.offsets.tolist(),
                "references": statistics.references.tolist(),
            }
            for (system, number), statistics in self.statistics.items()
        ]
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Results:
        """The results that `to_dict` wrote down."""
        metrics = _metrics(record)
        statistics = {
            (entry["system"], entry["metric"]): _checked(
                Statistics(
                    metrics[entry["metric"]].columns,
                    np.array(entry["values"], dtype=np.int64).reshape(-1, len(entry["columns"])),
                    np.array(entry["offsets"], dtype=np.int64),
                    np.array(entry["references"], dtype=np.int64),
                )
            )
            for entry in record["statistics"]
        }
        _add_cuts(statistics, record)
        return cls(tuple(record["systems"]), metrics, statistics, record["labels"])

    def save(self, path: StrPath) -> None:
        """Write a compressed `.npz` file."""
        arrays: dict[str, Any] = {
            "header": np.frombuffer(json.dumps(self._header()).encode(), dtype=np.uint8)
        }
        for (system, number), statistics in self.statistics.items():
            key = f"{self.systems.index(system)}.{number}"
            arrays[f"{key}.values"] = statistics.values
            arrays[f"{key}.offsets"] = statistics.offsets
            arrays[f"{key}.references"] = statistics.references
        from errata.corpus.files import open_binary_output

        with open_binary_output(path) as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: StrPath) -> Results:
        """Read what `save` wrote, or the JSON of `errata score --format json`."""
        from errata.corpus.files import read_bytes

        if display(path).endswith(".json"):
            try:
                record = json.loads(read_bytes(path))
                return cls.from_dict((record[0] if isinstance(record, list) else record)["results"])
            except (ValueError, LookupError, TypeError) as error:
                raise _not_results(path, error) from None
        try:
            with np.load(path, allow_pickle=False) as file:
                header = json.loads(file["header"].tobytes().decode())
                metrics = _metrics(header)
                statistics = {}
                for i, system in enumerate(header["systems"]):
                    for number, metric in enumerate(metrics):
                        arrays = [
                            file[f"{i}.{number}.{name}"] for name in ("values", "offsets", "references")
                        ]
                        statistics[system, number] = _checked(Statistics(metric.columns, *arrays))
                _add_cuts(statistics, header)
        except FileNotFoundError:
            raise DataError("no such file", path=display(path), hint="check the path") from None
        except _NOT_SAVED as error:
            raise _not_results(path, error) from None
        return cls(tuple(header["systems"]), metrics, statistics, header["labels"])

    def _header(self) -> dict[str, Any]:
        cuts = [
            {"system": system, "metric": number, **cut.to_dict()}
            for (system, number), statistics in self.statistics.items()
            for cut in statistics.cuts
        ]
        return {
            **({"cuts": cuts} if cuts else {}),
            "errata": __version__,
            "systems": list(self.systems),
            "metrics": [
                {"name": metric.name, "parameters": metric.parameters, "signature": metric.signature}
                for metric in self.metrics
            ],
            "labels": {name: list(values) for name, values in self.labels.items()},
        }


def labels_of(corpus: Corpus) -> dict[str, list[str]]:
    """The labels that at least one segment has."""
    names: Iterable[str] = dict.fromkeys(name for segment in corpus for name in segment.meta)
    labels = {name: corpus.labels(name) for name in ("document", "paragraph", *names)}
    return {name: values for name, values in labels.items() if any(values)}


def _metrics(header: Mapping[str, Any]) -> tuple[Metric, ...]:
    return tuple(metric_class(entry["name"])(**entry["parameters"]) for entry in header["metrics"])


def _add_cuts(statistics: dict[tuple[str, int], Statistics], header: Mapping[str, Any]) -> None:
    """Put the sentences beyond a limit back to the statistics they belong to."""
    for entry in header.get("cuts", ()):
        key = entry["system"], entry["metric"]
        cut = Cut.from_dict({k: v for k, v in entry.items() if k not in ("system", "metric")})
        statistics[key] = replace(statistics[key], cuts=(*statistics[key].cuts, cut))


def _checked(statistics: Statistics) -> Statistics:
    """The statistics, if they are what a metric of this version makes; kernels trust them."""
    values, offsets = statistics.values, statistics.offsets
    if not (
        values.dtype == offsets.dtype == statistics.references.dtype == np.int64
        and values.shape == (len(statistics.references), len(statistics.columns))
        and len(offsets) > 0
        and offsets[0] == 0
        and offsets[-1] == len(values)
        and (np.diff(offsets) >= 0).all()
    ):
        raise ValueError("its numbers do not fit its metrics; made by another version?")
    return statistics


def _not_results(path: StrPath, error: Exception) -> DataError:
    return DataError(
        f"not a file of saved statistics ({type(error).__name__}: {error})",
        path=display(path),
        hint="make one with `errata score … --save stats.npz`",
    )
