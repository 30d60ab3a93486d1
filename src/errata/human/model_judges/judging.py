"""Let a chat model judge the outputs of systems: every question in both orders, every answer checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from errata.errors import DataError
from errata.human.judgments import JudgedItem, Judgments
from errata.human.model_judges.prompts import (
    Question,
    by_criteria,
    by_edits,
    by_pair,
    by_sentence,
    chances,
)
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
    `invalid` the answers that did not have the form that was asked for. Of all pairs of texts in single
    answers, `decided` counts those with different scores, and `ahead` those where the text that stood first
    is preferred: half of them if places do not matter.
    """

    judgments: Judgments
    questions: int = 0
    moved: int = 0
    invalid: int = 0
    skipped: int = 0
    decided: int = 0
    ahead: int = 0
    _items: list[JudgedItem] = field(default_factory=list, repr=False)


def judge(
    chat: Chat,
    sources: Sequence[str],
    outputs: Mapping[str, Sequence[str]],
    method: str = "sentence",
    *,
    lines: Sequence[int] | None = None,
    probabilities: bool = False,
    seed: int = 1,
    progress: Callable[[int], None] = lambda _: None,
    may_fail: bool = False,
) -> Report:
    """Judge every segment, or those with the numbers `lines`; systems with the same text share its rank.

    With `pairwise` the model compares any two texts; otherwise up to five are judged together, and more are
    divided into groups in an order that follows from `seed`. The scores of both orders are averaged. Texts
    with equal scores have equal ranks. A question without a valid answer after three attempts is skipped.
    With `probabilities`, a score is the expected value over the model's probabilities of all numbers. If no
    answer is valid, that is an error, unless it `may_fail`: then all items are skipped.
    """
    report = Report(Judgments.from_items([]))
    draw = np.random.default_rng(seed)
    asking = Asking(chat, METHODS[method], probabilities)
    for number in range(len(sources)) if lines is None else lines:
        writers: dict[str, list[str]] = {}
        for name, texts_of_system in outputs.items():
            writers.setdefault(texts_of_system[number], []).append(name)
        for texts in _groups(list(writers), method, draw):
            scores = _both_orders(asking, sources[number], texts, report)
            known = scores or [0.0] * len(texts)
            ranks = [1 + sum(other > score for other in known) for score in known]
            names = tuple(tuple(writers[text]) for text in texts)
            report._items.append(
                JudgedItem(chat.name, str(number + 1), names, tuple(ranks), skipped=scores is None)
            )
        progress(1)
    report.skipped = sum(item.skipped for item in report._items)
    report.judgments = Judgments.from_items(report._items)
    if not may_fail and report._items and report.skipped == len(report._items):
        raise DataError(
            f"none of the {report.invalid} answers of {chat.name} is valid", hint="use a more capable model"
        )
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


@dataclass(frozen=True)
class Asking:
    """How a question is asked: of whom, in which form, and whether probabilities count."""

    chat: Chat
    question: Callable[[str, Sequence[str]], Question]
    probabilities: bool = False

    def scores(self, source: str, texts: Sequence[str], report: Report) -> list[float] | None:
        """The scores of a valid answer in up to three attempts with different seeds, or None."""
        question = self.question(source, texts)
        for seed in range(_TRIES):
            answer = self.chat.ask(
                question.prompt, schema=question.schema, seed=seed, alternatives=self.probabilities
            )
            try:
                text = answer.text
                scores = question.scores(json.loads(text[text.index("{") : text.rindex("}") + 1]))
                if self.probabilities and question.expected is not None:
                    scores = question.expected(chances(answer, question.numbers))
            except (ValueError, KeyError, TypeError):
                report.invalid += 1
                continue
            signs = _signs(scores)
            report.decided += sum(map(abs, signs))
            report.ahead += signs.count(1)
            return scores
        return None


def _both_orders(asking: Asking, source: str, texts: list[str], report: Report) -> list[float] | None:
    """The mean scores of both orders; None if an answer is missing."""
    first = asking.scores(source, texts, report)
    second = asking.scores(source, texts[::-1], report)
    report.questions += 1
    if first is None or second is None:
        return None
    second = second[::-1]
    report.moved += _signs(first) != _signs(second)
    return [round((a + b) / 2, 9) for a, b in zip(first, second, strict=True)]


def _signs(scores: Sequence[float]) -> list[int]:
    return [(a > b) - (a < b) for a, b in combinations(scores, 2)]
