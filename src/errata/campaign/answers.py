"""What an answer must be for each task, how it meets a known one, and the order cards were shown in."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from errata.campaign.items import Card, Content, Item
from errata.errors import DataError

Answer = dict[str, Any]
MAX_TEXT = 100_000  # characters of a correction
MAX_COMMENT = 4_000
REASONS = ("unclear", "broken", "offensive", "other")  # for skipping an item


class BadAnswerError(ValueError):
    """An answer that does not fit the item; the server refuses it."""


def check_answer(task: str, answer: object, content: Content, scale: int) -> Answer:
    """The answer with nothing in it but what the task asks for."""
    if not isinstance(answer, Mapping):
        raise BadAnswerError("an answer is an object")
    if task == "correction":
        text = answer.get("text")
        if not isinstance(text, str) or len(text) > MAX_TEXT or "\0" in text:
            raise BadAnswerError(f"a correction is a text of at most {MAX_TEXT} characters")
        return {"text": text.replace("\r\n", "\n")}
    if task == "scalars":
        return {"scores": [_number(value, 0, scale) for value in _list(answer, "scores", content)]}
    return {"ranks": [int(_number(v, 1, len(content.cards))) for v in _list(answer, "ranks", content)]}


def _list(answer: Mapping[str, object], name: str, content: Content) -> list[object]:
    values = answer.get(name)
    if not isinstance(values, list) or len(values) != len(content.cards):
        raise BadAnswerError(f"{name} needs {len(content.cards)} values")
    return values


def _number(value: object, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadAnswerError("a rank or score is a number")
    if not low <= value <= high:
        raise BadAnswerError(f"{value} is not between {low} and {high}")
    return value


def to_item_order(answer: Answer, shown: Sequence[int]) -> Answer:
    """The answer to the cards as shown, as an answer to the cards as stored."""
    return {name: _unshuffled(values, shown) for name, values in answer.items()}


def to_shown_order(answer: Answer, shown: Sequence[int]) -> Answer:
    """The inverse: for a page that shows an answer given before."""
    return {
        name: [values[card] for card in shown] if isinstance(values, list) else values
        for name, values in answer.items()
    }


def _unshuffled(values: Any, shown: Sequence[int]) -> Any:
    if not isinstance(values, list):
        return values
    found = list(values)
    for place, card in enumerate(shown):
        found[card] = values[place]
    return found


def failed_control(content: Content, answer: Answer | None) -> bool:
    """Whether the better card of a control was not put above the worse one."""
    if answer is None:
        return False
    values = answer.get("scores") or [-rank for rank in answer.get("ranks", [])]
    return any(values[better] <= values[worse] for better, worse in content.expect)


def agreement_with(content: Content, answer: Answer | None, scale: int) -> float:
    """How far an answer meets the known one, between 0 and 1.

    Ranks: the share of pairs in the right order; scores: one less the mean distance on the scale, doubled;
    corrections: whether it is one of the accepted texts.
    """
    known = content.answer
    if known is None or answer is None:
        return 0.0
    if "texts" in known:
        text = " ".join(str(answer.get("text", "")).split())
        return float(any(text == " ".join(str(right).split()) for right in known["texts"]))
    if "scores" in known:
        apart = [abs(a - b) for a, b in zip(known["scores"], answer["scores"], strict=True)]
        return max(0.0, 1 - 2 * float(sum(apart)) / len(apart) / scale)
    right, given = known["ranks"], answer["ranks"]
    pairs = [(i, j) for i in range(len(right)) for j in range(i)]
    agreed: int = sum(_sign(right[i] - right[j]) == _sign(given[i] - given[j]) for i, j in pairs)
    return agreed / len(pairs)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def read_qualification(path: str | Path, task: str, scale: int) -> list[Item]:
    """Items with known answers, from JSONL: source, outputs and ranks or scores; or source and texts."""
    from errata.corpus.files import read_lines

    found = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            found.append(_qualification(json.loads(line), task, scale))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"not an item with a known answer: {error}",
                path=path,
                line=number,
                hint='{"source": …, "outputs": [a, b], "ranks": [1, 2]}; or "scores"; corrections: "texts"',
            ) from None
    if not found:
        raise DataError("no items in it", path=path)
    return found


def _qualification(values: Mapping[str, Any], task: str, scale: int) -> Item:
    source = str(values["source"])
    if task == "correction":
        texts = values["texts"]
        if not isinstance(texts, list) or not texts:
            raise ValueError("texts is a list of accepted corrections")
        return Item(
            Content(source, answer={"texts": [str(text) for text in texts]}), "qualification", needed=0
        )
    cards = tuple(Card(str(text), ()) for text in values["outputs"])
    if len(cards) < 2:
        raise ValueError("fewer than two outputs")
    content = Content(source, values.get("reference"), cards)
    answer = check_answer(task, values, content, scale)
    return Item(Content(source, content.reference, cards, answer=answer), "qualification", needed=0)
