"""The output of each cell of a page, below the cell.

The site is built with the outputs of all tutorials. Those of a page with `outputs: committed` in its front
matter are part of the page: `python tools/docs/outputs.py docs/tutorials/5-train-a-corrector.md` renews them.
"""

from __future__ import annotations

import base64
import re
import sys
import tempfile
from pathlib import Path

from fences import RUN, fences
from running import Runner

COMMITTED = re.compile(r"\A---\n(?:.*\n)*?outputs: committed\n")
_BEGIN, _END = '\n\n<div class="output" markdown>\n\n', "\n\n</div>"


def with_outputs(markdown: str) -> str:
    """The page with the text that each of its cells prints, and the figures that it draws."""
    parts, done = [], 0
    with tempfile.TemporaryDirectory(prefix="errata-docs-") as name:
        runner = Runner(Path(name))
        for fence in fences(markdown):
            if fence.language not in RUN or fence.not_run:
                continue
            before = set(Path(name).rglob("*.svg"))
            printed = runner.run(fence)
            figures = sorted(set(Path(name).rglob("*.svg")) - before)
            parts += [markdown[done : fence.end], _output(printed.replace(name, "~"), figures)]
            done = fence.end
    return "".join([*parts, markdown[done:]])


def without_outputs(markdown: str) -> str:
    """The page as it was before `with_outputs`."""
    return re.sub(re.escape(_BEGIN) + ".*?" + re.escape(_END), "", markdown, flags=re.DOTALL)


def _output(printed: str, figures: list[Path]) -> str:
    parts = []
    if printed.strip():
        parts.append(f"```text\n{printed.rstrip()}\n```")
    for path in figures:
        data = base64.b64encode(path.read_bytes()).decode()
        parts.append(f"![{path.name}](data:image/svg+xml;base64,{data})")
    return _BEGIN + "\n\n".join(parts) + _END if parts else ""


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(with_outputs(without_outputs(page.read_text("utf-8"))), "utf-8")
