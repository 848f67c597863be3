"""A killed command that hosts bots in its own process leaves none of them behind.

A bot here never says hello. Everything that a command starts runs in a folder, or has its name in
its environment, as its own endpoint or as TMPDIR of the command.
"""

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from directing import command_of
from preloaded import Preloaded

from arena.results.store import Store
from referee.sandbox import descendants, live_children

PATIENCE_S = 60.0
"""So wide that only a process that stays for ever overruns it."""
COMMANDS = {
    "check": ("check", "./sleeper"),
    "play": ("play", "pente", "./sleeper", "--seat", "1"),
    "debug": (
        *("match", "./sleeper", "random", "--game", "pente"),
        *("--debug", "random", "-c", "isolation=none"),
    ),
}
KILLS = 4


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a folder with a bot, which has a short path and holds all temporary files."""
    with tempfile.TemporaryDirectory(prefix="killed-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "tmp").mkdir()
        monkeypatch.setenv("TMPDIR", str(folder / "tmp"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        bot = folder / "sleeper"
        bot.mkdir()
        (bot / "bot.yaml").write_text("run: [/bin/sleep, '86399']\n")
        yield folder
        for pid in marked(folder):
            os.kill(pid, signal.SIGKILL)


def marked(folder: Path) -> list[int]:
    """Return the processes that run in the folder, or name it in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_marked = bytes(folder) in (process / "environ").read_bytes()
            is_inside = (process / "cwd").readlink().is_relative_to(folder)
            if (is_marked or is_inside) and int(process.name) != os.getpid():
                found.append(int(process.name))
    return found


def wait_for_bot(command: Preloaded) -> int:
    """Wait until the command has started a process; return the pid of the host."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        for host in live_children(command.pid):
            if descendants(host):
                return host
    raise AssertionError("the command starts no bot")


@pytest.mark.parametrize("whom", ["command", "host"])
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_outlives_a_killed_command(folder: Path, name: str, whom: str) -> None:
    for kill in range(KILLS):
        with Preloaded(
            COMMANDS[name],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as command:
            host = wait_for_bot(command)
            time.sleep(kill / 1000)  # another instant of the start each time
            os.kill({"command": command.pid, "host": host}[whom], signal.SIGKILL)
        until_s = time.monotonic() + PATIENCE_S
        while left := marked(folder):
            assert time.monotonic() < until_s, list(map(command_of, left))
            time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_ends_with_its_bots_after_a_signal(folder: Path, number: signal.Signals) -> None:
    with Preloaded(
        COMMANDS["check"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as command:
        wait_for_bot(command)
        command.send_signal(number)
        code = command.wait(PATIENCE_S)

    assert code == 128 + number
    assert marked(folder) == []
    assert list((folder / "tmp").iterdir()) == []


def test_a_page_with_a_bot_that_hangs_leaves_nothing_behind(folder: Path) -> None:
    command = [sys.executable, "-m", "arena", *COMMANDS["play"], "--browser"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        found = re.search(r"http://([^/]+)/play\?token=([^#]+)", server.stdout.readline())
        assert found
        host, token = found.groups()
        cookie = {"Cookie": f"arena_{host.rpartition(':')[2]}={token}"}

        def ask(method: str, path: str, body: str | None = None, **headers: str) -> str:
            with contextlib.closing(http.client.HTTPConnection(host, timeout=60)) as connection:
                connection.request(method, path, body, cookie | headers)
                return connection.getresponse().read().decode()

        page = re.search('arena-token" content="([^"]+)"', ask("GET", "/play"))
        assert page
        post = {"Content-Type": "application/json", "X-Arena-Token": page[1]}
        wait_for_sleeper(folder)
        ask("POST", "/play/matches/1/leave", "{}", **post)
        wait_until(lambda: marked(folder) == [server.pid])
        again = '{"game": "pente", "options": {}, "players": ["sleeper", null]}'
        assert ask("POST", "/play/matches", again, **post) == '{"match":2}'
        wait_for_sleeper(folder)
        server.kill()
    wait_until(lambda: not marked(folder))
    with contextlib.closing(Store(folder / "arena.db")) as store:
        assert store.events() == []


def wait_for_sleeper(folder: Path) -> None:
    wait_until(lambda: any("86399" in command_of(pid) for pid in marked(folder)))


def wait_until(holds: Callable[[], bool]) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < until_s
        time.sleep(0.01)
