"""What a worker answers: a result, or the error that its piece of work raised."""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable
from typing import Any

from errata.errors import ErrataError

Answer = tuple[bool, Any]  # whether it went well, and the result or the error
MOST_LOST = 3  # workers that one piece of work may cost


def answer(work: Callable[[Any], Any], item: Any) -> Answer:
    """Do a piece of work in a process of its own: in one thread, and errors are answers too."""
    os.environ["ERRATA_JOBS"] = "1"
    try:
        return True, work(item)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))  # nosec B301 # these are our own bytes
        except Exception:
            error = RuntimeError(f"{error!r}\n{traceback.format_exc()}")
        return False, error


def opened(found: Answer) -> Any:
    """The result, or the error raised."""
    well, content = found
    if not well:
        raise content
    return content


def lost(item: object, why: object) -> ErrataError:
    """The error for work that no worker survives."""
    place = getattr(item, "place", None) or f"{item!r:.80}"
    return ErrataError(
        f"{MOST_LOST} workers died one after the other on the same piece of work ({place}): {why}\n"
        "  hint: out of memory? Try fewer --jobs, and look for a line of extreme length there"
    )
