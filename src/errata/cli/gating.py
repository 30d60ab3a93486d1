"""Options for builds: a JUnit report, a summary in Markdown, and an exit code of 1 where a check fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from errata.cli.options import together

if TYPE_CHECKING:
    from errata.report.gates import Check
    from errata.tables import Table

gate_options = together(
    click.option(
        "--junit", type=click.Path(dir_okay=False), help="Write the checks to this JUnit XML file."
    ),
    click.option(
        "--summary", type=click.Path(dir_okay=False),
        help='Append the tables and the verdict in Markdown to this file: "$GITHUB_STEP_SUMMARY".',
    ),
)  # fmt: skip


def parse_limits(given: Sequence[str]) -> dict[str, float]:
    """Limits by metric from `m2=0.62` and the like; commas separate several."""
    limits: dict[str, float] = {}
    for piece in (piece for text in given for piece in text.split(",") if piece):
        name, equals, number = piece.rpartition("=")
        try:
            limits[name] = float(number)
        except ValueError:
            equals = ""
        if not equals or not name or limits[name] != limits[name]:
            raise click.UsageError(f"--fail-under {piece}: it should be like m2=0.62")
    return limits


def conclude(
    checks: Sequence[Check], tables: Sequence[Table], junit: str | None, summary: str | None, suite: str
) -> None:
    """Write the reports for a build, and end with exit code 1 and a line of reasons where a check fails."""
    if not checks and junit is None and summary is None:
        return
    from errata.corpus.files import open_output
    from errata.errors import DataError, visible
    from errata.report.gates import junit as as_junit
    from errata.report.gates import verdict
    from errata.tables import render_all

    why = verdict(checks)
    if junit is not None:
        with open_output(junit) as file:
            file.write(as_junit(checks, suite))
    if summary is not None:
        text = render_all(tables, "markdown") + f"\n{f'❌ {why}' if why else '✅ all checks passed'}\n\n"
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise DataError(f"cannot write it: {error.strerror}", path=summary) from None
    if why:
        click.echo(click.style("failed: ", fg="red", bold=True) + visible(why), err=True)
        click.get_current_context().exit(1)
