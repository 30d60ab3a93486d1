"""Human evaluation of a task: a campaign with the final submissions, and its ranking on the leaderboard."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from errata.corpus.formats import read_corpus, read_outputs
from errata.corpus.multigec import is_essays, read_essay_outputs
from errata.errors import DataError
from errata.human.pairs import pairs_of
from errata.human.rankings import METHODS, Ranking, rank
from errata.human.scalars import METHODS as SCALAR_METHODS
from errata.human.scalars import Scalars, rank_scalars
from errata.meta.levels import SystemLevel
from errata.metrics.results import Results
from errata.metrics.score_tables import metric_names
from errata.significance.correlations import fisher_interval
from errata_server.campaign.campaign_settings import read_settings
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.campaign.create_campaign import make_campaign
from errata_server.campaign.export_judgments import read_campaign
from errata_server.task import task_tables as schema
from errata_server.task.archives import output_suffix
from errata_server.task.check_submission import OUTPUT, SOURCE
from errata_server.task.leaderboards import counting, scored
from errata_server.task.scoring import loaded
from errata_server.task.task_store import TaskStore

_RUNS = 1000
_LONGEST_NAME = 120  # bytes


def campaign_of_finals(
    store: TaskStore,
    track: str,
    phase: str,
    place: str | os.PathLike[str],
    *,
    sentences: int | None = None,
    seed: int = 1,
    url: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> tuple[CampaignStore, dict[str, str], str]:
    """Create a campaign with the final submissions; returns what `make_campaign` returns.

    Only segments on which the systems differ are judged; `sentences` of them are drawn at random. Systems
    that wrote the same text share a card.
    """
    with store.read() as connection:
        submissions = finals(store, connection, track, phase)
        table = schema.sources
        texts = store.settings.texts_of(track, phase)
        source = connection.execute(
            sa.select(table).where(table.c.track == track, table.c.phase == texts)
        ).one()
    if len(submissions) < 2:
        raise DataError(
            f"{len(submissions)} scored submission(s) in {track}, {phase}: at least two are needed"
        )
    with tempfile.TemporaryDirectory(prefix="errata-task-") as folder:
        corpus_file = Path(folder, SOURCE[source.kind])
        corpus_file.write_bytes(source.content)
        ids, sources, outputs = _texts(corpus_file, submissions, Path(folder))
        chosen = _drawn(sources, outputs, sentences, seed)
        _write(corpus_file, source.kind, ids, sources, chosen)
        files = {}
        for final, texts_of in zip(submissions, outputs, strict=True):
            path = Path(folder, f"{final.system}-{OUTPUT[source.kind]}")
            _write(path, source.kind, ids, texts_of, chosen)
            files[final.system] = str(path)
        values = {
            "name": f"{store.name}: {track}, {phase}", "corpus": str(corpus_file), "systems": files,
            "language": store.settings.track(track).language, "controls": 0.0, **(settings or {}),
        }  # fmt: skip
        campaign = make_campaign(read_settings(None, values), place, url)
    with store.write() as connection:
        store.log(
            connection, "errata task campaign", "campaign", track=track, phase=phase, segments=len(chosen)
        )
    return campaign


def _texts(
    corpus_file: Path, submissions: Sequence[Final], folder: Path
) -> tuple[list[str], Sequence[str], list[Sequence[str]]]:
    """The names of the segments, their sources, and the outputs of each system."""
    corpus = read_corpus(corpus_file)
    paths = []
    for final in submissions:
        path = folder / f"{final.system}{output_suffix(final.name)}"
        path.write_bytes(final.content)
        paths.append(path)
    essays = is_essays(corpus)
    outputs = read_essay_outputs(paths, corpus)[0] if essays else read_outputs(paths, corpus)
    ids = [segment.document or str(number) for number, segment in enumerate(corpus, 1)]
    return ids, corpus.sources, [[str(text) for text in texts] for texts in outputs.values()]


def _drawn(
    sources: Sequence[str], outputs: Sequence[Sequence[str]], sentences: int | None, seed: int
) -> list[int]:
    """The segments to judge, in their order."""
    differing = [i for i in range(len(sources)) if len({texts[i] for texts in outputs}) > 1]
    if not differing:
        raise DataError("there is nothing to judge", hint="the systems write the same text everywhere")
    if sentences is None or sentences >= len(differing):
        return differing
    drawn = np.random.default_rng(seed).choice(len(differing), size=sentences, replace=False)
    return [differing[i] for i in sorted(drawn.tolist())]


def _write(path: Path, kind: str, ids: Sequence[str], texts: Sequence[str], chosen: Sequence[int]) -> None:
    shape = "### essay_id = {}\n{}\n\n" if kind == "essays" else "{1}\n"
    path.write_text("".join(shape.format(ids[i], texts[i]) for i in chosen), encoding="utf-8")


def enter_people(
    store: TaskStore, track: str, phase: str, campaign: str | os.PathLike[str], *, method: str = "ew"
) -> dict[str, Any]:
    """Enter the human ranking of the final submissions, with the metrics' correlations with it."""
    judged = read_campaign(campaign)
    with store.read() as connection:
        submissions = finals(store, connection, track, phase)
    ranking, title = _ranking(judged, method)
    by_system = {final.system: final for final in submissions}
    missing = [system for system in ranking.systems if system not in by_system]
    if missing:
        raise DataError(
            f"the campaign is not about the final submissions: there is no {', '.join(missing)}",
            hint="create it with `errata task campaign`, and enter it before final submissions change",
        )
    content = {
        "method": title,
        "items": len(judged),
        "judges": len(set(judged.judge.tolist())),
        "systems": {
            by_system[system].uid: {
                "score": float(ranking.scores[k]), "low": float(ranking.low[k]),
                "high": float(ranking.high[k]), "best": int(ranking.best[k]),
                "worst": int(ranking.worst[k]), "cluster": int(ranking.clusters[k]),
            }
            for k, system in enumerate(ranking.systems)
        },
        "metrics": _agreement(ranking, [by_system[system] for system in ranking.systems]),
    }  # fmt: skip
    with store.write() as connection:
        values = {"track": track, "phase": phase, "created": store.clock()}
        text = json.dumps(content, ensure_ascii=False)
        connection.execute(sa.insert(schema.people).values(content=text, **values))
        store.log(
            connection, "errata task people", "people's ranking", track=track, phase=phase, items=len(judged)
        )
    return content


