"""The mutation tool: which changes it makes to a module, and which parts it leaves alone."""

from __future__ import annotations

import ast
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


LOADED = """
from functools import cached_property, lru_cache
LIMIT = 3
def plain(a, b=2):
    return a + b
@lru_cache
def cached(a):
    return [a + i for i in range(4)]
class Box:
    size = 7
    def method(self):
        return super().__sizeof__() * 0 + 5
    @classmethod
    def made(cls):
        return 6
    @property
    def shown(self):
        return 8
    @cached_property
    def kept(self):
        return 9
"""


@pytest.mark.parametrize(
    ("before", "after", "value", "expected"),
    [
        ("a + b", "a - b", "plain(1)", -1),
        ("a + i", "a - i", "cached(1)", [1, 0, -1, -2]),
        ("+ 5", "- 5", "Box().method()", -5),
        ("return 6", "return 7", "Box.made()", 7),
        ("return 8", "return 7", "Box().shown", 7),
        ("return 9", "return 7", "Box().kept", 7),
        ("b=2", "b=3", "plain(1)", None),
        ("LIMIT = 3", "LIMIT = 4", "LIMIT", None),
        ("size = 7", "size = 8", "Box.size", None),
    ],
)
def test_functions_of_a_loaded_module_are_changed_in_place(
    before: str, after: str, value: str, expected: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(TOOL))
    from swapping import swap

    loaded = ModuleType("errata.loaded")
    exec(LOADED, vars(loaded))
    monkeypatch.setitem(sys.modules, "errata.loaded", loaded)
    unchanged = eval(value, vars(loaded))
    vars(loaded)["cached"].cache_clear()
    changed = ast.unparse(ast.parse(LOADED.replace(before, after)))
    assert swap("loaded.py", LOADED, changed) == (expected is not None)
    found = eval(value, vars(loaded))
    assert found == (unchanged if expected is None else expected)
    assert swap("not_loaded.py", LOADED, changed)
