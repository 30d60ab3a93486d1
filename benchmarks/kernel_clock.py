"""How long native functions run; to be imported before the first call of one."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from errata import kernels

seconds = [0.0]  # of CPU, in the thread that calls them


def _timed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which adds its CPU seconds."""

    def call(*arguments: Any, **named: Any) -> Any:
        begin = time.thread_time()
        try:
            return function(*arguments, **named)
        finally:
            seconds[0] += time.thread_time() - begin

    return call


for _name in kernels.names():
    _module = import_module(f"errata.kernels.{_name}")
    for _key, _function in [*vars(_module).items()]:
        if hasattr(_function, "__code__") and _function.__module__ == _module.__name__:
            setattr(_module, _key, _timed(_function))
