"""`errata corpus check`"""

from __future__ import annotations

import os

import click

from errata.cli.commands import Command, option, section
from errata.cli.options import checked, emit, format_option
from errata.errors import ErrataError


def _codes(prefixes: str) -> set[str]:
    """The codes that begin with one of these prefixes, which commas separate."""
    from errata.corpus.checks import catalog

    codes: set[str] = set()
    for prefix in filter(None, (part.strip().upper() for part in prefixes.split(","))):
        matching = {code for code in catalog() if code.startswith(prefix)}
        if not matching:
            raise ErrataError(f"no check has a code like {prefix!r}; there are {', '.join(catalog())}")
        codes |= matching
    return codes


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.Path())
@section(
    "Input",
    option(
        "--ref", "-r", "references", multiple=True, type=click.Path(), metavar="FILE",
        help="Reference for FILE. Repeat it for more.",
    ),
    option(
        "--hyp", "hypotheses", multiple=True, type=click.Path(), metavar="FILE",
        help="Output of a system for FILE. Repeat it for more.",
    ),
    option(
        "--from", "format_in", type=click.Choice(["m2", "text", "other"]), metavar="FORMAT",
        help="Format of FILES, if their names do not show it:",
    ),
)  # fmt: skip
@section(
    "Output",
    option(
        "--select", "selected", metavar="CODES", callback=checked(_codes),
        help="Report only these codes or groups: W107,E2.",
    ),
    option(
        "--ignore", "ignored", metavar="CODES", callback=checked(_codes),
        help="Leave out these codes or groups.",
    ),
    option("--fix", is_flag=True, help="Make safe repairs, in place or into --output."),
    option("--strict", is_flag=True, help="Exit with 1 for warnings, too."),
    option("--all", "every", is_flag=True, help="Print one row per finding, not per file and code."),
)  # fmt: skip
@format_option
def check(
    files: tuple[str, ...], references: tuple[str, ...], hypotheses: tuple[str, ...],
    format_in: str | None, selected: set[str] | None, ignored: set[str] | None, fix: bool, strict: bool,
    every: bool, format_: str, output: str,
) -> int:  # fmt: skip
    """Find mistakes in corpus files that would make scores wrong.

    FILES are M2 or text with one sentence per line, and may be broken in any way. References and outputs are
    compared with FILE line by line. `errata explain CODE` says what a code means and what to do. The exit
    code is 1 if there are errors (E…). With --fix, --output names the repaired file.

    \b
    errata corpus check test.m2 --hyp systems/AMU.txt
    errata corpus check --fix --select W102,W107 systems/*.txt
    """
    from errata.corpus.checks import check as check_files
    from errata.corpus.corpus_tables import findings_table

    if (references or hypotheses) and len(files) != 1:
        raise click.UsageError("--ref and --hyp are compared with one FILE")
    everything = (*files, *references, *hypotheses)
    if fix:
        _fix(files, references + hypotheses, format_in, selected or set(), ignored or set(), output)
        if output != "-":
            files, references, hypotheses = (output,), (), ()
            output = "-"
    findings = [
        finding
        for finding in check_files(files, references, hypotheses, format=format_in)
        if (not selected or finding.code in selected) and finding.code not in (ignored or ())
    ]
    every = every or format_ in ("json", "tsv")
    emit(findings_table(findings, len(everything), every=every), format_, output)
    return int(any(finding.is_error or strict for finding in findings))


def _fix(
    files: tuple[str, ...], others: tuple[str, ...], format_in: str | None, selected: set[str],
    ignored: set[str], output: str,
) -> None:  # fmt: skip
    from errata.corpus.atomic_write import protect
    from errata.corpus.checks.file_checks import kind_of
    from errata.corpus.checks.fixes import fix_file, fixable

    if output != "-" and len(files + others) != 1:
        raise click.UsageError("--output takes one repaired file; without it files are repaired in place")
    if output == "-" and "-" in files + others:
        raise click.UsageError("standard input cannot be repaired in place; name the --output")
    if output == "-":
        protect(files + others, replace=True)
    codes = fixable(selected) - ignored
    for path in files + others:
        kind = kind_of(path, format_in) if path in files else "text"
        where = None if output == "-" else output
        done = fix_file(path if path == "-" else os.path.realpath(path), kind, codes, where)
        click.echo(f"{path}: {'; '.join(done) or 'nothing to repair'}", err=True)
