"""The correctors' hot loops over arrays: compiled at install, or the same files uncompiled.

They are compiled with bounds checks: an index out of range is an `IndexError`. `ERRATA_PURE=1` forces the
uncompiled modules, so that both can be tested.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """All native modules of the package."""
    return sorted(path.stem for path in _FOLDER.glob("*.py") if not path.name.startswith("_"))


def compiled(name: str) -> bool:
    """Whether the module of this name has been compiled for this Python."""
    return any((_FOLDER / (name + suffix)).exists() for suffix in EXTENSION_SUFFIXES)


def load_pure(name: str) -> ModuleType:
    """The uncompiled version of a module under another name (for tests against the compiled one)."""
    spec = _uncompiled(f"{__name__}._pure_{name}", name)
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _uncompiled(full_name: str, name: str) -> ModuleSpec:
    spec = importlib.util.spec_from_file_location(full_name, _FOLDER / f"{name}.py")
    assert spec is not None
    return spec


class _PureFinder:
    """Finds the `.py` file of a module although an extension module lies beside it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        return _uncompiled(fullname, name) if package == __name__ and name in names() else None


if os.environ.get("ERRATA_PURE", "") not in ("", "0"):
    sys.meta_path.insert(0, _PureFinder())
