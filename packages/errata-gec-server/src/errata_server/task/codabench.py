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
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml  # type: ignore[import-untyped,unused-ignore]

from errata.corpus.atomic_write import new_folder, write_bytes
from errata.corpus.files import open_binary_output, read_bytes
from errata.errors import DataError, ErrataError
from errata.metrics import metric
from errata.metrics.score_tables import metric_names
from errata_server.task.archives import check_member
from errata_server.task.task_settings import TaskSettings, Track

_PROGRAM = Path(__file__).with_name("codabench_score.py")
_METADATA = "command: python3 /app/program/score.py /app/input /app/output\n"
# A picture of one pixel: a bundle must have a logo.
_LOGO = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cf500f00"
    "0486017f5f7a6e4d0000000049454e44ae426082"
)


def write_bundle(settings: TaskSettings, path: str | os.PathLike[str], image: str = "errata-gec") -> None:
    """Write a task as a bundle; `image` is a Docker image with errata, which runs the scoring program."""
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
            {
                "index": number, "name": phase.title or phase.name, "description": phase.name,
                **({"start": phase.starts} if phase.starts else {}),
                **({"end": phase.ends} if phase.ends else {}),
                "tasks": [number], "max_submissions": phase.in_all,
                "max_submissions_per_day": phase.per_day, "execution_time_limit": int(settings.seconds),
            }
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


