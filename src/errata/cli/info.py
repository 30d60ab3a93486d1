"""`errata info`"""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys

import click

from errata.cli import VERBS
from errata.cli.options import emit, format_option


@click.command()
@format_option
def command(format_: str, output: str) -> None:
    """Show versions, native modules, data folder and installed extras."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it would say is in the table
        from errata import __version__, native
    from errata.data.official_errant import PARTS
    from errata.data.registry import folder
    from errata.tables import Column, Table

    rows: list[tuple[str, str]] = [("errata", __version__), ("Python", platform.python_version())]
    for package in sorted({distribution for *_, distribution in VERBS.values()} - {"errata-gec"}):
        rows.append((package, _version(package) or f"not installed: pip install {package}"))
    for package in ("numpy", "scipy", "rapidfuzz", "Cython"):
        rows.append((package, importlib.metadata.version(package)))
    for name in native.names():
        state = "compiled" if native.compiled(name) else "not compiled (slow; install a C compiler)"
        rows.append(
            (f"native module {name}", "uncompiled, forced by ERRATA_PURE" if native.pure() else state)
        )
    rows.append(("data folder", str(folder()) + ("" if folder().is_dir() else " (empty)")))
    for part in PARTS:
        state = part.state if part.is_ready else f"{part.state}: errata setup errant"
        rows.append((f"official ERRANT: {part.what}", state))
    rows += sorted((f"extra {extra}", state) for extra, state in _extras().items())
    emit(Table([Column("what"), Column("value")], rows), format_, output)


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _extras() -> dict[str, str]:
    """Each extra of the package and whether what it asks for is installed."""
    try:
        requirements = importlib.metadata.requires("errata-gec") or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {}
    missing: dict[str, list[str]] = {}
    for requirement in requirements:
        name, _, marker = requirement.partition(";")
        if "extra ==" not in marker or ("python_version <" in marker and sys.version_info >= (3, 11)):
            continue
        extra = marker.split("extra ==")[1].strip(" '\"()")
        package = re.split(r"[\[<>=!~ ]", name.strip())[0]
        if package == "errata" or extra in ("test", "lint", "bench", "all"):
            continue
        try:
            found.setdefault(extra, []).append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            missing.setdefault(extra, []).append(package)
    hints = {
        extra: f"without {', '.join(packages)}: pip install 'errata-gec[{extra}]'"
        for extra, packages in missing.items()
    }
    return {extra: ", ".join(packages) for extra, packages in found.items()} | hints
