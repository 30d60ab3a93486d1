"""Broken files, broken models and wrong calls of native code: a result or a clean error, never a crash.

`make fuzz` runs many more cases, from a seed: see docs/security.md. A case that takes more than ten seconds
of processor time ends the process, as a crash does. The last case is then in `build/fuzz`.
"""

from __future__ import annotations

import faulthandler
import lzma
import os
import pickle
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errata.corpus.formats import FORMATS
from errata.corpus.model_file import pack, sealed, unpack
from errata.edits.taggers import models as tagger_models
from errata.errors import DataError, ErrataError
from errata_correct.noisy_channel import NoisyChannel
from fuzz_targets import MODELS, READERS, Target, native_calls, tagger_file

pytestmark = pytest.mark.crash
COUNT = int(os.environ.get("FUZZ_COUNT", "0"))  # of broken files; models and calls are a fifth of it each
SECONDS = 10


def _cases(count: int) -> settings:
    return settings(
        max_examples=max(count, 1), database=None, suppress_health_check=[*HealthCheck], print_blob=True
    )


def _folder(tmp_path: Path) -> Path:
    if not COUNT:
        return tmp_path
    folder = Path(__file__).parents[2] / "build" / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Let only clean errors pass, and end the process after some seconds of processor time."""
    unraisable: list[Any] = []  # such as an IndexError in a function that cannot raise
    hook, sys.unraisablehook = sys.unraisablehook, unraisable.append
    faulthandler.register(signal.SIGPROF, chain=True)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with warnings.catch_warnings(), suppress(ErrataError):
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.unraisablehook = hook
    assert not unraisable


# -- mutations -------------------------------------------------------------------------------------------

JUNK = [
    *(b"\0", b"\r", b"\n", b"\t", b"|||", b"{", b"}", b"=>", b":::", b'"', b"\\", b"\\ud800", b"-", b"1e999"),
    *(b"null", b"[]", b"{}", b"true", b"nan", b"inf", b"0x10", b"1_0", b",", b"'", b"<!DOCTYPE a>", b"&#0;"),
    *(b"A ", b"S ", b"\xff", b"\xef\xbb\xbf", b"\xc5", b"9" * 30, b"9" * 5000, b"[" * 2000, b'{"a":' * 2000),
    *(b"\xe2\x80\xa8", b"x" * 3000, b"x " * 300, b"<", b">", b"&lt;", b"\xc2\xb2", b"-1", b"4294967296"),
    b"9223372036854775808",
]  # fmt: skip
LOST = st.sampled_from((0, 0, 1, 2, 5, 12, 40))


@st.composite
def broken(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with bytes lost, changed, repeated or put in, or cut."""
    for _ in range(draw(st.sampled_from((1, 1, 2, 4)))):
        place, lost = draw(st.integers(0, len(content))), draw(LOST)
        repeated = content[place : place + 30] * 2
        put = draw(
            st.sampled_from(JUNK) | st.just(b"") | st.just(repeated) | st.binary(min_size=1, max_size=4)
        )
        content = content[:place] + put + content[place + lost :]
    return content[: draw(st.integers(0, len(content)))] if draw(st.integers(0, 6)) == 6 else content


@st.composite
def broken_arrays(draw: st.DrawFn, content: bytes) -> bytes:
    """A file of arrays with a right checksum and wrong arrays; or with any bytes wrong."""
    if draw(st.integers(0, 9)) == 9:
        return draw(broken(content))
    arrays = {name: array.copy() for name, array in unpack(content, "x").items()}
    for _ in range(draw(st.sampled_from((1, 1, 2, 3)))):
        name = draw(st.sampled_from(sorted(arrays)))
        arrays[name] = draw(wrong_array(arrays[name]))
        if draw(st.integers(0, 30)) == 30:
            del arrays[name]
    if draw(st.integers(0, 9)) == 9:
        one, other = (draw(st.sampled_from(sorted(arrays))) for _ in range(2))
        arrays[one], arrays[other] = arrays[other], arrays[one]
    return pack(arrays, [{"id": lzma.FILTER_LZMA2, "preset": 0}])


TYPES = st.sampled_from(("u1", "i1", "i2", "u2", "i4", "i8", "u8", "f4", "f8", "?", ">i4"))


