"""`errata corpus check`"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from errata.cli.options import emit, format_option

if TYPE_CHECKING:
    from errata.corpus.checks import Finding
    from errata.tables import Table

_LINES_SHOWN = 5


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "--ref", "-r", "references", multiple=True, type=click.Path(), help="A reference for FILE; repeatable."
)
@click.option("--hyp", "hypotheses", multiple=True, type=click.Path(), help="A system's output; repeatable.")
@click.option(
    "--from",
    "format_in",
    type=click.Choice(["m2", "text", "other"]),
    help="Format of FILES, if their names do not show it.",
)
@click.option("--select", metavar="CODES", default="", help="Report only these codes or groups: W107,E2.")
@click.option("--ignore", metavar="CODES", default="", help="Leave out these codes or groups.")
@click.option("--fix", is_flag=True, help="Make safe repairs, in place or into --output.")
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings too.")
@click.option("--all", "every", is_flag=True, help="One row per finding, not per file and code.")
@format_option
def command(
    files: tuple[str, ...], references: tuple[str, ...], hypotheses: tuple[str, ...],
    format_in: str | None, select: str, ignore: str, fix: bool, strict: bool, every: bool, format_: str,
    output: str,
) -> int:  # fmt: skip
    """Find mistakes in corpus files that would make scores wrong.

    FILES are M2 or text with one sentence per line, and may be broken in any way. References and outputs are
    compared with FILE line by line. `errata explain CODE` says what a code means and what to do. The exit
    code is 1 if there are errors (E…). With --fix, --output names the repaired file.

    \b
    errata corpus check test.m2 --hyp systems/AMU.txt
    errata corpus check --fix --select W102,W107 systems/*.txt
    """
    from errata.corpus.checks import check

    if (references or hypotheses) and len(files) != 1:
        raise click.UsageError("--ref and --hyp are compared with one FILE")
    selected, ignored = _codes(select), _codes(ignore)
    everything = (*files, *references, *hypotheses)
    if fix:
        _fix(files, references + hypotheses, format_in, selected if select else set(), ignored, output)
        if output != "-":
            files, references, hypotheses = (output,), (), ()
            output = "-"
    findings = [
        finding
        for finding in check(files, references, hypotheses, format=format_in)
        if (not select or finding.code in selected) and finding.code not in ignored
    ]
    emit(_table(findings, len(everything), every or format_ in ("json", "tsv")), format_, output)
    return int(any(finding.is_error or strict for finding in findings))


def _codes(prefixes: str) -> set[str]:
    from errata.corpus.checks import catalog

    codes: set[str] = set()
    for prefix in filter(None, (part.strip().upper() for part in prefixes.split(","))):
        matching = {code for code in catalog() if code.startswith(prefix)}
        if not matching:
            raise click.UsageError(f"no check has a code like {prefix!r}; there are {', '.join(catalog())}")
        codes |= matching
    return codes


def _fix(
    files: tuple[str, ...], others: tuple[str, ...], format_in: str | None, selected: set[str],
    ignored: set[str], output: str,
) -> None:  # fmt: skip
    from errata.corpus.checks.file_checks import kind_of
    from errata.corpus.checks.fixes import fix_file, fixable

    if output != "-" and len(files + others) != 1:
        raise click.UsageError("--output takes one repaired file; without it files are repaired in place")
    if output == "-" and "-" in files + others:
        raise click.UsageError("standard input cannot be repaired in place; name the --output")
    codes = fixable(selected) - ignored
    for path in files + others:
        kind = kind_of(path, format_in) if path in files else "text"
        where = None if output == "-" else output
        done = fix_file(path if path == "-" else os.path.realpath(path), kind, codes, where)
        click.echo(f"{path}: {'; '.join(done) or 'nothing to repair'}", err=True)


def _table(findings: list[Finding], files: int, every: bool) -> Table:
    from errata.tables import Cell, Column, Table

    rows: list[list[Cell]] = []
    if every:
        columns = [Column("file"), Column("line"), Column("code"), Column("message")]
        rows = [[finding.path, finding.line, finding.code, finding.message] for finding in findings]
    else:
        columns = [Column("where"), Column("code"), Column("lines"), Column("message")]
        groups: dict[tuple[str, str], list[Finding]] = {}
        for finding in findings:
            groups.setdefault((finding.path, finding.code), []).append(finding)
        for (path, code), group in groups.items():
            first, *others = group
            message = first.message
            if others:
                shown = ", ".join(str(finding.line) for finding in others[:_LINES_SHOWN])
                message += f" (also {shown}{', …' if len(others) > _LINES_SHOWN else ''})"
            rows.append([f"{path}:{first.line}", code, len(group), message])
    errors = sum(finding.is_error for finding in findings)
    warnings = len(findings) - errors
    note = f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')} in {_counted(files, 'file')}"
    if findings:
        note += f"; `errata explain {findings[0].code}` tells more"
    return Table(
        columns, [*rows], notes=[note], extra={"errors": errors, "warnings": warnings, "files": files}
    )


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
