"""How long kernels run behind the checks of their arguments; to be imported before any kernel."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from errata.kernels import _checks

seconds = [0.0]  # of CPU, in the thread that calls them
_door = _checks.checked


def _timed(check: Any) -> Callable[[Any], Any]:
    """As `checked`, for a function that adds the CPU seconds behind its checks."""

    def door(function: Any) -> Any:
        class Timed:
            __code__, __annotations__ = function.__code__, function.__annotations__

            def __call__(self, *arguments: Any, **named: Any) -> Any:
                begin = time.thread_time()
                try:
                    return function(*arguments, **named)
                finally:
                    seconds[0] += time.thread_time() - begin

        return _door(check)(wraps(function)(Timed()))

    return door


_checks.checked = _timed
