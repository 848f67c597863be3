"""The page of a match: one screen, moves in pairs, charts with axes."""

import re
from typing import Literal

import pytest
from browsers import CUT
from events import job_of
from fakes import FakeBot, Say, played
from playwright.sync_api import Page, expect
from random_matches import random_record
from staged import Staged, contrast, event_of, row_of, scene_of

LEAST_OF_TEXT = 4.5
"""Contrast of text (WCAG 1.4.3)."""
NAMES = ["a", "b", "c", "d", "e", "f"]
BANK = {"bank": 60_000_000, "increment": 1_000_000, "moves": 0}
COLORS = r"""() => [...document.querySelectorAll(".chart text, .chart .line")].map((node) => {
    const { fill, stroke } = getComputedStyle(node);
    const ground = getComputedStyle(node.closest(".chart")).backgroundColor;
    return [node.localName === "text" ? fill : stroke, ground]
        .map((color) => color.match(/[\d.]+/g).slice(0, 3).map(Number));
})"""


def open_match(page: Page, name: str, ply: int, **scene: object) -> None:
    record = random_record(name, plies=60, value=350, note="a plan")
    progress = {bot: [0, 40.5 * at, -300.25] for at, bot in enumerate(NAMES)}
    event = event_of(NAMES, matches=[row_of(1, record)], progress=progress)
    staged = Staged(page, event, {1: scene_of(record) | scene})
    staged.open(f"#e=1&m=k&p={ply}" if ply else "")
    expect(page.locator(".live" if ply else "main")).to_contain_text(f"{ply} of" if ply else "A")


@pytest.mark.parametrize("name", ["chess", "pente", "chinese_checkers"])
def test_board_controls_and_values_are_in_one_screen(own_tab: Page, name: str) -> None:
    own_tab.set_viewport_size({"width": 1366, "height": 768})
    open_match(own_tab, name, 9)

    for part in (".board", ".controls", ".moves", "input[type=range]", ".side .chart"):
        box = own_tab.locator(part).first.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 768, part


def test_moves_come_in_pairs_with_value_and_time_left(own_tab: Page) -> None:
    open_match(own_tab, "chess", 9, times=[BANK, BANK])

    rows = own_tab.locator(".moves li")
    first, second = rows.nth(0).bounding_box(), rows.nth(1).bounding_box()
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"]
    assert first["x"] < second["x"]
    expect(rows.nth(2)).to_have_text(re.compile(r"^2\.[A-Z]?\S+\+3501:0\d$"))
    expect(own_tab.get_by_role("img", name="value +350 for a")).to_be_visible()


def test_the_row_that_won_is_marked_after_the_last_move_alone(own_tab: Page) -> None:
    moves = ["0,0", "9,9", "3,3", "9,8", "0,1", "9,7", "0,2", "8,9", "0,3", "8,8", "0,4"]
    steps = [
        Say({"type": "play", "move": {"v": int(v), "h": int(h)}})
        for v, h in (move.split(",") for move in moves)
    ]
    record = played(job_of("a", "b", key="k"), [FakeBot(*steps[::2]), FakeBot(*steps[1::2])]).record
    staged = Staged(own_tab, event_of("ab", matches=[row_of(1, record)]), {1: scene_of(record)})

    staged.open("#e=1&m=k&p=11")

    row = own_tab.locator(".marks .decisive")
    expect(row).to_have_count(5)
    own_tab.get_by_role("button", name="step back (←)").click()
    expect(row).to_have_count(0)


def test_moves_of_three_seats_stand_one_below_the_other(own_tab: Page) -> None:
    open_match(own_tab, "chinese_checkers", 9)

    expect(own_tab.locator(".moves.paired")).to_have_count(0)
    expect(own_tab.locator(".moves .dot").first).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("part", ["#e=1&m=k&p=9", "#e=1"])
def test_the_texts_and_lines_of_charts_can_be_read(
    own_tab: Page, theme: Literal["light", "dark"], part: str
) -> None:
    own_tab.emulate_media(color_scheme=theme)
    open_match(own_tab, "chinese_checkers", 9)
    own_tab.goto(f"http://arena.test/{part}")
    expect(own_tab.locator(".chart").first).to_be_visible()

    colors = own_tab.evaluate(COLORS)
    assert len(colors) > 8
    for color, ground in colors:
        assert contrast(color, ground) >= LEAST_OF_TEXT, (color, ground)


@pytest.mark.parametrize("width", [360, 1440])
def test_charts_have_axes_in_letters_that_can_be_read(own_tab: Page, width: int) -> None:
    own_tab.set_viewport_size({"width": width, "height": 800})
    open_match(own_tab, "chess", 9)

    times = own_tab.get_by_role("img", name="time of each move")
    expect(times.locator(".up")).to_have_text(["0", "5.00 ms", "10.0 ms"])
    expect(times.locator(".unit")).to_have_text("ply")
    values = own_tab.get_by_role("img", name="value of the position")
    expect(values.locator(".up")).to_have_text(["-1000", "0", "+1000"])
    for chart in (times, values):
        box = chart.locator("text").first.bounding_box()
        assert box is not None
        assert box["height"] >= 9
    assert own_tab.evaluate(CUT) == []


def test_a_server_that_does_not_answer_is_named_in_a_sentence(own_tab: Page) -> None:
    open_match(own_tab, "pente", 9)
    own_tab.get_by_role("link", name="← all results").click()
    own_tab.unroute_all()
    own_tab.route("**/api/**", lambda route: route.abort())

    own_tab.get_by_role("link", name="1", exact=True).click()

    expect(own_tab.locator(".state")).to_contain_text(
        "the server does not answer: it has ended, or cannot be reached"
    )
