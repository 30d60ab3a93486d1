"""Validation of the data that annotators' pages send, and the order in which cards are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.exceptions import HTTPException

from errata_server.validation import Text, describe

Answer = dict[str, Any]
Sent = TypeVar("Sent")
MAX_TEXT = 100_000  # characters of a correction
MAX_SPANS = 200  # marks in one text
PRIVATE = "private"
Reason = Literal["unclear", "broken", "offensive", "private", "other"]
REASONS: tuple[str, ...] = get_args(Reason)  # for skipping an item
SEVERITIES = ("minor", "major", "critical")

Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{8,64}$")]  # from the page, so that a retry adds no row
Revision = Annotated[int, Field(ge=1, le=100)]  # each is stored as a row
Comment = Annotated[Text, Field(max_length=4_000)]
Seconds = Annotated[float, Field(ge=0, le=86_400)]
CorrectedText = Annotated[Text, Field(max_length=MAX_TEXT)]
Assignment = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]


class BadAnswerError(HTTPException, ValueError):
    """An answer that does not fit the item."""

    def __init__(self, message: str) -> None:
        super().__init__(400, message)

    def __str__(self) -> str:
        return self.detail


class Post(BaseModel):
    """A request of a page. Other fields are ignored."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class JudgmentPost(Post):
    key: Key
    assignment: Assignment
    version: str = ""
    revision: Revision
    answer: Any = None
    skipped: Reason | None = None
    comment: Comment = ""
    seconds: Seconds | None = None


class Draft(Post):
    answer: dict[str, Any]
    comment: Comment = ""


class DraftPost(Post):
    assignment: Assignment
    draft: Draft


class Mark(BaseModel):
    """A marked span of tokens."""

    model_config = ConfigDict(strict=True, extra="forbid")
    start: Annotated[int, Field(ge=0)]
    end: int
    category: str
    severity: Literal["minor", "major", "critical"]


def parsed(kind: type[Sent] | TypeAdapter[Sent], values: object) -> Sent:
    """Validate the data of a page; an error names the field that is wrong."""
    try:
        if isinstance(kind, TypeAdapter):
            return kind.validate_python(values)
        model: Any = kind
        sent: Sent = model.model_validate(values)
        return sent
    except ValidationError as error:
        message, hint = describe(error)
        raise BadAnswerError(f"{message}: {hint}" if hint else message) from None


def to_item_order(answer: Answer, shown: Sequence[int]) -> Answer:
    """The answer to the cards as shown, as an answer to the cards as stored."""
    return to_shown_order(answer, sorted(range(len(shown)), key=lambda place: shown[place]))


def to_shown_order(answer: Mapping[str, Any], shown: Sequence[int]) -> Answer:
    """The inverse, for a page that shows an earlier answer."""
    return {
        name: [values[card] for card in shown] if isinstance(values, list) else values
        for name, values in answer.items()
    }
