"""A killed command that hosts bots in its own process leaves none of them behind.

A bot here never says hello. Everything that a command starts has the name of a folder in its
environment, as its own endpoint or as TMPDIR of the command.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from directing import command_of

from referee.sandbox.proctree import descendants, live_children

PATIENCE_S = 60.0
"""So wide that only a process that stays for ever overruns it."""
COMMANDS = {
    "check": ("check", "./sleeper"),
    "play": ("play", "pente", "./sleeper", "--seat", "1"),
    "debug": ("match", "./sleeper", "random", "--game", "pente", "--debug", "random"),
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
    """Return the processes that name the folder in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_marked = bytes(folder) in (process / "environ").read_bytes()
            if is_marked and int(process.name) != os.getpid():
                found.append(int(process.name))
    return found


def wait_for_bot(command: subprocess.Popen[bytes]) -> int:
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
        with subprocess.Popen(
            [sys.executable, "-m", "arena", *COMMANDS[name]],
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
def test_a_command_that_is_told_to_end_ends_with_its_bots(
    folder: Path, number: signal.Signals
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "arena", *COMMANDS["check"]],
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
