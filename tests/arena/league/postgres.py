"""A server of PostgreSQL in a folder of its own."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

OWNER = "postgres"
"""User of the machine that runs the server, who must not be root."""


def programs() -> Path:
    """Return the folder of Debian's newest PostgreSQL."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not found:
        pytest.skip("no PostgreSQL is installed")
    return found[-1].parent


def _as_owner(*command: str) -> None:
    if os.geteuid() == 0:
        command = ("runuser", "-u", OWNER, "--", *command)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")


@contextmanager
def postgres(user: str, database: str, port: int = 0, password: str = "") -> Iterator[Path]:
    """Run a server with a database of a user; yield the folder of its socket.

    With a port it listens on loopback, too. With a password everybody needs it.
    """
    there = programs()
    folder = Path(f"/tmp/arena-pg-{os.getpid()}")  # noqa: S108 - a short path, for its socket
    folder.mkdir(mode=0o755)
    secret = folder / "password"
    secret.write_text(password)
    if os.geteuid() == 0:
        shutil.chown(folder, OWNER, OWNER)
        shutil.chown(secret, OWNER, OWNER)
    data = str(folder / "data")
    asks = ("-A", "scram-sha-256", f"--pwfile={secret}") if password else ("-A", "trust")
    address = f"-c listen_addresses=127.0.0.1 -c port={port}" if port else "-c listen_addresses=''"
    options = f"{address} -c fsync=off -c unix_socket_directories={folder}"
    try:
        init = (str(there / "initdb"), "-D", data, "-U", user, "--no-sync", "-E", "UTF8", *asks)
        _as_owner(*init)
        control = (str(there / "pg_ctl"), "-D", data)
        _as_owner(*control, "-l", str(folder / "log"), "-w", "-o", options, "start")
        try:
            create = [str(there / "createdb"), "-h", str(folder), "-U", user, database]
            where = {"PGPASSWORD": password} | ({"PGPORT": str(port)} if port else {})
            subprocess.run(create, check=True, env={**os.environ, **where})
            yield folder
        finally:
            _as_owner(*control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
