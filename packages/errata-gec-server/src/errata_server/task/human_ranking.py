"""From the leaderboard to people: a campaign about the final submissions, and its ranking on the board."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
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
from errata.metrics.score_tables import metric_names
from errata.significance.correlations import fisher_interval
from errata_server.campaign.create import make_campaign
from errata_server.campaign.export_judgments import read_campaign
from errata_server.campaign.settings import read_settings
from errata_server.campaign.store import Store as Campaign
from errata_server.task import schema
from errata_server.task.checking import OUTPUT, SOURCE
from errata_server.task.final_submissions import Final, finals, joined
from errata_server.task.store import Store

_RUNS = 1000


def campaign_of_finals(
    store: Store,
    track: str,
    phase: str,
    place: str | os.PathLike[str],
    *,
    sentences: int | None = None,
    seed: int = 1,
    url: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> tuple[Campaign, dict[str, str], str]:
    """Make a campaign about the final submissions, as `make_campaign` does.

    Only segments on which the systems differ are judged; `sentences` of them are drawn at random. Systems
    that wrote the same text share a card.
    """
    with store.report() as connection:
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
        made = make_campaign(read_settings(None, values), place, url)
    with store.write() as connection:
        store.log(
            connection, "errata task campaign", "campaign", track=track, phase=phase, segments=len(chosen)
        )
    return made


def _texts(
    corpus_file: Path, submissions: Sequence[Final], folder: Path
) -> tuple[list[str], Sequence[str], list[Sequence[str]]]:
    """The names of the segments, their sources, and what each system made of them."""
    corpus = read_corpus(corpus_file)
    paths = []
    for final in submissions:
        path = folder / f"{final.system}{Path(final.name).suffix.lower()}"
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
    store: Store, track: str, phase: str, campaign: str | os.PathLike[str], *, method: str = "ew"
) -> dict[str, Any]:
    """Put people's ranking of the final submissions on the leaderboard, with the metrics' correlations."""
    judged = read_campaign(campaign)
    with store.report() as connection:
        submissions = finals(store, connection, track, phase)
    ranking, title = _ranking(judged, method)
    known = {final.system: final for final in submissions}
    missing = [system for system in ranking.systems if system not in known]
    if missing:
        raise DataError(
            f"the campaign is not about the final submissions: there is no {', '.join(missing)}",
            hint="make it with `errata task campaign`, and enter it before final submissions change",
        )
    content = {
        "method": title,
        "items": len(judged),
        "judges": len(set(judged.judge.tolist())),
        "systems": {
            known[system].uid: {
                "score": float(ranking.scores[k]), "low": float(ranking.low[k]),
                "high": float(ranking.high[k]), "best": int(ranking.best[k]),
                "worst": int(ranking.worst[k]), "cluster": int(ranking.clusters[k]),
            }
            for k, system in enumerate(ranking.systems)
        },
        "metrics": _agreement(ranking, [known[system] for system in ranking.systems]),
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
    """How well each metric correlates with people over the systems, as `errata meta` reports it."""
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
            known = np.isfinite(r)
            row[kind] = [r, *map(float, fisher_interval(r, len(submissions), kind=kind))] if known else None
    return rows
