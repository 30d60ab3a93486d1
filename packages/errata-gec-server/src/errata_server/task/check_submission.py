"""Checks of a submitted file, which do not need the gold."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from errata.corpus.checks import Finding, check
from errata.corpus.checks.file_checks import check_file
from errata.corpus.files import read_lines
from errata.corpus.formats import read_corpus
from errata.corpus.multigec import read_essay_outputs
from errata.corpus.parallel import read_edited
from errata.data.benchmarks import Benchmark, likely_cause
from errata.errors import DataError, capitalised
from errata_server.task.archives import is_archive, unpacked

_SHOWN = 100  # findings that are kept; the errors come first
_LONGEST = 20_000  # characters of a line, or ten times those of the longest source
# With these, a file cannot be scored. Other errors only show that something looks wrong: a team may overrule.
_FATAL = ("E101", "E102", "E103", "E201", "E202", "E203", "E204", "E301")
SOURCE = {"lines": "source.txt", "essays": "source.md"}
OUTPUT = {"lines": "output.txt", "m2": "output.m2", "essays": "output.md"}


@dataclass(frozen=True)
class Source:
    """The texts that a submission corrects: one sentence per line, or essays in Markdown."""

    track: str
    kind: str  # lines, essays
    content: bytes
    others: Mapping[str, int]  # numbers of segments of other texts of the task, by their descriptions


@dataclass(frozen=True)
class Checked:
    """A checked file: its unpacked content, and the findings."""

    name: str
    kind: str  # lines, m2, essays
    content: bytes
    digest: str
    findings: tuple[dict[str, Any], ...]  # each with line, code, message, fix

    @property
    def is_unusable(self) -> bool:
        """Whether it cannot be scored."""
        return any(finding["code"] in _FATAL for finding in self.findings)

    @property
    def is_suspicious(self) -> bool:
        """Whether its scores would probably be wrong."""
        return any(finding["code"].startswith("E") for finding in self.findings)


def check_submission(data: bytes, name: str, source: Source, most: int) -> Checked:
    """Unpack and check a file; runs in a separate process, since a malicious file could take long.

    A file that makes the checks themselves fail is refused, since it would do so each time.
    """
    try:
        return _checked(data, _plain(name), source, most)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        finding = _finding(DataError(f"it could not be checked: {type(error).__name__}"))
        return Checked(_plain(name), source.kind, b"", "", (_shown(finding),))


def _checked(data: bytes, name: str, source: Source, most: int) -> Checked:
    try:
        if is_archive(data):
            name, data = unpacked(data, name, source.track, most)
            name = _plain(name)
    except DataError as error:
        return Checked(name, source.kind, b"", "", (_shown(_finding(error)),))
    kind = source.kind if source.kind == "essays" or not name.lower().endswith(".m2") else "m2"
    with tempfile.TemporaryDirectory(prefix="errata-task-") as folder:
        os.chdir(folder)  # messages then have names without a path
        with open(SOURCE[source.kind], "wb") as file:
            file.write(source.content)
        with open(OUTPUT[kind], "wb") as file:
            file.write(data)
        try:
            findings = _findings(kind, source)
        finally:
            os.chdir("/")
    findings.sort(key=lambda finding: not finding.is_error)
    return Checked(name, kind, data, hashlib.sha256(data).hexdigest(), tuple(map(_shown, findings[:_SHOWN])))


def _findings(kind: str, source: Source) -> list[Finding]:
    output, originals = OUTPUT[kind], SOURCE[source.kind]
    if kind == "essays":
        return _essays(output, originals)
    sources = read_lines(originals)
    findings = _long_lines(output, max(map(len, sources), default=0))
    if findings:
        return findings  # the other checks would take too long
    if kind == "m2":
        findings = check([output])
        if not any(finding.is_error for finding in findings):
            findings += _caught(lambda: read_edited(output, sources, originals))
        return findings
    findings = [
        finding for finding in check([originals], hypotheses=[output]) if finding.path == output
    ]  # findings about the source do not concern the team
    count = next((finding for finding in findings if finding.code == "E301"), None)
    if count is None:
        return findings
    lines = len(check_file(output, "text")[0].lines or ())
    cause = _cause(source, len(sources), lines)
    return [replace(count, fix=cause) if finding is count else finding for finding in findings]


def _cause(source: Source, wanted: int, lines: int) -> str:
    """The likely reason why a file has another number of lines than the source."""
    same = [name for name, count in source.others.items() if count == lines]
    if same:
        return f"It has as many lines as the source of {same[0]}: is it the output for that?"
    task = Benchmark("the source", "the source", "", "", "", wanted)
    return capitalised(likely_cause(task, lines))


def _essays(output: str, originals: str) -> list[Finding]:
    findings = check_file(output, "other")[1]
    if any(finding.is_error for finding in findings):
        return findings
    missing: list[str] = []

    def read() -> None:
        corpus = read_corpus(originals, format="multigec")
        for essays in read_essay_outputs([output], corpus)[1].values():
            missing.extend(essays)

    findings += _caught(read)
    if missing:
        message = f"{len(missing)} essays are missing and would be scored as `!`: {', '.join(missing[:5])}"
        findings.append(Finding(output, 1, "W301", message, "Add the essays, unchanged if nothing is wrong."))
    return findings


def _long_lines(output: str, longest: int) -> list[Finding]:
    most = max(_LONGEST, 10 * longest)
    with open(output, "rb") as file:
        data = file.read()
    for number, line in enumerate(data.split(b"\n"), 1):
        if len(line) > 4 * most:
            message = f"a line of {len(line):,} bytes, but the longest source has {longest:,} characters"
            return [Finding(output, number, "E301", message, "Is there a line break after each sentence?")]
    return []


def _caught(read: Any) -> list[Finding]:
    try:
        read()
    except DataError as error:
        return [_finding(error)]
    return []


def _finding(error: DataError) -> Finding:
    return Finding(error.path or "", error.line or 1, "E101", error.message, capitalised(error.hint or ""))


def _shown(finding: Finding) -> dict[str, Any]:
    return {
        "line": finding.line, "code": finding.code, "message": finding.message[:500],
        "fix": finding.remedy[:500],
    }  # fmt: skip


def _plain(name: str) -> str:
    """A file's name without folders and special characters."""
    name = re.split(r"[/\\]", name)[-1]
    return re.sub(r"[^\w.+-]+", "_", name)[-80:] or "output.txt"
