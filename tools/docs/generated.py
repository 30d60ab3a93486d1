"""Parts of pages that are made from data: tables of results and checks, and the classes of all metrics.

A link to a data file in a paragraph of its own becomes the table.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [
    str(ROOT / "src"),
    str(ROOT / "packages" / "errata-gec-studies" / "src"),
]  # those of this tree

import errata  # noqa: E402
from errata.metrics import METRICS, metric_class  # noqa: E402
from errata.toml import read_toml  # noqa: E402
from errata_studies import results  # noqa: E402

_CLASSES = "<!-- classes of all metrics -->"
_DATA_LINK = re.compile(r"^\[[^\]\n]+\]\(([^)\s#]+\.(?:tsv|toml))(?:#([\w-]+))?\)$", re.MULTILINE)


def with_tables(markdown: str, folder: Path) -> str:
    """The page with its tables; `folder` is the one that its links start from."""
    return _DATA_LINK.sub(
        lambda link: _table((folder / link[1]).resolve(), link[2] or "") or link[0], markdown
    )


def with_classes(markdown: str) -> str:
    """The page with the reference of every metric's class in place of a comment."""
    if _CLASSES not in markdown:
        return markdown
    classes = sorted({metric_class(name) for name in METRICS}, key=lambda each: each.__name__.casefold())
    options = "    options:\n      heading_level: 3\n      members: false\n"
    return markdown.replace(_CLASSES, "\n".join(f"::: {_public_name(each)}\n{options}" for each in classes))


def _public_name(each: type) -> str:
    module = "errata" if each.__name__ in errata.__all__ else each.__module__
    return f"{module}.{each.__name__}"


def _table(path: Path, view: str) -> str:
    """A file of results, or the checks of one group; "" for any other file."""
    if path.parent == results.FOLDER.resolve():
        return results.render(path.name, view)
    if path.name == "finding_catalog.toml":
        return _checks(path, view)
    if path.name == "packs.tsv":
        header, *rows = (line.split("\t") for line in path.read_text("utf-8").splitlines())
        lines = [header, ["---"] * len(header), *rows]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return ""


def _checks(path: Path, group: str) -> str:
    """The findings of `errata corpus check` whose code has this first digit."""
    repairs = {"": "", "safe": "yes", "on request": "by name"}
    rows = [
        f"| {code} | {entry['title']} | {repairs[entry.get('fix', '')]} |"
        for code, entry in read_toml(path).items()
        if code[1] == group
    ]
    return "\n".join(["| code | finding | `--fix` |", "| --- | --- | --- |", *rows])
