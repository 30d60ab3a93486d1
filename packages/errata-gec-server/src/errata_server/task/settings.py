"""What a shared task is, from one TOML or JSON file: tracks, phases, limits, and who sees what."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from errata.errors import DataError, ErrataError
from errata_server.clock import read_time
from errata_server.typed import read_values, typed

SHOWN = ("nothing", "own", "leaderboard")  # what teams may see, the least first
SIGN_UP = ("invitation", "approval")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")  # of tracks and phases: they are parts of addresses


@dataclass(frozen=True)
class Texts:
    """The files of a track in a phase: gold edits, or a source text with reference texts."""

    gold: str | None = None
    source: str | None = None
    references: tuple[str, ...] = ()
    meta: str | None = None  # labels of the segments: domain, level …

    def check(self) -> None:
        if self.gold is None and (self.source is None or not self.references):
            raise DataError(
                "there is no gold", hint='gold = "test.m2", or source = "…" and references = ["…"]'
            )


@dataclass(frozen=True)
class Track:
    """What teams take part in: a language, a domain or a style, with its own texts and metrics."""

    name: str
    texts: Mapping[str, Texts]  # by phase; a phase without texts uses those of the one before it
    title: str = ""
    language: str = "en"
    style: str = "minimal"
    metrics: tuple[str, ...] = ("m2",)  # the first one orders the leaderboard
    by: tuple[str, ...] = ()  # labels whose values are also scored by themselves: domain …
    types: bool = True  # whether the metrics that know error types also score each type
    baselines: tuple[str, ...] = ("source",)  # the unchanged source, and correctors of `errata correct`

    def check(self) -> None:
        from errata.metrics import metric

        _check_name("track", self.name)
        if not self.metrics:
            raise DataError(f"the track {self.name} has no metric")
        for specification in self.metrics:
            try:
                metric(specification)
            except ErrataError as error:
                raise DataError(f"track {self.name}: {error}") from None
        for texts in self.texts.values():
            texts.check()


@dataclass(frozen=True)
class Phase:
    """A period in which teams may submit, and what they may see of the scores in it and after it."""

    name: str
    title: str = ""
    starts: str | None = None  # open from the beginning where it is not given
    ends: str | None = None
    frozen: str | None = None  # from then to the end, the leaderboard leaves out what comes in
    per_day: int = 10  # submissions of a team to a track; a day is one of UTC
    in_all: int = 100
    shows: str = "own"
    after: str = "leaderboard"  # what is shown once the phase has ended
    sentences: bool = False  # whether teams may see the scores of single sentences of their own outputs

    def check(self) -> None:
        _check_name("phase", self.name)
        for name in ("shows", "after"):
            if getattr(self, name) not in SHOWN:
                raise DataError(f"{name} is {getattr(self, name)!r}", hint=f"one of {', '.join(SHOWN)}")
        for name in ("per_day", "in_all"):
            if not 1 <= getattr(self, name) <= 100_000:
                raise DataError(f"{name} is {getattr(self, name)}", hint="between 1 and 100,000")
        times = [time for time in (self.starts, self.frozen, self.ends) if time is not None]
        if times != sorted(times):
            raise DataError(f"the times of phase {self.name} are not in order", hint="starts, frozen, ends")

    def has_started(self, now: str) -> bool:
        return self.starts is None or self.starts <= now

    def has_ended(self, now: str) -> bool:
        return self.ends is not None and self.ends <= now


@dataclass(frozen=True)
class Settings:
    """A task's settings; every field is a key of its file."""

    name: str
    tracks: tuple[Track, ...]
    phases: tuple[Phase, ...]
    description: str = ""  # Markdown, or a file *.md
    sign_up: str = "approval"  # or only by invitation
    anonymous: bool = True  # other teams' names are hidden until the task is closed
    public: bool = False  # whether everybody may see the leaderboard, where teams may
    most_bytes: int = 8 << 20  # of a submitted file, and of what it unpacks to
    seconds: float = 300.0  # for scoring one submission
    memory: int = 4096  # megabytes for scoring one submission
    samples: int = 1000  # of the bootstrap behind the intervals; the tests behind the clusters have more

    def check(self) -> Settings:
        """The same settings; an error where they make no sense."""
        if not self.name.strip() or not self.name.isprintable():
            raise DataError("the task has no name")
        if self.sign_up not in SIGN_UP:
            raise DataError(f"sign_up is {self.sign_up!r}", hint=f"one of {', '.join(SIGN_UP)}")
        for what, parts in (("track", self.tracks), ("phase", self.phases)):
            names = [part.name for part in parts]
            if not names or len(set(names)) < len(names):
                raise DataError(f"there is no {what}, or two have one name", hint=f"[[{what}s]] name = …")
            for part in parts:
                part.check()
        bounds = {"most_bytes": (1 << 10, 1 << 28), "seconds": (1, 86_400), "memory": (64, 1 << 20),
                  "samples": (10, 10**6)}  # fmt: skip
        for name, (low, high) in bounds.items():
            if not low <= getattr(self, name) <= high:
                raise DataError(f"{name} is {getattr(self, name)}", hint=f"between {low:,} and {high:,}")
        for track in self.tracks:
            self._check_texts(track)
        return self

    def _check_texts(self, track: Track) -> None:
        for name in track.texts:
            if name not in {phase.name for phase in self.phases}:
                raise DataError(f"track {track.name} has texts for {name!r}", hint="no phase is called so")
        self.texts_of(track.name, self.phases[0].name)

    def texts_of(self, track: str, phase: str) -> str:
        """The phase whose texts a track uses in a phase: the phase itself, or the last one before it."""
        found = None
        for each in self.phases:
            found = each.name if each.name in self.track(track).texts else found
            if each.name == phase and found is not None:
                return found
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
    def from_json(cls, text: str) -> Settings:
        return settings_from(json.loads(text))


