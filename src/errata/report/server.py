"""The sentence explorer served on this machine alone: chunks of sentences when the page asks for them."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from errata.errors import ErrataError
from errata.human.judgments import Judgments
from errata.metrics.results import Results
from errata.report.page import render_page, to_json
from errata.report.payload import Settings, mark, score_data
from errata.report.sentences import CHUNK, chunk_count, sentence_chunk, sentence_index

_KEPT = 40  # chunks


class Explorer:
    """What the server answers: the page, chunks of sentences, and explanations of scores."""

    def __init__(self, results: Results, settings: Settings, judgments: Judgments | None = None) -> None:
        self.results = results
        self.settings = settings
        data, items = score_data(results, settings), {}
        if judgments is not None:
            from errata.report.people import items_by_line, people_data

            data["human"] = people_data(results, judgments, seed=settings.seed)
            items = items_by_line(results, judgments)
        self.page = render_page(data, sentence_index(results, items), served=True).encode()
        self._chunks: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def chunk(self, number: int) -> bytes:
        """One chunk of sentences as JSON; its edits are found when it is first asked for."""
        with self._lock:
            if number not in self._chunks:
                rows = range(number * CHUNK, min((number + 1) * CHUNK, len(self.results)))
                part = self.results.select(list(rows))
                made = sentence_chunk(part, mark(part, self.settings.jobs), 0)
                self._chunks[number] = to_json(made).encode()
                if len(self._chunks) > _KEPT:
                    self._chunks.popitem(last=False)
            return self._chunks[number]

    def explanation(self, sentence: int, system: int, metric: int) -> str:
        """Why an output gets its score, in the words of `errata explain`."""
        from rich.console import Console

        score = self.results.score(self.results.systems[system], metric)
        console = Console(file=io.StringIO(), width=100, no_color=True, highlight=False)
        try:
            explanation = score.explain(sentence)
        except ErrataError as error:
            return str(error)
        if not hasattr(explanation, "__rich__"):
            return str(explanation)
        with console.capture() as captured:
            console.print(explanation)
        return captured.get()

    def answer(self, target: str) -> tuple[str, bytes] | None:
        """The media type and body for a path, or None where there is nothing."""
        url = urlsplit(target)
        if url.path == "/":
            return "text/html; charset=utf-8", self.page
        if url.path.startswith("/chunk/") and url.path.endswith(".json"):
            number = url.path[len("/chunk/") : -len(".json")]
            if number.isascii() and number.isdigit() and int(number) < chunk_count(self.results):
                return "application/json", self.chunk(int(number))
        if url.path == "/explain":
            query = parse_qs(url.query)
            limits = {
                "sentence": len(self.results),
                "system": len(self.results.systems),
                "metric": len(self.results.metrics),
            }
            asked = [query.get(name, [""])[0] for name in limits]
            if all(
                text.isascii() and text.isdigit() and int(text) < limit
                for text, limit in zip(asked, limits.values(), strict=True)
            ):
                return "text/plain; charset=utf-8", self.explanation(*map(int, asked)).encode()
        return None


def serve(explorer: Explorer, port: int = 0) -> ThreadingHTTPServer:
    """A server on the loopback address, ready for `serve_forever`; port 0 takes a free one."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            # a page elsewhere may point its own name at this address: only our names are answered
            host = self.headers.get("Host", "").rpartition(":")[0]
            if host not in ("127.0.0.1", "localhost"):
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
