"""A task as a competition bundle of Codabench.

The format is that of competition.yaml, version 2: tasks with reference data and a scoring program, phases,
and leaderboards. The scoring program calls errata, so that both give the same numbers.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped,unused-ignore]

from errata.corpus.files import open_binary_output
from errata.errors import DataError
from errata.metrics import metric
from errata.metrics.score_tables import metric_names
from errata_server.task.settings import Settings, Texts, Track

_PROGRAM = Path(__file__).with_name("codabench_score.py")
_METADATA = "command: python3 /app/program/score.py /app/input /app/output\n"
# A picture of one pixel: a bundle must have a logo.
_LOGO = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cf500f00"
    "0486017f5f7a6e4d0000000049454e44ae426082"
)


def write_bundle(settings: Settings, path: str | os.PathLike[str], image: str = "errata-gec") -> None:
    """Write a task as a bundle; `image` is a Docker image with errata in it, which runs the scoring."""
    keys = {(track.name, n): key for track in settings.tracks for n, key in enumerate(_keys(track))}
    columns = [
        {
            "title": f"{track.title or track.name}: {name}", "key": keys[track.name, n], "index": index,
            "sorting": "desc" if metric(track.metrics[n]).higher_is_better else "asc",
        }
        for index, (track, n, name) in enumerate(_columns(settings))
    ]  # fmt: skip
    competition = {
        "version": 2, "title": settings.name, "description": settings.name, "image": "logo.png",
        "terms": "terms.md", "registration_auto_approve": False, "docker_image": image,
        "pages": [{"title": "Overview", "file": "overview.md"}],
        "tasks": [
            {
                "index": number, "name": phase.name, "description": phase.title or phase.name,
                "is_public": False, "reference_data": f"reference-{phase.name}.zip",
                "input_data": f"input-{phase.name}.zip", "scoring_program": "scoring_program.zip",
            }
            for number, phase in enumerate(settings.phases)
        ],
        "phases": [
            _without_none(
                index=number, name=phase.title or phase.name, description=phase.name, start=phase.starts,
                end=phase.ends, tasks=[number], max_submissions=phase.in_all,
                max_submissions_per_day=phase.per_day, execution_time_limit=int(settings.seconds),
            )
            for number, phase in enumerate(settings.phases)
        ],
        "leaderboards": [{"index": 0, "title": "Results", "key": "results", "columns": columns}],
    }  # fmt: skip
    with open_binary_output(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("competition.yaml", yaml.safe_dump(competition, sort_keys=False))
        bundle.writestr("logo.png", _LOGO)
        bundle.writestr("overview.md", settings.description or settings.name)
        bundle.writestr("terms.md", "Take part fairly.\n")
        program = {"score.py": _PROGRAM.read_bytes(), "metadata.yaml": _METADATA.encode()}
        bundle.writestr("scoring_program.zip", _zipped(program))
        for phase in settings.phases:
            reference, inputs = _data(settings, phase.name, keys)
            bundle.writestr(f"reference-{phase.name}.zip", _zipped(reference))
            bundle.writestr(f"input-{phase.name}.zip", _zipped(inputs))


def _columns(settings: Settings) -> Iterator[tuple[Track, int, str]]:
    for track in settings.tracks:
        for number, name in enumerate(metric_names([metric(each) for each in track.metrics])):
            yield track, number, name


def _keys(track: Track) -> list[str]:
    """Unique names of the scores of a track: letters, digits and _ only."""
    keys: list[str] = []
    for specification in track.metrics:
        key = re.sub(r"\W+", "_", f"{track.name}_{specification}")
        keys.append(key if key not in keys else f"{key}_{len(keys)}")
    return keys


def _data(
    settings: Settings, phase: str, keys: Mapping[tuple[str, int], str]
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files that the scoring program reads, and those that teams are given."""
    from errata.corpus.formats import read_gold

    reference: dict[str, bytes] = {}
    inputs: dict[str, bytes] = {}
    tracks = []
    for track in settings.tracks:
        texts = track.texts[settings.texts_of(track.name, phase)]
        placed: dict[str, list[str]] = {}
        for role, path in _files(texts):
            place = f"{track.name}/{Path(path).name}"
            if place in reference:
                raise DataError(f"two files of track {track.name} have the same name", path=path)
            reference[place] = Path(path).read_bytes()
            placed.setdefault(role, []).append(place)
        sources = read_gold(texts.gold, texts.source, texts.references, texts.meta).sources
        inputs[f"{track.name}.txt"] = "".join(f"{source}\n" for source in sources).encode()
        mine = [keys[track.name, number] for number in range(len(track.metrics))]
        tracks.append({"name": track.name, "metrics": list(track.metrics), "keys": mine, "texts": placed})
    reference["tracks.json"] = json.dumps(tracks, indent=1).encode()
    return reference, inputs


def _files(texts: Texts) -> Iterator[tuple[str, str]]:
    for role in ("gold", "source", "meta"):
        path = getattr(texts, role)
        if path is not None:
            yield role, path
    yield from (("references", path) for path in texts.references)


def _without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()
