"""Playing on a page: by clicks in a browser, and what the server refuses."""

import asyncio
import http.client
import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from play_server import Server
from playwright.sync_api import Browser, Page, expect
from preloaded import Preloaded
from verifying import verify

from arena.pages.guard import Guard
from arena.pages.playing.choices import Choices
from arena.pages.playing.routes import Playing
from arena.pages.server import Site, app_of
from referee.job import PERSON
from referee.move_codec import MoveCodec
from referee.records.record import Record
from referee.records.replay import game_of

OFFERED = ".place.offered"
CASES: dict[str, dict[str, Any]] = {
    "pente": {},
    "damspel": {"rows": "3", "cols": "4", "men rows": "1"},
    "matchsticks": {"dimension": "3"},
    "down_n_out": {"rows": "3", "cols": "4"},
    "chinese_checkers": {"game size": "3", "max rounds": "3"},
}
"""Options of a short match of each game, as the page labels them."""
SEED = "3"
"""A board of which the first offered moves do not end the match at once, as a random one may."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("playing")
    command = ["play", "pente", "random", "--browser"]
    with Preloaded(command, cwd=folder, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        yield Server(folder, found[0])
        process.terminate()


def start(page: Page, server: Server, game: str, people: int = 1) -> None:
    page.goto(f"{server.link.partition('#')[0]}#")
    page.get_by_label("game", exact=True).select_option(game)
    page.get_by_text("options of the game").click()
    page.get_by_label("seed", exact=True).fill(SEED)
    for label, value in CASES[game].items():
        page.get_by_label(label, exact=True).fill(value)
    if game == "chinese_checkers":
        page.get_by_label("number", exact=True).select_option("3")
    seats = page.locator("fieldset select:has(option[value=random])")
    for seat in range(seats.count()):
        seats.nth(seat).select_option("" if seat < people else "random")
    page.get_by_role("button", name="play").click()
    expect(page.locator(OFFERED).first).to_be_attached()


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
    expect(over.or_(page.locator(OFFERED)).first).to_be_attached()
    return clicks


@pytest.mark.parametrize("game", CASES)
def test_a_match_is_played_by_clicks_with_a_take_back(
    server: Server, page: Page, game: str
) -> None:
    people = 2 if game == "chinese_checkers" else 1
    start(page, server, game, people)
    moves = [click_a_move(page) for _ in range(people + 1)]
    page.get_by_role("button", name="take back").click()
    expect(page.locator(OFFERED).first).to_be_attached()
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
    border = MoveCodec(game)
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


def test_the_board_is_played_by_keys_and_by_typing_and_is_accessible(
    server: Server, browser: Browser
) -> None:
    context = browser.new_context(
        bypass_csp=True, viewport={"width": 320, "height": 700}, color_scheme="dark"
    )
    page = context.new_page()
    page.goto(server.link)
    expect(page.locator(OFFERED)).to_have_count(1)
    page.get_by_label("-9,-9: empty").focus()
    for key in ("ArrowDown", "ArrowRight"):
        for _ in range(9):
            page.keyboard.press(key)
    expect(page.get_by_label("0,0: empty")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("random plays")
    expect(page.get_by_role("status")).to_contain_text("Your turn.")
    page.get_by_label("type a move").fill("nonsense")
    page.keyboard.press("Enter")
    expect(page.get_by_role("log")).to_contain_text("not legal")
    page.get_by_label("type a move").fill("9 9")
    page.keyboard.press("Enter")
    expect(page.get_by_label("9,9: X")).to_be_attached()
    page.reload()
    expect(page.get_by_label("9,9: X")).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert Axe().run(page).violations_count == 0, Axe().run(page).generate_report()
    page.goto(f"{server.link.partition('?')[0]}#")
    page.reload()
    page.get_by_text("options of the game").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert Axe().run(page).violations_count == 0, Axe().run(page).generate_report()
    context.close()


def test_a_click_on_a_listed_move_survives_the_arrival_of_a_hint(
    server: Server, page: Page
) -> None:
    match = play_at(server, None, "random", game="go", options={"size": "5"})
    page.goto(f"{server.link.partition('#')[0]}#match={match}")
    page.get_by_role("button", name="pass", exact=True).hover()
    page.mouse.down()
    typed = {"seat": 0, "shown": 1, "line": "hint random"}
    assert server.post(f"/matches/{match}", typed)[0] == 200
    expect(page.get_by_role("log")).to_contain_text("would play")
    page.mouse.up()
    # two passes end the match, and random may pass, too
    expect(page.get_by_role("status")).to_contain_text(re.compile("random (plays|wins)"))


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"X-Arena-Token": ""},
        {"X-Arena-Token": "\u00e9"},
        {"Cookie": ""},
        {"Content-Type": "text/plain"},
        {"Host": "evil.example"},
    ],
)
def test_only_pages_of_the_server_can_change_anything(
    server: Server, headers: dict[str, str]
) -> None:
    for path in ("/matches", "/matches/1", "/matches/1/leave"):
        assert server.post(path, {}, **headers)[0] in (403, 415, 421)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"game": "ludo"}, "unknown game"),
        ({"game": ["pente"]}, "game"),
        ({"game": "x" * 201}, "game"),
        ({"options": {"rows": "\u202e9"}}, "rows"),
        ({"options": {"rows": "3\0"}}, "rows"),
        ({"options": {"nothing": "1"}}, "nothing"),
        ({"options": {f"o{number}": "1" for number in range(60)}}, "options"),
        ({"players": []}, "players"),
        ({"players": [None] * 17}, "players"),
        ({"players": [None, "/bin/sh"]}, "there is no bot"),
        ({"players": [None]}, "seats"),
        ({"linked": [0, 1]}, "links are for other people"),
        ({"linked": [-1]}, "linked"),
        ({"per_move_ms": 0}, "per_move_ms"),
        ({"per_move_ms": 2.5}, "per_move_ms"),
        ({"clock": "sun"}, "clock"),
        ({"seed": "9" * 39}, "seed"),
        ({"seed": 7}, "seed"),
        ({"origin": {"match": 99, "ply": 0}}, "no match"),
        ({"origin": {"match": -1, "ply": 0}}, "origin"),
        ({"more": 1}, "more"),
    ],
)
def test_every_field_of_a_new_match_is_checked(
    server: Server, change: dict[str, Any], word: str
) -> None:
    status, text = server.post("/matches", {**NEW, "players": [None, "random"], **change})

    if status == 200:  # only the match's own process can judge
        path = f"/play/matches/{json.loads(text)['match']}/stream"
        with messages(server, path) as heard:
            text = wait_for(heard, "failed")["text"]
    else:
        assert status == 400
    assert word in text


@pytest.mark.parametrize("body", ["", "[]", "{", "null", "\x00", '"' + "x" * (1 << 16), "[" * 9999])
def test_a_body_is_a_short_object(server: Server, body: str) -> None:
    for path in ("/matches", "/matches/1", "/matches/1/leave"):
        status, text = server.post(path, body)
        assert status in (400, 409)
        assert json.loads(text)["error"]


def test_orders_for_another_position_seat_or_match_are_refused(server: Server) -> None:
    with messages(server, "/play/matches/1/stream") as heard:
        wait_for(heard, "asked")
    typed = {"seat": 0, "shown": 999, "line": "undo"}
    assert server.post("/matches/1", typed)[0] == 409
    assert server.post("/matches/1", {**typed, "seat": 1})[0] == 400
    assert server.post("/matches/999", typed)[0] == 404
    for line in ("hint /bin/sh", " HINT\t./x", "hint\n/bin/sh", "hint\u2003/bin/sh"):
        assert "there is no bot" in server.post("/matches/1", {**typed, "line": line})[1]
    assert server.post("/matches/1", {**typed, "line": "x" * 201})[0] == 400


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/play", 403),
        ("GET", "/play/choices", 403),
        ("GET", "/play/matches/1/stream", 403),
        ("POST", "/play/matches", 403),
        ("POST", "/api/events", 405),
        ("PUT", "/play/matches", 405),
        ("GET", "/play/seat", 403),
        ("GET", "/play/seat?key=", 403),
        ("GET", "/play/seat/stream?key=x", 403),
    ],
)
def test_public_pages_are_read_only_without_a_link(
    tmp_path: Path, method: str, path: str, status: int
) -> None:
    db = tmp_path / "arena.db"
    site = Site(db, 80, is_public=True, playing=Playing(db, Choices.of(())))
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"{}"}

    async def send(message: Any) -> None:
        sent.append(message)

    place, _, query = path.partition("?")
    scope = {"type": "http", "method": method, "path": place, "query_string": query.encode()}
    headers = [(b"host", b"127.0.0.1:80")]
    answer = Guard(app_of(site), site)({**scope, "headers": headers}, receive, send)
    with ThreadPoolExecutor(1) as thread:  # the browser's loop runs in this one
        thread.submit(asyncio.run, answer).result()

    assert sent[0]["status"] == status
    assert not any(b"arena-play" in message.get("body", b"") for message in sent)


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
    page.get_by_role("region", name="Matches with people").locator("summary").click()
    page.get_by_label("table of matches with people").get_by_role("link").first.click()
    page.get_by_label("table of matches").get_by_role("link").first.click()
    expect(page.locator(".board")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.get_by_role("link", name="play on from here").click()
    expect(page.get_by_text("after 1 move")).to_be_visible()
    page.get_by_label("white").select_option("random")
    page.get_by_role("button", name="play").click()
    page.get_by_role("button", name="resign").click()
    page.get_by_role("button", name="yes").click()
    link = page.get_by_text("replay it")
    expect(link).to_be_visible()
    record = server.record(int((link.text_content() or "").rpartition(" ")[2]))
    verify(record)
    assert record.job.board_seed == old.job.board_seed
    assert [entry["move"] for entry in record.job.history] == [
        next(call.move for call in old.calls if call.move)
    ]
