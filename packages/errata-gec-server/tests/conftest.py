"""Fixtures of the server's tests, which are left out where the server is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("sqlalchemy") and find_spec("starlette") else ["test_*.py"]


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL server with a database that tests may fill one after the other."""
    from postgres import need_postgres, postgres

    need_postgres()
    with postgres() as url:
        yield url
