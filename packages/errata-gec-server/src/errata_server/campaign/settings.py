"""What a campaign is, from one TOML or JSON file: task, texts, annotators, and who sees what."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from errata.errors import DataError
from errata_server.campaign.annotation_tasks import SEVERITIES, TASKS
from errata_server.typed import read_values, typed

ASSIGNMENTS = ("fixed", "balanced", "adaptive")
STYLES = ("minimal", "fluency")
UNITS = ("sentence", "document")
INTERFACES = ("en", "cs", "de", "uk")  # languages of the annotators' pages
JOINING = ("penn", "moses", "characters")  # tokenizers that can also join tokens to readable text
CATEGORIES = (
    "meaning", "omission", "addition", "grammar", "spelling", "punctuation", "word-choice", "word-order",
    "style", "other",
)  # fmt: skip
_MOST_ANNOTATORS = 10_000
_PATHS = ("corpus", "qualification")
_PATH_LISTS = ("references", "meta")


@dataclass(frozen=True)
class Settings:
    """A campaign's settings; every field is a key of its file."""

    name: str
    task: str
    corpus: str
    format: str | None = None  # of the corpus, if not as it looks
    references: tuple[str, ...] = ()
    meta: tuple[str, ...] = ()
    systems: Mapping[str, str] = field(default_factory=dict)  # name -> file of outputs
    instructions: str = ""  # Markdown, or a file *.md
    annotators: tuple[str, ...] = ("annotator-1",)
    language: str = "en"  # of the texts: the browser picks fonts, hyphenation and spelling by it
    redundancy: int = 1  # judgments wanted of every item
    overlap: float = 0.1  # share of items that one more annotator judges
    repeats: float = 0.05  # share of items an annotator gets a second time
    controls: float = 0.05  # share of items with an answer known to be right
    assignment: str = "balanced"
    quota: int | None = None  # screens an annotator gets at most
    seed: int = field(default_factory=lambda: secrets.randbits(48))  # of all random choices but card order
    cards: int = 5  # outputs on one screen of a ranking
    screens: int = 1  # screens a segment of a ranking is dealt on
    show_reference: bool = False
    scale: int = 10
    style: str = "minimal"
    unit: str = "sentence"  # what one corrects at a time
    second_pass: bool = False  # another annotator proofreads every correction
    qualification: str | None = None  # JSONL of items with known answers
    pass_share: float = 0.7  # how much of the qualification must be right
    sample: int | None = None  # segments drawn at random from those that can be judged
    skip_unchanged: bool = False  # leave out segments that no system changed
    tokenizer: str | None = None  # of the corpus: annotators read its tokens joined to natural text
    interface: str = "en"  # language of the annotators' pages
    consent: str = ""  # Markdown, or a file *.md; annotators agree to it before anything else
    places: int = 0  # for people who sign up by themselves
    participant: str = "PROLIFIC_PID"  # the part of the sign-up link in which a platform puts its id
    categories: tuple[str, ...] = CATEGORIES  # of marked spans
    weights: Mapping[str, float] = field(
        default_factory=lambda: {"minor": 1.0, "major": 5.0, "critical": 25.0}
    )  # what a marked span of each severity costs

    def check(self) -> Settings:
        """The same settings; an error where they make no sense."""
        choices: dict[str, tuple[str | None, ...]] = {
            "task": tuple(TASKS), "assignment": ASSIGNMENTS, "style": STYLES, "unit": UNITS,
            "interface": INTERFACES, "tokenizer": (None, *JOINING),
        }  # fmt: skip
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                known = ", ".join(value for value in allowed if value is not None)
                raise DataError(f"{name} {getattr(self, name)!r}", hint=f"one of {known}")
        for name in ("overlap", "repeats", "controls", "pass_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise DataError(f"{name} is {getattr(self, name)}", hint="a share between 0 and 1")
        bounds = {
            "redundancy": (1, 100), "cards": (2, 9), "screens": (1, 100), "scale": (1, 100),
            "places": (0, _MOST_ANNOTATORS),
        }  # fmt: skip
        for name, (low, high) in bounds.items():
            if not low <= getattr(self, name) <= high:
                raise DataError(f"{name} is {getattr(self, name)}", hint=f"between {low} and {high}")
        if self.seed < 0:
            raise DataError(f"seed is {self.seed}", hint="0 or greater")
        for name in ("quota", "sample"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise DataError(f"{name} is {value}", hint="at least 1, or leave it out")
        if not self.name.strip():
            raise DataError("the campaign has no name")
        least = TASKS[self.task].least_systems
        if len(self.systems) < least:
            raise DataError(
                f"a {self.task} campaign compares systems, but there are {len(self.systems)}",
                hint=f'give {least} or more: [systems] NAME = "outputs.txt"',
            )
        for name in self.systems:
            if not name or set(name) & set(" ,+\t\n") or name.startswith("control:"):
                raise DataError(
                    f"a system called {name!r}", hint="formats need names without blanks, , and +"
                )
        if self.assignment == "adaptive" and not TASKS[self.task].can_be_adaptive:
            raise DataError(
                f"a {self.task} campaign cannot be assigned adaptively", hint='assignment = "balanced"'
            )
        self._check_people()
        self._check_spans()
        return self

    def _check_people(self) -> None:
        if not (self.annotators or self.places) or not all(name.strip() for name in self.annotators):
            raise DataError("there are no annotators, or one without a name")
        if len(set(self.annotators)) != len(self.annotators):
            raise DataError("two annotators have the same name")
        if self.places and self.assignment == "fixed":
            raise DataError("a fixed plan has no work for people who sign up", hint='assignment = "balanced"')
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,63}", self.participant):
            raise DataError(
                f"participant is {self.participant!r}", hint="the name of a parameter, such as PROLIFIC_PID"
            )

    def _check_spans(self) -> None:
        if not self.categories or len(set(self.categories)) < len(self.categories):
            raise DataError("categories is a list of different names")
        for name in self.categories:
            if not name.strip() or len(name) > 60 or set(name) & set("|:\t\n"):
                raise DataError(f"a category {name!r}", hint="at most 60 characters without | and :")
        if set(self.weights) != set(SEVERITIES) or not all(
            0 <= weight < math.inf for weight in self.weights.values()
        ):
            raise DataError("weights gives each severity a number", hint=f"for {', '.join(SEVERITIES)}")

    @property
    def people(self) -> int:
        """How many annotators there will be at most."""
        return len(self.annotators) + self.places

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        return settings_from(json.loads(text))


def consent_version(settings: Settings) -> str:
    """What the text that annotators agree to is called: the beginning of its hash; empty without a text."""
    return hashlib.sha256(settings.consent.encode()).hexdigest()[:12] if settings.consent else ""


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Settings from plain values, each checked for its type."""
    return typed(Settings, values).check()


def read_settings(
    path: str | os.PathLike[str] | None, overrides: Mapping[str, Any] | None = None
) -> Settings:
    """Read a campaign's file; its paths are relative to its folder, `annotators = 3` numbers them.

    Overrides stand above what the file says, or for all of it; their paths are as they are.
    """
    if path is None:
        settings = settings_from(_numbered(dict(overrides or {})))
        return with_texts(settings, Path())
    values = read_values(path)
    folder = Path(path).parent
    for name in _PATHS:
        if isinstance(values.get(name), str):
            values[name] = str(folder / values[name])
    for name in _PATH_LISTS:
        if isinstance(values.get(name), list):
            values[name] = [str(folder / part) if isinstance(part, str) else part for part in values[name]]
    systems = values.get("systems")
    if isinstance(systems, list):  # names are those of the files
        values["systems"] = {Path(str(part)).stem: str(folder / str(part)) for part in systems}
    elif isinstance(systems, Mapping):
        values["systems"] = {
            name: str(folder / part) if isinstance(part, str) else part for name, part in systems.items()
        }
    values.update(overrides or {})
    try:
        settings = settings_from(_numbered(values))
    except DataError as error:
        raise DataError(error.message, path=path, hint=error.hint) from None
    return with_texts(settings, folder)


def _numbered(values: dict[str, Any]) -> dict[str, Any]:
    count = values.get("annotators")
    if isinstance(count, int) and not isinstance(count, bool):
        if count > _MOST_ANNOTATORS:
            raise DataError(f"annotators = {count}", hint=f"at most {_MOST_ANNOTATORS}")
        values["annotators"] = [f"annotator-{n}" for n in range(1, count + 1)]
    return values


def with_texts(settings: Settings, folder: Path) -> Settings:
    """The settings with the texts of instructions and consent in place of the names of their files."""
    from errata.corpus.files import read_lines

    def text_of(value: str) -> str:
        return "\n".join(read_lines(folder / value)) if value.endswith(".md") and "\n" not in value else value

    return replace(
        settings, instructions=text_of(settings.instructions), consent=text_of(settings.consent).strip()
    )
