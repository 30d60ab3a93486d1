"""The findings of `errata corpus check`; finding_catalog.toml says what each code means and what to do."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from errata.errors import ErrataError
from errata.toml import field_values, read_toml


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A problem in one line of a file; `fix` is advice for this finding in particular."""

    path: str
    line: int
    code: str
    message: str
    fix: str = ""

    @property
    def is_error(self) -> bool:
        return self.code.startswith("E")

    @property
    def remedy(self) -> str:
        """The advice for this finding, or else the general advice for its code."""
        return self.fix or catalog()[self.code].remedy


@dataclass(frozen=True, slots=True)
class FindingKind:
    """An entry of the catalogue; finding_catalog.toml explains the fields."""

    code: str
    title: str
    meaning: str
    example: str
    remedy: str
    fix: Literal["", "safe", "on request"] = ""

    @property
    def is_error(self) -> bool:
        return self.code.startswith("E")

    def text(self) -> str:
        """The whole explanation, as `errata explain` prints it."""
        fixed = {
            "": "",
            "safe": "\nFix: errata corpus check --fix does it.\n",
            "on request": f"\nFix: errata corpus check --fix --select {self.code} does it "
            "(only when named, because it can change scores).\n",
        }[self.fix]
        example = textwrap.indent(self.example, "    ", lambda line: True)
        meaning, remedy = (textwrap.fill(text, 90) for text in (self.meaning, "Remedy: " + self.remedy))
        return f"{self.code}: {self.title}\n\n{meaning}\n\nExample:\n{example}\n\n{remedy}\n{fixed}"


@cache
def catalog() -> dict[str, FindingKind]:
    """All kinds of findings by code."""
    content = read_toml(Path(__file__).with_name("finding_catalog.toml"))
    return {code: _kind(code, **table) for code, table in content.items()}


def _kind(code: str, example: str, **fields: Any) -> FindingKind:
    return FindingKind(code, example=example, **field_values(fields))  # examples keep their line breaks


def explanation(code: str) -> str:
    """What a code means, with an example and a remedy."""
    kind = catalog().get(code.upper())
    if kind is None:
        raise ErrataError(f"there is no check {code!r}\n  hint: one of {', '.join(catalog())}")
    return kind.text()
