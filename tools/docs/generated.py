"""Tables that pages only link to: a link to a data file in a paragraph of its own becomes the table."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [
    str(ROOT / "src"),
    str(ROOT / "packages" / "errata-gec-studies" / "src"),
]  # those of this tree

from errata.toml import read_toml  # noqa: E402
from errata_studies import results  # noqa: E402

_DATA_LINK = re.compile(r"^\[[^\]\n]+\]\(([^)\s#]+\.(?:tsv|toml))(?:#([\w-]+))?\)$", re.MULTILINE)


def with_tables(markdown: str, folder: Path) -> str:
    """The page with its tables; `folder` is the one that its links start from."""
    return _DATA_LINK.sub(
        lambda link: _table((folder / link[1]).resolve(), link[2] or "") or link[0], markdown
    )


def _table(path: Path, view: str) -> str:
    """A file of results, or the checks of one group; "" for any other file."""
    if path.parent == results.FOLDER.resolve():
        return results.render(path.name, view)
    if path.name == "finding_catalog.toml":
        return _checks(path, view)
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
