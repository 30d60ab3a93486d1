"""Run a function in a process of its own, with limits of time and memory."""

from __future__ import annotations

import io
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from errata.errors import DataError, ErrataError

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

T = TypeVar("T")
_TICK_SECONDS = 1.0
_SEND_SECONDS = 60.0  # for a child to send its result
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux
_CHANGE_USERS = 1 << 0 | 1 << 6 | 1 << 7  # CAP_CHOWN, CAP_SETGID and CAP_SETUID
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # CLONE_NEWUSER and CLONE_NEWNET


@dataclass(frozen=True)
class Limits:
    """The limits of a child: seconds of processor time, and bytes of memory.

    Without `network`, it has none on Linux. `user` is the one that it becomes, see `own_user`.
    """

    seconds: float
    memory: int
    network: bool = True
    user: str | None = None


class LimitError(DataError):
    """A child exceeded its limits."""


def run_in_child(
    function: Callable[..., T],
    *arguments: Any,
    limits: Limits | None = None,
    tick: Callable[[], None] = lambda: None,
) -> T:
    """Run a function of a module in a new process; waits for its result, or raises its error.

    The child has the function's module, and nothing else of this process. Its temporary files are removed,
    even if it is killed. `tick` is called every second; its error ends the child.
    """
    user = None if limits is None else limits.user
    place = tempfile.gettempdir() if user is None or _open_to_all(tempfile.gettempdir()) else "/tmp"  # nosec
    with tempfile.TemporaryDirectory(prefix="errata-child-", dir=place, ignore_cleanup_errors=True) as folder:
        if user is not None:
            os.chown(folder, _numbers(user)[0], -1)
        return _run(function, arguments, limits, tick, folder)


def _run(
    function: Callable[..., T],
    arguments: tuple[Any, ...],
    limits: Limits | None,
    tick: Callable[[], None],
    folder: str,
) -> T:
    method = "forkserver" if resource is not None else "spawn"
    context: Any = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(["__main__", function.__module__])
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sender, limits, folder, function, arguments), daemon=True)
    process.start()
    sender.close()
    try:
        _wait(receiver, limits, tick)
        killer = threading.Timer(_SEND_SECONDS, process.kill)  # if it sends a part and stops
        killer.start()
        try:
            succeeded, result = _Data(io.BytesIO(receiver.recv_bytes())).load()
        finally:
            killer.cancel()
    except (EOFError, OSError):
        process.join()
        if limits is not None and process.exitcode == -signal.SIGXCPU:
            raise _too_long(limits) from None
        raise DataError("the process ended without a result") from None
    finally:
        process.kill()
        process.join()
        receiver.close()
    if not succeeded:
        raise result
    value: T = result
    return value


def _wait(receiver: Connection, limits: Limits | None, tick: Callable[[], None]) -> None:
    began = time.monotonic()
    while not receiver.poll(_TICK_SECONDS):
        tick()
        # Twice the limit, since a process also waits for a processor.
        if limits is not None and time.monotonic() > began + 2 * limits.seconds:
            raise _too_long(limits)


class _Data(pickle.Unpickler):
    """Reads the answer of a child, which a hostile file may control: data and errors, no functions."""

    def find_class(self, module: str, name: str) -> Any:
        if (module.partition(".")[0], name) in (("numpy", "dtype"), ("numpy", "scalar")):  # numbers
            return super().find_class(module, name)
        kind = getattr(sys.modules.get(module), name, None) if module.startswith("errata") else None
        if isinstance(kind, type) and (issubclass(kind, ErrataError) or is_dataclass(kind)):
            return kind
        raise DataError(f"the process sent {module}.{name}, which is not data")


def _too_long(limits: Limits) -> DataError:
    return LimitError(f"it took more than {limits.seconds:g} seconds")


def _child(
    sender: Connection,
    limits: Limits | None,
    folder: str,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> None:
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    try:
        if limits is not None:
            _apply(limits)
        answer: tuple[bool, Any] = (True, function(*arguments))
    except Exception as error:
        if limits is not None and _lacked_memory(error):
            _limit_memory(None)  # sending the error needs memory
            error = LimitError(f"it needed more than {limits.memory >> 20} MB of memory")
        answer = (False, error if isinstance(error, DataError) else DataError(f"failed: {error}"))
    sender.send(answer)


def _lacked_memory(error: Exception) -> bool:
    """Whether memory was missing: for an object, a thread, or a library."""
    messages = ("cannot allocate memory", "failed to map segment", "can't start new thread")
    return isinstance(error, MemoryError) or any(message in str(error).lower() for message in messages)


def _apply(limits: Limits) -> None:
    """Let the system enforce the limits, if it can, and end the child if its parent is killed.

    The child starts no threads: each needs memory for a stack, and Python may wait forever for a thread that
    got none.
    """
    os.environ["ERRATA_JOBS"] = "1"
    if resource is None:
        return
    libc: Any = None
    if sys.platform == "linux":
        import ctypes

        libc = ctypes.CDLL(None)
    has_network = limits.network or libc is None or libc.unshare(_NEW_NETWORK) != 0
    if limits.user is not None:
        _become(limits.user)
    if libc is not None:
        if has_network and not limits.network:  # some systems let every user have a namespace, without users
            libc.unshare(_NEW_USER | _NEW_NETWORK)
        libc.prctl(_DIE_WITH_PARENT, int(signal.SIGKILL))  # another user would not have it any more
    seconds = max(1, round(limits.seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _limit_memory(limits.memory)


def own_user() -> str | None:
    """The user whom children of root can become: ERRATA_TASK_USER, or nobody, who owns nothing.

    None without the rights of root, or where only root can read Python and its packages.
    """
    if resource is None or os.geteuid() != 0 or not _may_change_users():
        return None
    if not all(_open_to_all(place) for place in (os.__file__, __file__, *sys.path) if os.path.exists(place)):
        return None
    user = os.environ.get("ERRATA_TASK_USER", "nobody")
    try:
        _numbers(user)
    except KeyError:
        hint = "set ERRATA_TASK_USER to a user of this system who owns no files"
        raise DataError(f"there is no user {user!r} to score submissions", hint=hint) from None
    return user


def _may_change_users() -> bool:
    """Whether root may change owners, groups and users, which containers may forbid."""
    status = Path("/proc/self/status")
    if not status.exists():
        return True
    rights = int(status.read_text(encoding="utf-8").split("CapEff:")[1].split()[0], 16)
    return rights & _CHANGE_USERS == _CHANGE_USERS


def _open_to_all(place: str) -> bool:
    """Whether every user can enter the folder, or that of the file."""
    path = Path(place).resolve()
    return all(each.stat().st_mode & 0o001 for each in (path, *path.parents) if each.is_dir())


def _numbers(name: str) -> tuple[int, int]:
    """The numbers of a user and its group."""
    import pwd

    user = pwd.getpwnam(name)
    return user.pw_uid, user.pw_gid


def _become(name: str) -> None:
    number, group = _numbers(name)
    os.setgroups([])
    os.setgid(group)
    os.setuid(number)


def _limit_memory(bytes_: int | None) -> None:
    if resource is not None:
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most if bytes_ is None else bytes_, most))
