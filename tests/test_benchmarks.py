"""The benchmarks run, and say what they measured; no test looks at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

import instructions
import measure

BENCHMARKS = Path(measure.__file__).parent


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # as set by `one_thread`, which would start it a second time
    environment |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return subprocess.run(
        [sys.executable, str(BENCHMARKS / script), *map(str, arguments)],
        capture_output=True, text=True, env=environment, timeout=300,
    )  # fmt: skip


def test_the_driver_writes_its_results_without_the_shared_data(tmp_path: Path) -> None:
    pytest.importorskip("sacrebleu")
    target = tmp_path / "RESULTS.md"
    options = ("--once", "--data", "sample", "--sentences", 12, "--output", target)
    sections = ("throughput", "alternatives", "recorded", "growth")
    done = run("run.py", *options, *(word for name in sections for word in ("--only", name)))
    assert done.returncode == 0, done.stderr
    text = target.read_text(encoding="utf-8")
    for heading in ("## Throughput", "## Against the alternatives", "## Growth"):
        assert heading in text
    assert "recorded figures" not in text  # they are for other texts
    assert str(Path.home()) not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert any("sacreBLEU" in row and "| equal |" in row for row in rows)
    assert any(row.startswith("| M² F0.5 |") for row in rows)


def test_memory_is_that_of_a_process_of_its_own() -> None:
    done = run("memory.py", "--one", "m2", "sample")
    assert done.returncode == 0, done.stderr
    assert 20 < float(done.stdout.split()[-1]) < 2000


def test_a_slower_kernel_fails_the_check_and_a_quicker_one_passes(tmp_path: Path) -> None:
    counts = {**instructions.environment(), "kernels": {"m2": 1000, "ter": 500}}
    baseline = tmp_path / "baseline.json"
    baseline.write_text(json.dumps(counts))
    for m2, code in ((1000, 0), (1015, 0), (900, 0), (1030, 1)):
        now = tmp_path / "now.json"
        now.write_text(json.dumps({**counts, "kernels": {"m2": m2, "ter": 500}}))
        done = run("instructions.py", "--counts", now, "--baseline", baseline, "--check")
        assert done.returncode == code, done.stdout + done.stderr
    assert "m2" in done.stdout
    assert "+3.00%" in done.stdout


def test_counts_of_another_compiler_are_not_compared(tmp_path: Path) -> None:
    counts = {**instructions.environment(), "kernels": {"m2": 1000}}
    (tmp_path / "now.json").write_text(json.dumps(counts))
    (tmp_path / "baseline.json").write_text(json.dumps({**counts, "compiler": "another"}))
    files = ("--counts", tmp_path / "now.json", "--baseline", tmp_path / "baseline.json")
    done = run("instructions.py", *files, "--check")
    assert done.returncode == 2
    assert "another then" in done.stdout


def test_the_baseline_has_every_kernel() -> None:
    from errata import kernels

    assert sorted(json.loads(instructions.BASELINE.read_text())["kernels"]) == kernels.names()


def test_instructions_are_summed_by_shared_object(tmp_path: Path) -> None:
    # the line after calls= is the cost of what was called, and belongs to it
    (tmp_path / "out").write_text(
        "version: 1\nevents: Ir\n\nob=(1) /a/m2.so\nfn=(1) f\n3 10\n+1 5\ncob=(2) /b/libm.so\ncfn=(2) exp\n"
        "calls=2 0\n* 400\n\nob=(2)\nfn=(2)\n0 400\n\nob=(1)\nfn=(3) g\n-2 7\n"
    )
    assert instructions.in_objects(tmp_path / "out") == {"m2.so": 22, "libm.so": 400}


def test_the_ratio_of_medians_lies_in_its_interval_and_the_exponent_is_found() -> None:
    found = measure.ratio([2.0, 2.2, 2.1, 2.4, 2.0], [1.0, 1.1, 1.0, 1.2, 1.0])
    assert found.low <= found.value <= found.high
    assert 1.8 < found.value < 2.2
    sizes = [5, 10, 20, 40]
    slope = measure.exponent(sizes, [3e-6 * size**2 for size in sizes])
    assert slope is not None
    assert slope.value == pytest.approx(2)


def test_work_is_measured_in_alternating_order() -> None:
    order: list[str] = []
    works = [lambda: order.append("a"), lambda: order.append("b")]
    times = measure.in_turns(works, measure.Budget(0, 3, 3), times=(1, 1))
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert [len(found) for found in times] == [3, 3]
