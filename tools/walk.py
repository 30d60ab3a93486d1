"""Count the files, functions and calls of errata that one line passes on its way from the file to the score.

    python tools/walk.py          # a table: by `errata.score`, and by the command line
    python tools/walk.py --list   # besides, every function by file

Only Python functions of errata count: compiled functions, comprehensions and everything that runs while a
module is imported do not. Each way runs in a new process, so that nothing is cached.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import errata

FOLDER = str(Path(errata.__file__).parent)
SOURCE = "This are a sentence .\n"
CORRECTED = "This is a sentence .\n"
GOLD = f"S {SOURCE}A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0\n\n"
_COMPREHENSIONS = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")


def calls_of(work: Callable[[], object]) -> Counter[CodeType]:
    """How often each Python function of errata is called by `work`, in all threads."""
    calls: Counter[CodeType] = Counter()

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(FOLDER) and not is_importing(frame):
            calls[code] += 1

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return Counter({code: count for code, count in calls.items() if code.co_name not in _COMPREHENSIONS})


def is_importing(frame: FrameType | None) -> bool:
    """Whether the frame runs, directly or not, because a module is being imported."""
    while frame is not None and "importlib" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


def by_python(folder: Path) -> None:
    """Score the line with the function that the README shows."""
    errata.score(str(folder / "gold.m2"), [CORRECTED.strip()], metric="m2").parts["f"]


def by_command_line(folder: Path) -> None:
    """Score the line with the command that the README shows."""
    from errata.cli import main

    arguments = ["score", "--m2", str(folder / "gold.m2"), "--hyp", str(folder / "A.txt"), "--metric", "m2"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main(arguments)


WAYS = {"errata.score": by_python, "errata score": by_command_line}


def main() -> None:
    """Print one row for each way to score, and on request the functions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="List every function by file.")
    parser.add_argument("--way", choices=WAYS, help="Measure this way alone, in this process.")
    options = parser.parse_args()
    if options.way is None:
        print(f"{'':16}{'files':>8}{'functions':>12}{'calls':>8}", flush=True)
        for way in WAYS:
            subprocess.run([sys.executable, *sys.argv, "--way", way], check=True)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "gold.m2").write_text(GOLD)
        (folder / "A.txt").write_text(CORRECTED)
        calls = calls_of(lambda: WAYS[options.way](folder))
    files = {code.co_filename for code in calls}
    print(f"{options.way:16}{len(files):8}{len(calls):12}{calls.total():8}")
    listed = sorted(calls, key=lambda code: (code.co_filename, code.co_firstlineno)) if options.list else ()
    for code in listed:
        place = Path(code.co_filename).relative_to(FOLDER)
        print(f"    {place}:{code.co_firstlineno} {code.co_name} ×{calls[code]}")


if __name__ == "__main__":
    main()
