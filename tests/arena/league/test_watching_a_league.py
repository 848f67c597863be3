"""The boards in play: streamed without what bots say, shown with and without a login."""

import asyncio
import io
import logging
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from browsers import follow
from django.core.asgi import get_asgi_application
from django.utils import timezone
from events import new_store
from leagues import cast, client_of
from playwright.sync_api import Browser, Page, expect
from pushing import served
from random_matches import random_record
from running import PROJECTOR, WIDTHS, Running, is_clean, set_password, started
from waiting import PATIENCE_S
from watching import Stage, directing

from arena.league.folder import League
from arena.league.persons.people import close_account
from arena.league.seasons.deadlines import open_season
from arena.league.seasons.freeze import freeze
from arena.league.site.models import Final
from arena.league.web.live import (
    MOST_OF_ONE,
    MOST_OF_PROJECTORS,
    MOST_OF_STRANGERS,
    Boards,
    Watcher,
)
from arena.league.web.watching import _gone, projector_key
from protocol.vocabulary import Termination
from referee.records.record import Fault, Record

NOTE, DETAIL = "my secret plan", "detail of my crash"


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A director of another process, as the boards know it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store = new_store(tmp_path)
    store.add_event("season-1", 1, {"game": {"name": "pente"}}, {"a": "a", "b": "b"})
    store.close()
    stage = Stage(tmp_path, total=0)
    with directing(stage):
        yield stage


def crash_of(record: Record) -> Record:
    """Return a match that ends with a crash."""
    fault = Fault(seat=0, termination=Termination.CRASH, detail=DETAIL, call="move", ply=9)
    verdict = replace(
        record.verdict, termination=Termination.CRASH, reason=DETAIL, faults=(fault,), places=(2, 1)
    )
    return replace(record, verdict=verdict)


def heard(boards: Boards, steps: Mapping[str, Callable[[], object]]) -> str:
    """Return the messages of the boards; each step is taken once its text has come."""

    async def hear() -> str:
        messages, found, left = boards.open(None), "", dict(steps)
        assert messages is not None
        while left:
            found += (await anext(messages)).decode()
            for text in [text for text in left if text in found]:
                left.pop(text)()
        await messages.aclose()
        return found

    return asyncio.run(asyncio.wait_for(hear(), 200))


def test_the_boards_have_moves_and_nothing_that_bots_say(stage: Stage, tmp_path: Path) -> None:
    record = random_record("pente", plies=12, note=NOTE, value=7, data={"depth": 3})
    stage.begin(record)
    stage.play(record, 12)

    said = heard(Boards(tmp_path / "arena.db"), {f'"{record.calls[11].notation}"': bool})

    assert NOTE not in said
    assert "depth" not in said


def test_a_board_that_has_ended_tells_the_kind_of_a_fault_alone(
    stage: Stage, tmp_path: Path
) -> None:
    record = crash_of(random_record("pente", plies=9))
    stage.begin(record)
    stage.play(record, 5)

    def end() -> None:
        stage.finish(record)
        stage.begin()

    steps: dict[str, Callable[[], object]] = {'"scene"': end, '"result"': bool}

    said = heard(Boards(tmp_path / "arena.db"), steps)

    assert "crash" in said
    assert DETAIL not in said


def test_a_freeze_hides_the_boards(stage: Stage, tmp_path: Path) -> None:
    record = random_record("pente", plies=12)
    stage.begin(record)
    stage.play(record, 12)
    looks = iter([False])
    boards = Boards(tmp_path / "arena.db", lambda: next(looks, True))

    async def hear(boards: Boards) -> str:
        messages = boards.open(None)
        assert messages is not None
        return "".join([data.decode() async for data in messages])

    seen = asyncio.run(asyncio.wait_for(hear(boards), 200))
    hidden = asyncio.run(asyncio.wait_for(hear(Boards(tmp_path / "arena.db", lambda: True)), 200))

    assert seen.startswith(":")
    assert "places" not in hidden
    staff = cast().staff
    open_season("season-1")
    freeze(staff, None)
    assert "hidden until staff" in client_of(staff).get("/live").content.decode()
    assert client_of(staff).get("/live/changes").status_code == 503


