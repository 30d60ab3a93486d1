"""Say whether all versions, changelog and citation agree; `release_check.py v0.2.0` checks the tag, too."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def found(pattern: str, name: str) -> str:
    """What a pattern finds in a file of the repository, or nothing."""
    match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return match[1] if match else ""


def problems(tag: str | None) -> list[str]:
    """What has to be changed before a release, or before a merge if there is no tag."""
    version = found(r'^__version__ = "(.*)"', "src/errata/__init__.py")
    said = []
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        said.append(f"src/errata/__init__.py: {version!r} is not a version like 1.2.3 or 1.2.3rc1")
    if found(r"^version: (.*)", "CITATION.cff") != version:
        said.append(f"CITATION.cff: the version is not {version}")
    for path in sorted(ROOT.glob("packages/*/pyproject.toml")):
        if '[project.entry-points."errata.verbs"]' not in path.read_text(encoding="utf-8"):
            continue  # weights have versions of their own
        name = path.relative_to(ROOT).as_posix()
        if found(r'^version = "(.*)"', name) != version:
            said.append(f"{name}: the version is not {version}")
        if not re.search(rf'"errata-gec(\[\w+\])?=={re.escape(version)}"', path.read_text(encoding="utf-8")):
            said.append(f"{name}: it does not require errata-gec=={version}")
    pinned = re.findall(r'"errata-gec-.*==(.*)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if {*pinned} != {version}:
        said.append(f"pyproject.toml: the extra `all` asks for other versions than {version}")
    latest = found(r"^## (.*)", "CHANGELOG.md").split(" ")[0]
    if latest not in (version, "Unreleased"):
        said.append(f"CHANGELOG.md: the first section is {latest!r}, neither {version} nor Unreleased")
    if tag is not None and tag != f"v{version}":
        said.append(f"the tag is {tag}, and the version is {version}")
    if tag is not None and latest != version:
        said.append(f"CHANGELOG.md: rename the section {latest} to {version}")
    return said


if __name__ == "__main__":
    wrong = problems(sys.argv[1] if len(sys.argv) > 1 else None)
    sys.exit("\n".join(wrong) if wrong else 0)
