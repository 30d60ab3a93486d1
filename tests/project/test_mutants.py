"""The mutation tool: which changes it makes to a module, and which parts it leaves alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "mutants"

MODULE = '''"""A text with 1 number."""
from __future__ import annotations
LIMIT: int = 3
__all__ = ["f" + "g"]
def f(a: int | None, b: list[int]) -> bool:
    """Not 2 changes."""
    assert a != 4
    for x, y in zip(b, b, strict=True):
        if not x and a is None:
            print(f"number {y + 5}: {x:6d}")
    return g(b[a:], -x)
'''

CHANGES = {
    "3 → 4", "3 → 2",
    "not x and a is None → not x or a is None", "not x and a is None → not (not x and a is None)",
    "not x → x", "a is None → a is not None",
    "y + 5 → y - 5", "5 → 6", "5 → 4",
    "return g(b[a:], -x) → return not g(b[a:], -x)", "g(b[a:], -x) → g(-x, b[a:])", "a → a + 1", "-x → x",
}  # fmt: skip


@pytest.fixture
def mutations(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOL))
    import mutations

    return mutations


def test_the_mutants_of_a_module_change_one_token_each(mutations: ModuleType) -> None:
    tree = ast.parse(MODULE)
    unchanged = ast.unparse(tree)
    found = [mutations.mutant("m.py", tree, site) for site in list(mutations.sites(tree))]
    assert ast.unparse(tree) == unchanged
    assert {f"{one.before} → {one.after}" for one in found} == CHANGES
    for one in found:
        ast.parse(one.source)
        line = MODULE.splitlines()[one.lines.start - 1].strip()
        assert line.startswith(("LIMIT", "if", "print", "return"))


@pytest.mark.slow
def test_a_run_writes_verdicts_and_continues(tmp_path: Path) -> None:
    command = [
        sys.executable, TOOL / "run.py", "--work", tmp_path, "--only", "text/typography.py",
        "--tests", "tests/text/test_typography.py", "--count",
    ]  # fmt: skip
    done = subprocess.run([*command, "3"], capture_output=True, text=True, check=True)
    verdicts = [line.split("\t")[0] for line in (tmp_path / "verdicts.tsv").read_text().splitlines()]
    assert len(verdicts) == 3
    assert any(each.startswith("killed") for each in verdicts), done.stdout
    subprocess.run([*command, "3"], capture_output=True, text=True, check=True)  # nothing is left to do
    assert len((tmp_path / "verdicts.tsv").read_text().splitlines()) == 3
