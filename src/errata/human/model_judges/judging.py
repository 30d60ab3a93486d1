"""Let a chat model judge the outputs of systems: every question in both orders, every answer checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from errata.errors import DataError
from errata.human.judgments import JudgedItem, Judgments
from errata.human.model_judges.prompts import Question, by_criteria, by_edits, by_pair, by_sentence
from errata.models.protocols import Chat

METHODS: dict[str, Callable[[str, Sequence[str]], Question]] = {
    "sentence": by_sentence,
    "edits": by_edits,
    "dsgram": by_criteria,
    "pairwise": by_pair,
}
_MOST_TEXTS = 5  # in one prompt
_TRIES = 3


@dataclass
class Report:
    """Judgments of a model, and how it answered.

    `moved` counts the questions that were answered differently when the texts stood in the other order, and
    `invalid` the answers that did not have the form that was asked for.
    """

    judgments: Judgments
    questions: int = 0
    moved: int = 0
    invalid: int = 0
    skipped: int = 0
    _items: list[JudgedItem] = field(default_factory=list, repr=False)


def judge(
    chat: Chat,
    sources: Sequence[str],
    outputs: Mapping[str, Sequence[str]],
    method: str = "sentence",
    *,
    seed: int = 1,
    progress: Callable[[int], None] = lambda _: None,
) -> Report:
    """Judge every segment; systems with the same text share its rank.

    With `pairwise` the model compares any two texts; otherwise up to five are judged together, and more are
    divided into groups in an order that follows from `seed`. The scores of both orders are averaged. Texts
    with equal scores have equal ranks. A question without a valid answer after three attempts is skipped.
    """
    report = Report(Judgments.from_items([]))
    draw = np.random.default_rng(seed)
    for number, source in enumerate(sources):
        writers: dict[str, list[str]] = {}
        for name, lines in outputs.items():
            writers.setdefault(lines[number], []).append(name)
        for texts in _groups(list(writers), method, draw):
            scores = _both_orders(chat, METHODS[method], source, texts, report)
            known = scores or [0.0] * len(texts)
            ranks = [1 + sum(other > score for other in known) for score in known]
            names = tuple(tuple(writers[text]) for text in texts)
            report._items.append(
                JudgedItem(chat.name, str(number + 1), names, tuple(ranks), skipped=scores is None)
            )
        progress(1)
    if report._items and all(item.skipped for item in report._items):
        raise DataError(
            f"none of the {report.invalid} answers of {chat.name} is valid", hint="use a more capable model"
        )
    report.skipped = sum(item.skipped for item in report._items)
    report.judgments = Judgments.from_items(report._items)
    return report


def _groups(texts: list[str], method: str, draw: np.random.Generator) -> Iterator[list[str]]:
    """The texts that are judged together, in random order; single texts need no judgment."""
    order = [texts[i] for i in draw.permutation(len(texts))]
    if method == "pairwise":
        yield from map(list, combinations(order, 2))
        return
    count = -(-len(order) // _MOST_TEXTS)
    for part in range(count):
        group = order[part::count]
        if len(group) > 1:
            yield group


def _both_orders(
    chat: Chat, ask: Callable[[str, Sequence[str]], Question], source: str, texts: list[str], report: Report
) -> list[float] | None:
    """The mean scores of both orders; None if an answer is missing."""
    first = _answered(chat, ask(source, texts), report)
    second = _answered(chat, ask(source, texts[::-1]), report)
    report.questions += 1
    if first is None or second is None:
        return None
    second = second[::-1]
    report.moved += _signs(first) != _signs(second)
    return [round((a + b) / 2, 9) for a, b in zip(first, second, strict=True)]


def _signs(scores: Sequence[float]) -> list[int]:
    return [(a > b) - (a < b) for a, b in combinations(scores, 2)]


def _answered(chat: Chat, question: Question, report: Report) -> list[float] | None:
    """The scores of a valid answer; up to three attempts with different seeds."""
    for seed in range(_TRIES):
        text = chat.ask(question.prompt, schema=question.schema, seed=seed).text
        try:
            return question.scores(json.loads(text[text.index("{") : text.rindex("}") + 1]))
        except (ValueError, KeyError, TypeError):
            report.invalid += 1
    return None
