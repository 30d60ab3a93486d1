"""Results in files, and a cache of statistics.

Saved results have their provenance: loading needs no texts, no tagger and no model. The cache has one file
per batch, written atomically, so that a run that was killed continues from there.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from errata import limits
from errata.corpus.files import StrPath, display, open_binary_output, read_bytes
from errata.errors import DataError, ErrataError
from errata.metrics import metric_class
from errata.metrics.base import Metric
from errata.metrics.batch import Batch
from errata.metrics.results import Key, Results
from errata.metrics.score import Score
from errata.metrics.signature import Signature, digest_of
from errata.metrics.statistics import Cut, Statistics

# Errors of numpy and json for files that are damaged or something else.
_NOT_SAVED = (
    OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError,
    NotImplementedError, ErrataError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
_ARRAYS = ("values", "offsets", "references")


def save(results: Results, path: StrPath) -> None:
    """Write a compressed `.npz` file."""
    arrays: dict[str, Any] = {"header": np.frombuffer(json.dumps(_header(results)).encode(), dtype=np.uint8)}
    for (system, number), statistics in results.statistics.items():
        for name in _ARRAYS:
            arrays[f"{results.systems.index(system)}.{number}.{name}"] = getattr(statistics, name)
    for number in range(len(results.metrics)):
        for name, value in _settled(results, number).items():
            if isinstance(value, np.ndarray):
                arrays[f"first.{number}.{name}"] = value
    with open_binary_output(path) as file:
        np.savez_compressed(file, **arrays)


def load(path: StrPath) -> Results:
    """Read a file of `save`, or the JSON of `errata score --format json-full`."""
    try:
        if display(path).endswith(".json"):
            record = json.loads(read_bytes(path))
            return from_dict((record[0] if isinstance(record, list) else record)["results"])
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(file["header"].tobytes().decode())
            arrays = {
                (system, number): [file[f"{i}.{number}.{name}"] for name in _ARRAYS]
                for i, system in enumerate(header["systems"])
                for number in range(len(header["metrics"]))
            }
            for number, entry in enumerate(header["metrics"]):
                first = entry.setdefault("first pass", {})
                prefix = f"first.{number}."
                first.update({n.removeprefix(prefix): file[n] for n in file.files if n.startswith(prefix)})
        return _results(header, arrays)
    except FileNotFoundError:
        raise DataError("no such file", path=display(path), hint="check the path") from None
    except _NOT_SAVED as error:
        raise DataError(
            f"not a file of saved statistics ({type(error).__name__}: {error})",
            path=display(path),
            hint="make one with `errata score … --save stats.npz` or `--format json-full`",
        ) from None


def to_dict(results: Results) -> dict[str, Any]:
    """Everything as plain data: enough to rebuild every number without the texts."""
    record = _header(results)
    for number, entry in enumerate(record["metrics"]):
        arrays = {k: v for k, v in _settled(results, number).items() if isinstance(v, np.ndarray)}
        entry["first pass"] = {**entry["first pass"], **{k: v.tolist() for k, v in arrays.items()}}
    record["statistics"] = [
        {
            "system": system,
            "metric": number,
            "columns": list(statistics.columns),
            **{name: getattr(statistics, name).tolist() for name in _ARRAYS},
        }
        for (system, number), statistics in results.statistics.items()
    ]
    return record


def from_dict(record: Mapping[str, Any]) -> Results:
    """The results that `to_dict` wrote down."""
    arrays = {}
    for entry in record["statistics"]:
        values = np.array(entry["values"]).reshape(-1, len(entry["columns"]))
        values = values.astype(np.int64 if values.dtype.kind in "iu" or not values.size else np.float64)
        others = [np.array(entry[name], dtype=np.int64) for name in _ARRAYS[1:]]
        arrays[entry["system"], entry["metric"]] = [values, *others]
    return _results(record, arrays)


def _header(results: Results) -> dict[str, Any]:
    cuts = [
        {"system": system, "metric": number, **cut.to_dict()}
        for (system, number), score in results.scores.items()
        for cut in score.cuts
    ]
    first = results.systems[0]
    return {
        **({"cuts": cuts} if cuts else {}),
        "errata": results.version,
        "systems": list(results.systems),
        "metrics": [
            {
                "name": metric.name,
                "parameters": metric.parameters,
                "signature": str(results.scores[first, number].data_signature or metric.signature),
                "signatures": {
                    system: str(results.scores[system, number].data_signature)
                    for system in results.systems
                    if results.scores[system, number].data_signature
                    != results.scores[first, number].data_signature
                },
                "first pass": {
                    k: v for k, v in _settled(results, number).items() if not isinstance(v, np.ndarray)
                },
            }
            for number, metric in enumerate(results.metrics)
        ],
        "inputs": dict(results.inputs),
        "labels": {name: list(values) for name, values in results.labels.items()},
    }


def _settled(results: Results, number: int) -> Mapping[str, Any]:
    return results.scores[results.systems[0], number].settled


def _results(header: Mapping[str, Any], arrays: Mapping[Key, list[Any]]) -> Results:
    """Results from a header and arrays, which are untrusted and checked here."""
    metrics: tuple[Metric, ...] = tuple(
        metric_class(entry["name"])(**entry["parameters"]) for entry in header["metrics"]
    )
    systems = tuple(map(str, header["systems"]))
    statistics = {key: _checked(metrics[key[1]], *parts) for key, parts in arrays.items()}
    for entry in header.get("cuts", ()):
        key = entry["system"], entry["metric"]
        cut = Cut.from_dict(entry)
        if not 0 <= cut.segment < len(statistics[key]):
            raise ValueError("a cut sentence is not among the segments")
        statistics[key] = replace(statistics[key], cuts=(*statistics[key].cuts, cut))
    lengths = {len(rows) for rows in statistics.values()}
    labels = {str(name): [str(value) for value in values] for name, values in header["labels"].items()}
    expected = {(system, number) for system in systems for number in range(len(metrics))}
    if len(lengths) != 1 or set(statistics) != expected or len(set(systems)) != len(systems):
        raise ValueError("its systems, metrics and numbers of segments do not fit together")
    if any(len(values) not in lengths for values in labels.values()):
        raise ValueError("its labels do not fit its segments")
    scores = {
        (system, number): Score(
            metrics[number],
            rows,
            data_signature=Signature.parse(
                header["metrics"][number].get("signatures", {}).get(system)
                or header["metrics"][number]["signature"]
            ),
            settled={
                str(name): np.array(value) if isinstance(value, list) else value
                for name, value in header["metrics"][number].get("first pass", {}).items()
            },
        )
        for (system, number), rows in statistics.items()
    }
    inputs = header.get("inputs", {})
    return Results(systems, metrics, scores, lengths.pop(), labels, inputs, version=str(header["errata"]))


def _checked(metric: Metric, values: Any, offsets: Any, references: Any) -> Statistics:
    """The statistics, if they have the form of this version's metric, which native code needs."""
    statistics = Statistics(metric.columns, values, offsets, references)
    problem = statistics.problem()
    if problem is not None:
        raise ValueError(f"{problem}; made by another version?")
    return statistics


