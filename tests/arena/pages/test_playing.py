"""Playing on a page: by clicks in a browser, and what the server refuses."""

import http.client
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from arena.results.store import Store
from referee.border import Border
from referee.job import PERSON
from referee.record import Record
from referee.replay import game_of, verify

OFFERED = ".place.offered"
CASES: dict[str, dict[str, Any]] = {
    "pente": {},
    "damspel": {"rows": "3", "cols": "4", "men rows": "1"},
    "matchsticks": {"dimension": "3"},
    "down_n_out": {"rows": "3", "cols": "4"},
    "chinese_checkers": {"game size": "3", "max rounds": "3"},
}
"""Options of a short match of each game, as the page labels them."""


@dataclass
class Server:
    folder: Path
    link: str

    @property
    def port(self) -> int:
        return urlsplit(self.link).port or 0

    @property
    def token(self) -> str:
        return self.link.partition("token=")[2].partition("#")[0]

    def ask(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, str]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            given = {"Cookie": f"arena_{self.port}={self.token}"} | headers
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def post(self, path: str, body: Any, **headers: str) -> tuple[int, str]:
        found = re.search('name="arena-token" content="([^"]+)"', self.ask("GET", "/play")[1])
        assert found
        given = {"Content-Type": "application/json", "X-Arena-Token": found[1]} | headers
        text = body if isinstance(body, str) else json.dumps(body)
        return self.ask("POST", f"/play{path}", text, **given)

    def record(self, number: int) -> Record:
        with closing(Store(self.folder / "arena.db")) as store:
            return store.record(number)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("playing")
    command = [sys.executable, "-m", "arena", "play", "pente", "random", "--browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        yield Server(folder, found[0])
        process.terminate()


def start(page: Page, server: Server, game: str, people: int = 1) -> None:
    page.goto(f"{server.link.partition('#')[0]}#")
    page.get_by_label("game", exact=True).select_option(game)
    page.get_by_text("options of the game").click()
    for label, value in CASES[game].items():
        page.get_by_label(label, exact=True).fill(value)
    if game == "chinese_checkers":
        page.get_by_label("number", exact=True).select_option("3")
    seats = page.locator("fieldset select:has(option[value=random])")
    for seat in range(seats.count()):
        seats.nth(seat).select_option("" if seat < people else "random")
    page.get_by_role("button", name="play").click()
    expect(page.locator(OFFERED).first).to_be_attached(timeout=60_000)


def click_a_move(page: Page) -> list[int]:
    """Click the first offered places until a move is made; return the places."""
    clicks: list[int] = []
    is_selected = True
    while is_selected:
        place = page.locator(OFFERED).first
        clicks.append(int(place.get_attribute("data-place") or -1))
        place.click()
        is_selected = page.locator("[aria-selected=true]").count() > 0
    over = page.get_by_text("replay it")
    expect(over.or_(page.locator(OFFERED)).first).to_be_attached(timeout=60_000)
    return clicks


@pytest.mark.parametrize("game", CASES)
def test_a_match_is_played_by_clicks_with_a_take_back(
    server: Server, page: Page, game: str
) -> None:
    people = 2 if game == "chinese_checkers" else 1
    start(page, server, game, people)
    moves = [click_a_move(page) for _ in range(people + 1)]
    page.get_by_role("button", name="take back").click()
    expect(page.locator(OFFERED).first).to_be_attached(timeout=60_000)
    del moves[1:]
    over = page.get_by_text("replay it")
    while not over.count():
        moves.append(click_a_move(page))

    record = server.record(int((over.text_content() or "").rpartition(" ")[2]))
    verify(record)
    assert moves_of_people(record) == moves


def moves_of_people(record: Record) -> list[list[int]]:
    """Return the places of each move of a person in a record, its history included."""
    game, job = game_of(record.job), record.job
    border = Border(game)
    history = [(entry["seat"], border.read_move(entry["move"])) for entry in job.history]
    calls = [(call.seat, game.parse(call.notation)) for call in record.calls if call.notation]
    return [
        list(game.gesture(move))
        for seat, move in (*history, *calls)
        if job.player(seat).content == PERSON
    ]


NEW = {"game": "damspel", "options": {"rows": "3", "cols": "3", "men_rows": "1"}}


def play_at(
    server: Server, *players: str | None, linked: Sequence[int] = (), **changes: Any
) -> int:
    status, text = server.post(
        "/matches", {**NEW, "players": players, "linked": list(linked), **changes}
    )
    assert status == 200, text
    return int(json.loads(text)["match"])


@contextmanager
def messages(server: Server, path: str, **headers: str) -> Iterator[Iterator[dict[str, Any]]]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        given = {"Cookie": f"arena_{server.port}={server.token}"} | headers
        connection.request("GET", path, headers=given)
        with connection.getresponse() as answer:
            assert answer.status == 200
            lines = iter(answer.readline, b"")
            yield (json.loads(line[6:]) for line in lines if line.startswith(b"data: "))


def wait_for(heard: Iterator[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(message for message in heard if message["kind"] == kind)


def test_a_link_plays_its_own_seat_and_nothing_else(server: Server) -> None:
    match = play_at(server, None, None, linked=[1])
    with messages(server, f"/play/matches/{match}/stream") as host:
        key = wait_for(host, "own")["keys"]["1"]
        asked = wait_for(host, "asked")
        assert (asked["seat"], asked["shown"]) == (0, 1)
        own = {"Cookie": f"arena_seat_{server.port}={key}"}
        status, page = server.ask("GET", f"/play/seat?key={key}", Cookie="")
        assert status == 200
        found = re.search('name="arena-token" content="([^"]+)"', page)
        assert found
        guest = own | {"X-Arena-Token": found[1]}
        with messages(server, "/play/seat/stream", **own) as linked:
            typed = {"seat": 0, "shown": 1, "line": "a1-a2"}
            assert server.post("/seat", typed, **guest)[0] == 400  # not the seat of the link
            assert server.post(f"/matches/{match}", {**typed, "seat": 1})[0] == 400
            assert server.post(f"/matches/{match}", typed)[0] == 200
            asked = wait_for(linked, "asked")
            assert asked["seat"] == 1
            quits = {"seat": 1, "shown": asked["shown"], "line": " QUIT "}
            assert "only the page" in server.post("/seat", quits, **guest)[1]
            assert server.post("/seat", {**quits, "line": "resign"}, **guest)[0] == 200
            ended = wait_for(linked, "ended")
    assert server.record(ended["match"]).verdict.places == (1, 2)
    for path in ("/", "/play", "/play/choices", "/api/events", f"/play/matches/{match}/stream"):
        assert server.ask("GET", path, **own)[0] == 403
    assert server.post("/matches", NEW, **guest)[0] == 403
    assert server.ask("GET", "/play/seat?key=x", Cookie="")[0] == 403


def test_a_match_is_played_on_from_any_position_of_another(server: Server, page: Page) -> None:
    match = play_at(server, None, "random", seed="3")
    with messages(server, f"/play/matches/{match}/stream") as heard:
        asked = wait_for(heard, "asked")
        typed = {"seat": 0, "shown": asked["shown"], "line": "a1-a2"}
        server.post(f"/matches/{match}", typed)
        asked = next(each for each in heard if each["kind"] == "asked" and each["shown"] > 1)
        server.post(f"/matches/{match}", {**typed, "shown": asked["shown"], "line": "resign"})
        old = server.record(wait_for(heard, "ended")["match"])
    page.goto(f"{server.link.partition('play')[0]}?token={server.token}#e=1")
    page.get_by_role("link", name="← all events").click()
    page.get_by_role("link", name="play", exact=True).first.click()
    page.get_by_role("row").last.get_by_role("link").first.click()
    expect(page.locator(".board")).to_be_visible(timeout=60_000)
    page.keyboard.press("ArrowRight")
    page.get_by_role("link", name="play on from here").click()
    expect(page.get_by_text("after 1 moves")).to_be_visible(timeout=60_000)
    page.get_by_label("white").select_option("random")
    page.get_by_role("button", name="play").click()
    page.get_by_role("button", name="resign").click(timeout=60_000)
    page.get_by_role("button", name="yes").click()
    link = page.get_by_text("replay it")
    expect(link).to_be_visible(timeout=60_000)
    record = server.record(int((link.text_content() or "").rpartition(" ")[2]))
    verify(record)
    assert record.job.board_seed == old.job.board_seed
    assert [entry["move"] for entry in record.job.history] == [
        next(call.move for call in old.calls if call.move)
    ]
