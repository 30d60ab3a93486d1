"""The installation: versions, native modules, the data folder and which extras are installed."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
import warnings
from collections.abc import Iterable

from errata.data.official_errant import PARTS
from errata.data.registry import folder
from errata.tables import Column, Table

_FOR_DEVELOPERS = ("test", "lint", "bench", "docs", "all")  # extras that are no features


def installation_table(distributions: Iterable[str]) -> Table:
    """Everything worth knowing about the installation; `distributions` are the optional ones of errata."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the table has what they say
        from errata import __version__, native

    rows = [("errata", __version__), ("Python", platform.python_version())]
    for name in distributions:
        rows.append((name, _version(name) or f"not installed: pip install {name}"))
    for name in ("numpy", "scipy", "rapidfuzz", "Cython"):
        rows.append((name, importlib.metadata.version(name)))
    for name in native.names():
        state = "compiled" if native.compiled(name) else "not compiled (slow; install a C compiler)"
        state = "uncompiled, forced by ERRATA_PURE" if native.pure() else state
        rows.append((f"native module {name}", state))
    rows.append(("data folder", str(folder()) + ("" if folder().is_dir() else " (empty)")))
    for part in PARTS:
        state = part.state if part.is_ready else f"{part.state}: errata setup errant"
        rows.append((f"official ERRANT: {part.what}", state))
    rows += sorted((f"extra {extra}", state) for extra, state in _extras().items())
    return Table([Column("what"), Column("value")], rows)


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _extras() -> dict[str, str]:
    """Each extra of the core and its installed packages, or what to install."""
    try:
        requirements = importlib.metadata.requires("errata-gec") or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    installed: dict[str, list[str]] = {}
    missing: dict[str, list[str]] = {}
    for requirement in requirements:
        name, _, marker = requirement.partition(";")
        if "extra ==" not in marker or ("python_version <" in marker and sys.version_info >= (3, 11)):
            continue
        extra = marker.split("extra ==")[1].strip(" '\"()")
        package = re.split(r"[\[<>=!~ ]", name.strip())[0]
        if package == "errata" or extra in _FOR_DEVELOPERS:
            continue
        version = _version(package)
        if version is None:
            missing.setdefault(extra, []).append(package)
        else:
            installed.setdefault(extra, []).append(f"{package} {version}")
    hints = {
        extra: f"without {', '.join(packages)}: pip install 'errata-gec[{extra}]'"
        for extra, packages in missing.items()
    }
    return {extra: ", ".join(packages) for extra, packages in installed.items()} | hints
