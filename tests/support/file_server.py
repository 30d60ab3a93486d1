"""An HTTP server of files that can delay, break off and refuse answers."""

from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONTENT = bytes(range(256)) * 400


class Server(ThreadingHTTPServer):
    """Serves `content` by path, and misbehaves as `faults` say: one for each request, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.content: dict[str, bytes] = {"/file": CONTENT}
        self.faults: list[str] = []
        self.ranges = True
        self.etag: str | None = '"one"'
        self.requests: list[str | None] = []  # the Range each asked for

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # clients that give up are expected

    def url(self, path: str = "/file") -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        server = self.server
        asked = self.headers.get("Range")
        server.requests.append(asked)
        fault = server.faults.pop(0) if server.faults else ""
        body = server.content.get(self.path)
        if fault == "slow":
            time.sleep(1.5)
        if fault.isdigit():
            self.send_error(int(fault))
            return
        if fault.startswith("to "):
            self.send_response(302)
            self.send_header("Location", fault.removeprefix("to "))
            self.end_headers()
            return
        if body is None:
            self.send_error(404)
            return
        start = 0
        same = self.headers.get("If-Range") in (None, server.etag)
        if asked and server.ranges and same:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(body) - start))
        if server.etag:
            self.send_header("ETag", server.etag)
        self.end_headers()
        rest = body[start:]
        self.wfile.write(rest[: len(rest) // 2] if fault == "break" else rest)
        self.wfile.flush()
        self.close_connection = True
