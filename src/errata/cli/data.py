"""`errata data …`"""

from __future__ import annotations

from collections.abc import Callable

import click

from errata.cli.commands import Commands, option
from errata.cli.options import emit, format_option, note, progress, quiet_option


@click.group(cls=Commands)
def command() -> None:
    """List, fetch and find public corpora.

    They are kept in the data folder: ERRATA_DATA, or the platform's folder for user data.
    """


@command.command("list")
@format_option
def list_(format_: str, output: str) -> None:
    """List the data sets, and which of them are here."""
    from errata.data.registry import datasets_table

    emit(datasets_table(), format_, output)


@command.command()
@format_option
def benchmarks(format_: str, output: str) -> None:
    """List the benchmarks of `errata score` and `errata meta`."""
    from errata.data.benchmarks import benchmark_tables

    emit(benchmark_tables(), format_, output)


@command.command()
@click.argument("name")
@format_option
def show(name: str, format_: str, output: str) -> None:
    """Show a data set: size, licence, citation, origin and folder."""
    from errata.data.registry import dataset

    emit(dataset(name).table(), format_, output)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@option("--force", is_flag=True, help="Fetch again, and accept files that changed at their source.")
@quiet_option
def fetch(names: tuple[str, ...], force: bool, quiet: bool) -> None:
    """Download data sets into the data folder.

    An interrupted download continues. HTTP_PROXY and HTTPS_PROXY name a proxy.
    """
    from errata.data import dataset
    from errata.data.fetching import fetch_dataset

    for entry in [dataset(name) for name in names]:
        with progress(None, f"fetching {entry.name}", quiet) as move:
            where = fetch_dataset(entry, force=force, advance=steps(move))
        click.echo(f"{entry.name}: {where}")
        if entry.unverified:
            note(
                f"{len(entry.unverified)} of {len(entry.files)} downloads of {entry.name} are unverified: "
                "errata knows no checksum of them"
            )


def steps(move: Callable[[int], None]) -> Callable[[str, int, int | None], None]:
    """Advance a progress bar by the new bytes of each file."""
    received: dict[str, int] = {}

    def advance(name: str, done: int, total: int | None) -> None:
        move(max(0, done - received.get(name, 0)))
        received[name] = done

    return advance


@command.command()
@click.argument("name")
def path(name: str) -> None:
    """Print the folder of a data set that is here."""
    from errata.data import path as find

    click.echo(find(name))


@command.command()
@click.argument("name")
@click.argument("folder", type=click.Path())
def add(name: str, folder: str) -> None:
    """Use a local copy of a data set from now on."""
    from errata.data import add as use

    click.echo(f"{name}: {use(name, folder)}")
