"""The kinds of annotation tasks: their screens, controls, answers and exports. One class is one kind."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, Strict, StrictBool, TypeAdapter

from errata.corpus.apply_edits import levenshtein_edits
from errata_server.campaign.answer_validation import (
    MAX_SPANS,
    Answer,
    BadAnswerError,
    CorrectedText,
    Mark,
    parsed,
    to_shown_order,
)
from errata_server.campaign.items import CONTROLS, Card, Content, Segment, damaged, merged, with_cards

if TYPE_CHECKING:
    from errata_server.campaign.campaign_settings import CampaignSettings

_TEXT: TypeAdapter[str] = TypeAdapter(CorrectedText)
_BOOLEAN: TypeAdapter[bool] = TypeAdapter(StrictBool)
_OPEN_LABELS: TypeAdapter[Any] = TypeAdapter(list[list[StrictBool | None]])
RUN = 10  # equal answers in a row from which on they are flagged
LONG_RUN = 25  # the same for untouched texts, which may simply be right


class AnnotationTask(ABC):
    """The work of annotators in a campaign. Defaults are those of most tasks."""

    field: ClassVar[str]  # of an answer: one value per card, or a text
    formats: ClassVar[tuple[str, ...]]  # of exports
    result: ClassVar[str]  # what judgments are to other programs: rankings, scores, corrections
    least_systems: ClassVar[int] = 2
    least_cards: ClassVar[int] = 2  # of a qualification item
    compares: ClassVar[bool] = False  # a segment needs different outputs
    can_be_adaptive: ClassVar[bool] = True
    can_repeat: ClassVar[bool] = True  # annotators may get items a second time
    in_order: ClassVar[bool] = False  # items come in the order of the corpus
    has_context: ClassVar[bool] = False  # screens show the document around a sentence
    marks_tokens: ClassVar[bool] = False
    shows_source: ClassVar[bool] = True
    judges_corrections: ClassVar[bool] = False  # those of the corpus; people do not judge their own
    control_replaces_item: ClassVar[bool] = True

    def __init__(self, settings: CampaignSettings) -> None:
        self.settings = settings
        value = self.value_type()
        self._values: TypeAdapter[Any] = TypeAdapter(list[value])  # type: ignore[valid-type]
        self._draft_values: TypeAdapter[Any] = TypeAdapter(list[value | None])  # type: ignore[valid-type]

    def value_type(self) -> Any:
        """The type of an answer's value for one card, for pydantic."""
        return Any

    @property
    def makes_screens(self) -> bool:
        """Whether screens are made when they are needed, of the systems whose order is in doubt."""
        return self.compares and self.settings.assignment == "adaptive"

    @property
    def unit(self) -> str:
        """The unit that one screen shows: a sentence or a document."""
        return "sentence"

    @property
    def most_cards(self) -> int | None:
        """Cards on one screen; None for any number."""
        return None

    def prepared(self, content: Content, segment: Segment | None) -> Content:
        """The content of an item with all that its screen needs; qualification items have no segment."""
        return content

    @abstractmethod
    def screens(self, segment: Segment, random: np.random.Generator) -> list[list[Card]]:
        """The sets of cards in which a segment is judged."""

    def control(self, content: Content, reference: str | None, random: np.random.Generator) -> Content | None:
        """The item with two cards of known order: reference over source, or a text over a damaged copy.

        None if the item cannot have one (its texts are too short or the same).
        """
        cards = list(content.cards)
        source, good = (" ".join((text or "").split()) for text in (content.source, reference))
        if good and good != source and random.random() < 0.5:
            better, worse, added = good, source, [(good, CONTROLS[0]), (source, CONTROLS[1])]
        else:
            better = cards[int(random.integers(len(cards)))].text
            copy = damaged(better, random)
            if copy is None or copy in [card.text for card in cards]:
                return None
            worse, added = copy, [(better, ""), (copy, CONTROLS[2])]
        cards = with_cards(cards, added, self.most_cards)
        texts = [card.text for card in cards]
        pair = (texts.index(better), texts.index(worse))
        return Content(content.source, content.reference, tuple(cards), (pair,), None, content.document)

    def check_answer(self, answer: object, content: Content) -> Answer:
        """The answer with nothing in it but what the task asks for."""
        if not isinstance(answer, Mapping):
            raise BadAnswerError("an answer is an object")
        return {self.field: self._checked(answer, content, self._values)}

    def check_draft(self, answer: Mapping[str, object], content: Content) -> Answer:
        """The answer of unfinished work; values may be missing."""
        if answer.get(self.field) is None:
            return {}
        return {self.field: self._checked(answer, content, self._draft_values)}

    def _checked(self, answer: Mapping[str, object], content: Content, kind: TypeAdapter[Any]) -> list[Any]:
        values: list[Any] = parsed(kind, answer.get(self.field))
        if len(values) != len(content.cards):
            raise BadAnswerError(f"{self.field} needs {len(content.cards)} values")
        return [
            None if value is None else self.check_value(value, content, card)
            for card, value in enumerate(values)
        ]

    def check_value(self, value: Any, content: Content, card: int) -> Any:
        """The value of one card; an error if it does not fit the item."""
        return value

    def check_imported(self, answer: object, content: Content) -> Answer:
        """The answer of a judgment that was made elsewhere."""
        return self.check_answer(answer, content)

    def check_cards(self, cards: int) -> None:
        """Raise an error unless a screen of another campaign could be one of this task."""
        if not cards or (self.most_cards == 2 and cards > 2):
            raise BadAnswerError(f"{cards} cards do not make a {self.settings.task} screen")

    def qualification(self, values: Mapping[str, Any]) -> Content:
        """An item with a known answer, from a line of the qualification file."""
        cards = tuple(Card(str(text), ()) for text in values["outputs"])
        if len(cards) < self.least_cards:
            raise ValueError(f"fewer than {self.least_cards} outputs")
        content = Content(str(values["source"]), values.get("reference"), cards)
        content = self.prepared(content, None)
        return replace(content, answer=self.check_answer(values, content))

    def failed_control(self, content: Content, answer: Answer | None) -> bool:
        """Whether the better card of a control was not put above the worse one."""
        if answer is None:
            return False
        quality = self.quality(answer)
        return any(quality[better] <= quality[worse] for better, worse in content.expect)

    def quality(self, answer: Answer) -> Sequence[float]:
        """A number for each card; the higher, the better."""
        return list(answer[self.field])

    @abstractmethod
    def similarity(self, expected: Answer, answer: Answer) -> float:
        """How far an answer equals the expected one, between 0 and 1."""

    @abstractmethod
    def pattern(self, answer: Answer, shown: Sequence[int], content: Content) -> tuple[str, int]:
        """A text for how an answer looks on the screen, and from how many in a row such answers are flagged.

        The text is empty for an answer that is like no other.
        """

    def describe(self, answer: Answer, content: Content) -> dict[str, Any]:
        """An answer on the admin's page of an item."""
        return {"values": answer[self.field]}


