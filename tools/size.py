"""Measure the code: lines, files, classes and public names per package, and the longest functions.

    python tools/size.py            # the checkout that this file is in
    python tools/size.py FOLDER     # another checkout

Tests are left out. A public name is a class, function or constant of a module that has no leading underscore.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

LONGEST = 5


class Function(NamedTuple):
    """A function with its length in lines and its number of parameters."""

    lines: int
    parameters: int
    place: str
    native: bool


class Module(NamedTuple):
    """What is counted in a module."""

    package: str
    lines: int
    classes: int
    public: int
    functions: list[Function]


def measure(path: Path, root: Path) -> Module:
    """Read one module."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    native = path.parent.name == "native"
    functions = [
        Function(
            (node.end_lineno or node.lineno) - node.lineno + 1,
            len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs),
            f"{path.relative_to(root)}:{node.lineno} {node.name}",
            native,
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    classes = sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
    return Module(_package(path, root), text.count("\n"), classes, len(_public_names(tree)), functions)


def _package(path: Path, root: Path) -> str:
    parts = path.relative_to(root).parts
    if parts[0] == "packages":
        return "/".join(parts[:2])
    return "/".join(parts[:3]) if len(parts) > 3 else "src/errata"


def _public_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def main() -> None:
    """Print the tables."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1])
    paths = sorted([*root.glob("src/**/*.py"), *root.glob("packages/*/src/**/*.py")])
    packages: dict[str, list[Module]] = defaultdict(list)
    for path in paths:
        module = measure(path, root)
        packages[module.package].append(module)
    print(f"{'':36}{'lines':>8}{'files':>8}{'classes':>9}{'public names':>14}")
    for name, modules in packages.items():
        _print_row(name, modules)
    everything = [module for modules in packages.values() for module in modules]
    core = [module for name, modules in packages.items() if name.startswith("src") for module in modules]
    _print_row("core", core)
    _print_row("all", everything)
    functions = [function for module in everything for function in module.functions]
    print("\nlongest functions outside native code")
    for function in sorted((each for each in functions if not each.native), reverse=True)[:LONGEST]:
        print(f"{function.lines:6} {function.place}")
    print("\nnative functions with the most parameters")
    most = sorted((each for each in functions if each.native), key=lambda each: each.parameters, reverse=True)
    for function in most[:LONGEST]:
        print(f"{function.parameters:6} {function.place}")


def _print_row(name: str, modules: list[Module]) -> None:
    lines, classes, public = map(sum, zip(*[module[1:4] for module in modules], strict=True))
    print(f"{name:36}{lines:8}{len(modules):8}{classes:9}{public:14}")


if __name__ == "__main__":
    main()
