"""Packages of the core import only from lower layers, and distributions import only the core.

Imports inside functions count as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"

# From the bottom of the dependencies to the top: a package imports from its own row and from those before it.
# A module that stands in another row than its package has an entry of its own.
LAYERS = (
    ("array_types", "errors", "limits", "toml", "tables", "engine", "http"),
    ("native",),
    ("text",),
    ("corpus",),
    ("data",),
    ("sample",),
    ("edits",),
    ("models",),
    ("significance",),  # arithmetic on arrays, which scores use for their intervals
    ("metrics",),
    ("significance.compare",),  # reads the results of metrics
    ("human",),
    ("meta",),
    ("report",),
    ("runner",),
    ("compat", "integrations", "testing"),
    ("cli",),
)
RANK = {package: row for row, packages in enumerate(LAYERS) for package in packages}
EXEMPT = {"errata", "errata.__main__"}  # they are the entrance, and see everything
# Which distributions each one imports; weights need the code that reads them.
IMPORTS = {
    "errata": set[str](),
    "errata_compat": {"errata"},
    "errata_correct": {"errata"},
    "errata_gec_cs_transformer": {"errata", "errata_correct"},
    "errata_server": {"errata"},
    "errata_studies": {"errata"},
}


class Import(NamedTuple):
    """One import of a module of errata, and where it stands."""

    file: Path
    line: int
    importer: str
    imported: str

    @property
    def packages(self) -> tuple[str, str]:
        return _package(self.importer), _package(self.imported)

    def __str__(self) -> str:
        ours, theirs = self.packages
        place = f"{self.file.relative_to(SOURCE)}:{self.line}"
        return f"{place}: {ours} must not import {theirs} ({self.imported})"


def _package(module: str) -> str:
    """The package of a module, or the module itself if it has a row of its own."""
    name = ".".join(module.split(".")[1:3])
    return name if name in RANK else name.split(".")[0]


def _is_for_type_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in {
        name.id if isinstance(name, ast.Name) else name.attr
        for name in ast.walk(node.test)
        if isinstance(name, ast.Name | ast.Attribute)
    }


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements that may run, at any depth."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt) and _is_for_type_checkers(child):
            continue
        yield child
        yield from _statements(child)


def _imports(
    path: Path, modules: set[str], source: Path = SOURCE, first: tuple[str, ...] = ("errata",)
) -> Iterator[Import]:
    importer = _module(path, source)
    for node in _statements(ast.parse(path.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: a relative import"
            deeper = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules else str(node.module) for name in deeper]
        elif isinstance(node, ast.Call) and _is_import_module(node):
            names = [str(node.args[0].value)] if isinstance(node.args[0], ast.Constant) else []
        for name in dict.fromkeys(names):
            if name.split(".")[0] in first:
                yield Import(path, node.lineno, importer, name)


def _is_import_module(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name == "import_module" and bool(call.args)


def _module(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _breaches(source: Path = SOURCE) -> list[Import]:
    files = sorted((source / "errata").rglob("*.py"))
    modules = {_module(path, source) for path in files}
    breaches = []
    for path in files:
        for each in _imports(path, modules, source):
            ours, theirs = each.packages
            if each.importer in EXEMPT or ours == theirs or each.imported == "errata":
                continue
            if theirs not in RANK or ours not in RANK or RANK[theirs] > RANK[ours]:
                breaches.append(each)
    return breaches


def _crossings(root: Path = ROOT) -> list[str]:
    """Imports of one distribution by another one that should not know it."""
    crossings = []
    for source in [root / "src", *sorted(root.glob("packages/*/src"))]:
        for path in sorted(source.rglob("*.py")):
            package = path.relative_to(source).parts[0]
            crossings += [
                f"{path.relative_to(root)}:{each.line}: {package} must not import {each.imported}"
                for each in _imports(path, set(), source, first=tuple(IMPORTS))
                if each.imported.split(".")[0] not in IMPORTS[package] | {package}
            ]
    return crossings


def test_distributions_import_only_the_core() -> None:
    crossings = _crossings()
    if crossings:
        pytest.fail("imports between distributions:\n  " + "\n  ".join(crossings))


def test_an_import_between_distributions_is_seen(tmp_path: Path) -> None:
    for folder, package, line in (
        ("src", "errata", "def work():\n    import errata_server\n"),
        (
            "packages/errata-gec-server/src",
            "errata_server",
            "import errata\nfrom errata_correct import load\n",
        ),
    ):
        (tmp_path / folder / package).mkdir(parents=True)
        (tmp_path / folder / package / "__init__.py").write_text(line)
    assert [line.split(": ", 1)[1] for line in _crossings(tmp_path)] == [
        "errata must not import errata_server",
        "errata_server must not import errata_correct",
    ]


def test_imports_go_only_from_higher_layers_to_lower_ones() -> None:
    breaches = _breaches()
    if breaches:
        pytest.fail("imports against the order of the layers:\n  " + "\n  ".join(map(str, breaches)))


def test_every_package_has_a_layer() -> None:
    names = {path.stem for path in (SOURCE / "errata").iterdir() if path.suffix == ".py"}
    names |= {path.parent.name for path in (SOURCE / "errata").glob("*/__init__.py")}
    assert names - {"__init__", "__main__"} <= set(RANK)


def test_lazy_imports_are_seen_and_those_for_type_checkers_are_not(tmp_path: Path) -> None:
    package = tmp_path / "errata"
    for name in ("metrics", "report", "text"):
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text("")
    (package / "metrics" / "bleu.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "from errata import text\n"
        "if TYPE_CHECKING:\n    from errata.report import Page\n"
        "def draw():\n    if True:\n        from errata import report\n"
        "    import_module('errata.report')\n"
    )
    lines = [(each.line, each.imported) for each in _breaches(tmp_path)]
    assert lines == [(7, "errata.report"), (8, "errata.report")]
