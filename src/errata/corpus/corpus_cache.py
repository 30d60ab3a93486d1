"""What has been found out about a corpus, kept as long as the corpus itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from errata.corpus.model import Corpus

Found = TypeVar("Found")
_found: WeakKeyDictionary[Corpus, dict[Hashable, tuple[threading.RLock, list[Any]]]] = WeakKeyDictionary()


def once(corpus: Corpus, key: Hashable, find: Callable[[], Found]) -> Found:
    """What `find` finds out about a corpus, asked once for each key; another thread waits for the first."""
    lock, known = _found.setdefault(corpus, {}).setdefault(key, (threading.RLock(), []))
    with lock:
        if not known:
            known.append(find())
        found: Found = known[0]
        return found
