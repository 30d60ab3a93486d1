"""`errata corpus …`"""

from __future__ import annotations

import click


@click.group()
def command() -> None:
    """Check, count, convert, tokenise, split and sample corpora."""
