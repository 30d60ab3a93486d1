"""Finds mistakes in corpus files that would make scores wrong; see docs/checks.md."""

from __future__ import annotations

from collections.abc import Sequence

from errata.corpus.checks.finding_catalog import Finding, FindingKind, catalog, explanation
from errata.corpus.checks.output_checks import copies, suspicions, untokenised
from errata.corpus.files import StrPath

__all__ = ["Finding", "FindingKind", "catalog", "check", "copies", "explanation", "suspicions", "untokenised"]


def check(
    files: Sequence[StrPath],
    references: Sequence[StrPath] = (),
    hypotheses: Sequence[StrPath] = (),
    *,
    format: str | None = None,
) -> list[Finding]:
    """All findings, by file and line.

    Files may be broken in any way. References and hypotheses are compared with the first file.
    """
    from errata.corpus.checks.alignment_checks import check_alignment
    from errata.corpus.checks.file_checks import check_blocks, check_file, kind_of, read_blocks

    all_findings: list[Finding] = []
    sources: list[str] | None = None
    source_path = ""
    for index, path in enumerate(files):
        file, findings = check_file(path, kind_of(path, format))
        sentences = file.lines
        if file.kind == "m2" and file.lines is not None:
            blocks = read_blocks(file.lines, file.path, findings)
            findings += check_blocks(blocks, file.path)
            sentences = [block.source for block in blocks]
        if index == 0 and file.kind != "other":
            sources, source_path = sentences, file.path
        if sentences is not None and (file.kind == "m2" or (index == 0 and (references or hypotheses))):
            findings += untokenised(sentences, file.path)
        all_findings += sorted(findings)
    aligned_references: dict[str, list[str]] = {}  # by path; only those with as many lines as the source
    for number, path in enumerate((*references, *hypotheses)):
        file, findings = check_file(path, "text")
        if sources is not None and file.lines is not None:
            findings += check_alignment(sources, file.lines, file.path, source_path)
            if len(file.lines) == len(sources):
                findings += suspicions(sources, file.lines, file.path)
                if number < len(references):
                    aligned_references[file.path] = file.lines
                else:
                    findings += copies(sources, file.lines, aligned_references, file.path)
        all_findings += sorted(findings)
    return all_findings
