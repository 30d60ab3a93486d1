"""`errata explain`"""

from __future__ import annotations

import click


@click.command()
@click.argument("name", metavar="CODE")
def command(name: str) -> None:
    """Explain a finding of `errata corpus check` (W201): what it means, an example, what to do."""
    from errata.corpus.checks.codes import explanation

    click.echo(explanation(name), nl=False)
