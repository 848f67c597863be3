"""`arena tournament --serve`: pages beside an event, which does not depend on them."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from preloaded import Preloaded
from waiting import becomes

ROOT = Path(__file__).parents[3]
BOT = """
import sys, time
from pathlib import Path
from arena_bot import Bot, play, run

class Patient(Bot):
    name, version, wants = "patient", "1", ("legal",)
    def on_move(self, call):
        file = {0: "watched", 2: "go"}.get(call["ply"])
        while file and not (Path(sys.argv[1]) / file).exists():
            time.sleep(0.02)
        return play(call["legal"][0], note="patience")

run(Patient())
"""
CONFIG = """
name: cup
game: {{name: pente, half_size: 9}}
bots: [{{name: ann, bot: ./bot, args: [{0}]}}, {{name: bob, bot: ./bot, args: [{0}]}}]
max_plies: 6
repeat: 2
slots: 1
isolation: none
time: {{per_move: 100s}}
"""


@pytest.fixture
def event(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """An event whose first match waits for the file `watched`, and at its second ply for `go`."""
    (tmp_path / "bot").mkdir()
    shutil.copy(ROOT / "bots/sdk/python/arena_bot.py", tmp_path / "bot")
    (tmp_path / "bot/main.py").write_text(BOT)
    (tmp_path / "bot/bot.yaml").write_text('name: patient\nrun: ["{python}", main.py]\n')
    (tmp_path / "cup.yaml").write_text(CONFIG.format(tmp_path))
    (tmp_path / "tmp").mkdir()
    process = Preloaded(
        ["tournament", "cup.yaml", "--no-preflight", "--serve"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    yield process
    process.kill()
    process.communicate()


@contextmanager
def stream_of(line: str) -> Iterator[HTTPResponse]:
    """Open the stream of changes with the token of a link."""
    found = re.search(r"http://\S+", line)
    assert found, line
    address = urlsplit(found[0])
    cookie = f"arena_{address.port}={address.query.removeprefix('token=')}"
    with closing(HTTPConnection("127.0.0.1", address.port or 0, timeout=60)) as connection:
        connection.request("GET", "/api/changes?event=1", headers={"Cookie": cookie})
        with connection.getresponse() as stream:
            yield stream


def link_of(event: "subprocess.Popen[str]") -> str:
    """Return the line with the link; notices on the checked bots come before it."""
    assert event.stderr is not None
    return next(line for line in event.stderr if line.startswith("serving "))


def server_of(folder: Path) -> int | None:
    """Return the pid of the server of an event in this folder."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            is_server = b"arena.pages.server_process" in (process / "cmdline").read_bytes()
            if is_server and (process / "cwd").samefile(folder):
                return int(process.name)
        except OSError:
            continue
    return None


def watch_the_match(stream: HTTPResponse, folder: Path) -> None:
    """Let the match begin once it is watched; its reports come between its calls."""
    watch_until(stream, "'running': [True")
    (folder / "watched").touch()
    watch_until(stream, "patience")


def watch_until(stream: HTTPResponse, what: str) -> None:
    while line := stream.readline():
        if line.startswith(b"data: {") and what in str(json.loads(line[6:])):
            return
    raise AssertionError("the stream has ended")


def test_an_event_continues_when_its_pages_are_killed(
    event: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    with stream_of(link_of(event)) as stream:
        watch_the_match(stream, tmp_path)
        server = server_of(tmp_path)
        assert server is not None
        os.kill(server, signal.SIGKILL)
        (tmp_path / "go").touch()
        assert event.wait(60) == 0
    assert server_of(tmp_path) is None
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_killed_event_leaves_no_pages_and_no_files(
    event: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    with stream_of(link_of(event)) as stream:
        watch_the_match(stream, tmp_path)
        event.kill()
        event.wait()
        while stream.readline():
            pass
    assert becomes(lambda: server_of(tmp_path) is None)
    assert becomes(lambda: not list((tmp_path / "tmp").iterdir()))


def test_an_event_with_a_wrong_config_prints_no_link(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(
        "name: cup\ngame: {name: pente}\nbots: [random, greedy]\nisolation: none\n"
        "slots: 256\ntime: {ponder: true}\n"
    )
    command = ["tournament", "cup.yaml", "--serve"]

    with Preloaded(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = process.stderr.read()

    assert process.returncode != 0
    assert "256 slots of 1 core need 256 cores" in said
    assert "http" not in said
    assert becomes(lambda: server_of(tmp_path) is None)
