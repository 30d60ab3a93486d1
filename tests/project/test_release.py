"""What a release promises: a wheel that needs no compiler, one version everywhere, no clash of names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import errata
from errata import sample

ROOT = Path(__file__).parents[2]
EN = sample.folder("en")
sys.path.insert(0, str(ROOT / "tools"))

import newcomer  # noqa: E402
import release_check  # noqa: E402


def test_the_version_is_the_same_everywhere() -> None:
    assert release_check.problems(None) == []
    assert any("the tag is v0.0.9" in each for each in release_check.problems("v0.0.9"))


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    wanted = re.findall(r'"([^"]+)"', project.partition("\ndependencies = [")[2].partition("\n]")[0])
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text("utf-8")
    listed = re.findall(r"- (.+)", recipe.partition("  run:\n")[2].partition("\ntest:")[0])
    python = re.search(r'requires-python = "(.*)"', project)
    assert python is not None
    assert {each.replace(" ", "") for each in listed} == {
        f"python{python[1]}",
        *(re.sub(r"\s|;.*", "", each).lower() for each in wanted),
    }


def test_the_image_copies_what_the_build_reads() -> None:
    image = (ROOT / "Dockerfile").read_text("utf-8")
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    for line in re.findall(r"^COPY (?!--from)(.+)", image, re.MULTILINE):
        for name in line.split()[:-1]:
            assert (ROOT / name).exists(), name
            assert f"!{name}" in ignored


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder into which errata-gec and its namesake were installed, first one, then the other."""
    package = tmp_path / "errata"
    package.mkdir()
    for path in Path(errata.__file__).parent.iterdir():
        (package / path.name).symlink_to(path)
    (tmp_path / "errata-0.1.0.dist-info").mkdir()
    return tmp_path


def import_from(site: Path, *args: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run([sys.executable, *args], env=environment, cwd=site, capture_output=True, text=True)


def test_the_namesake_beside_it_is_reported(site: Path) -> None:
    (site / "errata" / "__init__.py").unlink()
    shutil.copy(errata.__file__, site / "errata" / "__init__.py")
    said = import_from(site, "-c", "import errata; print(errata.__version__)")
    assert said.stdout.strip() == errata.__version__
    assert "pip uninstall errata errata-gec" in said.stderr


@pytest.mark.parametrize("args", [["-m", "errata", "--version"], ["-c", "import errata.metrics"]])
def test_the_namesake_instead_of_it_is_reported(site: Path, args: list[str]) -> None:
    """Its __init__.py is empty."""
    (site / "errata" / "__init__.py").unlink()
    (site / "errata" / "__init__.py").touch()
    said = import_from(site, *args)
    assert said.returncode == 1
    assert "pip uninstall errata errata-gec" in said.stderr
    assert ("Traceback" in said.stderr) == (args[0] == "-c")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Wheels of this checkout, repaired by auditwheel; kernels that were compiled before are taken over."""
    if sys.platform != "linux" or shutil.which("cc") is None:
        pytest.skip("auditwheel needs Linux, and the kernels a C compiler")
    if int(version("setuptools").partition(".")[0]) < 77:
        pytest.skip("setuptools is older than 77")
    folder = tmp_path_factory.mktemp("wheel")
    paths = [
        ROOT,
        *(ROOT / "packages" / f"errata-gec-{name}" for name in ("compat", "correct", "server", "studies")),
    ]
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--wheel-dir", folder, *paths], check=True)
    pure = list(folder.glob("*-none-any.whl"))
    native = sorted({*folder.glob("*.whl")} - {*pure})
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    repair = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder / "repaired", *native]
    done = subprocess.run(repair, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    repaired = sorted((folder / "repaired").glob("*.whl"))
    assert all("manylinux" in each.name for each in repaired)
    assert (len(repaired), len(pure)) == (2, 3)
    return [*repaired, *pure]


def test_a_newcomer_without_a_compiler_follows_the_readme(
    wheels: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", tmp_path / "try", "click"],
        capture_output=True,
    ).returncode:  # fmt: skip
        pytest.skip("no package index can be reached")
    newcomer.walk(wheels, sys.executable, tmp_path)
    said = capsys.readouterr().out
    assert "installed without a compiler" in said
    assert "their verbs ran" in said
    [core] = [wheel for wheel in wheels if wheel.name.startswith(newcomer.CORE)]
    check_action(core, tmp_path)


def check_action(wheel: Path, folder: Path) -> None:
    """The script of action.yml, in the environment that is there already."""
    text = (ROOT / "action.yml").read_text("utf-8")
    script = re.sub(r"(?m)^        ", "", text.partition("      run: |\n")[2])
    environment = {
        **os.environ, "RUNNER_TEMP": str(folder), "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "PATH": f"{folder / 'errata' / 'bin'}{os.pathsep}{os.environ['PATH']}", "PACKAGE": str(wheel),
        "GOLD": str(EN / "gold.m2"), "METRIC": "m2", "FAIL_UNDER": "m2=0.6", "COMPARE": "true", "P": "0.05",
        "JUNIT": str(folder / "scores.xml"),
    }  # fmt: skip
    environment.pop("PYTHONPATH", None)
    for systems, code in ((["rules", "neural"], 0), (["neural", "rules"], 1), (["spellfix"], 1)):
        environment["OUTPUTS"] = "\n".join(str(EN / "systems" / f"{name}.txt") for name in systems) + "\n"
        environment["COMPARE"] = "true" if len(systems) > 1 else "false"
        done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
    summary = (folder / "summary.md").read_text("utf-8")
    assert "rules is worse than neural by m2" in summary
    assert "m2 of spellfix is" in summary
    assert "failures=" in (folder / "scores.xml").read_text()
