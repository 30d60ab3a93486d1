"""Create a task from its settings: read and check the texts, write the database, queue the baselines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from errata.corpus.files import read_bytes
from errata.corpus.formats import detect_format, read_gold
from errata.corpus.model import Corpus
from errata.corpus.multigec import is_essays, reference_files
from errata.errors import DataError
from errata.metrics import metric
from errata.metrics.results import labels_of
from errata_server.task import task_tables as schema
from errata_server.task.submissions import enter_baseline
from errata_server.task.task_settings import TaskSettings, Texts, Track
from errata_server.task.task_store import TaskStore


def make_task(
    settings: TaskSettings, place: str | os.PathLike[str], url: str | None = None
) -> tuple[TaskStore, str]:
    """Create a task; `url` is the address of its server. Returns the open store and the owner's token."""
    texts_read = [
        (track, phase, texts, _read(track, phase, texts))
        for track in settings.tracks
        for phase, texts in track.texts.items()
    ]
    if any(phase.public_part for phase in settings.phases):
        for track, name, texts, corpus in texts_read:
            if len(corpus) < 2:
                problem = f"track {track.name}, {name}: one segment has no public part"
                raise DataError(problem, path=texts.gold or texts.source)
    corrections = {
        (track.name, phase, name): _baseline(name, corpus)
        for track, phase, _, corpus in texts_read
        for name in track.baselines
    }
    with TaskStore.create(place, settings.name, settings.to_json(), url) as (store, connection):
        for track, phase, texts, corpus in texts_read:
            _store_texts(connection, track.name, phase, texts, corpus)
        token = store.add_staff(connection, "owner", "owner", "errata task new")
        for track in settings.tracks:
            for each in settings.phases:
                texts_of = settings.texts_of(track.name, each.name)
                for name in track.baselines:
                    data = corrections[track.name, texts_of, name]
                    enter_baseline(store, connection, name, track.name, each.name, data)
    return store, token


def _read(track: Track, phase: str, texts: Texts) -> Corpus:
    """The texts of a track in a phase; an error if they lack references or labels that the track needs."""
    corpus = read_gold(texts.gold, texts.source, texts.references, texts.meta)
    where = f"track {track.name}, phase {phase}"
    if not len(corpus):
        raise DataError(f"{where}: there is no sentence to score", path=texts.gold or texts.source)
    if not all(segment.annotations for segment in corpus) and any(
        metric(name).needs & {"references", "edits"} for name in track.metrics
    ):
        raise DataError(f"{where}: a segment has no reference", path=texts.gold or texts.source)
    labels = labels_of(corpus)
    for label in track.by:
        if label not in labels:
            raise DataError(
                f"{where}: the segments have no {label!r}",
                path=texts.gold or texts.source,
                hint=f"the labels are: {', '.join(labels) or 'none'}; give them with meta = …",
            )
    return corpus


def _store_texts(connection: sa.Connection, track: str, phase: str, texts: Texts, corpus: Corpus) -> None:
    rows = [
        {"track": track, "phase": phase, "role": role, "name": path.name, "content": path.read_bytes()}
        for role, path in _files(texts)
    ]
    connection.execute(sa.insert(schema.texts), rows)
    if is_essays(corpus):
        assert texts.gold is not None
        kind, content = "essays", read_bytes(texts.gold)
    else:
        kind, content = "lines", _as_lines(corpus.sources)
    values = {"track": track, "phase": phase, "kind": kind, "segments": len(corpus), "content": content}
    connection.execute(sa.insert(schema.sources).values(values))


def _files(texts: Texts) -> Iterator[tuple[str, Path]]:
    """All files of a corpus, including those beside the gold."""
    yield from texts.files()
    if texts.gold is None:
        return
    gold = Path(texts.gold)
    if not gold.is_file():
        raise DataError("the gold must be one file", path=texts.gold)
    format = detect_format(gold)
    if format == "multigec":
        yield from (("beside", path) for path in reference_files(gold))
    elif format == "geccc":
        hint = "convert it first: errata corpus convert sentence.m2 gold.m2 --write-meta"
        raise DataError("GECCC's side files cannot be kept", path=texts.gold, hint=hint)


def _as_lines(lines: Any) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _baseline(name: str, corpus: Corpus) -> bytes:
    """The output of a baseline: the unchanged sources, or the corrections of a corrector."""
    essays = is_essays(corpus)
    sources = corpus.sources
    if name != "source":
        from errata.models.protocols import load_corrector

        corrector = load_corrector(name)
        if essays:
            sources = ["\n".join(corrector.correct(text.split("\n"))) for text in sources]
        else:
            sources = corrector.correct_tokenized(sources)
    if not essays:
        return _as_lines(sources)
    ids = [segment.document for segment in corpus]
    return "".join(f"### essay_id = {i}\n{text}\n\n" for i, text in zip(ids, sources, strict=True)).encode()
