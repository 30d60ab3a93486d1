"""Validation of settings files, requests and imports by pydantic, with readable errors."""

from __future__ import annotations

import difflib
import json
import os
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError

from errata.corpus.files import read_bytes
from errata.errors import DataError
from errata.toml import parse_toml

T = TypeVar("T")
STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)  # "5" is not 5, and 1 is not true


def _storable(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("a text without NUL characters and lone surrogates")
    return text


Text = Annotated[str, AfterValidator(_storable)]  # can be stored in a database


def validated(kind: type[T], values: Mapping[str, Any]) -> T:
    """An instance of a dataclass from plain values; an error names the field that is wrong."""
    try:
        text = json.dumps(values, default=str)
    except ValueError:  # Python converts no whole number of more than 4,300 digits
        raise DataError("a number is too long") from None
    if "\\u0000" in text.replace("\\\\", ""):  # and no escaped backslash before u0000
        raise DataError("a text has a NUL character", hint="remove it")
    try:
        # JSON has no tuples, so that strict validation accepts lists for them.
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        declared: Any = kind
        message, hint = describe(error, [field.name for field in fields(declared)])
        raise DataError(message, hint=hint) from None


def describe(error: ValidationError, names: Sequence[str] = ()) -> tuple[str, str | None]:
    """A message and a hint for the first mistake."""
    first = error.errors(include_url=False)[0]
    places = [str(part) for part in first["loc"]]
    name, value = (places or ["it"])[-1], first["input"]
    path = ".".join(places) or "it"
    if first["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        close = difflib.get_close_matches(name, names, n=1)
        return f"no setting is called {name!r}", f"did you mean {close[0]!r}?" if close else "remove it"
    if first["type"] in ("missing", "missing_argument"):
        return f"the setting {path!r} is missing", None
    expected = first["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    expected = expected.replace("a valid array", "a list").replace("a valid integer", "an integer")
    text = repr(value)
    return f"{path} is {text if len(text) <= 80 else f'{text[:77]}...'}", f"expected {expected}"


def read_values(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The values of a TOML or JSON file."""
    raw = read_bytes(path)
    try:
        text = raw.decode("utf-8-sig")
        values: dict[str, Any] = json.loads(text) if text.lstrip().startswith("{") else parse_toml(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"neither TOML nor JSON: {error}", path=path) from None
    return values


def read_json(text: str) -> dict[str, Any]:
    """A JSON object that can be stored and sent again; otherwise a ValueError.

    Browsers or databases refuse NaN, infinite numbers, NUL characters and lone surrogates.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant)
        plain = json.dumps(value, ensure_ascii=False, allow_nan=False)
        plain.encode("utf-8")
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    if "\\u0000" in plain:
        raise ValueError("a NUL character")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def read_whole(text: str, most: int) -> int | None:
    """The whole number from 0 to `most` that a text has in digits; None for any other text."""
    digits = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    return int(text) if digits and int(text) <= most else None


# Characters that look like a Latin letter, and letters that are invisible.
_LOOKALIKES = {
    "a": "АаΑαɑ", "b": "ВвΒЬь", "c": "Ссϲ", "d": "ԁ", "e": "ЕеΕ", "h": "НнΗһ", "j": "Јј", "k": "КкΚκ",
    "l": "1Iiİı|ІіӀӏΙιļł", "m": "МмΜ", "n": "Νո", "o": "0ОоΟοσօ", "p": "РрΡρ", "q": "ԛ", "s": "Ѕѕ",
    "t": "ТтΤτ", "u": "υս", "v": "νѵ", "w": "Ԝԝ", "x": "ХхΧχ", "y": "УуΥү", "z": "Ζ", "": "\u115f\u1160",
}  # fmt: skip
_LATIN = str.maketrans({one: letter for letter, others in _LOOKALIKES.items() for one in others})


def name_form(name: str) -> str:
    """A form in which names that look alike are equal: without case, width, accents, blanks and signs.

    Empty for a name without readable characters.
    """
    plain = unicodedata.normalize("NFKD", name).translate(_LATIN).casefold()
    return "".join(character for character in plain if character.isalnum()).replace("rn", "m")
