"""Answers that came impossibly fast, and runs of the same answer. Nothing is dropped because of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errata_server.campaign.answers import to_shown_order
from errata_server.campaign.items import Content

WORDS_PER_SECOND = 10.0  # silent reading is about 4 (Brysbaert 2019); nobody reads and judges faster than 10
FAST_SHARE = 0.1  # of an annotator's answers, from which on the annotator is flagged …
FAST_LEAST = 3  # … where there are at least so many
RUN = 10  # same answers one after another, from which on they are flagged
LONG_RUN = 25  # the same for untouched texts, which may simply be right


def is_fast(content: Content, seconds: float | None) -> bool:
    """Whether the texts of a screen cannot have been read in this time."""
    if seconds is None:
        return False
    words = len(content.source.split()) + sum(len(card.text.split()) for card in content.cards)
    return seconds < words / WORDS_PER_SECOND


def kind_of_answer(
    answer: Mapping[str, Any] | None, skipped: str | None, shown: str, content: Content
) -> tuple[str, int]:
    """What an answer is as seen on the screen, and how many such answers in a row are flagged."""
    if answer is None:
        return f"skipped: {skipped}", RUN
    if "text" in answer:
        same = str(answer["text"]).split() == content.source.split()
        return ("untouched", LONG_RUN) if same else ("", RUN)
    if "spans" in answer:
        return ("" if any(answer["spans"]) else "nothing marked"), LONG_RUN
    values = to_shown_order(dict(answer), json.loads(shown))
    given = values.get("ranks") or values.get("scores") or []
    if len(set(given)) == 1 and len(given) > 1:
        return "all equal" if "ranks" in values else f"all {given[0]:g}", RUN
    if given == sorted(given) and "ranks" in values:
        return "in the order of the screen", RUN
    return json.dumps(given), RUN


@dataclass
class Run:
    """The answers of one annotator so far: the last kind, how often in a row, and the longest run.

    All are numbers, so that they can be kept among the sums of a campaign.
    """

    kind: float = 0  # the beginning of a hash; 0 for an answer that is like no other
    length: float = 0
    longest: float = 0  # of those that reached the length from which on they are flagged

    def add(self, kind: str, limit: int) -> bool:
        """Take in an answer; gives whether it is part of a run that is flagged."""
        code = int.from_bytes(hashlib.sha256(kind.encode()).digest()[:6], "big") if kind else 0
        self.length = self.length + 1 if kind and code == self.kind else bool(kind)
        self.kind = code
        if self.length >= limit:
            self.longest = max(self.longest, self.length)
        return self.length >= limit


def said_of(done: int, fast: int, longest: int) -> str:
    """The flags of an annotator in words; empty where there are none."""
    found = []
    if fast >= max(FAST_LEAST, FAST_SHARE * done):
        found.append(f"{fast} of {done} too fast to read")
    if longest:
        found.append(f"the same answer {longest} times in a row")
    return "; ".join(found)
