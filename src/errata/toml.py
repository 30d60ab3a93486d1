"""Reads TOML files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from errata.errors import DataError


def read_toml(path: str | Path) -> dict[str, Any]:
    """The content of a TOML file."""
    try:
        return parse_toml(Path(path).read_text("utf-8"))
    except OSError as error:
        raise DataError(f"cannot read it: {error.strerror}", path=path, hint="check the path") from None
    except (ValueError, RecursionError) as error:  # neither UTF-8 nor TOML, or nested too deeply
        raise DataError(f"not TOML: {error}", path=path) from None


def parse_toml(text: str) -> dict[str, Any]:
    """The content of a TOML document; a `ValueError` says where it is not TOML."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    content: dict[str, Any] = tomllib.loads(text)
    return content


def field_values(table: dict[str, Any]) -> dict[str, Any]:
    """A TOML table as keyword arguments of a frozen dataclass: lists as tuples, line breaks as spaces."""

    def value(item: Any) -> Any:
        if isinstance(item, str):
            return " ".join(item.split())
        return tuple(item) if isinstance(item, list) else item

    return {name: value(item) for name, item in table.items()}
