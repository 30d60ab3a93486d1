"""Change one token of the program at a time and see whether a test notices: python tools/mutants/run.py

The tree is copied, with an environment of its own that knows only the copy; the checkout stays as it is.
For every mutant, one module of the copy is changed (a native module is compiled), and a new process runs
the tests that run the changed line, the quickest first, up to the first failure. Limits are processor time.
Every verdict is written down at once, and a run that was stopped continues where it was.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections import Counter
from functools import cached_property
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mutations import Mutant, mutant, sites

ROOT = Path(__file__).parents[2]
SOURCES = ["src/errata/**/*.py", "packages/*/src/*/**/*.py"]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COVERAGE = """[run]
parallel = true
data_file = {folder}/data
source = {sources}
context = ${{ERRATA_MUTANTS_TEST-}}
concurrency = thread,multiprocessing
sigterm = true
"""


class Copy:
    """A copy of the working tree, with an environment whose Python imports from the copy."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tree = folder, folder / "tree"
        self.python = folder / "venv" / "bin" / "python"
        self.environment = {
            **os.environ,
            "ERRATA_SHARED": os.environ.get("ERRATA_SHARED", str(ROOT.parent / "shared")),
            "PYTHONPATH": str(Path(__file__).parent),
            "PYTHONDONTWRITEBYTECODE": "1",  # a stale file would hide the next mutant
        }

    def make(self) -> None:
        """Copy what git does not ignore and what is compiled; make the environment."""
        listed = ["git", "ls-files", "-co", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
            "\n"
        )
        compiled = [
            path.relative_to(ROOT) for path in (*ROOT.glob("src/**/*.so"), *ROOT.glob("packages/**/*.so"))
        ]
        compiled += [path.relative_to(ROOT) for path in ROOT.glob("build/native/*/*")]
        for name in [*filter(None, names), *compiled]:
            if (ROOT / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.tree / name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder / "venv"], check=True)
        (site,) = self.folder.glob("venv/lib/python*/site-packages")
        paths = [self.tree / "src", *sorted(self.tree.glob("packages/*/src"))]
        outside = [path for path in sys.path if path.endswith("site-packages")]
        start = "import coverage; coverage.process_startup()"
        (site / "copy.pth").write_text("\n".join([*map(str, paths), *outside, start, ""]))

    def pytest(self, *arguments: str, cpu: float | None = None, **environment: str) -> int:
        """The exit status of pytest in the copy; with a limit, -9 if it was exceeded."""
        limits = ["prlimit", f"--cpu={int(cpu)}"] if cpu else []
        options = ["-q", "-p", "recording", "-p", "no:cacheprovider", "--hypothesis-profile=mutants"]
        child = subprocess.Popen(
            [*limits, self.python, "-m", "pytest", *options, *arguments],
            cwd=self.tree, env={**self.environment, **environment}, start_new_session=True,
            stdout=subprocess.DEVNULL if cpu else None, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            return child.wait(5 * cpu if cpu else None)  # what waits for ever uses no processor
        except subprocess.TimeoutExpired:
            return -signal.SIGKILL
        finally:
            _end_group(child.pid)
            child.wait()

    def record(self, arguments: list[str]) -> None:
        """Run the tests once and keep which lines they run."""
        packages = [
            path.parent for pattern in SOURCES for path in self.tree.glob(pattern.replace("**/*", "__init__"))
        ]
        settings = COVERAGE.format(folder=self.folder, sources=",".join(map(str, packages)))
        (self.folder / "coveragerc").write_text(settings)
        self.pytest(*arguments, ERRATA_MUTANTS_RECORD=str(self.folder))
        combine = [
            sys.executable,
            "-m",
            "coverage",
            "combine",
            "-q",
            f"--rcfile={self.folder}/coveragerc",
            self.folder,
        ]
        subprocess.run(combine, check=True)

    def compile(self, module: str) -> bool:
        """Compile a native module if this is one; false if it is no longer a program."""
        if "/native/" not in module:
            return True
        package = self.tree / module.partition("src/")[0]
        command = [self.python, "setup.py", "-q", "build_ext", "--inplace"]
        return subprocess.run(command, cwd=package, env=self.environment, capture_output=True).returncode == 0


class Covered:
    """Which tests run which lines."""

    def __init__(self, copy: Copy) -> None:
        from coverage import CoverageData

        self.tree = copy.tree
        self.seconds: dict[str, float] = json.loads((copy.folder / "seconds.json").read_text())
        self.data = CoverageData(str(copy.folder / "data"))
        self.data.read()

    def tests(self, module: str, lines: range) -> list[str]:
        """The tests that run these lines: those of files named after the module, then the quickest."""
        stem = Path(module).stem
        names = self._native(stem) if "/native/" in module else self._running(module, lines)
        known = names & self.seconds.keys()
        return sorted(known, key=lambda name: (stem not in name.partition("::")[0], self.seconds[name], name))

    def _running(self, module: str, lines: range | set[int]) -> set[str]:
        """The tests that run these lines; all of the module for lines that run when it is imported."""
        known = self.data.contexts_by_lineno(str(self.tree / module))
        functions = [node for node in ast.walk(self._parsed[module]) if isinstance(node, FUNCTIONS)]
        inside = {line for node in functions for line in range(node.body[0].lineno, node.end_lineno + 1)}
        chosen = lines if inside.issuperset(lines) else known
        return {name for line in chosen for name in known.get(line, ())}

    def _native(self, stem: str) -> set[str]:
        """The tests of lines that use a native module, and of test files that name it."""
        names: set[str] = set()
        for module, tree in self._parsed.items():
            lines = _uses(tree, stem)
            if lines and "/native/" not in module:
                names |= self._running(module, lines)
        for file in {name.partition("::")[0] for name in self.seconds}:
            text = (self.tree / file).read_text()
            if "native" in text and re.search(rf"\b{stem}\b", text):
                names |= {name for name in self.seconds if name.startswith(f"{file}::")}
        return names

    @cached_property
    def _parsed(self) -> dict[str, ast.Module]:
        return {
            str(path.relative_to(self.tree)): ast.parse(path.read_text())
            for pattern in SOURCES
            for path in self.tree.glob(pattern)
        }


def _uses(tree: ast.Module, stem: str) -> set[int]:
    """The lines that use what is imported from the native module of this name."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and "native" in (node.module or ""):
            whole = (node.module or "").endswith(f".{stem}")
            names |= {each.asname or each.name for each in node.names if whole or each.name == stem}
    return {node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names}


def verdict(copy: Copy, change: Mutant, tests: list[str], seconds: float) -> str:
    """Whether these tests notice a change."""
    path = copy.tree / change.module
    original, stat = path.read_bytes(), path.stat()
    if ast.dump(ast.parse(original)) == ast.dump(ast.parse(change.source)):
        return "equivalent"
    if not tests:
        return "survived: no test runs this line"
    try:
        path.write_text(change.source)
        if not copy.compile(change.module):
            return "invalid: does not compile"
        selected = copy.folder / "selected"
        selected.write_text("\n".join(tests))
        status = copy.pytest("-x", f"@{selected}", cpu=60 + 10 * seconds)
    finally:
        path.write_bytes(original)
        os.utime(path, (stat.st_atime, stat.st_mtime))
        if "/native/" in change.module:
            path.touch()
            copy.compile(change.module)
    if status == 0:
        return f"survived: {len(tests)} tests"
    return f"killed: status {status}" if status in (1, 2, 4) or status < 0 else f"unclear: status {status}"


def _end_group(group: int) -> None:
    """End the processes that a test left running."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _within(tests: list[str], seconds: dict[str, float], budget: float) -> tuple[list[str], float]:
    """The first tests, which together take at most this long, and their time."""
    chosen: list[str] = []
    spent = 0.0
    for name in tests:
        if chosen and spent + seconds[name] > budget:
            break
        chosen.append(name)
        spent += seconds[name]
    return chosen, spent


def _drawn(tree: Path, options: argparse.Namespace) -> list[Mutant]:
    """Mutants drawn at random from all that can be made; the same for a seed."""
    places = []
    for path in sorted(path for pattern in SOURCES for path in tree.glob(pattern)):
        module = str(path.relative_to(tree))
        if re.search(options.only, module):
            parsed = ast.parse(path.read_text())
            places += [(module, parsed, site) for site in sites(parsed)]
    drawn = random.Random(options.seed).sample(places, min(options.count, len(places)))
    print(f"{len(drawn)} mutants of {len(places)}", flush=True)
    return [mutant(*place) for place in drawn]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="number of mutants")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    parser.add_argument(
        "--only", default="", help="draw from modules whose path matches this regular expression"
    )
    parser.add_argument("--budget", type=float, default=60, help="processor seconds of tests per mutant")
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "mutants", help="folder; remove it to begin anew"
    )
    parser.add_argument(
        "--again", nargs="+", metavar="TEST", help="try the survivors again, with these tests"
    )
    parser.add_argument("--tests", default="-m 'not slow and not browser and not crash'", help="for pytest")
    options = parser.parse_args()
    copy = Copy(options.work.resolve())
    record = copy.folder / "verdicts.tsv"
    if not (copy.folder / "seconds.json").exists():
        copy.make()
        copy.record(shlex.split(options.tests))
    covered = Covered(copy)
    rows = [line.split("\t") for line in record.read_text().splitlines()] if record.exists() else []
    known = {change: word for word, change in rows}
    if options.again:
        shutil.copytree(ROOT / "tests", copy.tree / "tests", dirs_exist_ok=True)
        for path in ROOT.glob("packages/*/tests"):
            shutil.copytree(path, copy.tree / path.relative_to(ROOT), dirs_exist_ok=True)
    results: Counter[str] = Counter()
    for number, change in enumerate(_drawn(copy.tree, options), 1):
        word = known.get(str(change), "")
        if not word or (options.again and word.startswith("survived")):
            tests, spent = _within(
                covered.tests(change.module, change.lines), covered.seconds, options.budget
            )
            word = verdict(copy, change, options.again or tests, spent)
            with record.open("a") as file:
                file.write(f"{word}\t{change}\n")
        results[word.partition(":")[0]] += 1
        print(f"{number}\t{word}\t{change}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in sorted(results.items())))


if __name__ == "__main__":
    main()
