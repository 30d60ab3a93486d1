"""What an answer must be for each task, how it meets a known one, and the order cards were shown in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from errata.errors import DataError
from errata_server.campaign.items import Card, Content, Item
from errata_server.campaign.settings import SEVERITIES, Settings
from errata_server.refused import Refused

Answer = dict[str, Any]
MAX_TEXT = 100_000  # characters of a correction
MAX_COMMENT = 4_000
MAX_SPANS = 200  # marks in one text
KEY = re.compile(r"[A-Za-z0-9-]{8,64}")  # what the page gives a judgment, so that it is stored once
MAX_REVISION = 100_000
REASONS = ("unclear", "broken", "offensive", "other")  # for skipping an item


class BadAnswerError(Refused, ValueError):
    """An answer that does not fit the item."""

    def __init__(self, message: str) -> None:
        super().__init__(400, message)


def check_answer(answer: object, content: Content, settings: Settings) -> Answer:
    """The answer with nothing in it but what the task asks for."""
    if not isinstance(answer, Mapping):
        raise BadAnswerError("an answer is an object")
    task, scale = settings.task, settings.scale
    if task == "correction":
        return {"text": check_text(answer.get("text"), MAX_TEXT, "a correction").replace("\r\n", "\n")}
    cards = len(content.cards)
    if task == "spans":
        lists = _list(answer, "spans", cards)
        return {
            "spans": [
                _spans(spans, len(card.text.split()), settings)
                for spans, card in zip(lists, content.cards, strict=True)
            ]
        }
    if task == "scalars":
        return {"scores": [_score(value, scale) for value in _list(answer, "scores", cards)]}
    return {"ranks": [_rank(value, cards) for value in _list(answer, "ranks", cards)]}


def _spans(given: object, tokens: int, settings: Settings) -> list[Answer]:
    """The marks in one text of so many tokens, in order and each once."""
    if not isinstance(given, list) or len(given) > MAX_SPANS:
        raise BadAnswerError(f"marks are a list of at most {MAX_SPANS}")
    found: dict[tuple[int, int, str, str], Answer] = {}
    for span in given:
        if not isinstance(span, Mapping) or set(span) != {"start", "end", "category", "severity"}:
            raise BadAnswerError("a mark has start, end, category and severity")
        start = check_whole(span["start"], 0, tokens - 1, "the start of a mark")
        end = check_whole(span["end"], start + 1, tokens, "the end of a mark")
        category, severity = span["category"], span["severity"]
        if category not in settings.categories:
            raise BadAnswerError(f"a category is one of {', '.join(settings.categories)}")
        if severity not in SEVERITIES:
            raise BadAnswerError(f"a severity is one of {', '.join(SEVERITIES)}")
        found[start, end, category, severity] = dict(span)
    return [found[key] for key in sorted(found)]


def typing_of(answer: object) -> Answer:
    """What an exported correction says of the text as it was typed; empty where it says nothing."""
    if not isinstance(answer, Mapping) or "typed" not in answer:
        return {}
    if not isinstance(answer.get("exact"), bool):
        raise BadAnswerError("exact is true or false")
    return {"typed": check_text(answer["typed"], MAX_TEXT, "typed"), "exact": answer["exact"]}


def check_draft(draft: object, content: Content, settings: Settings) -> Answer:
    """Unfinished work with nothing in it but what the page can go on with; values may be missing."""
    task, cards, scale = settings.task, len(content.cards), settings.scale
    if not isinstance(draft, Mapping):
        raise BadAnswerError("a draft is an object")
    answer, comment = draft.get("answer"), check_comment(draft.get("comment", ""))
    if not isinstance(answer, Mapping):
        raise BadAnswerError("the answer in a draft is an object")
    name = {"correction": "text", "scalars": "scores", "spans": "spans"}.get(task, "ranks")
    if answer.get(name) is None:
        return {"answer": {}, "comment": comment}
    if task == "correction":
        return {"answer": {name: check_text(answer[name], MAX_TEXT, "a correction")}, "comment": comment}
    if task == "spans":
        return {"answer": check_answer(answer, content, settings), "comment": comment}
    kept = [
        None if value is None else _score(value, scale) if task == "scalars" else _rank(value, cards)
        for value in _list(answer, name, cards)
    ]
    return {"answer": {name: kept}, "comment": comment}


def check_text(value: object, most: int, what: str) -> str:
    """A text that can be stored: not too long, without NUL characters and lone surrogates."""
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        raise BadAnswerError(f"{what} is a text of at most {most} characters")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise BadAnswerError(f"{what} contains half of a character (a lone surrogate)") from None
    return value


def check_comment(value: object) -> str:
    return check_text(value, MAX_COMMENT, "a comment")


def check_seconds(value: object) -> float | None:
    """Seconds on task; None where they are not known."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 86_400:
        raise BadAnswerError("seconds is a number of seconds within a day")
    return float(value)