def test_pages_say_that_a_final_is_being_played() -> None:
    client, path = client_of(cast().owner), f"/projector/{projector_key()}"
    season = open_season("season-1")
    final = Final.objects.create(season=season, locked=timezone.now())

    for address in ("/live", path):
        assert "A final is being played" in client.get(address).content.decode()
    final.ended = timezone.now()
    final.save()
    for address in ("/live", path):
        assert "A final is being played" not in client.get(address).content.decode()


async def fill(boards: Boards, watcher: Watcher) -> int:
    """Open pages until there is no place for one more; return their number."""
    count = 0
    while (messages := boards.open(watcher)) is not None:
        await anext(messages)
        count += 1
    return count


def test_nobody_takes_the_places_of_all_others(tmp_path: Path) -> None:
    async def counts() -> list[int]:
        boards = Boards(tmp_path / "arena.db")
        found = [await fill(boards, watcher) for watcher in (None, 1, 2, "key", None)]
        boards.close()
        return found

    found = asyncio.run(counts())

    assert found == [MOST_OF_STRANGERS, MOST_OF_ONE, MOST_OF_ONE, MOST_OF_PROJECTORS, 0]


def test_pages_opened_at_the_same_time_are_not_more_than_the_limit(tmp_path: Path) -> None:
    boards = Boards(tmp_path / "arena.db")
    opened = [boards.open(1) for _ in range(MOST_OF_ONE + 1)]

    async def hear() -> list[bytes]:
        return [await anext(messages, b"") for messages in opened if messages is not None]

    assert asyncio.run(hear()).count(b"") == 1


def test_a_page_that_gets_no_stream_writes_no_line_of_the_log() -> None:
    """Pages ask again by themselves, for as long as a freeze lasts."""
    people = cast()
    open_season("season-1")
    freeze(people.staff, None)
    handler = logging.getLogger("django").handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    text = io.StringIO()
    before = handler.setStream(text)
    try:
        answer = client_of(people.rival).get("/live/changes")
    finally:
        handler.setStream(before)

    assert answer.status_code == 503
    assert text.getvalue() == ""


def test_a_reader_who_has_left_before_the_answer_takes_no_place() -> None:
    """Django, which is the application of the server, drops such an answer and closes nothing."""
    app, path = get_asgi_application(), f"/projector/{projector_key()}/changes"
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []}

    async def leave() -> None:
        is_begun = asyncio.Event()
        events = iter(["http.request"])

        async def receive() -> dict[str, str]:
            if (kind := next(events, None)) is None:
                await is_begun.wait()
            return {"type": kind or "http.disconnect"}

        async def send(_: object) -> None:
            is_begun.set()
            await asyncio.Event().wait()

        await app(scope, receive, send)

    async def leave_often() -> None:
        for _ in range(MOST_OF_PROJECTORS):
            await leave()

    asyncio.run(leave_often())

    assert client_of().get(path).status_code == 200


def test_a_projector_needs_its_key_and_shows_part_after_part() -> None:
    cast()
    stranger = client_of()
    key = projector_key()

    page = stranger.get(f"/projector/{key}?part=99999999999999999999")

    assert page.status_code == 200
    assert f'data-changes="/projector/{key}/changes"' in page.content.decode()
    assert 'http-equiv="refresh"' in page.content.decode()
    assert stranger.get("/projector/nothing").status_code == 404
    assert stranger.get("/projector/nothing/changes").status_code == 404
    assert stranger.get("/projector").status_code == 302


def test_a_new_link_of_the_projector_ends_the_old_one() -> None:
    people = cast()
    key = projector_key()
    assert client_of().get(f"/projector/{key}").status_code == 200

    assert client_of(people.staff).post("/staff/projector").status_code == 302

    assert projector_key() != key
    for address in (f"/projector/{key}", f"/projector/{key}/changes"):
        assert client_of().get(address).status_code == 404
    page = client_of(people.staff).get("/live").content.decode()
    assert projector_key() in page


