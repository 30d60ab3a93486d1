"""Compiles the native modules where a C compiler works; where none does, the same files run uncompiled."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

NATIVE = Path("src/errata_correct/native")
modules = [
    Extension(
        f"errata_correct.native.{path.stem}",
        [path.as_posix()],
        extra_compile_args=["-O3", "-g0", "-ffp-contract=off"],
        optional=True,  # without a compiler the installation succeeds
    )
    for path in sorted(NATIVE.glob("*.py"))
    if not path.name.startswith("_")
]

setup(
    ext_modules=cythonize(
        modules,
        build_dir="build/cython",  # the generated C stays out of the package
        language_level=3,
        compiler_directives={
            "boundscheck": True,
            "wraparound": False,
            "cdivision": True,
            "infer_types": True,
            "initializedcheck": False,
        },
    ),
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
