"""Finds what is wrong with corpus files, before it shows as a wrong score; see docs/checks.md."""

from __future__ import annotations

from collections.abc import Sequence

from errata.corpus.checks.finding_catalog import Finding, FindingKind, catalog, explanation
from errata.corpus.checks.suspicion import copies, suspicions, untokenised
from errata.corpus.files import StrPath

__all__ = ["Finding", "FindingKind", "catalog", "check", "copies", "explanation", "suspicions", "untokenised"]


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
    from errata.corpus.checks.alignment import check_alignment
    from errata.corpus.checks.annotations import check_blocks, read_blocks
    from errata.corpus.checks.lines import check_file, kind_of

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
        if sentences is not None and (text.kind == "m2" or (index == 0 and (references or hypotheses))):
            found += untokenised(sentences, text.path)
        findings += sorted(found)
    texts: dict[str, list[str]] = {}  # references by name, as many as there are sources
    for number, path in enumerate((*references, *hypotheses)):
        text, found = check_file(path, "text")
        if sources is not None and text.lines is not None:
            found += check_alignment(sources, text.lines, text.path, source)
            if len(text.lines) == len(sources):
                found += suspicions(sources, text.lines, text.path)
                if number < len(references):
                    texts[text.path] = text.lines
                else:
                    found += copies(sources, text.lines, texts, text.path)
        findings += sorted(found)
    return findings
