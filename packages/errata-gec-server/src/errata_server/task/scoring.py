"""Scores of one submission, and clusters of the systems of a leaderboard; both run in child processes."""

from __future__ import annotations

import hashlib
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from errata.corpus.formats import read_gold, read_hypotheses
from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.meta.breakdowns import types_of_results
from errata.metrics import metric
from errata.metrics.results import Results
from errata.metrics.score_tables import metric_names
from errata.significance.compare import Plan, compare
from errata_server.task.archives import output_suffix
from errata_server.task.task_settings import Track

SYSTEM = "submission"
SEED = 1  # of the bootstrap, as in `errata score --ci`


@dataclass(frozen=True)
class PublicPart:
    """The share of the segments that is scored while a phase lasts; None: all segments count.

    They are drawn at random by a secret of the task, the same for all submissions.
    """

    share: float | None = None
    secret: str = ""

    def segments(self, count: int) -> list[int]:
        """The numbers of the public segments among so many."""
        if self.share is None:
            return []
        seed = hashlib.sha256(self.secret.encode()).digest()
        size = min(max(round(self.share * count), 1), count - 1)
        return sorted(np.random.default_rng(list(seed)).permutation(count)[:size].tolist())


def score_submission(
    texts: Sequence[tuple[str, str, bytes]], *arguments: Any
) -> tuple[dict[str, Any], bytes]:
    """Score an output on hidden gold, given as files with role, name and content; see `score_output`."""
    with tempfile.TemporaryDirectory(prefix="errata-task-") as folder:
        paths: dict[str, list[str]] = {}
        for number, (role, name, content) in enumerate(texts):
            # The gold and the files beside it share a folder; others may have the same names.
            inside = Path(folder, "gold" if role in ("gold", "beside") else str(number))
            inside.mkdir(exist_ok=True)
            (inside / name).write_bytes(content)
            paths.setdefault(role, []).append(str(inside / name))
        first = {role: files[0] for role, files in paths.items()}
        references = paths.get("reference", ())
        corpus = read_gold(first.get("gold"), first.get("source"), references, first.get("meta"))
        return score_output(corpus, *arguments)


def score_output(
    corpus: Corpus, track: Track, content: bytes, name: str, samples: int, public: PublicPart = PublicPart()
) -> tuple[dict[str, Any], bytes]:
    """The scores of an output as plain data, and its statistics as `errata score --save` writes them.

    Scores of a public part are apart; only the other segments count then.
    """
    with tempfile.TemporaryDirectory(prefix="errata-task-") as folder:
        path = os.path.join(folder, SYSTEM + output_suffix(name))
        with open(path, "wb") as file:
            file.write(content)
        scored, outputs, _ = read_hypotheses([path], corpus)
        results = Results.compute(scored, outputs, [metric(each) for each in track.metrics], jobs=1)
        shown = public.segments(len(results))
        ranking = results.select(sorted({*range(len(results))} - {*shown})) if shown else results
        saved = os.path.join(folder, "statistics.npz")
        ranking.save(saved)
        with open(saved, "rb") as file:
            statistics = file.read()
    scores = _plain(ranking, track, samples)
    if shown:
        scores["public"] = {"segments": len(shown), "metrics": _metrics(results.select(shown), samples)}
    return scores, statistics


def _plain(results: Results, track: Track, samples: int) -> dict[str, Any]:
    scores: dict[str, Any] = {"segments": len(results), "metrics": _metrics(results, samples), "groups": {}}
    for label in track.by:
        scores["groups"][label] = {
            value: {"segments": len(rows), "values": _values(results.select(rows))}
            for value, rows in results.groups(label).items()
        }
    if track.types:
        scores["types"] = [
            {
                "metric": types.number,
                "gold": dict(types.gold),
                "scores": {name: list(types.scores[SYSTEM].scores(name)) for name in types.gold},
            }
            for types in types_of_results(results, jobs=1)
        ]
    return scores


def _metrics(results: Results, samples: int) -> list[dict[str, Any]]:
    metrics = []
    for number, (each, name) in enumerate(zip(results.metrics, metric_names(results.metrics), strict=True)):
        score = results.score(SYSTEM, number)
        low, high = results.interval(SYSTEM, number, samples=samples, seed=SEED)
        if not all(map(math.isfinite, (score.value, low, high, *(score.parts[part] for part in each.shown)))):
            raise DataError(f"{name} is not a number for this output")
        metrics.append(
            {
                "metric": str(each), "name": name, "value": score.value, "low": low, "high": high,
                "parts": {each.label(part): score.parts[part] for part in each.shown},
                "signature": score.signature, "decimals": each.decimals,
                "higher_is_better": each.higher_is_better,
            }
        )  # fmt: skip
    return metrics


def _values(results: Results) -> list[float]:
    return [results.score(SYSTEM, number).value for number in range(len(results.metrics))]


def clusters_of(statistics: Mapping[int, bytes]) -> dict[str, Any]:
    """The cluster of each submission by every metric, by the test of `errata compare`, and that test."""
    plan, count = Plan(), len(statistics)
    clusters: list[dict[int, int]] = []
    if count > 1:
        results = Results.joined([loaded(content, str(number)) for number, content in statistics.items()])
        clusters = [
            dict(zip(map(int, each.systems), each.clusters, strict=True)) for each in compare(results, plan)
        ]
    return {"test": plan.in_words(count * (count - 1) // 2), "clusters": clusters}


def loaded(content: bytes, name: str) -> Results:
    """Saved statistics of one system, under this name."""
    with tempfile.NamedTemporaryFile(prefix="errata-task-", suffix=".npz") as file:
        file.write(content)
        file.flush()
        results = Results.load(file.name)
    scores = {(name, number): score for (_, number), score in results.scores.items()}
    return Results(
        (name,), results.metrics, scores, len(results), results.labels, {}, version=results.version
    )


def sentence_scores(content: bytes) -> Sequence[Sequence[float]]:
    """The scores of every sentence by every metric, from saved statistics."""
    results = loaded(content, SYSTEM)
    columns = [results.score(SYSTEM, number).sentences.tolist() for number in range(len(results.metrics))]
    return list(zip(*columns, strict=True))