def test_pages_that_are_open_end_with_their_account_or_link(tmp_path: Path) -> None:
    people = cast()
    key = projector_key()
    close_account(people.owner, people.staff)
    client_of(people.staff).post("/staff/projector")
    watchers = {people.owner.pk, people.mate.pk, key, projector_key(), None}
    assert _gone(watchers) == {people.owner.pk, key}
    boards = Boards(tmp_path / "arena.db", gone=lambda watchers: watchers - {people.mate.pk})

    async def hear() -> bool:
        ends, stays = boards.open(people.owner.pk), boards.open(people.mate.pk)
        assert ends is not None
        assert stays is not None
        await anext(stays)
        async for _ in ends:
            pass
        is_open = list(boards._streams.values()) == [people.mate.pk]
        await stays.aclose()
        return is_open

    assert asyncio.run(asyncio.wait_for(hear(), 200))


def test_an_open_page_ends_with_the_server_and_without_an_error(
    league: League, capfd: pytest.CaptureFixture[str]
) -> None:
    with served(league) as where:
        host, _, port = where.partition(":")
        page = socket.create_connection((host, int(port)), timeout=PATIENCE_S)
        lines = f"GET /projector/{projector_key()}/changes HTTP/1.1", "Host: localhost", "", ""
        page.sendall("\r\n".join(lines).encode())
        answer = page.recv(5000)
        while b"the boards in play" not in answer:
            answer += page.recv(5000)
    with page:
        while page.recv(5000):
            pass

    assert answer.startswith(b"HTTP/1.1 200")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["watch.mjs", "hall.css"])
def test_modules_of_boards_are_there_and_nothing_else(name: str) -> None:
    assert client_of().get(f"/viewer/{name}").status_code == 200
    assert client_of().get("/viewer/__init__.py").status_code == 404


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with started(tmp_path_factory.mktemp("watching") / "our-league") as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def test_boards_are_seen_by_members_and_on_a_projector_without_a_login(
    running: Running, page: Page, browser: Browser
) -> None:
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    set_password(page, running.staff_link)
    follow(page.get_by_role("link", name="Live"))
    expect(page.locator(".hall .piece").first).to_be_visible()
    is_clean(page, (*WIDTHS, PROJECTOR))
    link = page.locator(".hint code").inner_text()

    stranger = browser.new_context()
    projector = stranger.new_page()
    projector.goto(link)
    expect(projector.locator(".hall .piece").first).to_be_visible()
    is_clean(projector, (*WIDTHS, PROJECTOR))
    projector.goto(running.address)
    assert "/log-in" in projector.url
    stranger.close()
    assert errors == []


def test_a_projector_without_scripts_shows_the_table(running: Running, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{running.address}/projector/{_key(running)}")
    expect(page.get_by_role("row").filter(has_text="greedy")).to_be_visible()
    context.close()


def test_an_open_page_renews_why_it_has_no_boards(running: Running, browser: Browser) -> None:
    page, path = browser.new_page(), f"{running.address}/projector/{_key(running)}"
    page.set_viewport_size({"width": PROJECTOR, "height": 720})
    page.clock.install()
    page.goto(path)
    expect(page.locator(".why")).to_be_hidden()
    said = page.content().replace('role="status"></p>\n<div', 'role="status">A final</p>\n<div')
    assert "A final" in said
    page.route(path, lambda route: route.fulfill(body=said, content_type="text/html"))
    page.clock.fast_forward(11_000)
    expect(page.locator(".why")).to_be_visible()
    expect(page.locator(".why")).to_have_text("A final")
    page.close()


def _key(running: Running) -> str:
    from arena.league.folder import open_league
    from arena.league.web.here import league, serve_league

    before = league()
    serve_league(open_league(running.folder))
    key = projector_key()
    serve_league(before)
    return key
