"""The sentence explorer served on this machine alone: chunks of sentences when the page asks for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from errata.errors import ErrataError
from errata.http import is_local
from errata.meta.breakdowns import mark_edits
from errata.meta.evaluation import Evaluation
from errata.metrics.attribution import attribute
from errata.metrics.explanation import Explanation
from errata.report.explanations import explanation_text
from errata.report.page import render_page, to_json
from errata.report.report_data import (
    CHUNK,
    Heading,
    chunk_count,
    people_data,
    score_data,
    sentence_chunk,
    sentence_index,
)

_KEPT = 40  # chunks
_EXACT, _ORDERS = 8, 60  # of Shapley values: somebody is waiting


class Explorer:
    """The answers of the server: the page, chunks of sentences, and explanations of scores."""

    def __init__(self, evaluation: Evaluation, heading: Heading) -> None:
        self.results = evaluation.results
        self._jobs = evaluation.jobs
        data = score_data(evaluation, heading)
        if evaluation.people is not None:
            data["human"] = people_data(evaluation.people)
        self.page = render_page(data, sentence_index(evaluation), served=True).encode()
        self._chunk = lru_cache(_KEPT)(self._make_chunk)
        self._lock = threading.Lock()

    def chunk(self, number: int) -> bytes:
        """One chunk of sentences as JSON; its edits are found when it is first asked for."""
        with self._lock:
            return self._chunk(number)

    def _make_chunk(self, number: int) -> bytes:
        rows = range(number * CHUNK, min((number + 1) * CHUNK, len(self.results)))
        part = self.results.select(list(rows))
        return to_json(sentence_chunk(part, mark_edits(part, self._jobs), 0)).encode()

    def explanation(self, sentence: int, system: int, metric: int) -> str:
        """Why an output gets its score and what its edits are worth, in the words of `errata explain`."""
        score = self.results.score(self.results.systems[system], metric)
        assert score.corpus is not None
        assert score.hypotheses is not None
        texts = score.corpus[sentence], score.hypotheses[sentence]
        asked = (
            lambda: score.explain(sentence),
            lambda: attribute(
                score.metric, *texts, exact=_EXACT, samples=_ORDERS, jobs=self._jobs
            ).explanation(),
        )
        return "\n".join(map(_rendered, asked))

    def answer(self, target: str) -> tuple[str, bytes] | None:
        """The media type and body for a path, or None where there is nothing."""
        url = urlsplit(target)
        if url.path == "/":
            return "text/html; charset=utf-8", self.page
        if url.path.startswith("/chunk/") and url.path.endswith(".json"):
            number = url.path[len("/chunk/") : -len(".json")]
            if _is_below(number, chunk_count(self.results)):
                return "application/json", self.chunk(int(number))
        if url.path == "/explain":
            query, results = parse_qs(url.query), self.results
            asked = [query.get(name, [""])[0] for name in ("sentence", "system", "metric")]
            if all(map(_is_below, asked, (len(results), len(results.systems), len(results.metrics)))):
                return "text/plain; charset=utf-8", self.explanation(*map(int, asked)).encode()
        return None


def _is_below(text: str, limit: int) -> bool:
    """Whether a text has a whole number below a limit in digits."""
    return text.isascii() and text.isdigit() and len(text) < 10 and int(text) < limit


def _rendered(explain: Callable[[], Explanation]) -> str:
    """An explanation as text, or why there is none."""
    try:
        return explanation_text(explain())
    except ErrataError as error:
        return f"{error}\n"


def serve(explorer: Explorer, port: int = 0) -> ThreadingHTTPServer:
    """A server on the loopback address, ready for `serve_forever`; port 0 takes a free one."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not is_local(self.headers.get("Host", "")):
                self.send_error(HTTPStatus.FORBIDDEN)
                return
            found = explorer.answer(self.path)
            if found is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", found[0])
            self.send_header("Content-Length", str(len(found[1])))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(found[1])

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing of single requests."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)