@st.composite
def wrong_array(draw: st.DrawFn, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array that is cut, longer, of another type or shape, or has other numbers."""
    kind = draw(st.sampled_from(("cut", "longer", "type", "shape", "bytes", *["numbers"] * 6)))
    if kind == "cut" and array.ndim == 2 and draw(st.booleans()):
        return np.ascontiguousarray(array[:, : draw(st.integers(0, array.shape[1]))])
    if kind == "cut":
        return array[: draw(st.integers(0, len(array)))].copy()
    if kind == "longer":
        return np.concatenate([array, array[: draw(st.integers(0, 9))]])
    if kind == "type":
        return array.astype(draw(TYPES))
    if kind == "shape":
        return array.reshape(draw(st.sampled_from(((-1,), (1, -1), (-1, 1)))))
    if kind == "bytes" and array.dtype == np.uint8:  # a text, or small numbers
        return np.frombuffer(draw(broken(array.tobytes())), dtype=np.uint8)
    array = array.copy()
    flat = array.reshape(-1)
    limits = np.iinfo(flat.dtype if flat.dtype.kind in "iu" else np.int8)
    values = (-1, 0, 1, 2, 255, 1000, 10**6, len(flat), int(limits.max), int(limits.min))
    for _ in range(draw(st.sampled_from((1, 1, 3, 20)))):
        if len(flat):
            value = draw(st.sampled_from(values) | st.integers(-300, 300))
            flat[draw(st.integers(0, len(flat) - 1))] = max(int(limits.min), min(int(limits.max), value))
    return array


@st.composite
def wrong_argument(draw: st.DrawFn, value: Any) -> Any:
    """Another array, number or object of arrays; anything else stays as it is."""
    if isinstance(value, np.ndarray):
        return draw(wrong_array(value))
    if isinstance(value, int | np.integer):
        return draw(st.sampled_from((-1, 0, 1, 2, int(value) + 1, 10**6, 2**40)))
    if is_dataclass(value) and not isinstance(value, type):
        name = draw(st.sampled_from([field.name for field in fields(value)]))
        with suppress(ValueError):  # arrays that do not fit each other
            return replace(value, **{name: draw(wrong_argument(getattr(value, name)))})
    return value


# -- readers and models ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*READERS, *MODELS])
def test_the_valid_file_is_read(name: str, tmp_path: Path) -> None:
    target = (READERS | MODELS)[name]
    path = tmp_path / target.name
    path.write_bytes(target.content())
    if name not in ("settings", "recipe"):  # whose files of texts are missing
        target.use(path)


def test_every_corpus_format_is_broken() -> None:
    assert {name for name, format in FORMATS.items() if format.write} <= READERS.keys()


def _fuzz(target: Target, content: bytes, tmp_path: Path) -> None:
    path = _folder(tmp_path) / target.name
    path.write_bytes(content)
    with limited(SECONDS):
        target.use(path)


@pytest.mark.parametrize("name", READERS)
def test_broken_files_give_a_result_or_a_clean_error(name: str, tmp_path: Path) -> None:
    target = READERS[name]

    @_cases(COUNT // len(READERS) or 40)
    @given(broken(target.content()))
    def check(content: bytes) -> None:
        _fuzz(target, content, tmp_path)

    check()


@pytest.mark.parametrize("name", MODELS)
def test_broken_models_give_a_result_or_a_clean_error(name: str, tmp_path: Path) -> None:
    target = MODELS[name]

    @_cases(COUNT // 5 // len(MODELS) or 150)
    @given(broken_arrays(target.content()))
    def check(content: bytes) -> None:
        _fuzz(target, content, tmp_path)

    check()


def test_some_broken_models_are_still_models() -> None:
    """Otherwise these tests would reach nothing behind the checks."""
    read = []

    @_cases(50)
    @given(broken_arrays(tagger_file()))
    def check(content: bytes) -> None:
        with suppress(DataError):
            read.append(tagger_models.unpack(content))

    check()
    assert 2 < len(read) < 48


@pytest.mark.parametrize("target", MODELS.values(), ids=MODELS)
def test_a_damaged_model_names_its_checksum(target: Target, tmp_path: Path) -> None:
    data = bytearray(target.content())
    data[len(data) // 2] ^= 1
    path = tmp_path / target.name
    path.write_bytes(data)
    with pytest.raises(DataError, match="its checksum is wrong"):
        target.use(path)
    path.write_bytes(b"\xfd7zXZ\0" + bytes(100))
    with pytest.raises(DataError, match="a model of an older version"):
        target.use(path)


def test_a_model_that_unpacks_to_gigabytes_is_refused(tmp_path: Path) -> None:
    bomb = lzma.compress(bytes(64 << 20), preset=0)
    path = tmp_path / "x.channel"
    for size, message in ((1 << 32, "unpacks to 4,294,967,296 bytes"), (1000, "longer or shorter")):
        path.write_bytes(sealed(bomb, size))
        with pytest.raises(DataError, match=message):
            NoisyChannel.load(path)


# -- native code -------------------------------------------------------------------------------------------

# Amounts of work: a large one is no mistake, and takes its time.
AMOUNTS = {"play.matches", "scan.weights", "candidates.limits", "align.most", "edits.most", "changes.most"}


def test_wrong_calls_of_native_functions_give_a_result_or_a_clean_error(tmp_path: Path) -> None:
    calls = native_calls()

    @_cases(COUNT // 5 or 400)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(calls)))
        module, _, key = name.rpartition(".")
        function = getattr(import_module(module), key)
        names = getattr(function, "__wrapped__", function).__code__.co_varnames
        arguments = deepcopy(calls[name])
        for _ in range(data.draw(st.sampled_from((1, 1, 2)))):
            place = data.draw(st.integers(0, len(arguments) - 1))
            if f"{key}.{names[place]}" not in AMOUNTS:
                arguments[place] = data.draw(wrong_argument(arguments[place]))
        if COUNT:
            with suppress(TypeError, AttributeError, pickle.PicklingError):
                (_folder(tmp_path) / "call.pickle").write_bytes(pickle.dumps((name, arguments)))
        with limited(SECONDS), suppress(ValueError, TypeError, OverflowError, IndexError):
            function(*arguments)

    check()


def test_endless_work_ends_the_process() -> None:
    code = "from test_fuzzing import limited\nwith limited(0.1):\n    sum(range(10**12))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, timeout=300)
    assert done.returncode == -signal.SIGPROF
