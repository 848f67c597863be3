"""A league whose site is in this process: Django is set up once, before its tables are imported."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings

from arena.league.folder import League, new_league, open_league
from arena.league.settings import open_site
from arena.league.web.here import serve_league

# a browser of other tests has an event loop in this process, which Django would refuse
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
_PATTERN = Path(tempfile.mkdtemp(prefix="arena-league-tests.")) / "league"
open_site(new_league(_PATTERN, "pente", "auto"))

from django.db import connections  # noqa: E402 - after the settings

connections.close_all()


def pytest_unconfigure() -> None:
    """Remove the pattern of all leagues of the tests."""
    shutil.rmtree(_PATTERN.parent, ignore_errors=True)


@pytest.fixture(autouse=True)
def league(tmp_path: Path) -> Iterator[League]:
    """A new league, whose database is the one of Django now."""
    folder = tmp_path / "league"
    shutil.copytree(_PATTERN, folder)
    found = open_league(folder)
    _connect(found)
    serve_league(found)
    yield found
    connections.close_all()


def _connect(league: League) -> None:
    connections.close_all()
    settings.DATABASES["default"]["NAME"] = str(league.site_db)
    connections["default"].settings_dict["NAME"] = str(league.site_db)


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
