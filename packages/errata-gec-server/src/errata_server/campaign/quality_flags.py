"""Answers that came impossibly fast, and runs of the same answer. Nothing is dropped because of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from errata_server.application_store import Row
from errata_server.campaign.annotation_tasks import RUN, AnnotationTask
from errata_server.campaign.answer_validation import Answer
from errata_server.campaign.campaign_settings import CampaignSettings
from errata_server.campaign.items import Content, content_of

WORDS_PER_SECOND = 10.0  # silent reading is about 4 (Brysbaert 2019); 10 is implausible
FAST_SHARE = 0.1  # of an annotator's answers, from which on the annotator is flagged …
FAST_LEAST = 3  # … if there are at least this many


def is_fast(content: Content, seconds: float | None) -> bool:
    """Whether the texts of a screen cannot have been read in this time."""
    if seconds is None:
        return False
    words = len(content.source.split()) + sum(len(card.text.split()) for card in content.cards)
    return seconds < words / WORDS_PER_SECOND


def kind_of_answer(
    task: AnnotationTask, answer: Answer | None, skipped: str | None, shown: str, content: Content
) -> tuple[str, int]:
    """A text for how an answer looks on the screen, and from how many in a row such answers are flagged."""
    return (
        (f"skipped: {skipped}", RUN) if answer is None else task.pattern(answer, json.loads(shown), content)
    )


@dataclass
class Run:
    """Equal answers of one annotator in a row: the last kind, its run so far, and the longest flagged run."""

    kind: str = ""  # empty for an answer that is like no other
    length: int = 0
    longest: int = 0

    def add(self, kind: str, limit: int) -> bool:
        """Add an answer; returns whether it is part of a run that is flagged."""
        self.length = self.length + 1 if kind and kind == self.kind else int(bool(kind))
        self.kind = kind
        if self.length >= limit:
            self.longest = max(self.longest, self.length)
        return self.length >= limit


@dataclass
class Work:
    """The screens of one annotator."""

    done: int = 0  # screens answered or skipped
    skipped: int = 0
    controls: int = 0  # that were answered
    failed_controls: int = 0

    def add(self, task: AnnotationTask, item: Row, judgment: Row) -> None:
        """Count the judgment of an item."""
        self.done += 1
        self.skipped += judgment.skipped is not None
        if item.kind == "control" and judgment.answer is not None:
            self.controls += 1
            self.failed_controls += task.failed_control(content_of(item.content), json.loads(judgment.answer))

    def lacks(self, settings: CampaignSettings) -> list[str]:
        """Why the work earns no completion code, in words."""
        reasons = []
        if self.skipped > settings.skips * self.done:
            reasons.append(f"{self.skipped} of {self.done} skipped")
        if self.failed_controls > (1 - settings.pass_share) * self.controls:
            reasons.append(f"{self.failed_controls} of {self.controls} controls failed")
        return reasons


def flags_text(done: int, fast: int, longest: int, others: Sequence[str] = ()) -> str:
    """The flags of an annotator in words; empty where there are none."""
    flags = [*others]
    if fast >= max(FAST_LEAST, FAST_SHARE * done):
        flags.append(f"{fast} of {done} too fast to read")
    if longest:
        flags.append(f"the same answer {longest} times in a row")
    return "; ".join(flags)
