"""Change one token of the program at a time and see whether a test notices: python tools/mutants/run.py

The tree is copied first; nothing is changed in the checkout. Tests are collected once. A process is forked
for every mutant: it changes the function and runs the tests that run the changed line, the quickest first,
up to the first failure. Limits are processor time, so that the load of the machine does not matter. Every
verdict is written down at once, and a run that was stopped continues where it was.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import importlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import pytest
from _pytest.runner import runtestprotocol
from covering import Covered, is_current, measure
from mutations import Mutant, mutant, sites
from swapping import swap

ROOT = Path(__file__).parents[2]
PACKAGES = ["metrics", "significance", "human", "meta", "corpus", "edits"]
# Tests that start browsers, servers, clusters and builds, or that are about other packages.
ELSEWHERE = re.compile(
    r"campaign(?!_figures)|server|page|installation|transformer|ray|test_benchmarks$|fuzzing|nois|channel|tokenizers|docs"
    r"|confusions|integrations|test_data|replicate|kernels|treebank|vocabulary|table|layers|engine|sample$"
    r"|task|documents|serving|textbook|grammar|edit_tagger|release|language_packs|quality_training"
)
# What is imported before a process is forked for each mutant: everything large that is not errata.
WARM = (
    "pytest", "hypothesis", "hypothesis.strategies", "hypothesis.extra.numpy", "numpy", "scipy.stats",
    "scipy.sparse", "scipy.special", "scipy.optimize", "rapidfuzz", "rich.console", "rich.table", "click",
)  # fmt: skip
SURVIVED, KILLED, FAILED = 0, 1, 3
# A failure is enough: hypothesis need not make it small, and must not remember it for the next mutant.
QUIET = ["-q", "-s", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:randomly",
         "--hypothesis-seed=0", "--hypothesis-profile=mutants", "-p", "quickly"]  # fmt: skip
STARTED = time.monotonic()
PATIENCE = 60  # seconds during which nothing runs, after which a mutant waits forever


def main() -> None:
    options = _options()
    tree = options.work / "tree"
    _copy(tree)
    os.chdir(tree)
    os.environ["PYTHONPATH"] = f"{tree / 'src'}{os.pathsep}{Path(__file__).parent}"
    os.environ.setdefault("ERRATA_SHARED", str(ROOT.parent / "shared"))
    sys.path.insert(0, str(tree / "src"))
    for name in WARM:
        importlib.import_module(name)
    covered = _covered(tree, options)
    chosen = _chosen(tree, covered, options)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a stale file would hide the next mutant
    sys.dont_write_bytecode = True
    _forget_timeouts()
    files = sorted({name.partition("::")[0] for name in covered.seconds})
    loop = Loop(tree, chosen, covered, options)
    code = pytest.main([*QUIET, *files], plugins=[loop])
    if not loop.complete:
        sys.exit(f"stopped (status {code}); run it again to continue")


class Loop:
    """A plugin of pytest: tries mutants in place of running all tests."""

    def __init__(
        self, tree: Path, chosen: list[Mutant], covered: Covered, options: argparse.Namespace
    ) -> None:
        self.tree, self.chosen, self.covered, self.options = tree, chosen, covered, options
        self.complete = False
        self.items: dict[str, pytest.Item] = {}
        self.fine: dict[str, bool] = {}  # whether a test that failed passes where nothing is changed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        results: Counter[str] = Counter()
        record = self.options.work / "verdicts.tsv"
        known = _known(record, self.options.again)
        skipped = self.options.skip
        for number, one in enumerate(self.chosen[skipped:], skipped + 1):
            key = hashlib.sha256(f"{one.module}\n{one.source}".encode()).hexdigest()
            verdict = known.get(key)
            if verdict is None:
                if _out_of_time(self.options):
                    return True
                verdict = self.verdict(one)
                with record.open("a") as file:
                    file.write(f"{key}\t{verdict}\t{one}\n")
            results[verdict.split(":")[0]] += 1
            _say(f"{number}\t{verdict}\t{one}")
        _say(", ".join(f"{count} {what}" for what, count in sorted(results.items())))
        self.complete = True
        return True

    def verdict(self, one: Mutant) -> str:
        """Whether the tests that run the changed lines notice: killed, or survived and why."""
        path = self.tree / "src" / "errata" / one.module
        if ast.dump(ast.parse(path.read_text())) == ast.dump(ast.parse(one.source)):
            return "equivalent: the same program"
        names = [name for name in self.covered.of(one.module, one.lines) if name in self.items]
        if not names:
            return "survived: no test runs this line"
        original, stat = path.read_bytes(), path.stat()
        path.write_text(one.source)
        os.utime(path, (stat.st_atime, stat.st_mtime + 1000))  # or Python would take the compiled original
        try:
            while True:
                tests, seconds = self._within_budget([name for name in names if self.fine.get(name, True)])
                work = partial(self._run, tests, (one.module, original.decode(), one.source))
                code, spent = _forked(work, 20 + 10 * seconds)
                if code != KILLED:
                    break
                failed = (self.options.work / "failed").read_text()
                path.write_bytes(original)
                if self._passes(failed):
                    return f"killed: {spent:.1f} s"
                path.write_text(one.source)
        finally:
            path.write_bytes(original)
            os.utime(path, (stat.st_atime, stat.st_mtime))
        if code == SURVIVED:
            return f"survived: {len(tests)} of {len(names)} tests"
        return "unclear: the tool failed" if code == FAILED else f"killed: status {code}, {spent:.1f} s"

    def _within_budget(self, names: list[str]) -> tuple[list[str], float]:
        tests: list[str] = []
        seconds = 0.0
        for name in names:
            if tests and seconds + self.covered.seconds[name] > self.options.budget:
                break
            tests.append(name)
            seconds += self.covered.seconds[name]
        return tests, seconds

    def _passes(self, name: str) -> bool:
        """Whether a test passes when nothing is changed; one that does not says nothing."""
        if name not in self.items:  # the name was not understood
            return True
        if name not in self.fine:
            limit = 20 + 10 * self.covered.seconds.get(name, 10)
            self.fine[name] = _forked(partial(self._run, [name], None), limit)[0] == SURVIVED
        return self.fine[name]

    def _run(self, tests: list[str], change: tuple[str, str, str] | None) -> int:
        if change is not None and not swap(*change):
            return _run_anew(tests, self.options.work / "failed")
        items = [self.items[name] for name in tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                (self.options.work / "failed").write_text(item.nodeid)
                return KILLED
        return SURVIVED


def _say(text: str) -> None:
    print(text, file=sys.__stdout__, flush=True)


def _out_of_time(options: argparse.Namespace) -> bool:
    return time.monotonic() - STARTED > options.seconds


def _stop_in_time(options: argparse.Namespace) -> None:
    """End a run that has had the time it was given."""
    if _out_of_time(options):
        sys.exit("stopped after --seconds; run it again to continue")


def _known(record: Path, again: bool) -> dict[str, str]:
    """The verdicts of earlier runs by the checksum of the changed module; `again` leaves survivors out."""
    if not record.exists():
        return {}
    rows = (line.split("\t") for line in record.read_text().splitlines())
    verdicts = {key: verdict for key, verdict, _ in rows}
    return {key: it for key, it in verdicts.items() if not (again and it.startswith("survived"))}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=300, help="how many mutants are drawn")
    parser.add_argument("--seed", type=int, default=1, help="which mutants are drawn")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first so many of them")
    parser.add_argument("--package", action="append", help="draw from this package only (repeatable)")
    parser.add_argument("--module", default="", help="draw from modules whose path matches this only")
    parser.add_argument("--tests", default="", help="use test files whose name matches this only")
    parser.add_argument("--covered", action="store_true", help="draw from lines that these tests run only")
    parser.add_argument("--known", action="store_true", help="use test files that were measured before only")
    parser.add_argument("--budget", type=float, default=30, help="processor seconds of tests per mutant")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "mutants", help="where to work")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after about so long")
    parser.add_argument("--again", action="store_true", help="try the survivors of earlier runs again")
    parser.add_argument("--measure", action="store_true", help="measure again which tests run which lines")
    options = parser.parse_args()
    options.package = options.package or PACKAGES
    options.work = options.work.resolve()
    return options


def _copy(tree: Path) -> None:
    """Copy what git does not ignore and the compiled native modules, and compile the modules."""
    for path in [*tree.glob("src/**/*.py"), *tree.glob("tests/**/*.py")]:
        if not (ROOT / path.relative_to(tree)).exists():
            path.unlink()
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    modules = [str(path.relative_to(ROOT)) for path in ROOT.glob("src/errata/native/*.so")]
    for name in [*listed, *modules]:
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    subprocess.run([sys.executable, "-m", "compileall", "-q", tree / "src", tree / "tests"], check=False)


def _covered(tree: Path, options: argparse.Namespace) -> Covered:
    """What each test file covers; files that were measured before and did not change are read."""
    folder = options.work / "covered"
    if options.measure:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    covered = Covered()
    for path in sorted((tree / "tests").glob("*/test_*.py"), key=lambda path: path.stat().st_size):
        if ELSEWHERE.search(path.stem) or not re.search(options.tests, path.stem):
            continue
        found = folder / f"{path.stem}.json"
        if not options.known and not is_current(found, path):
            _stop_in_time(options)
            covered = partial(measure, tree, str(path.relative_to(tree)), PACKAGES, found)
            code, spent = _forked(covered, 600)
            print(f"measured {path.name}: {spent:.0f} s, status {code}", file=sys.stderr, flush=True)
        if found.exists():
            covered.add(found, tree / "src" / "errata")
    return covered


def _chosen(tree: Path, covered: Covered, options: argparse.Namespace) -> list[Mutant]:
    """Mutants drawn at random from all that can be made; the same for a seed."""
    places = []
    for package in options.package:
        for path in sorted((tree / "src" / "errata" / package).rglob("*.py")):
            module = str(path.relative_to(tree / "src" / "errata"))
            if re.search(options.module, module):
                parsed = ast.parse(path.read_text())
                places += [
                    (module, parsed, site)
                    for site in sites(parsed)
                    if not options.covered or covered.of(module, site.lines)
                ]
    drawn = random.Random(options.seed).sample(places, min(options.count, len(places)))
    print(f"{len(drawn)} mutants of {len(places)}", file=sys.stderr)
    return [mutant(*place) for place in drawn]


def _run_anew(tests: list[str], failed: Path) -> int:
    """Run tests in a new process, which imports what was changed."""
    command = [sys.executable, "-m", "pytest", *QUIET, "-x", "-rfE", "--no-summary", *tests]
    done = subprocess.run(
        [name for name in command if name != "--no-summary"], capture_output=True, text=True
    )
    if done.returncode == 0:
        return SURVIVED
    found = re.search(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
    failed.write_text(found[1] if found else tests[0])
    return KILLED


def _forget_timeouts() -> None:
    """Let the commands of tests take their time, so that a busy machine kills no mutant."""
    wait = subprocess.run

    def patient(*args: object, timeout: float | None = None, **options: object) -> object:
        return wait(*args, **options)  # type: ignore[call-overload]

    subprocess.run = patient  # type: ignore[assignment]


def _forked(work: Callable[[], int | None], limit: float) -> tuple[int, float]:
    """The status of work done in a process of its own, and its processor time; it ends at the limit."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        code = FAILED
        with contextlib.suppress(BaseException):
            code = work() or 0
        os._exit(code)
    waiting = 0.0
    while True:
        done, status, used = os.wait4(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.2)
        waiting = 0.0 if _runs(child) else waiting + 0.2
        if waiting > PATIENCE:
            os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what a test may have left running
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def _runs(group: int) -> bool:
    """Whether a thread of this group of processes computes, or would if it had a processor."""
    return any(
        state in ("R", "D")
        for path in Path("/proc").glob("[0-9]*/stat")
        if _state_and_group(path)[1] == group
        for state, _ in map(_state_and_group, path.parent.glob("task/*/stat"))
    )


def _state_and_group(path: Path) -> tuple[str, int]:
    try:
        state, _, group = path.read_text().rpartition(")")[2].split()[:3]
    except (OSError, ValueError):  # it has ended
        return "", 0
    return state, int(group)


if __name__ == "__main__":
    main()
