"""The HTML report of an evaluation: one file with its styles, scripts and data, which loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.resources import files
from typing import Any

from errata.meta.evaluation import Evaluation
from errata.report.report_data import (
    Data,
    Heading,
    chunk_count,
    people_data,
    report_data,
    sentence_chunk,
    sentence_index,
)

_SCRIPTS = ("base.js", "charts.js", "figures.js", "people.js", "explorer.js", "start.js")


def render_page(
    data: Data, index: Data | None = None, chunks: Iterable[Any] = (), *, served: bool = False
) -> str:
    """The page of a report; `index` adds the explorer, whose sentences are in `chunks` or served."""
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
    pieces = _asset("page.html").split("@@")  # text, name, text, name, …, text
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def to_json(value: Any) -> str:
    """JSON for a script element: without `<`, so that neither `</script>` nor `<!--` can occur."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _block(name: str, value: Any) -> str:
    return f'<script type="application/json" id="data-{name}">{to_json(value)}</script>'


def _asset(name: str) -> str:
    return (files("errata.report") / "page_files" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


# -- the whole report -----------------------------------------------------------------------------------


# Slow computations, in this order; `build_report` calls `advance` after each.
STEPS = ("marked", "comparisons", "groups", "planes", "types", "agreement", "curves", "people")


def build_report(
    evaluation: Evaluation,
    heading: Heading | None = None,
    *,
    sentences: bool = True,
    advance: Callable[[int], None] = lambda steps: None,
) -> str:
    """The whole report as one HTML page; `sentences=False` leaves out the explorer."""
    results = evaluation.results
    if results.corpus is not None:  # its segments are read many times: parse them once
        results = replace(results, corpus=results.corpus.select(range(len(results))))
        evaluation = replace(evaluation, results=results)
    for step in STEPS:
        getattr(evaluation, step)
        advance(1)
    data = report_data(evaluation, heading or Heading())
    if evaluation.people is not None:
        data["human"] = people_data(evaluation.people)
    if results.corpus is None or results.outputs is None or not sentences:
        return render_page(data)
    marked = evaluation.marked
    chunks = (sentence_chunk(results, marked, number) for number in range(chunk_count(results)))
    return render_page(data, sentence_index(evaluation), chunks)
