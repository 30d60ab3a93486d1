"""The fenced blocks of Markdown pages, and which of them are run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

RUN = ("python", "sh", "bash", "console")  # the languages that are executed
_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_REASON = re.compile(r"<!-- not run: ([^\n]+?) -->\s*\Z")


@dataclass(frozen=True)
class Fence:
    """A fenced block: its language, its text, its line in the page, and why it is not run (or "")."""

    language: str
    text: str
    line: int
    not_run: str
    end: int  # where the block ends in the page

    def commands(self) -> Iterator[str]:
        """The commands of a shell block; lines that `\\` continues are one command."""
        text = self.text
        if self.language == "console":  # commands follow `$ `; the other lines are what they print
            kept, continued = [], False
            for line in text.splitlines():
                if line.startswith("$ ") or continued:
                    kept.append(line.removeprefix("$ "))
                    continued = line.endswith("\\")
            text = "\n".join(kept)
        for command in text.replace("\\\n", " ").splitlines():
            if command.strip() and not command.lstrip().startswith("#"):
                yield command.strip()


def fences(page: str) -> list[Fence]:
    """The fenced blocks of a page in order; `<!-- not run: reason -->` above a block exempts it."""
    found = []
    for match in _FENCE.finditer(page):
        reason = _REASON.search(page[: match.start()])
        line = page.count("\n", 0, match.start()) + 1
        found.append(Fence(match[1], match[2], line, reason[1] if reason else "", match.end()))
    return found
