"""Benchmarks by name (benchmarks.toml): their files, and the metrics that papers use.

`errata score --benchmark NAME` scores correctors on a `Benchmark`; `errata meta --benchmark NAME` evaluates
metrics on a `JudgedBenchmark`. This module finds their files but does not read them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from errata.data.registry import Dataset, dataset, location, missing, path, state
from errata.errors import DataError, ErrataError, one_of
from errata.tables import Column, Table
from errata.toml import field_values, read_toml


@dataclass(frozen=True)
class Benchmark:
    """A test set for correctors; benchmarks.toml explains the fields."""

    name: str
    title: str
    dataset: str
    metrics: str
    cite: str
    lines: int | None = None
    gold: str = ""
    annotators: tuple[str, ...] = ()
    source: str = ""
    references: tuple[str, ...] = ()
    tokens: str = "tokenised"
    note: str = ""
    language: str = ""

    @property
    def entry(self) -> Dataset:
        """The data set that the files belong to."""
        return dataset(self.dataset)

    @property
    def code(self) -> str:
        """The language of the texts."""
        return self.language or self.entry.languages[0]

    def files(self) -> tuple[Path | None, Path | None, tuple[Path, ...]]:
        """The gold edits, or source and references; if they are missing, an error gives the remedy.

        With gold edits, the last files are those of additional annotators.
        """
        folder = _folder_of(self.entry)

        def file(name: str) -> Path:
            if (folder / name).exists():
                return folder / name
            matching = sorted(folder.glob(name)) if "*" in name else []
            if len(matching) != 1:
                raise _missing_part(self.name, name, self.dataset, folder)
            return matching[0]

        gold = file(self.gold) if self.gold else None
        source = file(self.source) if self.source else None
        return gold, source, tuple(map(file, (*self.references, *self.annotators)))


@dataclass(frozen=True)
class JudgedBenchmark:
    """Judged outputs of systems, on which metrics are evaluated; benchmarks.toml explains the fields."""

    name: str
    title: str
    datasets: tuple[str, ...]
    cite: str
    note: str = ""
    folder: str = ""

    @property
    def entry(self) -> Dataset:
        """The data set with the judgments."""
        return dataset(self.datasets[0])

    def folders(self) -> tuple[Path, ...]:
        """The folder of every data set; if one is missing, an error gives the remedy."""
        first, *others = [_folder_of(dataset(name)) for name in self.datasets]
        if not (first / self.folder).is_dir():
            raise _missing_part(self.name, self.folder, self.datasets[0], first)
        return (first / self.folder, *others)

    @property
    def is_here(self) -> bool:
        """Whether all its data are in the data folder."""
        try:
            self.folders()
        except DataError:
            return False
        return True


def _missing_part(benchmark: str, part: str, dataset: str, folder: Path) -> DataError:
    return DataError(
        f"{benchmark} needs {part}, which this copy of {dataset} does not have",
        path=folder,
        hint=f"errata data show {dataset} says where it comes from",
    )


def _folder_of(entry: Dataset) -> Path:
    """The folder of a data set; if a licence forbids fetching it, the error gives the official address."""
    where = location(entry)
    if entry.how and missing(entry, where):
        raise DataError(
            f"{entry.title} is not here, and cannot be fetched: {entry.how}",
            path=where,
            hint=f"{entry.homepage}, then: errata data add {entry.name} FOLDER",
        )
    return path(entry.name)


@cache
def _read() -> dict[str, Any]:
    return read_toml(Path(__file__).with_name("benchmarks.toml"))


@cache
def benchmarks() -> dict[str, Benchmark]:
    """All benchmarks for correctors, by name."""
    return {name: Benchmark(name, **field_values(table)) for name, table in _read()["score"].items()}


@cache
def judged_benchmarks() -> dict[str, JudgedBenchmark]:
    """All benchmarks for metrics, by name."""
    return {name: JudgedBenchmark(name, **field_values(table)) for name, table in _read()["meta"].items()}


def benchmark(name: str) -> Benchmark:
    """The benchmark for correctors of this name; raises an error that lists the names."""
    if name in benchmarks():
        return benchmarks()[name]
    if name in judged_benchmarks():
        raise ErrataError(
            f"{name} is a benchmark for metrics, not for correctors\n  hint: errata meta --benchmark {name}"
        )
    raise ErrataError(f"there is no benchmark {name!r}\n  hint: {one_of(name, benchmarks())}")


def select_judged(name: str) -> list[JudgedBenchmark]:
    """The benchmarks for metrics that a name selects: one, all parts of `gmeg`, or `all` that are here."""
    judged = judged_benchmarks()
    selected = [each for each in judged.values() if name in ("all", each.name, each.datasets[0])]
    if not selected:
        raise ErrataError(
            f"there is no benchmark for metrics called {name!r}\n  hint: {one_of(name, [*judged, 'all'])}"
        )
    here = [each for each in selected if each.is_here]
    if not here and len(selected) > 1:
        selected[0].folders()  # raises an error with the remedy
    return here or selected


def benchmark_tables() -> list[Table]:
    """The benchmarks for correctors, and those for metrics."""
    names = ("name", "title", "metric", "lines", "data set", "state")
    scored = [
        [each.name, each.title, each.metrics, each.lines, each.dataset, state(each.entry)]
        for each in benchmarks().values()
    ]
    judged_names = ("name", "title", "cite", "data sets", "state")
    judged = [
        [each.name, each.title, each.cite, ", ".join(each.datasets), "here" if each.is_here else ""]
        for each in judged_benchmarks().values()
    ]
    return [
        Table([Column(name) for name in names], scored, "errata score --benchmark NAME"),
        Table([Column(name) for name in judged_names], judged, "errata meta --benchmark NAME"),
    ]


def likely_cause(wanted: Benchmark, lines: int) -> str:
    """The likely reason why an output does not have as many lines as its benchmark."""
    others = [each.name for each in benchmarks().values() if each.lines == lines]
    if others and wanted.name in benchmarks():
        return f"as many lines as {', '.join(_without_variants(others))}: is it --benchmark {others[0]}?"
    if wanted.lines is not None and 0 < wanted.lines - lines <= 10:
        return "lines were lost: an empty output needs an empty line of its own"
    if wanted.lines is not None and 0 < lines - wanted.lines <= 10:
        return "there are too many lines: an output must not contain a line break"
    return f"{wanted.name} has one segment per line; was the text split or joined in another way?"


def _without_variants(names: list[str]) -> Iterator[str]:
    """Names without variants of another benchmark in the list: conll14 without conll14-texts."""
    for name in names:
        if not any(name != other and name.startswith(f"{other}-") for other in names):
            yield name
