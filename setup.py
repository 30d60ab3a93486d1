"""Compiles the kernels when a C compiler is there; without one the same files run uncompiled."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

kernels = sorted(path for path in Path("src/errata/kernels").glob("*.py") if path.name != "__init__.py")
extensions = [
    Extension(
        f"errata.kernels.{path.stem}",
        [path.as_posix()],
        extra_compile_args=["-O3", "-g0", "-ffp-contract=off"],
        optional=True,
    )
    for path in kernels
]

setup(
    ext_modules=cythonize(
        extensions,
        build_dir="build/cython",  # the generated C stays out of the package
        language_level=3,
        compiler_directives={"boundscheck": False, "wraparound": False, "cdivision": True},
    )
    if extensions
    else [],
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
