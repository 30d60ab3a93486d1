"""The HTML report: one file that holds its styles, its programs and its data, and asks for nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from errata.report.payload import Data

_SCRIPTS = ("base.js", "charts.js", "figures.js", "people.js", "explorer.js", "start.js")


def render_page(
    data: Data, index: Data | None = None, chunks: Iterable[Any] = (), *, served: bool = False
) -> str:
    """The page of a report; with `index` also the explorer, its sentences in `chunks` or served."""
    style = _asset("page.css")
    script = "\n".join(_asset(name) for name in _SCRIPTS)
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "img-src data: blob:",
            "connect-src 'self'" if served else "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    blocks = [_block("report", data)]
    if index is not None:
        blocks.append(_block("index", index))
        blocks += [_block(f"chunk-{number}", chunk) for number, chunk in enumerate(chunks)]
    parts = {
        "policy": policy,
        "title": html.escape(str(data["title"])),
        "style": style,
        "data": "\n".join(blocks),
        "script": script,
    }
    page = _asset("page.html")
    pieces = page.split("@@")  # text, name, text, name, …, text: nothing inserted is looked at again
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def to_json(value: Any) -> str:
    """JSON that may stand in a script element: no `<`, so neither `</script>` nor `<!--` can appear."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _block(name: str, value: Any) -> str:
    return f'<script type="application/json" id="data-{name}">{to_json(value)}</script>'


def _asset(name: str) -> str:
    return (files("errata.report") / "page_files" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
