"""Suggestions as LanguageTool's API describes them: requests read, matches written.

Offsets count UTF-16 code units, as LanguageTool's do.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from errata.text.languages import language_name
from errata_correct.corrector import Corrector, Suggestion
from errata_correct.tokens import rewrite, sentence_spans, tokenize

_VARIANTS = {"en": ("en-US", "en-GB")}
# Of each kind: message, LanguageTool's issue type, category
_KINDS = {
    "capitals": ("Check the capital letters.", "typographical", ("CASING", "Capitalization")),
    "punctuation": ("Check the punctuation.", "typographical", ("PUNCTUATION", "Punctuation")),
    "early-comma": ("Check the punctuation.", "typographical", ("PUNCTUATION", "Punctuation")),
    "removal": ("Check the punctuation.", "typographical", ("PUNCTUATION", "Punctuation")),
    "diacritics": ("Check the diacritics.", "misspelling", ("TYPOS", "Possible Typo")),
    "spelling": ("Possible mistake.", "misspelling", ("TYPOS", "Possible Typo")),
    "misspelling": ("Possible mistake.", "misspelling", ("TYPOS", "Possible Typo")),
    "real-word": (
        "Possible mistake: another word is likelier here.",
        "misspelling",
        ("TYPOS", "Possible Typo"),
    ),
    "real-word-diacritics": ("Check the diacritics.", "misspelling", ("TYPOS", "Possible Typo")),
    "name": ("Possible mistake, unless it is a name.", "misspelling", ("TYPOS", "Possible Typo")),
    "words": ("Check the words.", "grammar", ("GRAMMAR", "Grammar")),
    "grammar": ("Check the grammar.", "grammar", ("GRAMMAR", "Grammar")),
    "spacing": ("Remove the space before the punctuation.", "whitespace", ("TYPOGRAPHY", "Typography")),
}
_RULES = {  # kinds whose rule has another name
    "early-comma": "PUNCTUATION", "removal": "PUNCTUATION", "real-word-diacritics": "DIACRITICS",
    "misspelling": "SPELLING", "real-word": "SPELLING", "name": "SPELLING",
}  # fmt: skip
_CONTEXT = 40
_SPACED = re.compile(r"(?<=[^\s.])[ \t]+([,.;:!?])(?=\s|$)")
_SPACED_FRENCH = re.compile(r"(?<=[^\s.])[ \t]+([,.])(?=\s|$)")  # French has a space before ; : ! ?
_MOST_ANNOTATIONS = 20_000


class RequestError(Exception):
    """A request that cannot be answered: an HTTP status and the problem."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


