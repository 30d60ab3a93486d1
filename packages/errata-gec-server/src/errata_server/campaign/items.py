"""Items, which annotators see on a screen, and the segments that they come from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

CONTROLS = ("control:reference", "control:source", "control:damaged")  # in the place of systems' names


@dataclass(frozen=True)
class Card:
    """One text on the screen, and the systems that wrote it."""

    text: str
    systems: tuple[str, ...]


@dataclass(frozen=True)
class Content:
    """The texts that an item shows, and the expected answer if there is one."""

    source: str
    reference: str | None = None
    cards: tuple[Card, ...] = ()
    expect: tuple[tuple[int, int], ...] = ()  # control: the first card is better than the second
    answer: Mapping[str, Any] | None = None  # qualification: the right answer
    document: str = ""
    # Of each card: start, end and text. Task edits: what changed the source. Task esa: marks to begin with
    edits: tuple[tuple[tuple[int, int, str], ...], ...] = ()
    chances: tuple[float, ...] = ()  # adaptive: of each pair of cards to be shown; empty if all are equal

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Content:
        values = json.loads(text)
        values["cards"] = tuple(Card(card["text"], tuple(card["systems"])) for card in values["cards"])
        values["expect"] = tuple((a, b) for a, b in values["expect"])
        values["edits"] = tuple(tuple(map(tuple, edits)) for edits in values.get("edits", ()))
        values["chances"] = tuple(values.get("chances", ()))
        return cls(**values)


@lru_cache(maxsize=20_000)
def content_of(text: str) -> Content:
    """The content in a row of the table of items; cached, since rows are read many times."""
    return Content.from_json(text)


@dataclass(frozen=True)
class Segment:
    """A segment of the campaign with the output of every system."""

    id: int
    source: str
    document: str = ""
    reference: str | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # metric -> system -> score


@dataclass(frozen=True)
class Selection:
    """How many segments a corpus has, how many of them are judged, and why the others are not."""

    segments: int
    judged: int
    empty: int = 0  # without a source
    unchanged: int = 0  # all systems left the source as it is
    identical: int = 0  # all systems made the same change, and there is nothing to compare
    unsampled: int = 0  # not drawn

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    def text(self) -> str:
        """One sentence for people."""
        reasons = [
            f"{number:,} {what}"
            for number, what in (
                (self.unchanged, "that all systems left unchanged"),
                (self.identical, "that all systems changed in the same way"),
                (self.empty, "without text"),
                (self.unsampled, "outside of the sample"),
            )
            if number
        ]
        left_out = f"; left out: {', '.join(reasons)}" if reasons else ""
        return f"{self.judged:,} of {self.segments:,} segments are judged{left_out}"


@dataclass(frozen=True)
class Item:
    """An item before it is stored."""

    content: Content
    kind: str = "main"
    segment: int | None = None
    needed: int = 1


def merged(outputs: Mapping[str, str]) -> list[Card]:
    """One card per distinct text of the systems; white space does not count."""
    texts: dict[str, list[str]] = {}
    for name, text in outputs.items():
        texts.setdefault(" ".join(text.split()), []).append(name)
    return [Card(text, tuple(names)) for text, names in texts.items()]


def with_cards(cards: Sequence[Card], added: Sequence[tuple[str, str]], most: int | None) -> list[Card]:
    """The cards with some texts among them, and the names of their writers; at most `most` cards."""
    systems = {card.text: card.systems for card in cards}
    for text, name in added:
        systems[text] = (*systems.get(text, ()), *([name] if name else []))
    texts = [text for text, _ in added]
    others = [text for text in systems if text not in texts]
    if most is not None:
        others = others[: max(0, most - len(texts))]
    return [Card(text, systems[text]) for text in (*others, *texts)]


def damaged(text: str, random: np.random.Generator) -> str | None:
    """The text made clearly worse: about a third of its words dropped, doubled or swapped."""
    words = text.split()
    if len(words) < 4:
        return None
    for place in sorted(random.permutation(len(words) - 1)[: max(2, len(words) // 3)].tolist(), reverse=True):
        kind = int(random.integers(3))
        if kind == 0 and len(words) > 3:
            del words[place]
        elif kind == 1:
            words.insert(place, words[place])
        elif place + 1 < len(words):
            words[place], words[place + 1] = words[place + 1], words[place]
    result = " ".join(words)
    return None if result == text else result
