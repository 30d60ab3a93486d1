"""Parameters of metrics: declared with their ranges as dataclass fields and checked at construction."""

from __future__ import annotations

import math
import types
from collections.abc import Sequence
from dataclasses import field, fields
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from errata.errors import ErrataError, one_of

_LARGEST = 2**31 - 1  # of numbers with a lower bound, so that squares and sums of them do not overflow


def parameter(
    default: Any,
    *,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    choices: Sequence[Any] | None = None,
    signed: bool = True,
) -> Any:
    """Declare a parameter of a metric with its default and the values that it may take.

    `at_least`, `above` and `at_most` bound a number, `choices` lists the permitted values. `signed=False`
    keeps a parameter that cannot change the score (a device, a batch size) out of the signature.
    """
    rules = {"at_least": at_least, "above": above, "at_most": at_most, "choices": choices, "signed": signed}
    return field(default=default, metadata={k: v for k, v in rules.items() if v is not None})


def check_parameters(metric: Any) -> None:
    """Raise an error that names the first parameter whose type or value is not permitted."""
    cls: Any = type(metric)
    hints: dict[str, Any] = _hints(cls)
    for declared in fields(metric):
        value = getattr(metric, declared.name)
        where = f"{metric.name}: {declared.name}={value!r}"
        if not _fits(value, hints[declared.name]):
            raise ErrataError(f"{where} {_misfit(value, hints[declared.name])}")
        _check_rules(where, value, declared.metadata)


def _check_rules(where: str, value: Any, rules: Any) -> None:
    if "choices" in rules and value not in rules["choices"]:
        raise ErrataError(f"{where} is unknown\n  hint: {one_of(str(value), map(str, rules['choices']))}")
    if isinstance(value, float) and math.isnan(value):
        raise ErrataError(f"{where} is not a number\n  hint: give a number")
    if isinstance(value, int | float) and not isinstance(value, bool):
        bounded = "at_least" in rules or "above" in rules
        if bounded and math.isinf(value):
            raise ErrataError(f"{where} is not finite\n  hint: give a finite number")
        if "at_least" in rules and value < rules["at_least"]:
            raise ErrataError(f"{where} is too small\n  hint: it must be at least {rules['at_least']:g}")
        if "above" in rules and value <= rules["above"]:
            raise ErrataError(f"{where} is too small\n  hint: it must be greater than {rules['above']:g}")
        most = rules.get("at_most", _LARGEST if bounded else math.inf)
        if value > most:
            raise ErrataError(f"{where} is too large\n  hint: it must be at most {most:.10g}")


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _fits(value: object, kind: Any) -> bool:
    """Whether a value has a declared type; a whole number also passes for a float."""
    origin = get_origin(kind)
    if origin is Literal:
        return value in get_args(kind)
    if origin in (Union, types.UnionType):
        return any(_fits(value, option) for option in get_args(kind))
    if origin is not None:
        return isinstance(value, origin)
    if kind is Any:
        return True
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return not isinstance(kind, type) or isinstance(value, kind)


def _misfit(value: object, kind: Any) -> str:
    """The error of a value with the wrong type, and the expected type."""
    if get_origin(kind) is Literal:
        return f"is unknown\n  hint: {one_of(str(value), map(str, get_args(kind)))}"
    return f"has the wrong type\n  hint: give {_described(kind)}"


def _described(kind: Any) -> str:
    names = {float: "a number", int: "a whole number", bool: "yes or no (True or False)", str: "a text"}
    return names.get(kind, f"a value of type {getattr(kind, '__name__', kind)}")
