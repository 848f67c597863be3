"""An event in play, watched in a browser from its first match to its last."""

import re
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from events import new_store
from playwright.sync_api import Browser, Page, expect
from random_matches import random_record
from test_report_file import EVIL
from watching import Stage, directing, serving

from referee.records.record import Record

SIGHTS: list[tuple[int, Literal["light", "dark"], str]] = [
    (320, "light", ""),
    (768, "dark", ""),
    (1440, "light", ""),
    (1440, "dark", "&v=projector"),
]
"""Width, theme and part of the address of the page."""
PLACES = """() => [...document.querySelectorAll(".wall .tile")]
    .map((tile) => [tile.offsetLeft, tile.offsetTop, tile.offsetWidth, tile.offsetHeight])"""

WATCHING = """() => {
  const shown = [];
  const note = () => {
    const result = document.querySelector(".large .result").textContent.replace(/^.*: /, "");
    shown.push([document.querySelectorAll(".tile .piece").length, result]);
  };
  const all = {childList: true, subtree: true, characterData: true};
  new MutationObserver(note).observe(document.body, all);
  return shown;
}"""
"""Notes the number of stones and the result after each change of the page."""
COUNTING = """() => {
  const [counts, tally] = [[], document.querySelector(".tally")];
  const note = () => counts.push(tally.textContent);
  new MutationObserver(note).observe(tally, {childList: true, characterData: true, subtree: true});
  return counts;
}"""
"""Notes the number of played matches after each change."""


@dataclass
class Watched:
    stage: Stage
    stack: ExitStack
    port: int
    link: str = ""

    def serve(self) -> ExitStack:
        """Start a server that anybody may read, at the same port each time."""
        server = ExitStack()
        line = server.enter_context(
            serving(self.stage.folder, "--public", "--port", str(self.port))
        )
        found = re.search(r"http://\S+", line)
        assert found, line
        self.link = found[0]
        return self.stack.enter_context(server)

    def direct(self) -> ExitStack:
        director = ExitStack()
        director.enter_context(directing(self.stage))
        return self.stack.enter_context(director)


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with closing(new_store(tmp_path)) as store:
        store.add_event("cup", 1, {"game": {"name": "pente"}}, {n: n for n in "abcd"})
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
    with ExitStack() as stack:
        yield Watched(Stage(tmp_path, total=3), stack, port)


def matches() -> tuple[Record, Record, Record]:
    return (
        random_record("pente", key="a,b/1", plies=9, note="a plan"),
        random_record("pente", key="c,d/1", bots="cd", plies=8),
        random_record("pente", key="b,c/1", bots="bc", plies=7),
    )


def test_an_event_is_watched_from_its_first_match_to_its_last(watched: Watched, page: Page) -> None:
    first, second, third = matches()
    watched.serve()
    page.goto(watched.link)
    expect(page.get_by_role("link", name="cup")).to_be_visible()
    watched.stage.begin(first, second, coming=[third.job])
    director = watched.direct()

    _boards_of_all_matches_grow(watched.stage, page, first, second)
    places = page.evaluate(PLACES)
    _a_match_in_play_becomes_the_finished_match(watched.stage, page, first, third, second)
    _the_next_match_takes_the_place_of_the_first(watched.stage, page, third)
    assert page.evaluate(PLACES) == places

    for record in (second, third):
        watched.stage.finish(record)
    watched.stage.begin()
    expect(page.locator(".tally")).to_have_text("3 of 3 matches played")
    director.close()
    expect(page.get_by_role("heading", name="Last boards")).to_be_visible()
    expect(page.locator(".tally")).to_have_text("over: 3 of 3 matches played")
    expect(page.get_by_role("status").last).to_have_text("3 matches")
    expect(page.locator(".wall .result").first).to_contain_text(third.verdict.reason)


def _boards_of_all_matches_grow(stage: Stage, page: Page, first: Record, second: Record) -> None:
    tiles, large = page.locator(".wall .tile"), page.locator(".tile.large")
    expect(tiles).to_have_count(2)
    expect(page.get_by_role("list", name="next matches")).to_have_text(re.compile("b . c"))
    expect(page.locator(".tally")).to_have_text("0 of 3 matches played")
    stage.play(first, 4)
    stage.play(second, 2)
    expect(tiles.nth(0).locator(".piece")).to_have_count(4)
    expect(tiles.nth(1).locator(".piece")).to_have_count(2)
    tiles.nth(0).get_by_role("button").click()
    expect(large.locator(".piece")).to_have_count(4)
    expect(tiles.nth(0)).to_have_class(re.compile("featured"))
    expect(large.locator(".said")).to_contain_text("a plan")


def _a_match_in_play_becomes_the_finished_match(
    stage: Stage, page: Page, match: Record, *running: Record
) -> None:
    page.get_by_role("link", name="step through").click()
    heading, live = page.get_by_role("heading", level=1), page.locator(".live")
    expect(heading).to_have_text(re.compile("now playing: a . b"))
    expect(live).to_contain_text("4 of 4")
    stage.play(match, 6)
    expect(live).to_contain_text("6 of 6")
    page.keyboard.press("ArrowLeft")
    stage.play(match, 9)
    expect(live).to_contain_text("5 of 9")
    page.keyboard.press("End")
    box, board = page.locator(".board").bounding_box(), page.locator(".board").element_handle()
    stage.finish(match)
    stage.begin(*running)
    expect(heading).to_have_text(re.compile("match 1: a . b"))
    expect(live).to_contain_text("9 of 9")
    assert page.locator(".board").bounding_box() == box
    assert board.evaluate("node => node.isConnected")


