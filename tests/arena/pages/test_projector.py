"""The view for a projector: it fits its window, whatever is in play."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from random_matches import random_record
from staged import Staged, event_news, event_of, match_news, row_of

from referee.records.record import Record

TURN_MS = 8000
MOST = 12
"""Number of boards that are shown at once."""
SIGHTS = [
    (2, 1, (1280, 720)),
    (6, 5, (1280, 720)),
    (10, 12, (1920, 1080)),
    (60, 13, (1024, 768)),
    (60, 60, (1280, 720)),
    (60, 60, (3840, 2160)),
]
"""Bots, boards and window."""
ALWAYS = ["#", "bot", "score", "Elo", "points", "+", "=", "-"]
"""Columns of the standings that a hall must see."""
SHOWN = """(selector) => [...document.querySelectorAll(selector)]
    .filter((node) => node.checkVisibility())"""
OUTSIDE = f"""(selector) => ({SHOWN})(selector).filter((node) => {{
    const box = node.getBoundingClientRect();
    const isInside = box.left >= 0 && box.top >= 0 && box.width > 0 && box.height > 0
        && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1;
    return !isInside;
}}).length"""
CUT = f"""(selector) => ({SHOWN})(selector)
    .filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.textContent)"""
BOXES = """(selector) => [...document.querySelectorAll(selector)].map((node) => {
    const {x, y, width, height} = node.getBoundingClientRect();
    return [x, y, width, height];
})"""


def names_of(count: int) -> list[str]:
    """Return names of the widest letters, alike but for their ends."""
    return [f"{'W' * 38}{number:02}" for number in range(count)]


def in_play(page: Page, bots: int, boards: int, **scene: Any) -> tuple[Staged, list[str], Record]:
    """Open the view for a projector of an event; its time is the test's, `scene` that of all."""
    names = names_of(bots)
    record = random_record("chess", plies=20, value=350, note="a plan " * 60)
    rows = [row_of(number, record, *names[:2]) | {"key": str(number)} for number in range(1, 4)]
    page.clock.install()
    staged = Staged(page, event_of(names, score="-0.004541", matches=rows))
    staged.open("#e=1&v=projector")
    pairs = [(names[at % bots], names[(at + 1) % bots]) for at in range(boards)]
    news = [match_news(record, *pair, key=f"k{at}") for at, pair in enumerate(pairs)]
    for each in news:
        each["scene"] |= scene
    staged.tell(event_news(news, coming=[names[:2]] * 8))
    expect(page.locator(".tile.large .piece").first).to_be_attached()
    return staged, names, record


@pytest.mark.parametrize(("bots", "boards", "size"), SIGHTS)
def test_a_hall_sees_everything_whole(
    own_tab: Page, bots: int, boards: int, size: tuple[int, int]
) -> None:
    own_tab.set_viewport_size({"width": size[0], "height": size[1]})
    in_play(own_tab, bots, boards)

    for _ in range(4):
        document = own_tab.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert document <= list(size)
        for part in (".tile .board", ".tile .seats", "table tr", ".cell", ".queue li", ".last"):
            assert own_tab.evaluate(OUTSIDE, part) == 0, part
        assert own_tab.evaluate(CUT, ".shown td:not([data-column=bot])") == []
        ((_, _, width, height),) = own_tab.evaluate(BOXES, ".large .frame")
        assert min(width, height) >= 0.55 * min(size[1], size[0] * 9 / 16)
        own_tab.clock.run_for(TURN_MS)


def test_the_standings_of_a_hall_have_their_numbers_and_names(own_tab: Page) -> None:
    _, names, _ = in_play(own_tab, 6, 4)

    header = own_tab.locator("[aria-labelledby=standings] thead th:visible")
    expect(header).to_have_text(ALWAYS)
    first = own_tab.locator("[aria-labelledby=standings] tbody tr").first.locator(":is(th, td)")
    expect(first.filter(visible=True)).to_have_text(
        ["1", names[0], "-0.004541", re.compile(r"\+90 ±30"), "7", "100", "20", "30"]
    )
    name = first.locator(".name")
    expect(name).to_have_attribute("title", names[0])
    expect(name.locator("span").last).to_have_text(names[0][-5:])
    ((left, _, width, _),) = own_tab.evaluate(
        BOXES, "tbody tr:first-child > [data-column=bot] .name span:last-child"
    )
    ((cell, _, room, _),) = own_tab.evaluate(BOXES, "tbody tr:first-child > [data-column=bot]")
    assert cell < left
    assert left + width <= cell + room  # the end of a name tells it from the others


