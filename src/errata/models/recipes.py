"""Recipes of training in TOML: sections whose fields have defaults, and nothing else."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from errata.errors import DataError
from errata.toml import read_toml

Section = TypeVar("Section")
KINDS = ("corrector", "metric")


def kind_of(path: str | Path) -> str:
    """What a recipe trains: a `corrector`, unless it says `kind = "metric"`."""
    kind = read_toml(path).get("kind", KINDS[0])
    if kind not in KINDS:
        raise DataError(f"kind = {kind!r}"[:200], path=path, hint=f"one of {', '.join(KINDS)}")
    return str(kind)


def read_sections(path: str | Path, *kinds: type[Any]) -> list[Any]:
    """The sections of a recipe, [data] and so on, each by the class that has its fields."""
    content = read_toml(path)
    names = [kind.__name__.lower() for kind in kinds]
    unknown = sorted(set(content) - {"kind", *names})
    if unknown:
        raise DataError(f"no section [{unknown[0]}]", path=path, hint="[data], [model] or [training]")
    return [_section(kind, content.get(name, {}), path) for kind, name in zip(kinds, names, strict=True)]


def _section(kind: type[Section], values: Any, path: str | Path) -> Section:
    """A section of a recipe; unknown fields and values of other types are errors."""
    if not isinstance(values, dict):
        raise DataError(
            f"[{kind.__name__.lower()}] is no section", path=path, hint="write it as a TOML table"
        )
    known = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(set(values) - known)
    if unknown:
        raise DataError(f"no field {unknown[0]!r}", path=path, hint="one of " + ", ".join(sorted(known)))
    given = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    usual = kind()
    for name, value in given.items():
        wanted = type(getattr(usual, name))
        fits = isinstance(value, wanted) and not (wanted is int and isinstance(value, bool))
        if not fits and not (wanted is float and type(value) is int):
            raise DataError(f"{name} = {value!r}"[:200], path=path, hint=f"expected {wanted.__name__}")
        if name.endswith("_weights"):
            if not all(type(part) in (int, float) and 0 <= part < 1e6 for part in value):
                raise DataError(f"{name} has an entry that is no weight", path=path, hint="numbers from 0")
        elif wanted is tuple and not all(isinstance(part, str) for part in value):
            raise DataError(f"{name} has an entry that is no text", path=path)
    return kind(**given)