def _the_next_match_takes_the_place_of_the_first(stage: Stage, page: Page, match: Record) -> None:
    page.get_by_role("link", name="← all results").click()
    tile = page.locator(".wall .tile").first
    expect(tile.locator(".name").last).to_have_text("c")
    expect(page.locator(".tally")).to_have_text("1 of 3 matches played")
    stage.play(match, 7)
    expect(tile.locator(".piece")).to_have_count(7)


def test_the_count_on_a_page_never_goes_back(watched: Watched, browser: Browser) -> None:
    first, second, third = matches()
    stage = watched.stage
    stage.begin(first, second)
    watched.direct()
    watched.serve()
    with closing(browser.new_page()) as page:  # a page keeps its false clock
        page.clock.install(time=0)
        page.goto(f"{watched.link}#e=1")
        tally, tile = page.locator(".tally"), page.locator(".wall .tile").first
        expect(tally).to_have_text("0 of 3 matches played")
        counts = page.evaluate_handle(COUNTING)
        page.clock.pause_at(100_000)
        stage.play(first, 4)
        expect(tile.locator(".piece")).to_have_count(4)
        stage.finish(first)
        stage.begin(third, second)
        page.clock.run_for(1000)
        expect(tally).to_have_text("1 of 3 matches played")
        stage.play(second, 2)
        expect(page.locator(".wall .tile").nth(1).locator(".piece")).to_have_count(2)
        for record in (second, third):
            stage.finish(record)
        stage.begin()
        page.clock.run_for(1000)
        expect(tally).to_have_text("3 of 3 matches played")
        page.clock.run_for(10_000)
        expect(page.locator(".wall .result").first).not_to_have_text("")
        assert counts.json_value() == sorted(counts.json_value())


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_changes_nothing(watched: Watched, page: Page, hours: int) -> None:
    first, second, third = matches()
    stage = watched.stage
    stage.begin(first)
    watched.direct()
    watched.serve()
    page.goto(f"{watched.link}#e=1")
    stage.play(first, 4)
    boards = page.locator(".tile .piece")
    expect(boards).to_have_count(8)
    page.evaluate(f"const now = Date.now; Date.now = () => now() + {hours} * 3600_000")
    stage.finish(first)
    stage.begin(second, coming=[third.job])
    stage.play(second, 2)
    expect(page.locator(".tile.large .name").first).to_have_text("c")
    expect(boards).to_have_count(4)


def test_the_end_of_a_match_is_shown_before_the_next_one_begins(
    watched: Watched, page: Page
) -> None:
    first, _, third = matches()
    stage = watched.stage
    stage.begin(first)
    watched.direct()
    watched.serve()
    page.goto(f"{watched.link}#e=1")
    stage.play(first, 4)
    boards, results = page.locator(".tile .piece"), page.locator(".tile .result")
    expect(boards).to_have_count(8)
    shown = page.evaluate_handle(WATCHING)
    stage.finish(first)
    stage.begin(third)
    stage.play(third, 7)
    expect(boards).to_have_count(14)
    assert [18, first.verdict.reason] in shown.json_value()
    for pieces, result in shown.json_value():
        assert not result or (pieces == 18 and first.verdict.reason in result)
    expect(results.first).to_have_text("")


def test_a_reload_and_a_lost_server_lose_nothing(watched: Watched, tab: Page) -> None:
    first, second, _ = matches()
    stage = watched.stage
    stage.begin(first, second)
    watched.direct()
    server = watched.serve()
    tab.goto(f"{watched.link}#e=1")
    state, tile = tab.locator(".state"), tab.locator(".wall .tile").first
    stage.play(first, 3)
    expect(tile.locator(".piece")).to_have_count(3)
    tab.reload()
    expect(tile.locator(".piece")).to_have_count(3)

    server.close()
    expect(state).to_contain_text("connection lost")
    expect(tile.locator(".piece")).to_have_count(3)
    stage.play(first, 5)
    stage.finish(second)
    watched.serve()
    expect(state).to_have_text("live")
    expect(tile.locator(".piece")).to_have_count(5)
    expect(tab.get_by_role("status").last).to_have_text("1 match")


def test_an_error_is_taken_back_once_the_page_can_be_read(watched: Watched, tab: Page) -> None:
    database = watched.stage.folder / "arena.db"
    watched.serve()
    database.rename(database.with_suffix(".away"))
    tab.goto(watched.link)
    expect(tab.locator(".state")).to_contain_text("does not exist")

    database.with_suffix(".away").rename(database)
    expect(tab.get_by_role("link", name="cup")).to_be_visible()
    expect(tab.locator(".state")).to_have_text("live")


def test_boards_in_play_fit_their_window_and_are_accessible(watched: Watched, page: Page) -> None:
    evil = random_record("pente", key=EVIL, plies=9, note=EVIL)
    evil.job.players[0].__dict__["name"] = EVIL
    watched.stage.begin(evil, random_record("damspel", key="2"), coming=[evil.job])
    watched.stage.play(evil, 9)
    watched.direct()
    watched.serve()
    for width, theme, part in SIGHTS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        page.goto("about:blank")
        page.goto(f"{watched.link}#e=1{part}")
        expect(page.locator(".tile.large .piece")).to_have_count(9)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if part:
            assert page.evaluate("document.documentElement.scrollHeight") <= 900
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    expect(page.locator(".large .said")).to_contain_text("<script>alert(1)</script>")
    expect(page.locator(".large .name").first).to_contain_text("\\u202e")
