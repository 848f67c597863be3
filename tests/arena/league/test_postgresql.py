"""The site of a league in PostgreSQL passes the same tests as in SQLite."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = (
    "test_checks.py",
    "test_every_route.py",
    "test_pages_of_a_league.py",
    "test_people.py",
    "test_reception.py",
)
USER = "postgres"


def programs() -> Path:
    """Return the folder of Debian's newest PostgreSQL."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not found:
        pytest.skip("no PostgreSQL is installed")
    return found[-1].parent


def as_user(*command: str) -> None:
    """Run a command as the user of the server, who must not be root."""
    if os.geteuid() == 0:
        command = ("runuser", "-u", USER, "--", *command)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")


@pytest.fixture
def server() -> Iterator[str]:
    """A server in a folder of its own, which only its socket reaches."""
    there = programs()
    folder = Path(f"/tmp/arena-pg-{os.getpid()}")  # noqa: S108 - a short path, for its socket
    folder.mkdir(mode=0o755)
    if os.geteuid() == 0:
        shutil.chown(folder, USER, USER)
    data = str(folder / "data")
    try:
        as_user(
            str(there / "initdb"), "-D", data, "-A", "trust", "-U", USER, "--no-sync", "-E", "UTF8"
        )
        options = f"-c listen_addresses='' -c fsync=off -c unix_socket_directories={folder}"
        log = str(folder / "log")
        as_user(str(there / "pg_ctl"), "-D", data, "-l", log, "-w", "-o", options, "start")
        try:
            subprocess.run(
                [str(there / "createdb"), "-h", str(folder), "-U", USER, "pattern"], check=True
            )
            yield f"postgresql:///{{}}?host={folder}&user={USER}"
        finally:
            as_user(str(there / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


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
