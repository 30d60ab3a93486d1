"""Read scores of metrics and human scores from tables of tab-separated values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from errata.array_types import Floats
from errata.corpus.files import StrPath, display, read_lines
from errata.errors import DataError
from errata.metrics.results import Results


@dataclass(frozen=True)
class ScoreTable:
    """Metrics' scores of systems, and of their sentences if the table has them."""

    systems: dict[str, dict[str, float]]  # metric -> system -> score
    sentences: dict[str, dict[str, Floats]]  # metric -> system -> scores in order of the segments

    @classmethod
    def of(cls, results: Results, names: Sequence[str]) -> ScoreTable:
        """The scores of results, with these names of metrics, signed so that higher is better."""
        table = cls({}, {})
        for number, name in enumerate(names):
            sign = 1 if results.metrics[number].higher_is_better else -1
            scores = {system: results.score(system, number) for system in results.systems}
            table.systems[name] = {system: sign * score.value for system, score in scores.items()}
            table.sentences[name] = {system: sign * score.sentences for system, score in scores.items()}
        return table

    def without(self, left_out: Collection[str]) -> dict[str, dict[str, float]]:
        """The scores of systems without some of them."""
        return {
            metric: {name: value for name, value in scores.items() if name not in left_out}
            for metric, scores in self.systems.items()
        }


def read_scores(path: StrPath) -> ScoreTable:
    """Read a table with a column `system`, optionally `segment` (0, 1, …), and a column per metric.

    With segments, the score of a system is the mean over them.
    """
    header, rows = _read(path)
    if header[0] != "system":
        raise DataError(
            f"the first column is {header[0][:80]!r}, not 'system'",
            path=display(path),
            line=1,
            hint="a header: system, perhaps segment, then a column for every metric",
        )
    with_segments = len(header) > 1 and header[1] == "segment"
    metrics = header[2 if with_segments else 1 :]
    if not metrics:
        raise DataError("there is no column of scores", path=display(path), line=1)
    scores: dict[str, dict[str, dict[int, float]]] = {metric: {} for metric in metrics}
    for line, row in rows:
        segment = _number(row[1], path, line) if with_segments else 0.0
        if segment != int(segment):
            raise DataError(f"{row[1]!r} is not the number of a segment", path=display(path), line=line)
        for metric, text in zip(metrics, row[2 if with_segments else 1 :], strict=True):
            by_segment = scores[metric].setdefault(row[0], {})
            if int(segment) in by_segment:
                raise DataError(f"a second score for {row[0]}", path=display(path), line=line)
            by_segment[int(segment)] = _number(text, path, line)
    systems = {
        metric: {name: float(np.mean(list(by_segment.values()))) for name, by_segment in by_system.items()}
        for metric, by_system in scores.items()
    }
    sentences: dict[str, dict[str, Floats]] = {}
    if with_segments:
        count = 1 + max(
            key for by_system in scores.values() for by_segment in by_system.values() for key in by_segment
        )
        for metric, by_system in scores.items():
            sentences[metric] = {}
            for name, by_segment in by_system.items():
                if len(by_segment) != count or min(by_segment) != 0:
                    raise DataError(
                        f"{name} has scores for {len(by_segment)} segments out of {count} (numbered from 0)",
                        path=display(path),
                    )
                sentences[metric][name] = np.array([by_segment[i] for i in range(count)])
    return ScoreTable(systems, sentences)


def is_ranking(path: StrPath) -> bool:
    """Whether a file is a table of human scores, with the header `system`, `score`."""
    lines = read_lines(path)[:1]
    return bool(lines) and lines[0].split("\t") == ["system", "score"]


def read_ranking(path: StrPath) -> dict[str, float]:
    """Human scores of systems from a table with the header `system`, `score`."""
    _, rows = _read(path)
    scores: dict[str, float] = {}
    for line, row in rows:
        if row[0] in scores:
            raise DataError(f"a second score for {row[0]}", path=display(path), line=line)
        scores[row[0]] = _number(row[1], path, line)
    return scores


def _read(path: StrPath) -> tuple[list[str], list[tuple[int, list[str]]]]:
    lines = read_lines(path)
    if not lines:
        raise DataError("the file is empty", path=display(path))
    header = lines[0].split("\t")
    rows = [(number, line.split("\t")) for number, line in enumerate(lines[1:], 2) if line.strip()]
    for number, row in rows:
        if len(row) != len(header):
            raise DataError(
                f"{len(row)} columns under a header of {len(header)}", path=display(path), line=number
            )
    if not rows and header[0] == "system":
        raise DataError("there are no scores under the header", path=display(path), line=1)
    return header, rows


def _number(text: str, path: StrPath, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise DataError(f"{text!r} is not a number", path=display(path), line=line)
    return value
