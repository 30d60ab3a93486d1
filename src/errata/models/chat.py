"""Chat models: OpenAI-compatible endpoints, GGUF files with llama.cpp, and a cache of their answers."""

from __future__ import annotations

import json
import os
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import Any

import numpy as np

from errata.engine import jobs_or_default
from errata.errors import DataError, ErrataError, needs_extra
from errata.models.loading import digest
from errata.models.protocols import Answer, Chat, Floats, Schema

KEY = "ERRATA_API_KEY"
_TRIES = 4
_TIMEOUT = 600  # seconds
_RETRY_STATUS = {408, 429, 500, 502, 503, 504}
_MAX_RESPONSE = 1 << 26  # bytes
_ALTERNATIVES = 20  # per token: the maximum of the protocol
_CONTEXT = 4096  # tokens of a GGUF model


class Endpoint:
    """A server with the OpenAI protocol, such as `http://localhost:8080/v1`, for chats and sentence vectors.

    The key, if any, comes from the environment variable `ERRATA_API_KEY`.
    """

    temperature, timeout = 0.0, float(_TIMEOUT)

    def __init__(self, address: str, model: str = "", max_tokens: int = 512) -> None:
        self.address, self.model, self.max_tokens = address.rstrip("/"), model, max_tokens
        self.name = model or self.address

    def ask(
        self, prompt: str, *, schema: Schema | None = None, seed: int = 0, alternatives: bool = False
    ) -> Answer:
        """The answer to a prompt; `alternatives` also asks for the likeliest tokens."""
        body: dict[str, Any] = {
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self.temperature,
            "seed": seed,
            "max_tokens": self.max_tokens,
        }
        if schema is not None:
            json_schema = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        if alternatives:
            body |= {"logprobs": True, "top_logprobs": _ALTERNATIVES}
        response = self._post("/chat/completions", body)
        try:
            text = response["choices"][0]["message"]["content"]
            usage = response.get("usage") or {}
            read, written = (int(usage.get(key, 0)) for key in ("prompt_tokens", "completion_tokens"))
            others = _alternatives(response["choices"][0]) if alternatives else ()
        except (KeyError, IndexError, TypeError, ValueError):
            expected = "an answer in choices[0].message.content"
            expected += ", and probabilities in choices[0].logprobs" if alternatives else ""
            raise self._unexpected(response, expected) from None
        return Answer(text if isinstance(text, str) else "", read, written, others)

    def embed(self, texts: Sequence[str]) -> Floats:
        """One vector per text."""
        response = self._post("/embeddings", {"input": list(texts)})
        try:
            rows = sorted(response["data"], key=lambda row: int(row["index"]))
            vectors = np.array([row["embedding"] for row in rows], dtype=np.float64)
        except (KeyError, TypeError, ValueError):
            raise self._unexpected(response, "vectors in data") from None
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._unexpected(response, f"{len(texts)} vectors of one length")
        return vectors

    def _unexpected(self, response: object, expected: str) -> ErrataError:
        return DataError(f"answered {str(response)[:200]!r}", path=self.address, hint=f"expected {expected}")

    def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        if os.environ.get(KEY):
            headers["Authorization"] = f"Bearer {os.environ[KEY]}"
        data = json.dumps({**body, **({"model": self.model} if self.model else {})}).encode()
        hint = f"is the server running, and is the key in {KEY} right?"
        return post(self.address + path, data, headers, self.timeout, hint=hint)


def post(
    address: str, data: bytes, headers: Mapping[str, str], timeout: float = _TIMEOUT, *, hint: str
) -> dict[str, Any]:
    """Send a request and return the response, a JSON object; temporary errors are retried."""
    request = urllib.request.Request(address, data, dict(headers))
    reason = ""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(2**attempt / 2)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:  # nosec B310
                content = json.loads(response.read(_MAX_RESPONSE))
        except urllib.error.HTTPError as error:
            reason = f"HTTP {error.code}: {error.read(300).decode('utf-8', 'replace')}"
            if error.code not in _RETRY_STATUS:
                break
        except (OSError, ValueError, HTTPException) as error:
            reason = str(error) or type(error).__name__
        else:
            if isinstance(content, dict):
                return content
            raise DataError(f"answered {str(content)[:200]!r}", path=address, hint="expected a JSON object")
    raise DataError(f"no answer: {reason[:300]}", path=address, hint=hint)


