"""The one door from Python to the kernels, and what can be asked of arguments there.

A kernel is compiled without checks of its indices. `checked` puts a check in front of it: shapes, offsets,
ids and scratch arrays have to fit each other, or there is a ValueError. Only the part of an array that a
call reads is looked at. Arrays that stay the same from call to call (tables of a model, texts of a batch)
are looked at `once`: whoever changes one afterwards has to call with a new array.

The checks of each kernel are in `_edit_checks`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any

import numpy as np

from errata.kernels import bounds

Kernel = Callable[..., Any]  # its own annotations are Cython's
Check = Callable[[Any], None]
_PLAIN = (np.dtype(np.int32), np.dtype(np.int64))
_seen: dict[tuple[Any, ...], tuple[Any, tuple[weakref.ref[Any], ...]]] = {}


def checked(check: Check) -> Callable[[Kernel], Kernel]:
    """Put a check in front of a kernel's function; it sees the arguments by their names."""

    def door(function: Kernel) -> Kernel:
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        dimensions = {
            name: str(kind).count(",") + 1
            for name, kind in function.__annotations__.items()
            if str(kind).endswith("::1]")
        }

        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            given = dict(zip(names, arguments, strict=False), **named)
            try:
                for name, count in dimensions.items():
                    if given[name].ndim != count:
                        raise ValueError(f"{name} has {given[name].ndim} dimensions in place of {count}")
                check(SimpleNamespace(**given))
            except (ValueError, TypeError, AttributeError, LookupError) as error:
                raise ValueError(f"{function.__name__}: {error}") from None
            return function(*arguments, **named)

        return call

    return door


def part(start: int, stop: int, count: int) -> None:
    """A range of `count` things."""
    if not 0 <= start <= stop <= count:
        raise ValueError(f"the range {start}:{stop} of {count}")


def room(needed: int, *arrays: Any) -> None:
    """Arrays that are at least so long."""
    for array in arrays:
        if len(array) < needed:
            raise ValueError(f"an array of length {len(array)}, where {needed} are needed")


def shape(array: Any, *sizes: int) -> None:
    """An array of two or three dimensions, each at least so large."""
    have = array.shape
    fits = len(have) == len(sizes)
    for size, needed in zip(have, sizes, strict=False):
        fits = fits and size >= needed
    if not fits:
        raise ValueError(f"an array of shape {have}, where {sizes} is needed")


def ids(array: Any, limit: int, least: int = 0) -> None:
    """Numbers from `least` to below `limit`."""
    if not array.size:
        return
    plain = array.ndim == 1 and array.dtype in _PLAIN and array.flags.c_contiguous
    if plain and array.itemsize == 4 and bounds.within(array, least, limit):
        return
    low, high = bounds.extremes(array) if plain else (array.min(), array.max())
    if low < least or high >= limit:
        raise ValueError(f"numbers from {low} to {high}, where {least}:{limit} are allowed")


def offsets(array: Any, start: int, stop: int, length: int) -> tuple[int, int]:
    """Offsets of the things start:stop in an array of this length; gives where they begin and end."""
    room(stop + 1, array)
    begin, end = int(array[start]), int(array[stop])
    if begin < 0 or end > length or bounds.falls(array, start, stop):
        raise ValueError(f"offsets that fall, or leave an array of length {length}")
    return begin, end


def once(check: Callable[..., Any], *arguments: Any) -> Any:
    """What a check gives for these arguments; the same arrays are not looked at twice."""
    key = (check, *(id(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments))
    found = _seen.get(key)
    if found is None:
        arrays = [argument for argument in arguments if isinstance(argument, np.ndarray)]
        kept = tuple(weakref.ref(array, lambda _: _seen.pop(key, None)) for array in arrays)
        found = _seen[key] = (check(*arguments), kept)
    return found[0]


def all_offsets(array: Any, length: int) -> Any:
    """Offsets from the first to the last; gives the lengths between them."""
    offsets(array, 0, len(array) - 1, length)
    return bounds.gaps(array)


def differences(array: Any) -> Any:
    """Each number less the one before it; numpy's own function takes longer than a short array does."""
    return array[1:] - array[:-1]


def tokens(ids: Any, array: Any) -> Any:
    """Texts as ids, none below 0, with their offsets; gives their lengths."""
    if len(ids) and bounds.extremes(ids)[0] < 0:
        raise ValueError("ids below 0")
    return all_offsets(array, len(ids))


def largest(array: Any, start: int, stop: int) -> Any:
    """The largest number of a part, or of a part of every row; 0 for an empty part."""
    return array[..., start:stop].max(axis=-1, initial=0).tolist()