def test_the_boards_and_tables_of_a_hall_come_in_turn(own_tab: Page) -> None:
    _, names, _ = in_play(own_tab, 60, 30)
    boards: set[str] = set()
    bots: set[str] = set()
    tables: set[str] = set()

    for _ in range(2 * 8):
        tiles = own_tab.locator(".wall .tile:visible .pick")
        assert 0 < tiles.count() <= MOST
        boards |= {str(tile.get_attribute("aria-label")) for tile in tiles.all()}
        shown = own_tab.locator(".shown:visible")
        tables.add(shown.locator("h2").text_content() or "")
        bots |= set(own_tab.locator(".shown tbody tr:visible .name").all_text_contents())
        own_tab.clock.run_for(TURN_MS)

    assert len(boards) == 30
    assert bots == set(names)
    assert tables == {"Standings", "Crosstable", "Next"}


def test_the_columns_of_a_crosstable_are_numbered_as_its_rows(own_tab: Page) -> None:
    _, names, _ = in_play(own_tab, 6, 2)
    own_tab.clock.run_for(TURN_MS)

    table = own_tab.locator("[aria-labelledby=crosstable]")
    expect(table.locator("thead .rank:visible")).to_have_text(list("123456"))
    expect(table.locator("tbody .rank:visible")).to_have_text(list("123456"))
    expect(table.locator("thead th").last).to_have_attribute("title", names[5])


def test_the_texts_of_a_hall_grow_with_its_window(own_tab: Page) -> None:
    in_play(own_tab, 6, 4)
    for height in (720, 2160):
        own_tab.set_viewport_size({"width": height * 16 // 9, "height": height})
        sizes = {
            part: own_tab.locator(part).first.evaluate(
                "node => parseFloat(getComputedStyle(node).fontSize)"
            )
            for part in ("[data-column=score]", ".large .name", ".large .clock", ".wall .name")
        }
        assert sizes["[data-column=score]"] >= 0.022 * height
        assert sizes[".large .name"] >= 0.025 * height
        assert sizes[".large .clock"] >= 0.022 * height
        assert sizes[".wall .name"] >= 0.018 * height


def test_the_clock_of_the_seat_to_move_runs_down(own_tab: Page) -> None:
    bank = {"bank": 60_000_000, "increment": 0, "moves": 0}
    in_play(own_tab, 2, 1, times=[bank, bank])
    clocks = own_tab.locator(".large .clock")

    expect(clocks).to_have_text(["0:59", "0:59"])
    own_tab.clock.run_for(10_000)
    expect(clocks).to_have_text(["0:49", "0:59"])
    own_tab.clock.run_for(100_000)
    expect(clocks).to_have_text(["0:00", "0:59"])


def test_the_value_of_a_position_is_a_bar(own_tab: Page) -> None:
    _, names, _ = in_play(own_tab, 2, 1)

    bar = own_tab.get_by_role("img", name=f"value -350 for {names[0]}")
    expect(bar).to_be_visible()
    ((_, _, _, share),) = own_tab.evaluate(BOXES, ".eval i")
    ((_, _, _, whole),) = own_tab.evaluate(BOXES, ".eval")
    assert share / whole == pytest.approx(0.325, abs=0.02)


def test_a_result_covers_no_part_of_its_board(own_tab: Page) -> None:
    staged, names, record = in_play(own_tab, 2, 2)
    news = [match_news(record, *names, key=f"k{at}") for at in range(2)]
    staged.tell(event_news([news[0] | {"result": row_of(9, record, *names)}, news[1]]))

    result = own_tab.locator(".wall .tile:first-child .result")
    expect(result).to_contain_text(record.verdict.reason)
    ((_, top, _, _),) = own_tab.evaluate(BOXES, ".wall .tile:first-child .result")
    ((_, y, _, height),) = own_tab.evaluate(BOXES, ".wall .tile:first-child .board")
    assert y + height <= top
