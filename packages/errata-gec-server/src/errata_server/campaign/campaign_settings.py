"""The settings of a campaign, from one TOML or JSON file: task, texts, annotators and assignment."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from errata.errors import DataError
from errata_server.campaign.annotation_tasks import TASKS
from errata_server.campaign.answer_validation import SEVERITIES
from errata_server.validation import STRICT, name_form, read_values, validated

CATEGORIES = (
    "meaning", "omission", "addition", "grammar", "spelling", "punctuation", "word-choice", "word-order",
    "style", "other",
)  # fmt: skip
_MOST_ANNOTATORS = 10_000
REFERENCE = "REFERENCE"  # the name of a reference that is ranked
Share = Annotated[float, Field(ge=0, le=1)]
_PATHS = ("corpus", "qualification", "references", "meta", "systems")


@dataclass(frozen=True, config=STRICT)
class CampaignSettings:
    """A campaign's settings; every field is a key of its file."""

    name: str
    task: Literal["ranking", "scalars", "pairwise", "correction", "spans", "esa", "edits", "acceptance"]
    corpus: str
    format: str | None = None  # of the corpus; detected by default
    references: tuple[str, ...] = ()
    meta: tuple[str, ...] = ()
    systems: Mapping[str, str] = field(default_factory=dict)  # name -> file of outputs
    instructions: str = ""  # Markdown, or a file *.md
    annotators: tuple[str, ...] = ("annotator-1",)
    language: str = "en"  # of the texts, for fonts, hyphenation and spelling
    redundancy: Annotated[int, Field(ge=1, le=100)] = 1  # judgments wanted of every item
    overlap: Share = 0.1  # share of items judged by one extra annotator
    repeats: Share = 0.05  # share of items an annotator gets a second time
    controls: Share = 0.05  # share of items with a known answer
    assignment: Literal["fixed", "balanced", "adaptive"] = "balanced"
    whole_documents: bool = False  # annotators get documents as wholes, in the order of their sentences
    # Documents that all annotators judge: their names, or how many are drawn at random
    joint: Annotated[int, Field(ge=0)] | tuple[str, ...] = 0
    quota: Annotated[int, Field(ge=1)] | None = None  # largest number of screens of an annotator
    # Random seed of everything but the order of cards on a screen
    seed: Annotated[int, Field(ge=0)] = field(default_factory=lambda: secrets.randbits(48))
    cards: Annotated[int, Field(ge=2, le=9)] = 5  # outputs on one screen of a ranking
    screens: Annotated[int, Field(ge=1, le=100)] = 1  # screens a segment of a ranking is dealt on
    show_reference: bool = False
    rank_reference: bool = False  # judge a reference drawn at random as one more system; another one is shown
    scale: Annotated[int, Field(ge=1, le=100)] = 10
    style: Literal["minimal", "fluency"] = "minimal"
    unit: Literal["sentence", "document"] = "sentence"  # what a screen of a correction shows
    second_pass: bool = False  # another annotator proofreads every correction
    qualification: str | None = None  # JSONL of items with known answers
    grading: Literal["automatic", "expert"] = "automatic"  # of the qualification
    pass_share: Share = 0.7  # how much of the qualification, and of controls for a code, must be right
    skips: Share = 0.25  # share of screens that may be skipped for a completion code
    metrics: tuple[str, ...] = ()  # that help to estimate win rates and scores
    # Judged segments near which intervals are narrowest, fixed at the beginning; by default all
    planned: Annotated[int, Field(ge=2)] | None = None
    sample: Annotated[int, Field(ge=1)] | None = (
        None  # number of segments, drawn at random from those that can be judged
    )
    skip_unchanged: bool = False  # leave out segments that no system changed
    # Tokenizer of the corpus, which can join tokens: annotators read natural text
    tokenizer: Literal["penn", "moses", "characters"] | None = None
    interface: Literal["en", "cs", "de", "uk"] = "en"  # language of the annotators' pages
    consent: str = ""  # Markdown, or a file *.md; annotators agree to it before anything else
    places: Annotated[int, Field(ge=0, le=_MOST_ANNOTATORS)] = 0  # for people who sign up by themselves
    participant: str = "PROLIFIC_PID"  # the part of the sign-up link in which a platform puts its id
    categories: Annotated[tuple[str, ...], Field(min_length=1)] = CATEGORIES  # of marked spans
    prefill: str | None = None  # task esa: the system whose changes to a text are its first marks
    weights: Mapping[str, Annotated[float, Field(ge=0)]] = field(
        default_factory=lambda: {"minor": 1.0, "major": 5.0, "critical": 25.0}
    )  # the penalty of a marked span, by its severity

    def __post_init__(self) -> None:
        """Raise an error if settings do not fit together."""
        if not self.name.strip():
            raise DataError("the campaign has no name")
        least = TASKS[self.task].least_systems
        if self.rank_reference and (not least or REFERENCE in self.systems):
            raise DataError(
                f"rank_reference needs a task that judges systems, none of which is called {REFERENCE}"
            )
        if len(self.judged_systems) < least:
            raise DataError(
                f"a {self.task} campaign compares systems, but there are {len(self.judged_systems)}",
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
        if self.grading == "expert" and self.qualification is None:
            raise DataError("an expert grades the qualification, but there is none", hint="qualification = …")
        if self.metrics and (self.rank_reference or TASKS[self.task].result not in ("rankings", "scores")):
            raise DataError("metrics help to judge systems, and rank_reference judges a reference",
                            hint="leave out metrics")  # fmt: skip
        if self.joint and not self.whole_documents:
            raise DataError("joint documents are judged as wholes", hint="whole_documents = true")
        if self.whole_documents and TASKS[self.task].compares and self.assignment == "adaptive":
            raise DataError("adaptive rankings choose sentences, and no whole documents")
        self._check_people()
        self._check_spans()

    def _check_people(self) -> None:
        if not (self.annotators or self.places) or not all(map(name_form, self.annotators)):
            raise DataError("there are no annotators, or one without a name")
        if len({name_form(name) for name in self.annotators}) != len(self.annotators):
            raise DataError("two annotators have names that are, or look, the same")
        if self.places and self.assignment == "fixed":
            raise DataError("a fixed plan has no work for people who sign up", hint='assignment = "balanced"')
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,63}", self.participant):
            raise DataError(
                f"participant is {self.participant!r}", hint="the name of a parameter, such as PROLIFIC_PID"
            )

    def _check_spans(self) -> None:
        if self.prefill is not None and (self.task != "esa" or self.prefill not in self.systems):
            raise DataError(f"prefill = {self.prefill!r}", hint="a system of a campaign with the task esa")
        if len(set(self.categories)) < len(self.categories):
            raise DataError("categories is a list of different names")
        for name in self.categories:
            if not name.strip() or len(name) > 60 or set(name) & set("|:\t\n"):
                raise DataError(f"a category {name!r}", hint="at most 60 characters without | and :")
        if set(self.weights) != set(SEVERITIES):
            raise DataError("weights needs a number for each severity", hint=f"for {', '.join(SEVERITIES)}")

    @property
    def judged_systems(self) -> tuple[str, ...]:
        """The names of the systems, and of the reference that is judged like one."""
        return (*self.systems, *([REFERENCE] if self.rank_reference else []))

    @property
    def people(self) -> int:
        """The largest number of annotators."""
        return len(self.annotators) + self.places

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> CampaignSettings:
        return settings_from(json.loads(text))


