"""Settings from TOML or JSON files: dataclasses whose fields are checked for their names and types."""

from __future__ import annotations

import difflib
import json
import os
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from errata.corpus.files import read_bytes
from errata.errors import DataError

T = TypeVar("T")


def typed(kind: type[T], values: Mapping[str, Any]) -> T:
    """An instance of a dataclass from plain values; an error names a setting that is unknown or wrong."""
    declared: Any = kind
    known = {f.name: f for f in fields(declared)}
    hints = typing.get_type_hints(kind)
    for name, value in values.items():
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            raise DataError(
                f"no setting is called {name!r}",
                hint=f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}",
            )
        if not _fits(value, hints[name]):
            raise DataError(f"{name} cannot be {value!r}", hint=f"expected {known[name].type}")
    for name, field in known.items():
        if name not in values and field.default is MISSING and field.default_factory is MISSING:
            raise DataError(f"the setting {name!r} is missing")
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return kind(**plain)


def _fits(value: object, hint: Any) -> bool:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        return isinstance(value, list | tuple) and all(_fits(part, arguments[0]) for part in value)
    if origin is not None and origin is not types.UnionType and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            isinstance(name, str) and _fits(part, arguments[1]) for name, part in value.items()
        )
    if origin is types.UnionType:
        return any(_fits(value, part) for part in arguments)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def read_values(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The values of a TOML or JSON file."""
    raw = read_bytes(path)
    try:
        text = raw.decode("utf-8-sig")
        values: dict[str, Any] = json.loads(text) if text.lstrip().startswith("{") else _toml(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"neither TOML nor JSON: {error}", path=path) from None
    return values


def _toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    values: dict[str, Any] = tomllib.loads(text)
    return values
