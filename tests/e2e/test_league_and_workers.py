"""A worker adds its slots to a running league; killed at any time, it costs no result."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from waiting import becomes

from arena.league.folder import new_league

pytest.importorskip("distributed")
pytest.importorskip("django")
COMMAND = [sys.executable, "-P", "-m", "arena"]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@pytest.fixture
def league(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    folder, address = tmp_path / "league", f"127.0.0.1:{free_port()}"
    new_league(folder, "pente", "auto")
    (folder / "league.yaml").write_text(f"port: {free_port()}\nworkers: {address}\n")
    season = folder / "season.yaml"
    text = season.read_text().replace("[random, greedy, searcher]", "[random, greedy]")
    season.write_text(text)
    process = subprocess.Popen([*COMMAND, "league", "start", str(folder)])
    yield folder, address
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 0


def start_worker(address: str, name: str) -> "subprocess.Popen[bytes]":
    command = [*COMMAND, "worker", address, "--slots", "1", "--name", name]
    return subprocess.Popen(command, start_new_session=True)


def count(folder: Path, query: str) -> int:
    path = folder / "arena.db"
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as db:
        try:
            found: int = db.execute(query).fetchone()[0]
        except sqlite3.OperationalError:  # its tables are being made
            return 0
        return found


def test_a_worker_plays_and_is_killed(league: tuple[Path, str]) -> None:
    folder, address = league
    worker = start_worker(address, "pc-1")
    there = "SELECT count(*) FROM worker WHERE name = 'pc-1'"

    assert becomes(lambda: count(folder, there) >= 4)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    played = count(folder, "SELECT count(*) FROM match")
    assert becomes(lambda: count(folder, "SELECT count(*) FROM match") >= played + 20)
    again = start_worker(address, "pc-2")
    assert becomes(lambda: count(folder, there.replace("pc-1", "pc-2")) >= 2)
    os.killpg(again.pid, signal.SIGTERM)
    again.wait()

    halves = (
        "SELECT count(*) FROM (SELECT board FROM match GROUP BY board HAVING count(*) <> 2)"
        " WHERE board NOT IN (SELECT CAST(substr(key, instr(key, '/b') + 2) AS INTEGER) FROM begun)"
    )
    assert becomes(lambda: count(folder, halves) == 0)
    doubled = "SELECT count(*) FROM (SELECT key FROM match GROUP BY event, key HAVING count(*) > 1)"
    assert count(folder, doubled) == 0
    canaries = "SELECT count(*) FROM match WHERE key LIKE 'canary%'"
    assert count(folder, canaries) == 0