class RankingTask(AnnotationTask):
    """Rank several outputs; ties are allowed."""

    field = "ranks"
    formats = ("jsonl", "appraise", "pairwise", "wmt", "mturk")
    result = "rankings"
    compares = True

    @property
    def most_cards(self) -> int:
        return self.settings.cards

    def screens(self, segment: Segment, random: np.random.Generator) -> list[list[Card]]:
        cards, size = merged(segment.outputs), self.most_cards
        if len(cards) < 2:
            return []
        dealt: list[list[Card]] = []
        pile: list[int] = []
        for _ in range(self.settings.screens):
            if dealt and self._shows_all(cards):
                break
            if len(pile) < size:  # every text is dealt once before any is dealt again
                pile += [int(i) for i in random.permutation(len(cards)) if i not in pile]
            chosen, pile = pile[:size], pile[size:]
            dealt.append([cards[i] for i in sorted(chosen)])
        return dealt

    def _shows_all(self, cards: Sequence[Card]) -> bool:
        """Whether one screen has all outputs, so that a second one would be the same."""
        return len(cards) <= self.most_cards

    def value_type(self) -> Any:
        return Annotated[int, Strict(), Field(ge=1)]

    def check_value(self, value: int, content: Content, card: int) -> int:
        if value > len(content.cards):
            raise BadAnswerError(f"a rank is a whole number from 1 to {len(content.cards)}")
        return value

    def quality(self, answer: Answer) -> Sequence[float]:
        return [-rank for rank in answer["ranks"]]

    def similarity(self, expected: Answer, answer: Answer) -> float:
        """The share of pairs in the right order."""
        right, ranks = expected["ranks"], answer["ranks"]
        pairs = [(i, j) for i in range(len(right)) for j in range(i)]
        agreed: int = sum(_sign(right[i] - right[j]) == _sign(ranks[i] - ranks[j]) for i, j in pairs)
        return agreed / len(pairs)

    def pattern(self, answer: Answer, shown: Sequence[int], content: Content) -> tuple[str, int]:
        ranks = to_shown_order(answer, shown)["ranks"]
        if len(set(ranks)) == 1 and len(ranks) > 1:
            return "all equal", RUN
        return ("in the order of the screen" if ranks == sorted(ranks) else json.dumps(ranks)), RUN