def consent_version(settings: CampaignSettings) -> str:
    """The version of the consent text: the beginning of its hash; empty without a text."""
    return hashlib.sha256(settings.consent.encode()).hexdigest()[:12] if settings.consent else ""


def settings_from(values: Mapping[str, Any]) -> CampaignSettings:
    """Settings from plain values."""
    return validated(CampaignSettings, values)


def read_settings(
    path: str | os.PathLike[str] | None, overrides: Mapping[str, Any] | None = None
) -> CampaignSettings:
    """Read a campaign's file; its paths are relative to its folder, and `annotators = 3` is allowed.

    `overrides` replace values of the file, or the whole file; their paths are relative to the present folder.
    """
    if path is None:
        settings = settings_from(_numbered(dict(overrides or {})))
        return with_texts(settings, Path())
    values = read_values(path)
    folder = Path(path).parent
    for name in _PATHS:
        if name in values:
            values[name] = _placed(values[name], folder)
    if isinstance(values.get("systems"), list):  # files give the names
        values["systems"] = {Path(str(path)).stem: path for path in values["systems"]}
    values.update(overrides or {})
    try:
        settings = settings_from(_numbered(values))
    except DataError as error:
        raise DataError(error.message, path=path, hint=error.hint) from None
    return with_texts(settings, folder)


def _placed(value: Any, folder: Path) -> Any:
    """A path, or a list or table of paths, from the folder of the settings."""
    if isinstance(value, list):
        return [_placed(part, folder) for part in value]
    if isinstance(value, Mapping):
        return {name: _placed(part, folder) for name, part in value.items()}
    return str(folder / value) if isinstance(value, str) else value


def _numbered(values: dict[str, Any]) -> dict[str, Any]:
    count = values.get("annotators")
    if isinstance(count, str):
        raise DataError(f"annotators is {count!r}", hint="expected a number, or a list of names")
    if isinstance(count, int) and not isinstance(count, bool):
        if count > _MOST_ANNOTATORS:
            raise DataError(f"annotators = {count}", hint=f"at most {_MOST_ANNOTATORS}")
        values["annotators"] = [f"annotator-{n}" for n in range(1, count + 1)]
    return values


def with_texts(settings: CampaignSettings, folder: Path) -> CampaignSettings:
    """The settings with the texts of instructions and consent in place of the names of their files."""
    from errata.corpus.files import read_lines

    def text_of(value: str) -> str:
        return "\n".join(read_lines(folder / value)) if value.endswith(".md") and "\n" not in value else value

    return replace(
        settings, instructions=text_of(settings.instructions), consent=text_of(settings.consent).strip()
    )
