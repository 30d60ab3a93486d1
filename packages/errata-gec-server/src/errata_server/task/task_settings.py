"""The settings of a shared task, from one TOML or JSON file: tracks, phases, limits and visibility."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field, ValidationInfo
from pydantic.dataclasses import dataclass

from errata.errors import DataError, ErrataError
from errata_server.application_store import stored_time
from errata_server.validation import STRICT, read_values, validated

Shown = Literal["nothing", "own", "leaderboard"]  # the scores that teams may see
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")  # of tracks and phases: they are parts of addresses


def _time(value: object, info: ValidationInfo) -> str | None:
    """A time from a text or a TOML value, in the form in which times are stored."""
    if value is None:
        return None
    try:
        return stored_time(datetime.fromisoformat(str(value).replace("Z", "+00:00")))
    except ValueError:
        hint = "a time, as in 2026-05-31T12:30:00Z"
        raise DataError(f"{info.field_name} is {value!r}", hint=hint) from None


Time = Annotated[str | None, BeforeValidator(_time)]


@dataclass(frozen=True, config=STRICT)
class Texts:
    """The files of a track in a phase: gold edits, or a source text with reference texts."""

    gold: str | None = None
    source: str | None = None
    references: tuple[str, ...] = ()
    meta: str | None = None  # labels of the segments: domain, level …

    def __post_init__(self) -> None:
        if self.gold is None and (self.source is None or not self.references):
            raise DataError(
                "there is no gold", hint='gold = "test.m2", or source = "…" and references = ["…"]'
            )

    def files(self) -> list[tuple[str, Path]]:
        """The files, each with its role."""
        single = [(role, getattr(self, role)) for role in ("gold", "source", "meta")]
        roles = [*single, *(("reference", path) for path in self.references)]
        return [(role, Path(path)) for role, path in roles if path is not None]


@dataclass(frozen=True, config=STRICT)
class Track:
    """A part of the task, such as a language, a domain or a style, with its own texts and metrics."""

    name: str
    texts: Mapping[str, Texts]  # by phase; a phase without texts uses those of the one before it
    title: str = ""
    language: str = "en"
    style: str = "minimal"
    metrics: tuple[str, ...] = ("m2",)  # the first one orders the leaderboard
    by: tuple[str, ...] = ()  # labels whose values are also scored by themselves: domain …
    types: bool = True  # whether metrics with error types also score each type
    baselines: tuple[str, ...] = ("source",)  # the unchanged source, and correctors of `errata correct`

    @property
    def needs_network(self) -> bool:
        """Whether a metric asks a server."""
        return any("://" in each for each in self.metrics)

    def __post_init__(self) -> None:
        from errata.metrics import metric

        _check_name("track", self.name)
        if not self.metrics:
            raise DataError(f"the track {self.name} has no metric")
        for specification in self.metrics:
            try:
                metric(specification)
            except ErrataError as error:
                raise DataError(f"track {self.name}: {error}") from None


@dataclass(frozen=True, config=STRICT)
class Phase:
    """A period in which teams may submit, and what they may see of the scores in it and after it."""

    name: str
    title: str = ""
    starts: Time = None  # None: open from the beginning
    ends: Time = None
    frozen: Time = None  # from then to the end, the leaderboard leaves out new submissions
    per_day: Annotated[int, Field(ge=1, le=100_000)] = (
        10  # submissions of a team to a track; a day is one of UTC
    )
    in_all: Annotated[int, Field(ge=1, le=100_000)] = 100
    shows: Shown = "own"
    after: Shown = "leaderboard"  # what is shown once the phase has ended
    public_part: Annotated[float, Field(gt=0, lt=1)] | None = None  # see `leaderboards.visible_scores`
    sentences: bool = False  # whether teams may see the scores of single sentences of their own outputs

    def __post_init__(self) -> None:
        _check_name("phase", self.name)
        times = [time for time in (self.starts, self.frozen, self.ends) if time is not None]
        if times != sorted(times):
            raise DataError(f"the times of phase {self.name} are not in order", hint="starts, frozen, ends")

    def has_started(self, now: str) -> bool:
        return self.starts is None or self.starts <= now

    def has_ended(self, now: str) -> bool:
        return self.ends is not None and self.ends <= now


@dataclass(frozen=True, config=STRICT)
class TaskSettings:
    """A task's settings; every field is a key of its file."""

    name: str
    tracks: tuple[Track, ...]
    phases: tuple[Phase, ...]
    description: str = ""  # Markdown, or a file *.md
    sign_up: Literal["invitation", "approval"] = "approval"  # or only by invitation
    anonymous: bool = True  # other teams' names are hidden until the task is closed
    public: bool = False  # whether the public may see the leaderboard, where teams may
    most_bytes: Annotated[int, Field(ge=1 << 10, le=1 << 28)] = (
        8 << 20
    )  # of a submitted file, also once it is unpacked
    seconds: Annotated[float, Field(ge=1, le=86_400)] = 300.0  # for scoring one submission
    memory: Annotated[int, Field(ge=64, le=1 << 20)] = 4096  # megabytes for scoring one submission
    samples: Annotated[int, Field(ge=10, le=10**6)] = 1000  # bootstrap samples for intervals

    def __post_init__(self) -> None:
        """Raise an error if settings do not fit together."""
        if not self.name.strip() or not self.name.isprintable():
            raise DataError("the task has no name")
        for what, parts in (("track", self.tracks), ("phase", self.phases)):
            names = [part.name for part in parts]
            if not names or len(set(names)) < len(names):
                raise DataError(f"there is no {what}, or two have one name", hint=f"[[{what}s]] name = …")
        for track in self.tracks:
            self._check_texts(track)

    def _check_texts(self, track: Track) -> None:
        for name in track.texts:
            if name not in {phase.name for phase in self.phases}:
                raise DataError(f"track {track.name} has texts for {name!r}", hint="no phase is called so")
        self.texts_of(track.name, self.phases[0].name)

    def texts_of(self, track: str, phase: str) -> str:
        """The phase whose texts a track uses in a phase: the phase itself, or the last one before it."""
        with_texts = None
        for each in self.phases:
            with_texts = each.name if each.name in self.track(track).texts else with_texts
            if each.name == phase and with_texts is not None:
                return with_texts
        raise DataError(
            f"track {track} has no texts in phase {phase}", hint=f'[tracks.texts.{phase}] gold = "…"'
        )

    def track(self, name: str) -> Track:
        return _named("track", self.tracks, name)

    def phase(self, name: str) -> Phase:
        return _named("phase", self.phases, name)

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> TaskSettings:
        return settings_from(json.loads(text))


