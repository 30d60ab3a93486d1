"""Tags on disk: a sentence is tagged once by the same tagger."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from errata.corpus.files import StrPath
from errata.edits.tagged_sentence import TaggedSentence, Tagger
from errata.errors import DataError

_KEYS_PER_QUERY = 500


class CachedTagger:
    """A tagger that first looks into a folder, which has one file per signature of a tagger."""

    def __init__(self, tagger: Tagger, folder: StrPath) -> None:
        self._tagger = tagger
        self._path = (
            Path(folder) / f"tags-{blake2b(tagger.signature.encode(), digest_size=8).hexdigest()}.sqlite"
        )

    @property
    def name(self) -> str:
        return self._tagger.name

    @property
    def signature(self) -> str:
        return self._tagger.signature

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        keys = [_key(sentence) for sentence in sentences]
        with self._open() as database:
            known = {
                key: packed
                for start in range(0, len(keys), _KEYS_PER_QUERY)
                for key, packed in _lookup(database, keys[start : start + _KEYS_PER_QUERY])
            }
            missing = [i for i, key in enumerate(keys) if key not in known]
            fresh = self._tagger.tag([sentences[i] for i in missing], jobs)
            added = {keys[i]: _pack(tagged) for i, tagged in zip(missing, fresh, strict=True)}
            database.executemany("INSERT OR REPLACE INTO tags VALUES (?, ?)", added.items())
        known |= added
        return [_unpack(sentence, known[key]) for sentence, key in zip(sentences, keys, strict=True)]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(self._path, timeout=60)
            database.execute(
                "CREATE TABLE IF NOT EXISTS tags (key BLOB PRIMARY KEY, columns BLOB) WITHOUT ROWID"
            )
        except (OSError, sqlite3.Error) as error:
            raise DataError(
                f"cannot use it as a cache of tags: {error}",
                path=self._path,
                hint="delete it, or name another folder",
            ) from None
        try:
            with database:
                yield database
        finally:
            database.close()


def _key(sentence: Sequence[str]) -> bytes:
    return blake2b(" ".join(sentence).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _lookup(database: sqlite3.Connection, keys: list[bytes]) -> list[tuple[bytes, bytes]]:
    marks = ",".join("?" * len(keys))
    query = f"SELECT key, columns FROM tags WHERE key IN ({marks})"  # nosec B608 # question marks alone
    return database.execute(query, keys).fetchall()


def _pack(tagged: TaggedSentence) -> bytes:
    columns = [tagged.lemmas, tagged.upos, tagged.tags, tagged.deps, tagged.heads]
    return zlib.compress(json.dumps(columns, ensure_ascii=False, separators=(",", ":")).encode("utf-8"), 1)


def _unpack(forms: Sequence[str], packed: bytes) -> TaggedSentence:
    lemmas, upos, tags, deps, heads = (tuple(column) for column in json.loads(zlib.decompress(packed)))
    return TaggedSentence(tuple(forms), lemmas, upos, tags, deps, heads)