def _columns(settings: TaskSettings) -> Iterator[tuple[Track, int, str]]:
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
    settings: TaskSettings, phase: str, keys: Mapping[tuple[str, int], str]
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files for the scoring program, and the files for the teams."""
    from errata.corpus.formats import read_gold

    reference: dict[str, bytes] = {}
    inputs: dict[str, bytes] = {}
    tracks = []
    for track in settings.tracks:
        texts = track.texts[settings.texts_of(track.name, phase)]
        placed: dict[str, list[str]] = {}
        for role, path in texts.files():
            place = f"{track.name}/{path.name}"
            if place in reference:
                raise DataError(f"two files of track {track.name} have the same name", path=path)
            reference[place] = path.read_bytes()
            placed.setdefault("references" if role == "reference" else role, []).append(place)
        sources = read_gold(texts.gold, texts.source, texts.references, texts.meta).sources
        inputs[f"{track.name}.txt"] = "".join(f"{source}\n" for source in sources).encode()
        mine = [keys[track.name, number] for number in range(len(track.metrics))]
        tracks.append({"name": track.name, "metrics": list(track.metrics), "keys": mine, "texts": placed})
    reference["tracks.json"] = json.dumps(tracks, indent=1).encode()
    return reference, inputs


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


_NAMES = ("competition.yaml", "competition.yml")
_MOST_BYTES = 1 << 30  # of an unpacked bundle
_MOST_FILES = 10_000


def read_bundle(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Path:
    """Write the settings and texts of a bundle into a new folder; returns the path of `task.toml`.

    Texts are found by their suffix: `*.m2` is gold; otherwise files called `*src*` or `*source*` are the
    source, and the other texts are references. Metrics are not part of a bundle unless errata wrote it.
    """
    place = os.fspath(path)
    try:
        return _read_bundle(place, folder)
    except (AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, ErrataError):
            raise
        raise DataError(f"the bundle is damaged: {type(error).__name__}: {error}", path=place) from None


def _read_bundle(place: str, folder: str | os.PathLike[str]) -> Path:
    with new_folder(folder) as target:
        files = _members(read_bytes(place), place)
        name = next((name for name in files if PurePosixPath(name).name in _NAMES), None)
        if name is None:
            raise DataError("there is no competition.yaml in it", path=place)
        try:
            competition = yaml.safe_load(files[name])
        except yaml.YAMLError as error:
            raise DataError(f"competition.yaml cannot be read: {error}", path=place) from None
        if not isinstance(competition, dict) or competition.get("version") != 2:
            hint = "add `version: 2`, or write task.toml by hand"
            raise DataError("only bundles of version 2 can be read", path=place, hint=hint)
        text = _settings_of(competition, files, str(PurePosixPath(name).parent), target, place)
        (target / "task.toml").write_text(text, encoding="utf-8")
    return Path(folder, "task.toml")


def _members(data: bytes, path: str) -> dict[str, bytes]:
    """The files of an archive in memory, with limits; names that leave the archive are refused."""
    contents: dict[str, bytes] = {}
    bytes_left = _MOST_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > _MOST_FILES:
                raise DataError(f"{len(members)} files in it", path=path, hint=f"at most {_MOST_FILES}")
            for member in members:
                check_member(member, path)
                with archive.open(member) as file:
                    content = file.read(bytes_left + 1)
                bytes_left -= len(content)
                if bytes_left < 0:
                    raise DataError(f"it unpacks to more than {_MOST_BYTES:,} bytes", path=path)
                contents[member.filename.replace("\\", "/")] = content
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError):
        raise DataError("the zip archive is broken or encrypted", path=path) from None
    return contents


def _settings_of(
    competition: Mapping[str, Any], files: Mapping[str, bytes], base: str, folder: Path, path: str
) -> str:
    tasks = {task.get("index", n): task for n, task in enumerate(_list(competition, "tasks", path))}
    phases: list[tuple[str, dict[str, Any]]] = []
    texts: dict[str, dict[str, Any]] = {}
    for number, phase in enumerate(_list(competition, "phases", path)):
        description = phase.get("description")
        name = str(description) if _is_plain(description) else f"phase-{number + 1}"
        phases.append((name, phase))
        indices = phase.get("tasks")
        task = tasks.get(indices[0]) if isinstance(indices, list) and indices else None
        if task is None or not isinstance(task.get("reference_data"), str):
            raise DataError(f"phase {name} has no task with reference data", path=path)
        place = str(PurePosixPath(base) / task["reference_data"])
        if place not in files:
            raise DataError(f"there is no {place} in it", path=path)
        inner = _members(files[place], f"{path}: {place}")
        for track, data in _tracks_of(inner, place, path).items():
            for member in data["files"]:
                write_bytes(folder / name / member, inner[member])
            texts.setdefault(track, {"metrics": data["metrics"], "phases": {}})["phases"][name] = data
    lines = [f"name = {_quoted(competition.get('title') or 'Task')}", 'sign_up = "approval"', ""]
    for track, data in texts.items():
        lines += ["[[tracks]]", f"name = {_quoted(track)}"]
        lines += [f"metrics = [{', '.join(map(_quoted, data['metrics']))}]", ""]
        for name, each in data["phases"].items():
            lines += [f"[tracks.texts.{name}]", *_text_lines(name, each), ""]
    for name, phase in phases:
        lines += ["[[phases]]", f"name = {_quoted(name)}", *_phase_lines(phase), ""]
    return "\n".join(lines)


def _list(competition: Mapping[str, Any], name: str, path: str) -> list[dict[str, Any]]:
    values = competition.get(name)
    if not isinstance(values, list) or not values or not all(isinstance(value, dict) for value in values):
        raise DataError(f"competition.yaml has no {name}", path=path)
    return values


def _is_plain(name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", name) is not None


def _tracks_of(inner: Mapping[str, bytes], place: str, path: str) -> dict[str, dict[str, Any]]:
    """The tracks of reference data: as errata wrote them, or one track of all its texts."""
    if "tracks.json" in inner:
        try:
            return {track["name"]: _written(track, inner) for track in json.loads(inner["tracks.json"])}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise DataError(f"tracks.json in {place} was not written by errata", path=path) from None
    names = sorted(name for name in inner if not PurePosixPath(name).name.startswith((".", "metadata")))
    gold = [name for name in names if name.lower().endswith(".m2")]
    if gold:
        texts = {"gold": gold[:1]}
    else:
        source = [name for name in names if re.search(r"src|source|orig", name, re.I)]
        others = [name for name in names if name not in source]
        if not source or not others:
            raise DataError(f"no gold was found in {place}", path=path, hint="write task.toml by hand")
        texts = {"source": source[:1], "references": others}
    used = [name for files in texts.values() for name in files]
    return {"main": {"metrics": ["m2"], "texts": texts, "files": used}}


def _written(track: Mapping[str, Any], inner: Mapping[str, bytes]) -> dict[str, Any]:
    """A track as errata has written it; names of files that are not there are a KeyError."""
    texts = {role: [str(file) for file in files] for role, files in track["texts"].items()}
    if not _is_plain(track["name"]) or not texts.keys() <= {"gold", "source", "references", "meta"}:
        raise ValueError
    used = [file for files in texts.values() for file in files]
    for file in used:
        inner[file]
    return {"metrics": [str(name) for name in track["metrics"]], "texts": texts, "files": used}


def _text_lines(phase: str, data: Mapping[str, Any]) -> list[str]:
    lines = []
    for role, files in data["texts"].items():
        placed = [_quoted(f"{phase}/{file}") for file in files]
        lines.append(f"{role} = [{', '.join(placed)}]" if role == "references" else f"{role} = {placed[0]}")
    return lines


def _phase_lines(phase: Mapping[str, Any]) -> list[str]:
    lines = [f"title = {_quoted(str(phase['name']))}"] if phase.get("name") else []
    for setting, name in (("starts", "start"), ("ends", "end")):
        if phase.get(name):
            lines.append(f"{setting} = {_quoted(str(phase[name]))}")
    for setting, name in (("per_day", "max_submissions_per_day"), ("in_all", "max_submissions")):
        if isinstance(phase.get(name), int):
            lines.append(f"{setting} = {phase[name]}")
    return lines


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