Part = TypeVar("Part", Track, Phase)


def _named(kind: str, parts: Iterable[Part], name: str) -> Part:
    by_name = {part.name: part for part in parts}
    if name not in by_name:
        raise DataError(f"there is no {kind} {name!r}", hint=f"one of {', '.join(by_name)}")
    return by_name[name]


def settings_from(values: Mapping[str, Any]) -> TaskSettings:
    """Settings from plain values."""
    return validated(TaskSettings, values)


def _check_name(what: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise DataError(f"a {what} called {name!r}", hint="small letters, digits and hyphens, at most 40")


def read_settings(path: str | os.PathLike[str]) -> TaskSettings:
    """Read a task's file; paths in it are relative to its folder."""
    from errata.corpus.files import read_lines

    folder = Path(path).parent
    values = read_values(path)
    try:
        settings = settings_from(values)
        text = settings.description
        if text.endswith(".md") and "\n" not in text:
            settings = replace(settings, description="\n".join(read_lines(folder / text)))
        tracks = [
            replace(track, texts={name: _placed(texts, folder) for name, texts in track.texts.items()})
            for track in settings.tracks
        ]
        return replace(settings, tracks=tuple(tracks))
    except DataError as error:
        raise DataError(error.message, path=error.path or path, line=error.line, hint=error.hint) from None


def _placed(texts: Texts, folder: Path) -> Texts:
    """The same files, with paths relative to the present folder."""

    def place(path: str | None) -> str | None:
        return None if path is None else str(folder / path)

    references = tuple(str(folder / path) for path in texts.references)
    return Texts(place(texts.gold), place(texts.source), references, place(texts.meta))
