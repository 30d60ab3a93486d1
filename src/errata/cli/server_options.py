"""What the verbs that serve a database share: options, and looking after the database itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from errata.server.versions import Layout

Function = TypeVar("Function", bound=Callable[..., Any])


def serving_options(function: Function) -> Function:
    """`--host`, `--port`, `--certificate`, `--key`, `--url` and `--proxy`."""
    for option in reversed(
        (
            click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on."),
            click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True),
            click.option(
                "--certificate", type=click.Path(exists=True, dir_okay=False), help="TLS certificate (PEM)."
            ),
            click.option(
                "--key", type=click.Path(exists=True, dir_okay=False), help="Its private key (PEM)."
            ),
            click.option(
                "--url", help="Where browsers find it, as in https://judge.example.org; it is remembered."
            ),
            click.option(
                "--proxy", "proxies", multiple=True, metavar="ADDRESS",
                help="A proxy on another machine, whose X-Forwarded headers are believed; may be repeated.",
            ),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def upgrade_database(layout: Layout, place: str) -> None:
    """Bring a database to the present version, and say what was done."""
    from errata.server.database import Database

    database = Database(place)
    try:
        layout.found(database)
        database.claim()
        before = layout.upgrade(database)
    finally:
        database.close()
    if before == layout.version:
        click.echo(f"{database.shown} has version {before} already", err=True)
    else:
        click.echo(f"{database.shown}: version {before} is now version {layout.version}", err=True)


def packages_for(what: str) -> None:
    """An error that names the extra where the packages of the server are missing."""
    from importlib.util import find_spec

    if any(find_spec(package) is None for package in ("jinja2", "sqlalchemy", "starlette", "uvicorn")):
        from errata.errors import MissingExtraError

        raise MissingExtraError(what, "campaign")
