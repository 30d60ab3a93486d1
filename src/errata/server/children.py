"""Work for a process of its own, so that long computations do not keep those waiting whom a server serves."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from errata.errors import DataError

T = TypeVar("T")


def run_in_child(function: Callable[..., T], *arguments: Any) -> T:
    """Run a function of a module in a new process; waits for its result, or raises its error."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sender, function, arguments), daemon=True)
    process.start()
    sender.close()
    try:
        fine, result = receiver.recv()
    except EOFError:
        raise DataError("the process ended without a result") from None
    finally:
        receiver.close()
        process.join()
    if not fine:
        raise result
    found: T = result
    return found


def _child(sender: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        sender.send((True, function(*arguments)))
    except Exception as error:
        sender.send((False, error if isinstance(error, DataError) else DataError(f"failed: {error}")))
