"""A remote bot of a running league: added on a page, joined from elsewhere, away and back."""

import re
import shlex
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from hosting_remotely import Command
from test_league_and_workers import COMMAND, free_port
from waiting import becomes

from arena.league.folder import new_league
from arena.remote.keys import write_key

pytest.importorskip("django")
PASSWORD = "correct horse"  # noqa: S105 - of a test


def query(folder: Path, db: str, text: str) -> list[Any]:
    if not (folder / db).exists():
        return []
    with closing(sqlite3.connect(folder / db)) as opened:
        try:
            return list(opened.execute(text))
        except sqlite3.OperationalError:  # its tables are being made
            return []


def played(folder: Path) -> int:
    found = query(
        folder, "arena.db", "SELECT count(*) FROM seat WHERE player = 'thinker.1' AND fault IS NULL"
    )
    return int(found[0][0]) if found else 0


def away(folder: Path) -> str | None:
    found = query(folder, "site.db", "SELECT away FROM league_bot WHERE name = 'thinker'")
    return str(found[0][0]) if found else None


class Visitor:
    """A browser without a screen: cookies, and the token of each form."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def page(self, path: str) -> str:
        return str(self._opener.open(self._address + path).read().decode())

    def send(self, page: str, path: str, **fields: str) -> str:
        """Send a form that is on a page."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.page(page))
        assert token is not None
        data = urlencode({"csrfmiddlewaretoken": token[1], **fields}).encode()
        return str(self._opener.open(self._address + path, data).read().decode())


def command_of(address: str, staff_link: str, public: str) -> list[str]:
    """Have staff add a person, and the person a remote bot; return the command on their page."""
    staff, owner = Visitor(address), Visitor(address)
    path = staff_link.removeprefix(address)
    staff.send(path, path, password=PASSWORD)
    slips = staff.send("/staff", "/staff/class-list", list="Anna")
    link = re.search(r"(/link/[\w-]+)", slips)
    assert link is not None
    owner.send(link[1], link[1], password=PASSWORD)
    owner.send("/me", "/me/remote-bots", name="thinker", key=public)
    shown = re.search(r"<code>(arena join .*)</code>", owner.page("/me"))
    assert shown is not None
    return shlex.split(unescape(shown[1]))[1:]


def test_a_remote_bot_joins_a_league_leaves_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "league"
    new_league(folder, "pente", "auto")
    port, door = free_port(), free_port()
    site = f"port: {port}\nremote: tcp://127.0.0.1:{door}\n"
    (folder / "league.yaml").write_text(site)
    season = folder / "season.yaml"
    season.write_text(season.read_text().replace("[random, greedy, searcher]", "[random, greedy]"))
    with running(folder) as said:
        _, public = write_key("thinker", tmp_path)
        address = f"http://127.0.0.1:{port}"
        arguments = command_of(address, said[1].split()[-1], f'thinker: "{public}"')
        arguments[2] = "greedy"

        with Command(tmp_path, *arguments) as owner:
            owner.wait_for("joined as thinker.1")
            assert becomes(lambda: played(folder) >= 4)
            assert away(folder) == ""
        assert becomes(lambda: away(folder) == "not connected")
        rows = "SELECT count(*) FROM match"
        before, kept = query(folder, "arena.db", rows)[0][0], played(folder)
        assert becomes(lambda: query(folder, "arena.db", rows)[0][0] > before + 4)
        with Command(tmp_path, *arguments) as owner:
            owner.wait_for("joined as thinker.1")
            assert becomes(lambda: played(folder) > kept)
        faults = "SELECT fault FROM seat WHERE player = 'thinker.1' AND fault IS NOT NULL"
        assert query(folder, "arena.db", f"{faults} AND unplayed = 0") == []
        parked = "SELECT parked FROM league_bot WHERE name = 'thinker'"
        assert query(folder, "site.db", parked) == [("",)]


@contextmanager
def running(folder: Path) -> Iterator[list[str]]:
    """Run a league; yield its first two lines."""
    command = [*COMMAND, "league", "start", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield [process.stdout.readline(), process.stdout.readline()]
        finally:
            process.terminate()
