"""Compiles the native modules where a C compiler works; where none does, the same files run uncompiled."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import BaseError, CCompilerError

NATIVE = Path("src/errata/native")
SHARED = "errata.native._shared"  # Cython's code for arrays, compiled once instead of in every module
FLAGS = ["-g0", "-ffp-contract=off"]
SETTINGS = {
    "build_dir": "build/cython",  # the generated C stays out of the package
    "language_level": 3,
    "shared_utility_qualified_name": SHARED,
    "compiler_directives": {
        "boundscheck": True,  # an index out of range is an IndexError in every build
        "wraparound": False,
        "cdivision": True,
        "infer_types": True,  # from the arrays; a module declares what would otherwise be too narrow
        "initializedcheck": False,  # arrays in an object are set before they are read
        "show_performance_hints": False,  # they advise against the checks
    },
}


class BuildNative(build_ext):
    """Compiles all modules or none, and only those whose generated C is not the same as before."""

    def run(self) -> None:
        # Where processes are not forked, each would run this file.
        forks = sys.platform == "linux" and multiprocessing.get_start_method() == "fork"
        processes = len(os.sched_getaffinity(0)) if forks else 0
        cythonized = cythonize(self.extensions, nthreads=processes, **SETTINGS)
        for extension, with_c in zip(self.extensions, cythonized, strict=True):
            extension.sources = with_c.sources
        try:
            super().run()
        except (CCompilerError, BaseError, OSError) as error:
            print(
                f"warning: the native modules are not compiled; the compiler failed: {error}", file=sys.stderr
            )
            for extension in self.extensions:
                name = self.get_ext_filename(extension.name)
                for folder in (self.build_lib, "src"):
                    Path(folder, name).unlink(missing_ok=True)
            self.extensions = []

    def build_extension(self, ext: Extension) -> None:
        digest = hashlib.sha256(repr((ext.extra_compile_args, self.compiler.compiler_so)).encode())
        digest.update(Path(ext.sources[0]).read_bytes())
        target = Path(self.get_ext_fullpath(ext.name))
        kept = Path("build/native", digest.hexdigest()[:16], target.name)
        if kept.exists() and not self.force:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(kept, target)  # not copy2: its date would make the file in src look newer
            return
        print(f"Building {ext.name}", flush=True)
        super().build_extension(ext)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(target, kept)


class BuildWithCard(build_py):
    """Copies the card of the tagger models, with their sources and licence, into their folder."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return  # nothing is copied: the models are used where they are
        shutil.copy2("docs/tagger.md", Path(self.build_lib, "errata", "edits", "models"))


def extension(path: Path, optimize: str) -> Extension:
    return Extension(f"errata.native.{path.stem}", [path.as_posix()], extra_compile_args=[optimize, *FLAGS])


modules = sorted(path for path in NATIVE.glob("*.py") if not path.name.startswith(("_", "ragged")))

setup(
    ext_modules=[*(extension(path, "-O3") for path in modules), extension(NATIVE / "_shared.c", "-O1")],
    cmdclass={"build_ext": BuildNative, "build_py": BuildWithCard},
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
