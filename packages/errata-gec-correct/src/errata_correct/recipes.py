"""Recipes of training in TOML: sections of fields, all with defaults."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from errata.errors import DataError
from errata.toml import read_toml

Section = TypeVar("Section")
KINDS = ("corrector", "metric")


def kind_of(path: str | Path) -> str:
    """The kind of model that a recipe trains: `corrector`, or `metric` if `kind` says so."""
    kind = read_toml(path).get("kind", KINDS[0])
    if kind not in KINDS:
        raise DataError(f"kind = {kind!r}"[:200], path=path, hint=f"one of {', '.join(KINDS)}")
    return str(kind)


def read_sections(path: str | Path, *kinds: type[Any]) -> list[Any]:
    """The sections of a recipe, such as [data]; each class has the name and the fields of a section."""
    content = read_toml(path)
    names = [kind.__name__.lower() for kind in kinds]
    unknown = sorted(set(content) - {"kind", *names})
    if unknown:
        raise DataError(f"no section [{unknown[0]}]", path=path, hint="[data], [model] or [training]")
    return [_section(kind, content.get(name, {}), path) for kind, name in zip(kinds, names, strict=True)]


def _section(kind: type[Section], values: Any, path: str | Path) -> Section:
    """Parse one section; unknown fields and values of wrong types are errors."""
    if not isinstance(values, dict):
        raise DataError(
            f"[{kind.__name__.lower()}] is not a section", path=path, hint="write it as a TOML table"
        )
    known = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(set(values) - known)
    if unknown:
        raise DataError(f"no field {unknown[0]!r}", path=path, hint="one of " + ", ".join(sorted(known)))
    parsed = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    defaults = kind()
    for name, value in parsed.items():
        expected = type(getattr(defaults, name))
        fits = isinstance(value, expected) and not (expected is int and isinstance(value, bool))
        if not fits and not (expected is float and type(value) is int):
            raise DataError(f"{name} = {value!r}"[:200], path=path, hint=f"expected {expected.__name__}")
        if name.endswith("_weights"):
            if not all(type(part) in (int, float) and 0 <= part < 1e6 for part in value):
                raise DataError(f"{name} has an entry that is not a weight", path=path, hint="numbers from 0")
        elif expected is tuple and not all(isinstance(part, str) for part in value):
            raise DataError(f"{name} has an entry that is not a text", path=path)
    return kind(**parsed)
