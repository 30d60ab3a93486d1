"""The benchmarks run and state what they measured; no test looks at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

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


@pytest.mark.slow
def test_the_driver_writes_its_results_without_the_shared_data(tmp_path: Path) -> None:
    target = tmp_path / "RESULTS.md"
    done = run("run.py", "--once", "--data", "sample", "--sentences", 12, "--output", target)
    assert done.returncode == 0, done.stderr
    text = target.read_text(encoding="utf-8")
    assert "## Against the alternatives" in text
    assert "recorded figures" not in text  # they are for other texts
    assert str(Path.home()) not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert any("sacreBLEU" in row and "| equal |" in row for row in rows)


def test_the_ratio_of_medians_lies_in_its_interval() -> None:
    estimate = measure.ratio([2.0, 2.2, 2.1, 2.4, 2.0], [1.0, 1.1, 1.0, 1.2, 1.0])
    assert estimate.low <= estimate.value <= estimate.high
    assert 1.8 < estimate.value < 2.2


def test_work_is_measured_in_alternating_order() -> None:
    order: list[str] = []
    works = [lambda: order.append("a"), lambda: order.append("b")]
    times = measure.in_turns(works, measure.Budget(0, 3, 3), times=(1, 1))
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert [len(seconds) for seconds in times] == [3, 3]