# -- the cache -----------------------------------------------------------------------------------------------


def cached(metric: Metric, batch: Batch, folder: str | Path) -> Statistics:
    """The statistics of a batch: from the cache if it has them, otherwise computed and stored."""
    path = Path(folder) / f"{_key(metric, batch)}.npz"
    statistics = _read(path, metric)
    if statistics is None or len(statistics) != len(batch):
        statistics = metric.compute(batch)
        if not statistics.cuts:
            _write(path, statistics)
    return statistics


def _key(metric: Metric, batch: Batch) -> str:
    """A digest of everything that the statistics depend on: metric, version, first pass, limits and texts."""
    digest = hashlib.sha256()

    def add(text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)

    system = batch.system if batch.settled else ""  # only a first pass tells systems apart
    for part in (metric.signature, system, digest_of(batch.settled), str(limits.current())):
        add(part)
    for segment, hypothesis in zip(batch.corpus, batch.hypotheses, strict=True):
        add(segment.source)
        add(hypothesis)
        annotations = segment.annotations if "edits" in metric.needs else segment.rewritten
        for annotation in annotations if metric.needs & {"edits", "references"} else ():
            if "edits" in metric.needs and not annotation.given_as_text:
                add(f"{annotation.annotator} {annotation.edits!r}")
            else:
                add(f"{annotation.annotator} {annotation.text}")
    return digest.hexdigest()


def _read(path: Path, metric: Metric) -> Statistics | None:
    """The stored statistics; None if there is no file or it cannot be read, and must be written anew."""
    try:
        with np.load(path, allow_pickle=False) as file:
            statistics = Statistics(metric.columns, file["values"], file["offsets"], file["references"])
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    return statistics if statistics.problem() is None else None


def _write(path: Path, statistics: Statistics) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_binary_output(path) as file:
        np.savez(file, **{name: getattr(statistics, name) for name in _ARRAYS})
