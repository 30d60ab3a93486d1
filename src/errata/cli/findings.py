"""Warnings about suspicious texts on the command line: `--strict` makes them errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from errata.errors import ErrataError

if TYPE_CHECKING:
    from errata.corpus.checks import Finding

_STRICT = "errata.strict"


def _remember(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    context.meta[_STRICT] = value


strict_option = click.option(  # `show_findings` obeys it
    "--strict", is_flag=True, expose_value=False, callback=_remember,
    help="Stop with an error where texts look wrong (tokenisation, order, language …).",
)  # fmt: skip


def show_findings(findings: Iterable[Finding]) -> None:
    """Print findings as warnings, each with what to do; with `--strict`, end with an error."""
    findings = list(findings)
    for finding in findings:
        place = finding.path + (f":{finding.line}" if finding.line > 1 else "")
        click.echo(f"warning: {place}: {finding.message} ({finding.code})", err=True)
        click.echo(f"  fix: {finding.remedy}", err=True)
    if findings and click.get_current_context().meta.get(_STRICT):
        count = "a warning" if len(findings) == 1 else f"{len(findings)} warnings"
        raise ErrataError(
            f"stopped before scoring because of {count}\n  hint: correct the texts, or leave out --strict"
        )
