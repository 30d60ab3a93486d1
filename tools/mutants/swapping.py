"""Change a function of a module that is imported already, so that tests need not be collected anew."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

Named = tuple[str, ...]  # the names of the classes around a function, and its own


def swap(module: str, original: str, changed: str) -> bool:
    """Give the functions of an imported module the code of its changed source.

    False where that is not possible because something else changed: a constant, a default, a class.
    """
    loaded = sys.modules.get("errata." + ".".join(Path(module).with_suffix("").parts))
    if loaded is None:
        return True  # it will be imported as it is on disk
    before, after = (_functions(text) for text in (ast.unparse(ast.parse(original)), changed))
    if before is None or after is None or before.keys() != after.keys():
        return False
    if before[()] != after[()]:
        return False
    for name in before:
        if name and before[name] != after[name]:
            function = _found(vars(loaded), name)
            if function is None or len(function.__code__.co_freevars) != len(after[name].co_freevars):
                return False
            function.__code__ = after[name]
    return True


def _functions(source: str) -> dict[Named, Any] | None:
    """The code of every function outside other functions, and under () all that is not in one.

    None where two functions have one name.
    """
    found: dict[Named, Any] = {}
    outside: list[Any] = []
    for name, code, is_function in _walk(compile(source, "module", "exec"), ()):
        if not is_function:
            constants = [one for one in code.co_consts if not isinstance(one, CodeType)]
            outside.append((name, code.co_code, constants, code.co_names))
        elif name in found:
            return None
        else:
            found[name] = code
    return {(): repr(outside), **found}


def _walk(code: CodeType, name: Named) -> Iterator[tuple[Named, CodeType, bool]]:
    yield name, code, False
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & 0x2:  # a function has fast local names, the body of a class has not
                yield (*name, inner.co_name), inner, True
            else:
                yield from _walk(inner, (*name, inner.co_name))


def _found(names: Any, name: Named) -> FunctionType | None:
    """The function of this name, without what decorators put around it."""
    found = names.get(name[0])
    if len(name) > 1:
        return _found(vars(found), name[1:]) if isinstance(found, type) else None
    while not isinstance(found, FunctionType) or hasattr(found, "__wrapped__"):
        if isinstance(found, property):
            found = found.fget
        elif isinstance(found, cached_property):
            found = found.func
        else:
            found = getattr(found, "__wrapped__", getattr(found, "__func__", None))
        if found is None:
            return None
    return found if found.__code__.co_name == name[0] else None