def check_whole(value: object, low: int, high: int, what: str) -> int:
    """A whole number between two bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadAnswerError(f"{what} is a whole number from {low} to {high}")
    return value


def _list(answer: Mapping[str, object], name: str, cards: int) -> list[object]:
    values = answer.get(name)
    if not isinstance(values, list) or len(values) != cards:
        raise BadAnswerError(f"{name} needs {cards} values")
    return values


def _rank(value: object, cards: int) -> int:
    return check_whole(value, 1, cards, "a rank")


def _score(value: object, scale: int) -> float:
    # The bounds come before anything that a huge whole number or NaN could break.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= scale:
        raise BadAnswerError(f"a score is a number from 0 to {scale}")
    return value


def to_item_order(answer: Answer, shown: Sequence[int]) -> Answer:
    """The answer to the cards as shown, as an answer to the cards as stored."""
    return to_shown_order(answer, sorted(range(len(shown)), key=lambda place: shown[place]))


def to_shown_order(answer: Answer, shown: Sequence[int]) -> Answer:
    """The inverse: for a page that shows an answer given before."""
    return {
        name: [values[card] for card in shown] if isinstance(values, list) else values
        for name, values in answer.items()
    }


def failed_control(content: Content, answer: Answer | None) -> bool:
    """Whether the better card of a control was not put above the worse one, or damage was not marked."""
    if answer is None:
        return False
    if "spans" in answer:  # a damaged text in which nothing was marked
        return bool(content.expect) and not any(answer["spans"])
    values = answer.get("scores") or [-rank for rank in answer.get("ranks", [])]
    return any(values[better] <= values[worse] for better, worse in content.expect)


def agreement_with(content: Content, answer: Answer | None, scale: int) -> float:
    """How far an answer meets the known one, between 0 and 1.

    Ranks: the share of pairs in the right order; scores: one less the mean distance on the scale, doubled;
    corrections: whether it is one of the accepted texts; spans: F1 of the marked tokens.
    """
    known = content.answer
    if known is None or answer is None:
        return 0.0
    if "texts" in known:
        text = " ".join(str(answer.get("text", "")).split())
        return float(any(text == " ".join(str(right).split()) for right in known["texts"]))
    if "spans" in known:
        right, given = (
            {place for span in one["spans"][0] for place in range(span["start"], span["end"])}
            for one in (known, answer)
        )
        return 2 * len(right & given) / (len(right) + len(given)) if right or given else 1.0
    if "scores" in known:
        apart = [abs(a - b) for a, b in zip(known["scores"], answer["scores"], strict=True)]
        return max(0.0, 1 - 2 * float(sum(apart)) / len(apart) / scale)
    ranks, ours = known["ranks"], answer["ranks"]
    pairs = [(i, j) for i in range(len(ranks)) for j in range(i)]
    agreed: int = sum(_sign(ranks[i] - ranks[j]) == _sign(ours[i] - ours[j]) for i, j in pairs)
    return agreed / len(pairs)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def read_qualification(path: str | Path, settings: Settings) -> list[Item]:
    """Items with known answers, from JSONL: source, outputs and ranks or scores; or source and texts."""
    from errata.corpus.files import read_lines

    found = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            found.append(_qualification(json.loads(line), settings))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"not an item with a known answer: {error}",
                path=path,
                line=number,
                hint='{"source": …, "outputs": [a, b], "ranks": [1, 2]}; or "scores", "spans" or "texts"',
            ) from None
    if not found:
        raise DataError("no items in it", path=path)
    return found


def _qualification(values: Mapping[str, Any], settings: Settings) -> Item:
    source = str(values["source"])
    if settings.task == "correction":
        texts = values["texts"]
        if not isinstance(texts, list) or not texts:
            raise ValueError("texts is a list of accepted corrections")
        return Item(
            Content(source, answer={"texts": [str(text) for text in texts]}), "qualification", needed=0
        )
    cards = tuple(Card(str(text), ()) for text in values["outputs"])
    if settings.task == "spans" and len(cards) != 1:
        raise ValueError("not one output")
    if settings.task != "spans" and len(cards) < 2:
        raise ValueError("fewer than two outputs")
    content = Content(source, values.get("reference"), cards)
    answer = check_answer(values, content, settings)
    return Item(Content(source, content.reference, cards, answer=answer), "qualification", needed=0)
