"""What annotators see: cards of merged outputs, controls with a known answer, qualification items."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from errata.corpus.model import Corpus
from errata.errors import DataError
from errata_server.campaign.settings import Settings

CONTROLS = ("control:reference", "control:source", "control:damaged")  # stand where systems' names do


@dataclass(frozen=True)
class Card:
    """One text on the screen, and the systems that wrote it."""

    text: str
    systems: tuple[str, ...]


@dataclass(frozen=True)
class Content:
    """What an item shows, and what is known of its answer."""

    source: str
    reference: str | None = None
    cards: tuple[Card, ...] = ()
    expect: tuple[tuple[int, int], ...] = ()  # control: the first card is better than the second
    answer: Mapping[str, Any] | None = None  # qualification: the right answer
    document: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Content:
        values = json.loads(text)
        values["cards"] = tuple(Card(card["text"], tuple(card["systems"])) for card in values["cards"])
        values["expect"] = tuple((a, b) for a, b in values["expect"])
        return cls(**values)


@lru_cache(maxsize=20_000)
def content_of(text: str) -> Content:
    """The content in a row of the table of items, which is needed again and again."""
    return Content.from_json(text)


@dataclass(frozen=True)
class Segment:
    """A segment of the campaign with what every system made of it."""

    id: int
    source: str
    document: str = ""
    reference: str | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """An item before it is stored."""

    content: Content
    kind: str = "main"
    segment: int | None = None
    needed: int = 1


def segments_of(
    corpus: Corpus, outputs: Mapping[str, Sequence[str]], unit: str = "sentence"
) -> list[Segment]:
    """The segments of a campaign; with unit `document` a document is one, a sentence a line."""
    found = []
    for index, segment in enumerate(corpus):
        reference = next(iter(segment.references), None)
        made = {name: texts[index] for name, texts in outputs.items()}
        found.append(Segment(index, segment.source, segment.document or "", reference, made))
    if unit == "sentence":
        return found
    groups: dict[str, list[Segment]] = {}
    for one in found:
        groups.setdefault(one.document, []).append(one)
    if set(groups) == {""}:
        raise DataError("no segment says which document it belongs to", hint="give a side file: meta = [...]")
    return [
        Segment(number, "\n".join(part.source for part in parts), document)
        for number, (document, parts) in enumerate(groups.items())
    ]


def merged(outputs: Mapping[str, str]) -> list[Card]:
    """Cards of the systems' texts; those that differ in white space only are one."""
    texts: dict[str, list[str]] = {}
    for name, text in outputs.items():
        texts.setdefault(" ".join(text.split()), []).append(name)
    return [Card(text, tuple(names)) for text, names in texts.items()]


def build_items(segments: Sequence[Segment], settings: Settings) -> list[Item]:
    """The items of a campaign whose screens are known beforehand (all but adaptive rankings)."""
    random = np.random.default_rng([settings.seed, 1])
    found: list[Item] = []
    for segment in segments:
        reference = segment.reference if settings.show_reference else None
        for cards in _screens(segment, settings, random):
            content = Content(segment.source, reference, tuple(cards), document=segment.document)
            found.append(Item(content, "main", segment.id, settings.redundancy))
    found = _with_overlap(found, settings, random)
    if settings.task != "correction" and settings.controls:
        found = _with_controls(found, {segment.id: segment for segment in segments}, settings, random)
    return found


def _screens(segment: Segment, settings: Settings, random: np.random.Generator) -> list[list[Card]]:
    """The sets of cards that a segment is judged in."""
    if settings.task == "correction":
        return [[]]
    cards = merged(segment.outputs)
    if settings.task == "scalars":
        return [cards]
    if settings.task == "spans":
        return [[card] for card in cards]
    if len(cards) < 2:
        return []
    size = 2 if settings.task == "pairwise" else settings.cards
    found: list[list[Card]] = []
    pile: list[int] = []
    for _ in range(settings.screens):
        if settings.task == "ranking" and len(cards) <= size and found:
            break  # all outputs were on the first screen
        if len(pile) < size:  # every text is dealt once before any is dealt again
            rest = [int(i) for i in random.permutation(len(cards)) if i not in pile]
            pile += rest
        chosen, pile = pile[:size], pile[size:]
        found.append([cards[i] for i in sorted(chosen)])
    return found


def _with_overlap(found: list[Item], settings: Settings, random: np.random.Generator) -> list[Item]:
    """A share of the items is judged by one annotator more."""
    if settings.people <= settings.redundancy:
        return found
    chosen = set(random.permutation(len(found))[: round(settings.overlap * len(found))].tolist())
    return [replace(item, needed=item.needed + 1) if i in chosen else item for i, item in enumerate(found)]


def _with_controls(
    found: list[Item], segments: Mapping[int, Segment], settings: Settings, random: np.random.Generator
) -> list[Item]:
    """A share of the items gets one card whose place is known."""
    changed = list(found)
    wanted = max(1, round(settings.controls * len(found)))
    for i in random.permutation(len(found)).tolist():
        if wanted == 0:
            break
        item = found[i]
        control = control_of(item.content, segments[item.segment or 0].reference, settings, random)
        if control is not None:
            made = Item(control, "control", item.segment, item.needed)
            if settings.task == "spans":  # the text itself is still to be marked
                changed.append(made)
            else:
                changed[i] = made
            wanted -= 1
    return changed


def control_of(
    content: Content, reference: str | None, settings: Settings, random: np.random.Generator
) -> Content | None:
    """The item with a pair of cards of known order: reference over source, or a text over its ruin.

    None where the item cannot carry one (its texts are too short or the same). Where spans are marked, it is
    a ruined text in which there must be something to mark.
    """
    if settings.task == "spans":
        spoilt = damaged(content.cards[0].text, random)
        if spoilt is None:
            return None
        card = Card(spoilt, (CONTROLS[2],))
        return Content(content.source, content.reference, (card,), ((0, 0),), None, content.document)
    room = 2 if settings.task == "pairwise" else max(settings.cards, 2)
    cards = list(content.cards)
    source, good = (" ".join((text or "").split()) for text in (content.source, reference))
    if good and good != source and random.random() < 0.5:
        cards = _replace(cards, [(good, CONTROLS[0]), (source, CONTROLS[1])], room, settings.task)
        texts = [card.text for card in cards]
        pair = (texts.index(good), texts.index(source))
    else:
        victim = int(random.integers(len(cards)))
        ruin = damaged(cards[victim].text, random)
        if ruin is None or ruin in [card.text for card in cards]:
            return None
        kept = cards[victim]
        cards = _replace(cards, [(kept.text, ""), (ruin, CONTROLS[2])], room, settings.task)
        texts = [card.text for card in cards]
        pair = (texts.index(kept.text), texts.index(ruin))
    return Content(content.source, content.reference, tuple(cards), (pair,), None, content.document)


def _replace(cards: list[Card], wanted: list[tuple[str, str]], room: int, task: str) -> list[Card]:
    """The cards with the wanted texts among them, no more than there is room for."""
    kept = {card.text: card.systems for card in cards}
    for text, name in wanted:
        kept[text] = (*kept.get(text, ()), *([name] if name else []))
    texts = [text for text, _ in wanted]
    others = [text for text in kept if text not in texts]
    if task != "scalars":  # a scalar screen shows all versions
        others = others[: max(0, room - len(texts))]
    return [Card(text, kept[text]) for text in (*others, *texts)]


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
    ruin = " ".join(words)
    return None if ruin == text else ruin
