"""A campaign that the first release made is brought to the present version, with all that is in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs errata-gec-server")
pytest.importorskip("sqlalchemy", reason="needs errata-gec-server")

import sqlalchemy as sa
from click.testing import CliRunner, Result
from starlette.testclient import TestClient

from campaigns import post_of, sign_in
from errata.cli import cli
from errata.errors import DataError
from errata_server.campaign import schema
from errata_server.campaign.exporting import rows_of
from errata_server.campaign.server import application
from errata_server.campaign.store import Store
from postgres import binaries, postgres

DATA = Path(__file__).parent / "data"
# Made by the first release together with the files (see the README beside them).
TOKENS = {
    (1, "sqlite"): "8JEVA10R7GtoCo35nuN0QxTW8nj9KGP-",
    (1, "postgresql"): "lWo6fT1JTVh-ruFUtnvxXFDJX-M5chhM",
    (2, "sqlite"): "UkcTWaS17upGBg0ELA2Au7fesia-oi5k",
    (2, "postgresql"): "ujj59AYn0cvgRbUZmdXLd8li77q42jLL",
}
ADMINS = {
    (1, "sqlite"): "Hgg2BqdwgqgVXhkLxjFZ4W0U1NLuJeGq",
    (1, "postgresql"): "qFx7Ip5Saa8r6TALKImHdrE3UP4fKlEe",
    (2, "sqlite"): "LokfiIuQkncqmpOqqmEy1Uj4SR0sKFtP",
    (2, "postgresql"): "miE9wf492ONBpoFMkG-89j0xwvuSoATT",
}


@pytest.fixture(params=sorted(TOKENS), ids=str)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[tuple[int, str], str]]:
    """The version, the kind and the place of an old campaign."""
    version, kind = request.param
    script = (DATA / f"campaign-{version}-{kind}.sql").read_text(encoding="utf-8")
    if kind == "sqlite":
        place = str(tmp_path / "old.db")
        connection = sqlite3.connect(place)
        connection.executescript(script)
        connection.close()
        yield request.param, place
        return
    psycopg = pytest.importorskip("psycopg", reason="needs errata-gec-server[postgres]")
    if binaries() is None:
        pytest.skip("needs PostgreSQL's binaries")
    with postgres() as url:
        with psycopg.connect(url) as connection:
            connection.execute(script)
        yield request.param, url


def errata(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["campaign", *arguments])


def whole(store: Store) -> list[dict[str, Any]]:
    with store.read() as connection:
        return list(rows_of(store, connection))


def test_an_old_campaign_is_upgraded_with_everything_in_it(old: tuple[tuple[int, str], str]) -> None:
    which, place = old
    version, kind = which
    refused = errata("status", place)
    assert isinstance(refused.exception, DataError)
    assert f"errata campaign upgrade {place}" in str(refused.exception)
    engine = sa.create_engine(
        f"sqlite:///{place}" if kind == "sqlite" else place.replace("postgresql:", "postgresql+psycopg:")
    )
    with engine.connect() as connection:
        hashes = set(connection.execute(sa.text("SELECT version FROM items")).scalars())
        count = connection.execute(sa.text("SELECT count(*) FROM judgments")).scalar_one()
        drafts = connection.execute(sa.text("SELECT count(*) FROM drafts")).scalar_one()
    engine.dispose()
    assert count > 10
    assert drafts == 1
    result = errata("upgrade", place)
    assert result.exit_code == 0, result.exception
    assert f"version {version} is now version 3" in result.output
    assert "already" in errata("upgrade", place).output
    store = Store.open(place)
    rows = whole(store)
    assert len(rows) == count
    assert sum(not row["current"] for row in rows) == 1  # the change of mind
    with store.read() as connection:
        versions = set(connection.scalars(sa.select(schema.items.c.version)))
        if version == 1:
            assert not versions & hashes  # they told who wrote what
        assert connection.scalar(sa.select(schema.campaign.c.schema)) == 3
        assert connection.scalar(sa.select(schema.campaign.c.sign_up)) == "closed"
        assert connection.scalar(sa.select(schema.campaign.c.secret))
    with TestClient(application(store)) as client:
        sign_in(client, TOKENS[which])  # links stay valid
        screen = client.get("/api/screen").json()
        assert screen["state"] in ("work", "done")
        sign_in(client, ADMINS[which])
        assert f"<strong>{count}</strong> rows" in client.get("/admin").text
    with TestClient(application(store)) as client:
        sign_in(client, TOKENS[which])
        again = client.get("/api/screen", params={"position": 1}).json()
        assert again["revision"] == 2
        assert client.post("/api/judge", json=post_of(again)).status_code == 200
    assert len(whole(store)) == count + 1
    for statement in (sa.update(schema.judgments).values(comment="x"), sa.delete(schema.judgments)):
        with pytest.raises(sa.exc.DatabaseError, match="append-only"), store.write() as connection:
            connection.execute(statement)
    store.close()


def test_an_upgraded_campaign_has_the_tables_of_a_new_one(
    old: tuple[tuple[int, str], str], tmp_path: Path
) -> None:
    (_, kind), place = old
    if kind != "sqlite":
        pytest.skip("the layouts of SQLite say it")
    errata("upgrade", place)
    fresh = tmp_path / "fresh.db"
    from campaigns import make

    make(tmp_path / "c", place=str(fresh)).store.close()

    def layout(path: str | Path) -> dict[str, Any]:
        with sqlite3.connect(path) as connection:
            names = connection.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
            found: dict[str, Any] = {}
            for type_, name in names.fetchall():
                columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
                found[f"{type_} {name}"] = sorted((c[1], c[2], c[3], c[5]) for c in columns)
        return found

    assert layout(place) == layout(fresh)


def test_a_campaign_of_a_later_release_is_refused(tmp_path: Path) -> None:
    from campaigns import make

    made = make(tmp_path)
    with made.store.write() as connection:
        connection.execute(sa.update(schema.campaign).values(schema=99))
    made.store.close()
    for verb in ("status", "upgrade"):
        result = errata(verb, made.place)
        assert isinstance(result.exception, DataError)
        assert "version 99" in str(result.exception)


def test_an_upgrade_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "old.db"
    with sqlite3.connect(place) as connection:
        connection.executescript((DATA / "campaign-1-sqlite.sql").read_text(encoding="utf-8"))
    before = list(sqlite3.connect(place).iterdump())

    def fail(length: int) -> str:
        raise OSError("no random numbers")

    monkeypatch.setattr("errata_server.campaign.migrations.secrets.token_hex", fail)
    assert errata("upgrade", str(place)).exit_code == 1
    assert list(sqlite3.connect(place).iterdump()) == before