def _ranking(judged: Any, method: str) -> tuple[Ranking, str]:
    if isinstance(judged, Scalars):
        return rank_scalars(judged, "z", runs=_RUNS), SCALAR_METHODS["z"]
    return rank(pairs_of(judged.filtered(), "expanded"), method, runs=_RUNS), METHODS[method]


def _agreement(ranking: Ranking, submissions: Sequence[Final]) -> list[dict[str, Any]]:
    """The correlation of each metric with people over the systems, as in `errata meta`."""
    results = joined(submissions)
    names = metric_names(results.metrics)
    signs = [1.0 if metric.higher_is_better else -1.0 for metric in results.metrics]
    scores = np.array(
        [
            [sign * results.score(final.system, number).value for final in submissions]
            for number, sign in enumerate(signs)
        ]
    )
    level = SystemLevel(ranking.systems, ranking.scores, tuple(names), scores)
    rows: list[dict[str, Any]] = [{"name": name} for name in names]
    for kind in ("pearson", "spearman"):
        values = level.correlations(kind) if len(submissions) >= 3 else [float("nan")] * len(names)
        for row, value in zip(rows, values, strict=True):
            r = float(value)
            finite = np.isfinite(r)
            row[kind] = [r, *map(float, fisher_interval(r, len(submissions), kind=kind))] if finite else None
    return rows


@dataclass(frozen=True)
class Final:
    """The submission of one team that counts."""

    number: int
    uid: str
    team: str
    system: str  # the team's name without blanks and special characters
    baseline: bool
    name: str  # of the file
    content: bytes
    statistics: bytes


def finals(store: TaskStore, connection: sa.Connection, track: str, phase: str) -> list[Final]:
    """The submissions that count in a track and a phase, by team; baselines come last."""
    store.settings.track(track)
    store.settings.phase(phase)
    final = counting(connection, track, phase, scored(connection, track, phase), None)
    table, files, results, teams = schema.submissions, schema.files, schema.results, schema.teams
    query = (
        sa.select(table.c.id, table.c.uid, table.c.name, files.c.content, results.c.statistics)
        .add_columns(teams.c.name.label("team"), teams.c.kind)
        .join(files, files.c.digest == table.c.digest)
        .join(results, results.c.submission == table.c.id)
        .join(teams, teams.c.id == table.c.team)
        .where(table.c.id.in_([row.id for row in final.values()]))
        .order_by(teams.c.kind == "baseline", teams.c.id)
    )
    rows = connection.execute(query).all()
    systems = system_names([row.team for row in rows])
    return [
        Final(
            row.id, row.uid, row.team, system, row.kind == "baseline", row.name, row.content, row.statistics
        )
        for row, system in zip(rows, systems, strict=True)
    ]


def system_names(teams: Sequence[str]) -> list[str]:
    """Names for files and formats: letters, digits, dots and hyphens; no two are the same."""
    names: list[str] = []
    taken: set[str] = set()
    for team in teams:
        plain = re.sub(r"[^\w.-]+", "_", team).encode()[:_LONGEST_NAME].decode("utf-8", "ignore")
        plain = plain.strip("._") or "team"
        name, number = plain, 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name.casefold())
        names.append(name)
    return names


def joined(submissions: Sequence[Final]) -> Results:
    """The results of the final submissions, by the names of the systems."""
    return Results.joined([loaded(final.statistics, final.system) for final in submissions])
