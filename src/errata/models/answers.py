"""A cache of chat answers by content: a stored run can be replayed without the model.

Every answer is one transaction of an SQLite database, so that a run that is killed goes on where it stopped.
"""

from __future__ import annotations

import json
import sqlite3
from hashlib import sha256

from errata.errors import DataError
from errata.models.protocols import Answer, Chat, Schema

_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, "
    "text TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, answer_tokens INTEGER NOT NULL, "
    "alternatives TEXT NOT NULL)"
)
_COLUMNS = "text, prompt_tokens, answer_tokens, alternatives"


class CachedChat:
    """A chat model whose answers are stored, and whose tokens are counted.

    `chat` may be None: then only stored answers of the model `name` are there.
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
        """The stored answer to this prompt, or a new one, which is stored at once."""
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
        found = self.chat.ask(prompt, schema=schema, seed=seed, alternatives=alternatives)
        counts = found.prompt_tokens, found.answer_tokens
        self._database.execute(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)",
            (key, self.name, prompt, found.text, *counts, json.dumps(found.alternatives)),
        )
        self.asked += 1
        self.prompt_tokens += found.prompt_tokens
        self.answer_tokens += found.answer_tokens
        return found
