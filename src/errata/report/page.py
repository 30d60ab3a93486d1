"""The HTML report of an evaluation: one file with its styles, scripts and data, which loads nothing else.

For large sets, a server on this machine sends the sentences of the explorer when the page asks for them.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

from errata.errors import ErrataError
from errata.http import is_local
from errata.meta.breakdowns import mark_edits
from errata.meta.evaluation import Evaluation
from errata.metrics.attribution import attribute
from errata.metrics.explanation import Explanation
from errata.report.explanations import Line, explanation_lines
from errata.report.report_data import (
    CHUNK,
    Data,
    Heading,
    chunk_count,
    people_data,
    report_data,
    score_data,
    sentence_chunk,
    sentence_index,
)

_SECONDS = 10.0  # for a request to arrive
_CONNECTIONS = 32
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
    template = _asset("page.html").split("@@")  # text, name, text, name, …, text
    return "".join(parts[text] if i % 2 else text for i, text in enumerate(template))


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


def computed(evaluation: Evaluation, advance: Callable[[int], None] = lambda steps: None) -> Evaluation:
    """The evaluation with everything computed that a report shows."""
    results = evaluation.results
    if results.corpus is not None:  # make the segments once, since they are read many times
        results = replace(results, corpus=results.corpus.select(range(len(results))))
        evaluation = replace(evaluation, results=results)
    for step in STEPS:
        getattr(evaluation, step)
        advance(1)
    return evaluation


def build_report(
    evaluation: Evaluation,
    heading: Heading | None = None,
    *,
    sentences: bool = True,
    advance: Callable[[int], None] = lambda steps: None,
) -> str:
    """The whole report as one HTML page; `sentences=False` leaves out the explorer."""
    evaluation = computed(evaluation, advance)
    results = evaluation.results
    data = report_data(evaluation, heading or Heading())
    if evaluation.people is not None:
        data["human"] = people_data(evaluation.people)
    if results.corpus is None or results.outputs is None or not sentences:
        return render_page(data)
    marked = evaluation.marked
    chunks = (sentence_chunk(results, marked, number) for number in range(chunk_count(results)))
    return render_page(data, sentence_index(evaluation), chunks)


_CACHED_CHUNKS = 40
_EXACT, _ORDERS = 8, 60  # of Shapley values: few, since a reader waits for them


class Explorer:
    """The responses of the server: the page, chunks of sentences, and explanations of scores."""

    def __init__(self, evaluation: Evaluation, heading: Heading) -> None:
        self.results = evaluation.results
        self._jobs = evaluation.jobs
        data = score_data(evaluation, heading)
        if evaluation.people is not None:
            data["human"] = people_data(evaluation.people)
        self.page = render_page(data, sentence_index(evaluation), served=True).encode()
        self._chunk = lru_cache(_CACHED_CHUNKS)(self._make_chunk)
        self._lock = threading.Lock()

    def chunk(self, number: int) -> bytes:
        """One chunk of sentences as JSON; its edits are computed at the first request."""
        with self._lock:
            return self._chunk(number)

    def _make_chunk(self, number: int) -> bytes:
        rows = range(number * CHUNK, min((number + 1) * CHUNK, len(self.results)))
        part = self.results.select(list(rows))
        return to_json(sentence_chunk(part, mark_edits(part, self._jobs), 0)).encode()

    def explanation(self, sentence: int, system: int, metric: int) -> list[Line]:
        """The lines of `errata explain` for a sentence: its score, and the values of its edits."""
        score = self.results.score(self.results.systems[system], metric)
        assert score.corpus is not None
        assert score.hypotheses is not None
        texts = score.corpus[sentence], score.hypotheses[sentence]

        def values_of_edits() -> Explanation:
            values = attribute(score.metric, *texts, exact=_EXACT, samples=_ORDERS, jobs=self._jobs)
            return values.explanation()

        return [*_lines(lambda: score.explain(sentence)), [], *_lines(values_of_edits)]

    def response(self, target: str) -> tuple[str, bytes] | None:
        """The media type and body for a path, or None if there is nothing."""
        url = urlsplit(target)
        if url.path == "/":
            return "text/html; charset=utf-8", self.page
        if url.path.startswith("/chunk/") and url.path.endswith(".json"):
            number = url.path[len("/chunk/") : -len(".json")]
            if _is_below(number, chunk_count(self.results)):
                return "application/json", self.chunk(int(number))
        if url.path == "/explain":
            query, results = parse_qs(url.query), self.results
            numbers = [query.get(name, [""])[0] for name in ("sentence", "system", "metric")]
            if all(map(_is_below, numbers, (len(results), len(results.systems), len(results.metrics)))):
                return "application/json", to_json(self.explanation(*map(int, numbers))).encode()
        return None


def _is_below(text: str, limit: int) -> bool:
    """Whether a text is a whole number, in digits, below a limit."""
    return text.isascii() and text.isdigit() and len(text) < 10 and int(text) < limit


def _lines(explain: Callable[[], Explanation]) -> list[Line]:
    """The lines of an explanation, or the message of the error if there is none."""
    try:
        return list(explanation_lines(explain()))
    except ErrataError as error:
        return [[(str(error), "neutral")]]


def serve(explorer: Explorer, port: int = 0) -> ThreadingHTTPServer:
    """A server on the loopback address, ready for `serve_forever`; port 0 means a free port."""

    class Handler(BaseHTTPRequestHandler):
        timeout = _SECONDS

        def do_GET(self) -> None:
            if not is_local(self.headers.get("Host", "")):
                self.send_error(HTTPStatus.FORBIDDEN)
                return
            response = explorer.response(self.path)
            if response is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            media_type, body = response
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Do not log requests."""

    return _Server(("127.0.0.1", port), Handler)


class _Server(ThreadingHTTPServer):
    """Serves a bounded number of connections; a client that goes away leaves no traceback."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._free = threading.BoundedSemaphore(_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        timer = threading.Timer(_SECONDS, request.shutdown, [socket.SHUT_RD])  # of the whole request
        timer.daemon = True
        timer.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            timer.cancel()
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)
