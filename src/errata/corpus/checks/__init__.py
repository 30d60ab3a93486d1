"""Finds what is wrong with corpus files, before it shows as a wrong score; see docs/checks.md."""

from __future__ import annotations

from collections.abc import Sequence

from errata.corpus.checks.alignment import check_alignment
from errata.corpus.checks.annotations import check_blocks, read_blocks
from errata.corpus.checks.codes import CODES, Code, Finding, explanation
from errata.corpus.checks.lines import check_file, kind_of
from errata.corpus.files import StrPath

__all__ = ["CODES", "Code", "Finding", "check", "explanation"]


def check(
    files: Sequence[StrPath],
    references: Sequence[StrPath] = (),
    hypotheses: Sequence[StrPath] = (),
    *,
    format: str | None = None,
) -> list[Finding]:
    """All findings, file by file in order of lines.

    Files may be broken in any way. References and hypotheses are compared with the first file.
    """
    findings: list[Finding] = []
    sources: list[str] | None = None
    source = ""
    for index, path in enumerate(files):
        text, found = check_file(path, kind_of(path, format))
        sentences = text.lines
        if text.kind == "m2" and text.lines is not None:
            blocks = read_blocks(text.lines, text.path, found)
            found += check_blocks(blocks, text.path)
            sentences = [block.source for block in blocks]
        if index == 0 and text.kind != "other":
            sources, source = sentences, text.path
        findings += sorted(found)
    for path in (*references, *hypotheses):
        text, found = check_file(path, "text")
        if sources is not None and text.lines is not None:
            found += check_alignment(sources, text.lines, text.path, source)
        findings += sorted(found)
    return findings
