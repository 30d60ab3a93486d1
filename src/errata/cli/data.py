"""`errata data …`"""

from __future__ import annotations

from collections.abc import Callable

import click

from errata.cli.options import emit, format_option, quiet_option

_UNKNOWN = "see the homepage"


@click.group()
def command() -> None:
    """List, fetch and find public corpora.

    They are kept in the data folder: ERRATA_DATA, or the platform's folder for a user's data.
    """


@command.command("list")
@format_option
def list_(format_: str, output: str) -> None:
    """List the data sets and which of them are here."""
    from errata.data.registry import datasets, folder, state
    from errata.tables import Column, Table

    names = ("name", "title", "kind", "languages", "licence", "state")
    rows = []
    for entry in datasets().values():
        licence, languages = entry.licence or _UNKNOWN, ", ".join(entry.languages)
        rows.append((entry.name, entry.title, entry.kind, languages, licence, state(entry)))
    notes = [f"data folder: {folder()}"]
    emit(Table([Column(name) for name in names], rows, notes=notes), format_, output)


@command.command()
@format_option
def benchmarks(format_: str, output: str) -> None:
    """List the benchmarks that `errata score` and `errata meta` know by name."""
    from errata.data.benchmarks import benchmarks, judged_benchmarks
    from errata.data.registry import state
    from errata.tables import Column, Table

    names = ("name", "title", "metric", "lines", "data set", "state")
    rows = [
        [each.name, each.title, each.metrics, each.lines, each.dataset, state(each.entry)]
        for each in benchmarks().values()
    ]
    scored = Table([Column(name) for name in names], rows, "errata score --benchmark NAME")
    judged = [
        [each.name, each.title, each.cite, ", ".join(each.datasets), "here" if each.is_here else ""]
        for each in judged_benchmarks().values()
    ]
    columns = [Column(name) for name in ("name", "title", "cite", "data sets", "state")]
    emit([scored, Table(columns, judged, "errata meta --benchmark NAME")], format_, output)


@command.command()
@click.argument("name")
@format_option
def show(name: str, format_: str, output: str) -> None:
    """Show a data set: size, licence, citation, where it comes from and where it is."""
    from errata.data.registry import dataset, location, state
    from errata.tables import Column, Table

    entry = dataset(name)
    rows = [
        ("name", entry.name),
        ("title", entry.title),
        ("kind", entry.kind),
        ("languages", ", ".join(entry.languages)),
        ("size", entry.size),
        ("licence", entry.licence or _UNKNOWN),
        ("citation", entry.citation),
        ("homepage", entry.homepage),
        ("folder", str(location(entry))),
        ("state", state(entry) or "not here"),
    ]
    if entry.how:
        rows.append(("how to get it", f"{entry.how} Then: errata data add {name} FOLDER"))
    if entry.notes:
        rows.append(("notes", entry.notes))
    for file in entry.files:
        known = [path for path in file.members.values() if entry.checksum(path)]
        members = (
            f"checksums of {len(known)} members known" if known else "checksum recorded at the first fetch"
        )
        pinned = ", revision not pinned" if "/HEAD" in file.url else ""
        checksum = file.sha256 or entry.checksum(file.path) or members
        rows.append((file.path or "archive", f"{file.url} ({checksum}{pinned})"))
    emit(Table([Column("what"), Column("value")], rows), format_, output)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@click.option("--force", is_flag=True, help="Fetch again, and accept files that changed at their source.")
@quiet_option
def fetch(names: tuple[str, ...], force: bool, quiet: bool) -> None:
    """Download data sets into the data folder; continues where an earlier fetch broke off.

    A proxy is taken from HTTP_PROXY and HTTPS_PROXY.
    """
    from errata.cli.options import progress
    from errata.data import dataset
    from errata.data.fetching import fetch_dataset

    for entry in [dataset(name) for name in names]:
        with progress(None, f"fetching {entry.name}", quiet) as move:
            where = fetch_dataset(entry, force=force, advance=steps(move))
        click.echo(f"{entry.name}: {where}")


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