def clean(text: str) -> str:
    """The text without lone surrogates, which no encoding can carry."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@dataclass(frozen=True)
class Checked:
    """The text of a request: the whole text, and its prose with the place of every character."""

    whole: str
    plain: str
    places: Sequence[int] | None  # of each character of `plain` in `whole`, -1 for what markup reads as
    asked: str  # the language, or `auto`
    fields: Mapping[str, str]

    @classmethod
    def read(cls, fields: Mapping[str, Any], limit: int) -> Checked:
        """From the fields of a request, as LanguageTool documents them."""
        known = {str(key): value for key, value in fields.items() if isinstance(value, str)}
        asked = known.get("language", "")
        if not asked:
            raise RequestError(400, "the parameter 'language' is missing, e.g. language=en or language=auto")
        data = fields.get("data")
        if ("text" in known) == (data is not None):
            raise RequestError(400, "give either the parameter 'text' or the parameter 'data'")
        if data is None:
            whole = plain = clean(known["text"])
            places = None
        else:
            whole, plain, places = annotated(data)
        if max(len(whole), len(plain)) > limit:
            raise RequestError(
                413, f"the text has {max(len(whole), len(plain)):,} characters; the limit is {limit:,}"
            )
        return cls(whole, plain, places, asked, known)

    @cached_property
    def _units(self) -> list[int] | None:
        """The UTF-16 units before each character; None if every character is one."""
        if self.whole.isascii() or max(self.whole, default="") <= "\uffff":
            return None
        return [0, *accumulate(2 if char > "\uffff" else 1 for char in self.whole)]

    def units(self, position: int) -> int:
        """A position in UTF-16 units."""
        return self._units[position] if self._units else position

    def wants(self, rule: str, category: str) -> bool:
        """Whether rules and categories are enabled so that this rule applies."""

        def named(field: str) -> set[str]:
            return {name.strip() for name in self.fields.get(field, "").split(",") if name.strip()}

        if rule in named("disabledRules") or category in named("disabledCategories"):
            return False
        if self.fields.get("enabledOnly") == "true":
            return rule in named("enabledRules") or category in named("enabledCategories")
        return True


def annotated(data: Any) -> tuple[str, str, list[int]]:
    """Text with markup: {"annotation": [{"text": …}, {"markup": …, "interpretAs": …}, …]}."""
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError):
            raise RequestError(400, "the parameter 'data' is not JSON") from None
    parts = data.get("annotation") if isinstance(data, dict) else None
    if not isinstance(parts, list) or len(parts) > _MOST_ANNOTATIONS:
        raise RequestError(400, "'data' needs a list 'annotation' of at most 20,000 parts")
    whole: list[str] = []
    plain: list[str] = []
    places: list[int] = []
    length = 0
    for part in parts:
        values = part if isinstance(part, dict) else {}
        text, markup, reads = (values.get(key, "") for key in ("text", "markup", "interpretAs"))
        if not all(isinstance(value, str) for value in (text, markup, reads)) or bool(text) == bool(markup):
            raise RequestError(400, "each annotation has either a 'text' or a 'markup', which are strings")
        text, markup, reads = clean(text), clean(markup), clean(reads)
        places += range(length, length + len(text)) if text else [-1] * len(reads)
        whole.append(text or markup)
        plain.append(text or reads)
        length += len(text or markup)
    return "".join(whole), "".join(plain), places


@dataclass(frozen=True)
class Choice:
    """Chooses the language of a text among those with a corrector."""

    by_language: Mapping[str, Corrector]

    def language(self, asked: Checked) -> tuple[str, str | None]:
        """The language of a request, and the detected language if the request asks for detection."""
        if asked.asked == "auto":
            nearest = max(self.by_language, key=lambda language: self._likeness(language, asked.plain))
            return nearest, nearest
        base = asked.asked.partition("-")[0].lower()
        if base not in self.by_language:
            known = ", ".join(self.by_language)
            raise RequestError(
                400, f"there is no model for the language {asked.asked[:20]!r}; there is: {known}"
            )
        return base, None

    def _likeness(self, language: str, text: str) -> float:
        """The commonness of the words in the language, if its model has it; ties go to the first one."""
        commonness = getattr(self.by_language[language].model, "commonness", None)
        return commonness(tokenize(text[:2000])) if commonness else -math.inf


def languages(codes: Mapping[str, object]) -> list[dict[str, str]]:
    """The response of `/v2/languages`."""
    return [
        {"name": language_name(code), "code": code, "longCode": long}
        for code in codes
        for long in (code, *_VARIANTS.get(code, ()))
    ]


def check(
    asked: Checked, language: str, detected: str | None, suggestions: Sequence[Suggestion], complete: bool
) -> dict[str, Any]:
    """The response of `/v2/check`; `complete` says whether the whole text could be corrected."""
    from errata import __version__

    name = language_name(language)
    sentences = sentence_spans(asked.whole)
    code = language if asked.asked == "auto" else asked.asked
    seen = {"name": name, "code": detected or code, "confidence": 1.0 if detected is None else 0.5}
    matches = [
        match
        for suggestion in with_spacing(asked.plain, language, [*widened(asked.plain, suggestions)])
        if (match := _match(asked, suggestion, sentences))
    ]
    return {
        "software": {
            "name": "errata", "version": __version__, "buildDate": "", "apiVersion": 1, "premium": False,
            "premiumHint": "", "status": "",
        },
        "warnings": {"incompleteResults": not complete},
        "language": {"name": name, "code": code, "detectedLanguage": seen},
        "matches": matches,
        "sentenceRanges": [[asked.units(start), asked.units(end)] for start, end in sentences],
    }  # fmt: skip


def with_spacing(text: str, language: str, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """The suggestions, and one for every space before punctuation that none of them covers."""
    spaced = _SPACED_FRENCH if language == "fr" else _SPACED
    spacing = [Suggestion(*match.span(), match[1], 1.0, "spacing") for match in spaced.finditer(text)]
    covered = bytearray(len(text))
    for one in suggestions:
        covered[one.start : one.end] = b"\1" * (one.end - one.start)
    free = [one for one in spacing if not any(covered[one.start : one.end])]
    return sorted([*suggestions, *free], key=lambda one: one.start)


def widened(text: str, suggestions: Sequence[Suggestion]) -> Iterator[Suggestion]:
    """Suggestions that each replace at least one character: an insertion includes the word beside it.

    Overlapping ones are joined.
    """
    group: list[Suggestion] = []
    low = high = 0
    for one in sorted(suggestions, key=lambda suggestion: (suggestion.start, suggestion.end)):
        start, end = _reach(text, one)
        if group and start >= high:
            yield _joined(text, group, low, high)
            group = []
        low, high = (min(low, start), max(high, end)) if group else (start, end)
        group.append(one)
    if group:
        yield _joined(text, group, low, high)


def _reach(text: str, one: Suggestion) -> tuple[int, int]:
    """The span of a suggestion; an insertion includes the word before it or, at the beginning, after it."""
    start, end = one.start, one.end
    while start == end and start and text[start - 1].isspace():
        start -= 1
    if one.start == one.end:
        while start and not text[start - 1].isspace():
            start -= 1
        while not text[start:end].strip() and end < len(text):
            end += 1
        while start == one.start and end < len(text) and not text[end].isspace():
            end += 1
    return start, end


def _joined(text: str, group: Sequence[Suggestion], low: int, high: int) -> Suggestion:
    new = rewrite(text[low:high], [(one.start - low, one.end - low, one.text) for one in group])
    return Suggestion(low, high, new, min(one.confidence for one in group), group[0].kind)


def _match(asked: Checked, one: Suggestion, sentences: Sequence[tuple[int, int]]) -> dict[str, Any] | None:
    """One match; None if it is not wanted or would change markup."""
    message, issue, (category, category_name) = _KINDS[one.kind]
    rule = f"ERRATA_{_RULES.get(one.kind, one.kind.upper())}"
    start, end = one.start, one.end
    if asked.places is not None:
        of_text = asked.places[start:end]
        if not of_text or of_text[0] < 0 or of_text[-1] - of_text[0] != len(of_text) - 1:
            return None
        start, end = of_text[0], of_text[-1] + 1
    if start == end or not asked.wants(rule, category):
        return None
    left, right = max(start - _CONTEXT, 0), min(end + _CONTEXT, len(asked.whole))
    around = asked.whole[left:right]
    number = bisect_right(sentences, (start, len(asked.whole))) - 1
    sentence = asked.whole[slice(*sentences[number])] if number >= 0 else around
    return {
        "message": message,
        "shortMessage": message.rstrip("."),
        "replacements": [{"value": one.text}],
        "offset": asked.units(start),
        "length": asked.units(end) - asked.units(start),
        "context": {
            "text": "…" * bool(left) + around.replace("\n", " ") + "…" * (right < len(asked.whole)),
            "offset": bool(left) + asked.units(start) - asked.units(left),
            "length": asked.units(end) - asked.units(start),
        },
        "sentence": sentence,
        "type": {"typeName": "UnknownWord" if issue == "misspelling" else "Other"},
        "rule": {
            "id": rule, "description": message, "issueType": issue,
            "category": {"id": category, "name": category_name},
        },
        "ignoreForIncompleteSentence": False,
        "contextForSureMatch": 0,
        "confidence": round(one.confidence, 4),
    }  # fmt: skip
