"""The hot loops, over integer arrays: compiled at install, or the same files uncompiled.

`ERRATA_PURE=1` forces the uncompiled modules, so that both forms can be tested.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The names of the native modules; `ragged` is plain Python."""
    return sorted(path.stem for path in _FOLDER.glob("*.py") if not path.name.startswith(("_", "ragged")))


def compiled(name: str) -> bool:
    """Whether the module of this name has been compiled for this Python."""
    return any((_FOLDER / (name + suffix)).exists() for suffix in EXTENSION_SUFFIXES)


def pure() -> bool:
    """Whether `ERRATA_PURE` forces the uncompiled modules."""
    return os.environ.get("ERRATA_PURE", "") not in ("", "0")


def load_pure(name: str) -> ModuleType:
    """An uncompiled copy of a native module, to compare with the compiled one in tests."""
    spec = importlib.util.spec_from_file_location(f"errata.native._pure_{name}", _FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _PureFinder:
    """Finds the `.py` file of a native module although there is an extension module, too."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        if package != __name__ or not (_FOLDER / f"{name}.py").exists():
            return None
        return importlib.util.spec_from_file_location(fullname, _FOLDER / f"{name}.py")


_complete = all(compiled(name) for name in [*names(), "_shared"])  # compiled modules need the shared code
if pure() or not _complete:
    sys.meta_path.insert(0, _PureFinder())
if not pure() and not _complete:
    from multiprocessing import parent_process

    if parent_process() is None:  # else the process that started this one has warned already
        warnings.warn(
            "The native modules of errata are not compiled: results are the same, but take much longer. "
            "Install a C compiler and install errata again (ERRATA_PURE=1 silences this warning).",
            stacklevel=2,
        )