def _alternatives(choice: Mapping[str, Any]) -> list[list[tuple[str, float]]]:
    """For each token of an answer, the token itself and then the other likely ones."""
    alternatives = []
    for position in choice["logprobs"]["content"]:
        others = {str(other["token"]): float(other["logprob"]) for other in position["top_logprobs"]}
        token = str(position["token"])
        log = others.pop(token, float(position["logprob"]))
        alternatives.append([(token, log), *others.items()])
    return alternatives


class LlamaServer(Endpoint):
    """A GGUF file, served by llama.cpp in this process on a free local port."""

    def __init__(self, name: str, *, embeddings: bool = False) -> None:
        with needs_extra("a GGUF model", "llama"):
            import xllamacpp
        path = Path(name)
        if not _is_gguf(path):
            raise DataError("not a GGUF file", path=name, hint="give a model in the format of llama.cpp")
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx, parameters.n_parallel = _CONTEXT, 1
        # More threads than free cores are much slower: llama.cpp's threads wait actively for each other.
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = jobs_or_default(None)
        parameters.warmup = False
        parameters.verbosity = -1
        parameters.port = 0
        parameters.embedding = embeddings
        if embeddings:
            parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
        try:
            self._server = xllamacpp.Server(parameters)
        except RuntimeError as error:
            raise DataError(f"llama.cpp cannot load it: {error}"[:300], path=name) from None
        super().__init__(f"{self._server.listening_address}/v1")
        self.name = f"{path.stem}@{digest(path)}"


def _is_gguf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"GGUF"


_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, "
    "text TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, answer_tokens INTEGER NOT NULL, "
    "alternatives TEXT NOT NULL)"
)
_COLUMNS = "text, prompt_tokens, answer_tokens, alternatives"


class CachedChat:
    """A chat model with a cache of answers in SQLite; it also counts tokens.

    A stored run can be replayed without the model: `chat` may be None, and then only stored answers of the
    model `name` are available. Every answer is one transaction, so an interrupted run continues.
    """

    def __init__(self, chat: Chat | None, path: str | None = None, name: str = "") -> None:
        self.chat, self.name = chat, name or (chat.name if chat else "")
        self.asked = self.stored = self.prompt_tokens = self.answer_tokens = 0
        try:
            self._database = sqlite3.connect(path or ":memory:", timeout=60, isolation_level=None)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute(_TABLE)
            self._database.execute(f"SELECT {_COLUMNS} FROM answers LIMIT 0")  # nosec B608
        except sqlite3.Error as error:
            hint = "give a new file, or one that an earlier run wrote"
            raise DataError(f"not a cache of answers: {error}", path=path, hint=hint) from None

    def __enter__(self) -> CachedChat:
        return self

    def __exit__(self, *error: object) -> None:
        self._database.close()

    def ask(
        self, prompt: str, *, schema: Schema | None = None, seed: int = 0, alternatives: bool = False
    ) -> Answer:
        """The stored answer to this prompt, or a new one, which is stored."""
        parts = [self.name, prompt, schema, seed, alternatives]
        key = sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        row = self._database.execute(f"SELECT {_COLUMNS} FROM answers WHERE key = ?", (key,)).fetchone()  # nosec B608
        if row is not None:
            self.stored += 1
            text, read, written, others = row
            return Answer(text, read, written, json.loads(others))
        if self.chat is None:
            raise DataError(
                f"the cache has no answer of {self.name!r} to a prompt", hint="give the model with --model"
            )
        answer = self.chat.ask(prompt, schema=schema, seed=seed, alternatives=alternatives)
        counts = answer.prompt_tokens, answer.answer_tokens
        self._database.execute(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)",
            (key, self.name, prompt, answer.text, *counts, json.dumps(answer.alternatives)),
        )
        self.asked += 1
        self.prompt_tokens += answer.prompt_tokens
        self.answer_tokens += answer.answer_tokens
        return answer
