"""A league whose site is in this process: Django is set up once, before its tables are imported."""

import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from django.conf import settings

from arena.league.folder import League, new_league, open_league
from arena.league.settings import database, open_site
from arena.league.web.here import serve_league

# a browser of other tests has an event loop in this process, which Django would refuse
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
SERVER = os.environ.get("ARENA_TESTS_POSTGRESQL")
"""Address of a server of PostgreSQL, with {} for the name of a database; None is SQLite."""


def in_server(league: League, name: str) -> League:
    """Return the league with this database of the server, if there is one."""
    if SERVER is None:
        return league
    path = league.folder / "league.yaml"
    text = re.sub(r"(?m)^database:.*\n", "", path.read_text())
    path.write_text(f"{text}database: {SERVER.format(name)}\n")
    return open_league(league.folder)


_PATTERN = Path(tempfile.mkdtemp(prefix="arena-league-tests.")) / "league"
open_site(in_server(new_league(_PATTERN, "pente", "auto"), "pattern"))

from django.db import connections  # noqa: E402 - after the settings

connections.close_all()


def pytest_unconfigure() -> None:
    """Remove the pattern of all leagues of the tests."""
    shutil.rmtree(_PATTERN.parent, ignore_errors=True)


_NUMBERS = count()


@pytest.fixture(autouse=True)
def league(tmp_path: Path) -> Iterator[League]:
    """A new league, whose database is the one of Django now."""
    folder = tmp_path / "league"
    shutil.copytree(_PATTERN, folder)
    name = f"test_{next(_NUMBERS)}"
    found = in_server(open_league(folder), name)
    _in_postgresql(f"CREATE DATABASE {name} TEMPLATE pattern")
    _connect(found)
    serve_league(found)
    yield found
    connections.close_all()
    _in_postgresql(f"DROP DATABASE {name} WITH (FORCE)")


def _in_postgresql(statement: str) -> None:
    if SERVER is not None:
        import psycopg

        with closing(psycopg.connect(SERVER.format("postgres"), autocommit=True)) as db:
            db.execute(statement.encode())


def _connect(league: League) -> None:
    connections.close_all()
    name = database(league)["NAME"]
    settings.DATABASES["default"]["NAME"] = name
    connections["default"].settings_dict["NAME"] = name


@pytest.fixture(autouse=True, scope="session")
def quick_passwords() -> Iterator[None]:
    """Hash with little memory: the tests make many persons."""
    from arena.league.site.passwords import BoundedArgon2

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(BoundedArgon2, "memory_cost", 64)
        patched.setattr(BoundedArgon2, "time_cost", 1)
        yield


with closing(sqlite3.connect(_PATTERN / "site.db")) as _db:
    _db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
