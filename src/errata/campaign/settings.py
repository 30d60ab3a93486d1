"""What a campaign is, from one TOML or JSON file: task, texts, annotators, and who sees what."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from errata.errors import DataError
from errata.server.typed import read_values, typed

TASKS = ("ranking", "scalars", "pairwise", "correction")
ASSIGNMENTS = ("fixed", "balanced", "adaptive")
STYLES = ("minimal", "fluency")
UNITS = ("sentence", "document")
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

    def check(self) -> Settings:
        """The same settings; an error where they make no sense."""
        choices = {"task": TASKS, "assignment": ASSIGNMENTS, "style": STYLES, "unit": UNITS}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise DataError(f"{name} {getattr(self, name)!r}", hint=f"one of {', '.join(allowed)}")
        for name in ("overlap", "repeats", "controls", "pass_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise DataError(f"{name} is {getattr(self, name)}", hint="a share between 0 and 1")
        bounds = {"redundancy": (1, 100), "cards": (2, 9), "screens": (1, 100), "scale": (1, 100)}
        for name, (low, high) in bounds.items():
            if not low <= getattr(self, name) <= high:
                raise DataError(f"{name} is {getattr(self, name)}", hint=f"between {low} and {high}")
        if self.seed < 0:
            raise DataError(f"seed is {self.seed}", hint="0 or greater")
        if self.quota is not None and self.quota < 1:
            raise DataError(f"quota is {self.quota}", hint="at least 1, or leave it out")
        if not self.name.strip():
            raise DataError("the campaign has no name")
        if self.task != "correction" and len(self.systems) < 2:
            raise DataError(
                f"a {self.task} campaign compares systems, but there are {len(self.systems)}",
                hint='give two or more: [systems] NAME = "outputs.txt"',
            )
        for name in self.systems:
            if not name or set(name) & set(" ,+\t\n") or name.startswith("control:"):
                raise DataError(
                    f"a system called {name!r}", hint="formats need names without blanks, , and +"
                )
        if self.task == "correction" and self.assignment == "adaptive":
            raise DataError("corrections cannot be assigned adaptively", hint='assignment = "balanced"')
        if not self.annotators or not all(name.strip() for name in self.annotators):
            raise DataError("there are no annotators, or one without a name")
        if len(set(self.annotators)) != len(self.annotators):
            raise DataError("two annotators have the same name")
        return self

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        return settings_from(json.loads(text))


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
        return with_instructions(settings, Path())
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
    return with_instructions(settings, folder)


def _numbered(values: dict[str, Any]) -> dict[str, Any]:
    count = values.get("annotators")
    if isinstance(count, int) and not isinstance(count, bool):
        if count > _MOST_ANNOTATORS:
            raise DataError(f"annotators = {count}", hint=f"at most {_MOST_ANNOTATORS}")
        values["annotators"] = [f"annotator-{n}" for n in range(1, count + 1)]
    return values


def with_instructions(settings: Settings, folder: Path) -> Settings:
    """The settings with the text of the instructions in place of its file's name."""
    from errata.corpus.files import read_lines

    text = settings.instructions
    if text.endswith(".md") and "\n" not in text:
        text = "\n".join(read_lines(folder / text))
    return replace(settings, instructions=text)
