"""Change one token of the program at a time and see whether a test notices: python tools/mutants/run.py

The tree is copied first; nothing is changed in the checkout. Only the tests that run the changed line are
run, the quickest first, up to the first failure. Limits are processor time: the load of the machine does not
matter. Every verdict is written down at once, and a run that was stopped continues where it was.
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
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from covering import Covered, is_current, measure
from mutations import Mutant, mutant, sites

ROOT = Path(__file__).parents[2]
PACKAGES = ["metrics", "significance", "human", "meta", "corpus", "edits"]
# Tests that start browsers, servers, clusters and builds, or that are about other packages.
ELSEWHERE = re.compile(
    r"campaign|server|page|installation|transformer|ray|benchmarks|fuzzing|nois|channel|tokenizers|docs"
    r"|confusions|integrations|test_data|replicate|kernels|treebank|vocabulary|table|layers|engine|sample$"
)
# What is imported before a process is forked for each mutant: everything large that is not errata.
WARM = (
    "pytest", "hypothesis", "hypothesis.strategies", "hypothesis.extra.numpy", "numpy", "scipy.stats",
    "scipy.sparse", "scipy.special", "scipy.optimize", "rapidfuzz", "rich.console", "rich.table", "click",
)  # fmt: skip
KILLED, SURVIVED = 1, 0
STARTED = time.monotonic()
PATIENCE = 60  # seconds during which nothing runs, after which a mutant waits forever


def main() -> None:
    options = _options()
    tree = options.work / "tree"
    _copy(tree)
    os.chdir(tree)
    os.environ["PYTHONPATH"] = str(tree / "src")
    os.environ.setdefault("ERRATA_SHARED", str(ROOT.parent / "shared"))
    sys.path.insert(0, str(tree / "src"))
    for name in WARM:
        importlib.import_module(name)
    covered = _covered(tree, options)
    chosen = _chosen(tree, covered, options)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a stale file would hide the next mutant
    sys.dont_write_bytecode = True
    results: Counter[str] = Counter()
    record = options.work / "verdicts.tsv"
    known = _known(record, options.again)
    for number, one in enumerate(chosen[options.skip :], options.skip + 1):
        key = hashlib.sha256(f"{one.module}\n{one.source}".encode()).hexdigest()
        verdict = known.get(key)
        if verdict is None:
            _stop_in_time(options)
            verdict = _try(tree, one, covered, options)
            with record.open("a") as file:
                file.write(f"{key}\t{verdict}\t{one}\n")
        results[verdict.split(":")[0]] += 1
        print(f"{number}\t{verdict}\t{one}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(results.items())), f"of {results.total()}")


def _stop_in_time(options: argparse.Namespace) -> None:
    """End a run that has had the time it was given."""
    if time.monotonic() - STARTED > options.seconds:
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
    """Copy what git does not ignore and the compiled kernels, and compile the modules."""
    for path in [*tree.glob("src/**/*.py"), *tree.glob("tests/**/*.py")]:
        if not (ROOT / path.relative_to(tree)).exists():
            path.unlink()
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    kernels = [str(path.relative_to(ROOT)) for path in ROOT.glob("src/errata/kernels/*.so")]
    for name in [*listed, *kernels]:
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
    for path in sorted((tree / "tests").glob("test_*.py"), key=lambda path: path.stat().st_size):
        if ELSEWHERE.search(path.stem) or not re.search(options.tests, path.stem):
            continue
        found = folder / f"{path.stem}.json"
        if not options.known and not is_current(found, path):
            _stop_in_time(options)
            code, spent = _forked(lambda p=path, f=found: measure(tree, f"tests/{p.name}", PACKAGES, f), 600)
            print(f"measured {path.name}: {spent:.0f} s, status {code}", file=sys.stderr, flush=True)
        if found.exists():
            covered.add(found)
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


def _try(tree: Path, one: Mutant, covered: Covered, options: argparse.Namespace) -> str:
    """Whether the tests that run the changed lines notice: killed, or survived and why."""
    names = covered.of(one.module, one.lines)
    if not names:
        return "survived: no test runs this line"
    tests, seconds = [], 0.0
    for name in names:
        if tests and seconds + covered.seconds[name] > options.budget:
            break
        tests.append(name)
        seconds += covered.seconds[name]
    path = tree / "src" / "errata" / one.module
    original, stat = path.read_bytes(), path.stat()
    path.write_text(one.source)
    os.utime(path, (stat.st_atime, stat.st_mtime + 1000))  # or Python would take the compiled original
    try:
        code, spent = _forked(lambda: _run(tests), 20 + 10 * seconds)
    finally:
        path.write_bytes(original)
        os.utime(path, (stat.st_atime, stat.st_mtime))
    if code == SURVIVED:
        return f"survived: {len(tests)} of {len(names)} tests"
    return f"killed: {spent:.1f} s" if code == KILLED else f"killed: status {code}, {spent:.1f} s"


def _run(tests: list[str]) -> int:
    import pytest
    from hypothesis import Phase, settings

    # A failure is enough: it need not be made small, and it must not be remembered for the next mutant.
    phases = (Phase.explicit, Phase.generate)
    _forget_timeouts()
    settings.register_profile("mutants", deadline=None, phases=phases, database=None)
    quiet = ["-q", "-x", "--no-header", "-rN", "--tb=no"]
    seeded = ["--hypothesis-profile=mutants", "--hypothesis-seed=0"]
    code = pytest.main([*quiet, *seeded, *tests])
    return SURVIVED if code == pytest.ExitCode.OK else KILLED


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
        code = 3
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
