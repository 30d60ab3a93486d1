"""Runs the fenced blocks of a page, as a reader would who copies them one after the other."""

from __future__ import annotations

import ast
import contextlib
import glob
import io
import os
import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fences import Fence

os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny models are quicker on one thread
_SHELL = re.compile(r"[|<>&;`$(){}]")  # what needs a real shell
_MODULE = "__errata_docs__"


class SnippetError(Exception):
    """A block that does not run; the text has the block and what it printed."""


class Runner:
    """Runs blocks in one folder; the Python blocks share their names, as the cells of a notebook do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": _MODULE}

    def run(self, fence: Fence) -> str:
        """What a block prints; for Python also the value of its last expression."""
        try:
            with self._inside():
                if fence.language == "python" and "__main__" in fence.text:
                    Path("snippet.py").write_text(fence.text, encoding="utf-8")
                    return self._command("python snippet.py")
                if fence.language == "python":
                    return self._python(fence)
                return "".join(self._command(each) for each in fence.commands())
        except SnippetError as problem:
            raise SnippetError(f"line {fence.line}: {problem}") from None

    @contextlib.contextmanager
    def _inside(self) -> Iterator[None]:
        before, path = Path.cwd(), sys.path.copy()
        os.chdir(self.folder)
        sys.path.insert(0, str(self.folder))
        try:
            yield
        finally:
            self.folder = Path.cwd()
            os.chdir(before)
            sys.path[:] = path

    def _python(self, fence: Fence) -> str:
        module = type(sys)(_MODULE)  # classes that a page defines can be pickled
        module.__dict__.update(self.names)
        self.names = module.__dict__
        sys.modules[_MODULE] = module
        tree = ast.parse(fence.text)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(tree, "<page>", "exec"), self.names)
                if isinstance(last, ast.Expr):
                    value = eval(compile(ast.Expression(last.value), "<page>", "eval"), self.names)
                    if value is not None:
                        print(value if hasattr(value, "_repr_html_") else repr(value))
        except Exception:
            raise SnippetError(f"{fence.text}\n{printed.getvalue()}{traceback.format_exc()}") from None
        return printed.getvalue()

    def _command(self, command: str) -> str:
        words = shlex.split(command, comments=True)
        if words[0] == "cd":
            os.chdir(words[1])
            return ""
        alone = "--engine" in words  # its workers import the main module
        if words[0] == "errata" and not alone and not _SHELL.search(re.sub(r"'[^']*'", "", command)):
            return self._errata(command, words[1:])
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            capture_output=True,
            text=True,
            env=os.environ | {"PATH": f"{self._program()}{os.pathsep}{os.environ['PATH']}"},
        )
        if done.returncode:
            raise SnippetError(f"{command}\n{done.stdout}{done.stderr}exit code {done.returncode}")
        return done.stdout

    def _errata(self, command: str, words: list[str]) -> str:
        """`errata …` in this process, which saves the time of starting another."""
        from errata.cli import main

        arguments = [path for word in words for path in (sorted(glob.glob(word)) or [word])]
        raw, said, before = io.BytesIO(), io.StringIO(), sys.argv
        written = io.TextIOWrapper(raw, "utf-8", write_through=True)  # some verbs write bytes
        code: Any = 0
        sys.argv = ["errata", *arguments]
        try:
            with contextlib.redirect_stdout(written), contextlib.redirect_stderr(said):
                main()
        except SystemExit as stop:
            code = stop.code
        except Exception:
            code = traceback.format_exc()
        finally:
            sys.argv = before
        printed = raw.getvalue().decode()
        if code:
            raise SnippetError(f"{command}\n{printed}{said.getvalue()}exit code {code}")
        return printed

    def _program(self) -> str:
        """A folder with programs `errata` and `python` that are these."""
        folder = Path(self.names.setdefault("__programs__", self.folder / ".programs"))
        folder.mkdir(exist_ok=True)
        for name, module in (("errata", "-m errata "), ("python", "")):
            target = folder / name
            target.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module}"$@"\n')
            target.chmod(0o755)
        return str(folder)
