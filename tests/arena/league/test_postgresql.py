"""The site of a league in PostgreSQL passes the same tests as in SQLite."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres import postgres

TESTS = (
    "test_checks.py",
    "test_every_route.py",
    "test_pages_of_a_league.py",
    "test_people.py",
    "test_reception.py",
)
USER = "postgres"


@pytest.fixture
def server() -> Iterator[str]:
    """A server that only its socket reaches."""
    with postgres(USER, "pattern") as folder:
        yield f"postgresql:///{{}}?host={folder}&user={USER}"


@pytest.mark.timeout(1500)
def test_the_site_passes_its_tests_in_postgresql(server: str) -> None:
    here = Path(__file__).parent
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *(str(here / name) for name in TESTS)],
        env={**os.environ, "ARENA_TESTS_POSTGRESQL": server},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