class PairwiseTask(RankingTask):
    """Choose the better of two outputs, or neither."""

    @property
    def most_cards(self) -> int:
        return 2

    def _shows_all(self, cards: Sequence[Card]) -> bool:
        return False  # the settings say how often two outputs are compared


class ScalarTask(AnnotationTask):
    """Score all versions of a sentence."""

    field = "scores"
    formats = ("jsonl", "scalar")
    result = "scores"
    in_order = True
    has_context = True

    def screens(self, segment: Segment, random: np.random.Generator) -> list[list[Card]]:
        return [merged(segment.outputs)]

    def value_type(self) -> Any:
        return score_type(self.settings.scale)

    def similarity(self, expected: Answer, answer: Answer) -> float:
        """One less the mean distance on the scale, doubled."""
        apart = [abs(a - b) for a, b in zip(expected["scores"], answer["scores"], strict=True)]
        return max(0.0, 1 - 2 * float(sum(apart)) / len(apart) / self.settings.scale)

    def pattern(self, answer: Answer, shown: Sequence[int], content: Content) -> tuple[str, int]:
        scores = to_shown_order(answer, shown)["scores"]
        same = len(set(scores)) == 1 and len(scores) > 1
        return (f"all {scores[0]:g}" if same else json.dumps(scores)), RUN


class CorrectionTask(AnnotationTask):
    """Write a correction of a sentence or a document."""

    field = "text"
    formats = ("jsonl", "m2", "tsv")
    result = "corrections"
    least_systems = 0
    can_be_adaptive = False
    can_repeat = False
    in_order = True

    @property
    def unit(self) -> str:
        return self.settings.unit

    def screens(self, segment: Segment, random: np.random.Generator) -> list[list[Card]]:
        return [[]]

    def control(self, content: Content, reference: str | None, random: np.random.Generator) -> Content | None:
        return None

    def check_answer(self, answer: object, content: Content) -> Answer:
        if not isinstance(answer, Mapping):
            raise BadAnswerError("an answer is an object")
        return {"text": parsed(_TEXT, answer.get("text")).replace("\r\n", "\n")}

    def check_draft(self, answer: Mapping[str, object], content: Content) -> Answer:
        return {} if answer.get("text") is None else {"text": parsed(_TEXT, answer["text"])}

    def check_imported(self, answer: object, content: Content) -> Answer:
        """An exported correction may have the text as it was typed."""
        checked = self.check_answer(answer, content)
        if not isinstance(answer, Mapping) or "typed" not in answer:
            return checked
        exact = parsed(_BOOLEAN, answer.get("exact"))
        return {**checked, "typed": parsed(_TEXT, answer["typed"]), "exact": exact}

    def check_cards(self, cards: int) -> None:
        if cards:
            raise BadAnswerError("corrections have no cards")

    def qualification(self, values: Mapping[str, Any]) -> Content:
        texts = values.get("texts", []) if self.settings.grading == "expert" else values["texts"]
        if not isinstance(texts, list) or not (texts or self.settings.grading == "expert"):
            raise ValueError("texts is a list of accepted corrections")
        return Content(str(values["source"]), answer={"texts": [str(text) for text in texts]})

    def failed_control(self, content: Content, answer: Answer | None) -> bool:
        return False

    def similarity(self, expected: Answer, answer: Answer) -> float:
        """Whether the correction is one of the accepted texts."""
        text = " ".join(str(answer["text"]).split())
        return float(any(text == " ".join(str(right).split()) for right in expected["texts"]))

    def pattern(self, answer: Answer, shown: Sequence[int], content: Content) -> tuple[str, int]:
        same = str(answer["text"]).split() == content.source.split()
        return ("untouched", LONG_RUN) if same else ("", RUN)

    def describe(self, answer: Answer, content: Content) -> dict[str, Any]:
        return {"text": answer["text"], "inexact": answer.get("exact") is False}


