"""Unfinished matches with people: found again from closed pages, and after a restart."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from events import new_store
from play_server import Server
from playwright.sync_api import Page, expect
from random_matches import random_record
from test_playing_routes import messages, play_at, wait_for
from verifying import verify
from watching import serving

from arena.errors import UsageError
from arena.pages.playing.kept import KeptMatches
from arena.pages.playing.matches import MAX_RUNNING, PeopleMatch, PeopleMatches
from arena.people.unfinished import MoveReporter
from protocol.vocabulary import Termination
from referee.records.calls import Call, Calls, entry_of

GAME: dict[str, Any] = {"game": "damspel", "options": {"rows": "3", "cols": "3", "men_rows": "1"}}
STATE = {"moves": [{"seat": 0, "move": 1}], "taken_back": 2, "hints": 1}

OUTDATED = 409
"""The answer to a line for a position that was replaced meanwhile."""


def server_of(folder: Path, line: str) -> Server:
    return Server(folder, line.rsplit(maxsplit=1)[-1])


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port: int = door.getsockname()[1]
        return port


def said(server: Server, match: int, seat: int, shown: int, line: str) -> None:
    typed = {"seat": seat, "shown": shown, "line": line}
    status, text = server.post(f"/matches/{match}", typed)
    assert status == 200, text


@dataclass
class Guest:
    """The person with the link of a seat, on a page of their own."""

    server: Server
    seat: int
    key: str

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"arena_seat_{self.server.port}={self.key}"}

    def type(self, line: str, kind: str) -> dict[str, Any]:
        """Type a line when asked, again if others came first; return the next message of a kind."""
        page = self.server.ask("GET", "/play/seat", **self.cookie)[1]
        token = page.partition('arena-token" content="')[2].partition('"')[0]
        headers = self.cookie | {"X-Arena-Token": token}
        with messages(self.server, "/play/seat/stream", **self.cookie) as heard:
            status = OUTDATED
            while status == OUTDATED:
                shown = wait_for(heard, "asked")["shown"]
                typed = {"seat": self.seat, "shown": shown, "line": line}
                status, _ = self.server.post("/seat", typed, **headers)
            assert status == 200
            return wait_for(heard, kind)


def begin(server: Server) -> tuple[Guest, int]:
    """Play the first move of a match of a person, a bot and a person with a link."""
    options = {"game_size": "3", "max_rounds": "9"}
    game: dict[str, Any] = {"game": "chinese_checkers", "options": options}
    match = play_at(server, None, "random", None, linked=[2], **game)
    move = server_scene(server, match)["moves"][0][0]
    with messages(server, f"/play/matches/{match}/stream") as heard:
        key = wait_for(heard, "own")["keys"]["2"]
        said(server, match, 0, wait_for(heard, "asked")["shown"], move)
        while wait_for(heard, "scene")["ply"] < 1:
            pass
    return Guest(server, 2, key), match


def test_a_match_is_resumed_after_a_restart_and_its_links_stay(tmp_path: Path) -> None:
    new_store(tmp_path).close()
    options = ("--token", "token", "--port", str(free_port()))
    with serving(tmp_path, *options) as line:
        guest, match = begin(server_of(tmp_path, line))
        before = server_scene(guest.server, None, **guest.cookie)
        assert before["ply"] == 2
    with serving(tmp_path, *options) as line:
        server = server_of(tmp_path, line)
        (running,) = json.loads(server.ask("GET", "/play/matches")[1])
        assert running["number"] == match
        again = server_scene(server, None, **guest.cookie)
        assert (again["ply"], pieces_on(again)) == (2, pieces_on(before))
        assert guest.type(again["moves"][0][0], "scene")["ply"] == 3
        with messages(server, f"/play/matches/{match}/stream") as heard:
            said(server, match, 0, wait_for(heard, "asked")["shown"], "resign")
        record = server.record(guest.type("resign", "ended")["match"])
    verify(record)
    assert [entry["seat"] for entry in record.job.history] == [0, 1]
    assert list((tmp_path / "token.matches").iterdir()) == []


def pieces_on(scene: dict[str, Any]) -> dict[int, Any]:
    """Return the piece on each place: a palette numbers pieces by their appearance in a process."""
    return {place: scene["palette"][kind] for place, kind in scene["pieces"]}


def server_scene(server: Server, match: int | None, **headers: str) -> dict[str, Any]:
    """Return the position on a page that opens now and may move."""
    path = "/play/seat/stream" if match is None else f"/play/matches/{match}/stream"
    with messages(server, path, **headers) as heard:
        scene = wait_for(heard, "scene")
        while not scene["moves"]:
            scene = wait_for(heard, "scene")
        return scene


def test_running_matches_are_listed_with_ways_into_them(tmp_path: Path, own_tab: Page) -> None:
    page = own_tab
    new_store(tmp_path).close()
    with serving(tmp_path) as line:
        server = server_of(tmp_path, line)
        page.goto(server.link)
        page.goto(f"{server.link.partition('?')[0]}play")
        expect(page.get_by_role("heading", name="Running matches")).to_be_hidden()
        numbers = [play_at(server, None, None, **GAME) for _ in range(MAX_RUNNING)]
        page.get_by_role("button", name="play").click()

        expect(page.locator("form [role=alert], form [role=status]").last).to_contain_text(
            "leave one of them first"
        )
        links = page.locator(".running a")
        expect(links).to_have_count(MAX_RUNNING)
        page.get_by_role("button", name="leave damspel 2").click()
        expect(links).to_have_count(MAX_RUNNING - 1)
        links.first.click()
        expect(page.locator(".board")).to_be_visible()
        assert f"match={numbers[0]}" in page.url
        page.goto("about:blank")


@pytest.fixture
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def start(self: PeopleMatch, order: Any) -> None:
        self.ordered = dict(order)

    async def follow(self: PeopleMatch) -> None:
        del self

    monkeypatch.setattr(PeopleMatch, "start", start)
    monkeypatch.setattr(PeopleMatch, "follow", follow)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await test()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, main()).result()


def kept_in(folder: Path, db: str = "arena.db") -> KeptMatches:
    return KeptMatches.beside(folder / "token", folder / db)


@pytest.mark.usefixtures("_no_processes")
def test_a_match_is_kept_from_its_first_turn_until_it_is_over(tmp_path: Path) -> None:
    async def test() -> None:
        kept = kept_in(tmp_path)
        matches = PeopleMatches(kept)
        await matches.start({"game": "a"}, [])
        match = await matches.start({"game": "b"}, [1])
        assert list(kept.read()) == []
        match._hear({"kind": "kept", "seat": None, "before": STATE})
        ((_, found),) = kept.read()
        assert (found.number, found.keys) == (2, match.keys)
        assert found.order == {"game": "b", "before": STATE}

        again = PeopleMatches(kept)
        await again.resume()
        assert again.find(2).keys == match.keys
        assert (await again.start({"game": "c"}, [])).number == 3
        again.find(2)._hear({"kind": "ended", "seat": None, "text": ""})
        assert list(kept.read()) == []

    run(test)


@pytest.mark.usefixtures("_no_processes")
def test_the_end_of_a_server_keeps_and_a_left_match_does_not(tmp_path: Path) -> None:
    async def test() -> None:
        kept = kept_in(tmp_path)
        matches = PeopleMatches(kept)
        first, second, third = [await matches.start({}, []) for _ in range(3)]
        for match in (first, second, third):
            match._hear({"kind": "kept", "seat": None, "before": STATE})
        first._end()  # its process has ended without a result: it was left
        second._hear({"kind": "kept", "seat": None, "before": None})
        await matches.close()
        third._end()
        assert [found.number for _, found in kept.read()] == [3]

    run(test)


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    kept, other = kept_in(tmp_path), kept_in(tmp_path, "other.db")
    other.write("theirs.json", 1, {}, {})
    (kept.folder / "broken.json").write_text("{")
    (kept.folder / "link.json").symlink_to("broken.json")
    kept.write("own.json", 2, {1: "key"}, {"before": STATE})

    ((name, match),) = kept.read()

    assert (name, match.keys) == ("own.json", {1: "key"})
    assert {path.stat().st_mode & 0o777 for path in kept.folder.glob("*own.json")} == {0o600}
    assert kept.folder.stat().st_mode & 0o077 == 0
    kept.remove(name)
    assert len(list(kept.folder.iterdir())) == 3


@pytest.mark.parametrize("kind", ["open", "link", "file"])
def test_a_folder_that_others_may_change_is_refused(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "token.matches"
    if kind == "open":
        folder.mkdir()
        folder.chmod(0o770)
    elif kind == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to("elsewhere")
    else:
        folder.write_text("")

    with pytest.raises(UsageError, match=r"token.matches: "):
        kept_in(tmp_path)


def test_a_match_that_a_seat_has_left_is_not_kept() -> None:
    record = random_record("pente", plies=3)
    told: list[Any] = []
    reporter = MoveReporter(told.append)
    reporter.history = ({"seat": 1, "move": "before"},)
    reporter.report("k", record.calls)
    resigned = Call(seat=1, call="move", ply=3, resign=True)
    reporter.report("k", Calls([*record.calls, resigned]))
    crashed = Call(seat=1, call="init", ply=0, fault=Termination.CRASH)
    reporter.report("k", Calls([crashed, *record.calls]))
    idle = Call(seat=1, call="init", ply=0)
    reporter.report("k", Calls([idle, *record.calls]))

    moves = ({"seat": 1, "move": "before"}, *map(entry_of, record.calls))
    assert told == [moves, None, None, moves]
