"""The correctors' hot loops over arrays: compiled at install, or the same files uncompiled.

They are compiled with bounds checks: an index out of range is an `IndexError`. `ERRATA_PURE=1` forces the
uncompiled modules, so that both can be tested.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from errata.native import pure

_FOLDER = Path(__file__).parent


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
        known = package == __name__ and (_FOLDER / f"{name}.py").exists()
        return _uncompiled(fullname, name) if known else None


if pure():
    sys.meta_path.insert(0, _PureFinder())