Part = TypeVar("Part", Track, Phase)


def _named(kind: str, parts: Iterable[Part], name: str) -> Part:
    found = {part.name: part for part in parts}
    if name not in found:
        raise DataError(f"there is no {kind} {name!r}", hint=f"one of {', '.join(found)}")
    return found[name]


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Settings from plain values, each checked for its type."""
    given = dict(values)
    given["tracks"] = [_track(part) for part in _tables(given, "tracks")]
    given["phases"] = [_phase(part) for part in _tables(given, "phases")]
    return typed(Settings, given).check()


def _tables(values: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    parts = values.get(name)
    if not isinstance(parts, list | tuple) or not all(isinstance(part, Mapping) for part in parts):
        raise DataError(f"the setting {name!r} is missing", hint=f"a table [[{name}]] for each of them")
    return [dict(part) for part in parts]


def _track(values: dict[str, Any]) -> Track:
    texts = values.get("texts")
    if not isinstance(texts, Mapping) or not all(isinstance(part, Mapping) for part in texts.values()):
        raise DataError("a track needs texts", hint='[tracks.texts.PHASE] gold = "test.m2"')
    values["texts"] = {name: typed(Texts, part) for name, part in texts.items()}
    return typed(Track, values)


def _phase(values: dict[str, Any]) -> Phase:
    for name in ("starts", "ends", "frozen"):
        if values.get(name) is not None:
            values[name] = read_time(values[name], name)
    return typed(Phase, values)


def _check_name(what: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise DataError(f"a {what} called {name!r}", hint="small letters, digits and hyphens, at most 40")


def read_settings(path: str | os.PathLike[str]) -> Settings:
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
    """The same files, by paths from here."""

    def place(path: str | None) -> str | None:
        return None if path is None else str(folder / path)

    references = tuple(str(folder / path) for path in texts.references)
    return Texts(place(texts.gold), place(texts.source), references, place(texts.meta))