class SingleTextTask(AnnotationTask):
    """Tasks whose screens show one text."""

    least_systems = 1
    least_cards = 1
    can_be_adaptive = False
    control_replaces_item = False  # the text itself is still to be judged

    def screens(self, segment: Segment, random: np.random.Generator) -> list[list[Card]]:
        return [[card] for card in merged(segment.outputs)]

    def control(self, content: Content, reference: str | None, random: np.random.Generator) -> Content | None:
        """A damaged text, in which something must be wrong."""
        copy = damaged(content.cards[0].text, random)
        if copy is None:
            return None
        card = Card(copy, (CONTROLS[2],))
        return Content(content.source, content.reference, (card,), ((0, 0),), None, content.document)

    def qualification(self, values: Mapping[str, Any]) -> Content:
        if len(values["outputs"]) != 1:
            raise ValueError("not one output")
        return super().qualification(values)


class AcceptanceTask(SingleTextTask):
    """Say whether a text is correct, without knowing whether somebody corrected it."""

    field = "accepted"
    formats = ("jsonl", "second-pass")
    result = "acceptance"
    least_systems = 0
    can_repeat = False
    shows_source = False
    judges_corrections = True

    def value_type(self) -> Any:
        return StrictBool

    def failed_control(self, content: Content, answer: Answer | None) -> bool:
        """Whether a damaged text was accepted."""
        return answer is not None and bool(content.expect) and any(answer["accepted"])

    def similarity(self, expected: Answer, answer: Answer) -> float:
        return float(expected["accepted"] == answer["accepted"])

    def pattern(self, answer: Answer, shown: Sequence[int], content: Content) -> tuple[str, int]:
        return ("accepted" if all(answer["accepted"]) else "not accepted"), LONG_RUN


