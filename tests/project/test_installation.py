"""The package installs and works with a C compiler, with one that fails, and without any."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCORE = """
import warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import errata, errata.sample
    from errata.native import m2
    texts = errata.sample.load("en")
    value = errata.M2().score(texts.corpus[:5], texts.outputs["neural"][:5]).value
print(m2.__file__.endswith(".py"), value, *(str(one.message) for one in said), sep="\\n")
"""


# The compiler that is there, without the optimisation that takes most of its time.
QUICK = """#!/bin/sh
for word; do shift; [ "$word" = -O3 ] && word=-O0; set -- "$@" "$word"; done
exec cc "$@"
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout without anything compiled; kernels become C once for all installations."""
    tree = tmp_path_factory.mktemp("checkout") / "tree"
    tree.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, tree)
    shutil.copytree(ROOT / "docs", tree / "docs")
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("*.so", "*.egg-info"))
    quick = tree.parent / "cc"
    quick.write_text(QUICK)
    quick.chmod(0o755)
    return tree


@pytest.mark.skipif(int(version("setuptools").partition(".")[0]) < 77, reason="setuptools is older than 77")
@pytest.mark.parametrize("compiler", ["false", "/nonexistent/cc", None])
def test_it_installs_with_and_without_a_compiler(compiler: str | None, tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    if compiler is None and shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    environment = {**os.environ, "CC": compiler or str(tree.parent / "cc")}
    environment.pop("ERRATA_PURE", None)
    install = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index"]
    done = subprocess.run(
        [*install, "--target", target, tree], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "CC BY-SA 4.0" in Path(target, "errata/edits/models/tagger.md").read_text("utf-8")
    [metadata] = target.glob("errata_gec-*.dist-info")
    assert "License-Expression: Apache-2.0 AND CC-BY-SA-4.0" in (metadata / "METADATA").read_text("utf-8")
    assert any(path.name == "LICENSE-CC-BY-SA-4.0.txt" for path in metadata.rglob("*"))
    modules = list(Path(target, "errata", "native").glob("*.so"))
    assert bool(modules) == (compiler is None)

    environment["PYTHONPATH"] = str(target)
    found = subprocess.run(
        [sys.executable, "-c", SCORE], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
    uncompiled, value, *warnings = found.stdout.splitlines()
    assert uncompiled == str(compiler is not None)
    assert 0 < float(value) < 1
    assert len(warnings) == (compiler is not None)
    assert all("Install a C compiler" in line for line in warnings)
