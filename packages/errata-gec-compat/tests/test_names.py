"""The commands by their official names: they run `errata compat`, or say who else has the name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import errata
from errata.toml import read_toml

ROOT = Path(__file__).parents[1]
OTHER = "errant-99.dist-info"


def run(
    program: str, *arguments: str | Path, folder: Path, other: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command of this package, beside another package that has the command `other`."""
    (folder / "site" / OTHER).mkdir(parents=True)
    (folder / "site" / OTHER / "METADATA").write_text("Metadata-Version: 2.1\nName: errant\nVersion: 99\n")
    entry = f"[console_scripts]\n{other} = errant:main\n" if other else ""
    (folder / "site" / OTHER / "entry_points.txt").write_text(entry)
    paths = [folder / "site", ROOT / "src", Path(errata.__file__).parents[1]]
    code = f"import sys; from errata_compat import {program}; sys.exit({program}())"
    # The environment of the tests has the real errant: only what is listed here is seen, and the libraries.
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(
        "S This are a test .\nA 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0\n\n", "utf-8"
    )
    (tmp_path / "A.txt").write_text("This is a test .\n", "utf-8")
    return tmp_path


def test_a_command_prints_what_the_official_program_prints(files: Path) -> None:
    done = run("m2scorer", "A.txt", "gold.m2", folder=files)
    assert done.stdout == "Precision   : 1.0000\nRecall      : 1.0000\nF_0.5       : 1.0000\n"
    assert (done.returncode, done.stderr) == (0, "")


def test_an_error_is_that_of_errata(files: Path) -> None:
    done = run("m2scorer", "missing.txt", "gold.m2", folder=files)
    assert done.returncode == 1
    assert "missing.txt" in done.stderr
    assert "Traceback" not in done.stderr


def test_another_package_with_the_name_is_named(files: Path) -> None:
    done = run("m2scorer", "A.txt", "gold.m2", folder=files, other="m2scorer")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the package errant is installed here" in done.stderr
    assert "errata compat m2scorer" in done.stderr


def test_every_program_of_errata_compat_has_its_name() -> None:
    from errata.cli.compat import PROGRAMS

    scripts = read_toml(ROOT / "pyproject.toml")["project"]["scripts"]
    assert scripts == {name: f"errata_compat:{name}" for name in sorted(PROGRAMS) if name in scripts}
    assert set(PROGRAMS) - set(scripts) <= {"m2_to_ixml", "cherrant_parallel", "cherrant_compare"}