class SpanTask(SingleTextTask):
    """Mark what is wrong in an output, with category and severity."""

    field = "spans"
    formats = ("jsonl", "scalar", "spans", "m2")
    result = "scores"
    has_context = True
    marks_tokens = True

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of marks."""
        return self.settings.categories

    def value_type(self) -> Any:
        return Annotated[list[Mark], Field(max_length=MAX_SPANS)]

    def check_value(self, value: list[Mark], content: Content, card: int) -> list[Answer]:
        """The marks in one text, in order and each once."""
        tokens = len(content.cards[card].text.split())
        marks: dict[tuple[int, int, str, str], Answer] = {}
        for mark in value:
            if not mark.start < mark.end <= tokens:
                raise BadAnswerError(f"the end of a mark is a whole number from its start to {tokens}")
            if mark.category not in self.categories:
                raise BadAnswerError(f"a category is one of {', '.join(self.categories)}")
            marks[mark.start, mark.end, mark.category, mark.severity] = mark.model_dump()
        return [marks[key] for key in sorted(marks)]

    def check_draft(self, answer: Mapping[str, object], content: Content) -> Answer:
        return {} if answer.get("spans") is None else self.check_answer(answer, content)

    def failed_control(self, content: Content, answer: Answer | None) -> bool:
        """Whether nothing was marked in a damaged text."""
        return answer is not None and bool(content.expect) and not any(answer["spans"])

    def similarity(self, expected: Answer, answer: Answer) -> float:
        """F1 of the marked tokens."""
        right, marked = (
            {place for span in one["spans"][0] for place in range(span["start"], span["end"])}
            for one in (expected, answer)
        )
        return 2 * len(right & marked) / (len(right) + len(marked)) if right or marked else 1.0

    def pattern(self, answer: Answer, shown: Sequence[int], content: Content) -> tuple[str, int]:
        return ("" if any(answer["spans"]) else "nothing marked"), LONG_RUN

    def describe(self, answer: Answer, content: Content) -> dict[str, Any]:
        marks = [
            f"{' '.join(card.text.split()[span['start'] : span['end']])}: "
            f"{span['category']}, {span['severity']}"
            for card, spans in zip(content.cards, answer["spans"], strict=True)
            for span in spans
        ]
        return {"marks": "; ".join(marks) or "nothing marked"}


class ErrorSpanTask(SpanTask):
    """Mark errors with their severity only, then score the text (ESA, Kocmi et al. 2024)."""

    categories = ("error",)

    def __init__(self, settings: CampaignSettings) -> None:
        super().__init__(settings)
        self._scores: TypeAdapter[Any] = TypeAdapter(list[score_type(settings.scale)])  # type: ignore[misc,arg-type]

    def prepared(self, content: Content, segment: Segment | None) -> Content:
        """With the words that the system `prefill` would change, as marks to begin with."""
        if segment is None or self.settings.prefill is None:
            return content
        better = segment.outputs[self.settings.prefill].split()
        return replace(content, edits=tuple(_spans(card.text.split(), better) for card in content.cards))

    def check_answer(self, answer: object, content: Content) -> Answer:
        marks = super().check_answer(answer, content)
        assert isinstance(answer, Mapping)
        scores = parsed(self._scores, answer.get("scores"))
        if len(scores) != len(content.cards):
            raise BadAnswerError(f"scores needs {len(content.cards)} values")
        return {**marks, "scores": scores}

    def check_draft(self, answer: Mapping[str, object], content: Content) -> Answer:
        """A draft may have no score yet."""
        if answer.get("spans") is None:
            return {}
        if answer.get("scores") in (None, [None]):
            return SpanTask.check_answer(self, answer, content)
        return self.check_answer(answer, content)

    def similarity(self, expected: Answer, answer: Answer) -> float:
        """The mean of F1 of the marked tokens, and of one less the doubled distance of the scores."""
        apart = abs(expected["scores"][0] - answer["scores"][0]) / self.settings.scale
        score: float = max(0.0, 1 - 2 * apart)
        return (super().similarity(expected, answer) + score) / 2

    def describe(self, answer: Answer, content: Content) -> dict[str, Any]:
        marks = super().describe(answer, content)["marks"]
        return {"marks": f"{answer['scores'][0]:g}; {marks}"}


class EditTask(SingleTextTask):
    """Say of each edit whether it is useful, as in SEEDA (Kobayashi et al. 2024)."""

    field = "labels"
    formats = ("jsonl", "edit-labels")
    result = "edits"

    def screens(self, segment: Segment, random: np.random.Generator) -> list[list[Card]]:
        """The outputs that changed something."""
        source = " ".join(segment.source.split())
        return [[card] for card in merged(segment.outputs) if card.text != source]

    def prepared(self, content: Content, segment: Segment | None) -> Content:
        source = content.source.split()
        edits = (tuple(levenshtein_edits(source, card.text.split())) for card in content.cards)
        return replace(content, edits=tuple(edits))

    def value_type(self) -> Any:
        return list[StrictBool]

    def check_value(self, value: list[Any], content: Content, card: int) -> list[Any]:
        if len(value) != len(content.edits[card]):
            raise BadAnswerError(f"labels of {len(value)} edits, but there are {len(content.edits[card])}")
        return value

    def check_draft(self, answer: Mapping[str, object], content: Content) -> Answer:
        if answer.get("labels") is None:
            return {}
        return {"labels": self._checked(answer, content, _OPEN_LABELS)}

    def failed_control(self, content: Content, answer: Answer | None) -> bool:
        """Whether all edits of a damaged text were called useful."""
        return answer is not None and bool(content.expect) and all(answer["labels"][0])

    def similarity(self, expected: Answer, answer: Answer) -> float:
        """The share of equal labels."""
        pairs = [*zip(expected["labels"][0], answer["labels"][0], strict=True)]
        equal: int = sum(a == b for a, b in pairs)
        return equal / max(len(pairs), 1)

    def pattern(self, answer: Answer, shown: Sequence[int], content: Content) -> tuple[str, int]:
        labels = set(answer["labels"][0])
        return ("" if len(labels) > 1 else f"all {'useful' if True in labels else 'not useful'}"), LONG_RUN

    def describe(self, answer: Answer, content: Content) -> dict[str, Any]:
        source = content.source.split()
        edits = zip(content.edits[0], answer["labels"][0], strict=True)
        marks = [f"{' '.join(source[start:end]) or '∅'} → {text or '∅'}: {'' if good else 'not '}useful"
                 for (start, end, text), good in edits]  # fmt: skip
        return {"marks": "; ".join(marks)}


TASKS: Mapping[str, type[AnnotationTask]] = {
    "ranking": RankingTask,
    "scalars": ScalarTask,
    "pairwise": PairwiseTask,
    "correction": CorrectionTask,
    "spans": SpanTask,
    "esa": ErrorSpanTask,
    "edits": EditTask,
    "acceptance": AcceptanceTask,
}


def annotation_task(settings: CampaignSettings) -> AnnotationTask:
    """The task of a campaign."""
    return TASKS[settings.task](settings)


def score_type(scale: int) -> Any:
    """The type of a score, for pydantic."""
    number = Annotated[int, Strict()] | Annotated[float, Strict()]  # whole numbers stay whole
    return Annotated[number, Field(ge=0, le=scale)]


def _spans(text: Sequence[str], better: Sequence[str]) -> tuple[tuple[int, int, str], ...]:
    """The words of a text that another one changes; an insertion is at the word before it."""
    edits = levenshtein_edits(text, better)
    return tuple(
        (start, end, correction) if start < end else (max(start - 1, 0), max(start, 1), correction)
        for start, end, correction in edits
        if text
    )


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
