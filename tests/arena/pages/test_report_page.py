"""A report in a browser, opened from a file as its readers do."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from events import crashed, job_of, won_by
from playwright.sync_api import Page, expect
from random_matches import GAMES, random_record
from reported import store_with
from test_report_file import EVIL

from arena.pages.report_file import match_html, report_html
from referee.records.calls import Calls
from referee.records.record import Record
from referee.records.replay import game_of, steps

MARK = "\N{COMBINING ACUTE ACCENT}"
MB = 1_000_000
Report = Callable[..., str]


@pytest.fixture
def report(tmp_path: Path) -> Report:
    """Return a function that writes a report of records and returns its address."""

    def written(*records: Record, name: str = "cup") -> str:
        file = tmp_path / "report.html"
        file.write_text(report_html(*store_with(tmp_path, *records, name=name), 5 * MB))
        return file.as_uri()

    return written


def board_of(page: Page) -> tuple[int, dict[int, str]]:
    """Return the number of pieces on the board and the label of each place, in one round trip."""
    count, labels = page.evaluate("""() => [
        document.querySelectorAll(".board .piece").length,
        [...document.querySelectorAll("[data-place]")].map(
            (place) => [Number(place.dataset.place), place.getAttribute("aria-label")]),
    ]""")
    return count, dict(labels)


@pytest.mark.parametrize("name", GAMES)
def test_a_match_is_stepped_from_its_start_to_its_end(
    name: str, report: Report, page: Page
) -> None:
    record = random_record(name, plies=25)
    game = game_of(record.job)
    boards = [game.pieces(step.state, None) for step in steps(record.job, record.calls)]

    page.goto(report(record))
    page.get_by_role("link", name="1", exact=True).click()
    for number, board in enumerate(boards):
        expect(page.locator(".live")).to_contain_text(f"{number} of {len(boards) - 1}")
        count, labels = board_of(page)
        assert count == len(board)
        for place, piece in board.items():
            assert labels[place].endswith(f": {piece.name or f'seat {piece.seat}'}")
        page.keyboard.press("ArrowRight")
    assert f"p={len(boards) - 1}" in page.url


def test_a_time_is_rounded_to_the_unit_above(report: Report, page: Page) -> None:
    times_ms = (999.4, 999.6, 59_940, 59_960, 119_600)
    record = random_record("pente", plies=len(times_ms))
    calls = zip(record.calls, times_ms, strict=True)
    slow = Calls([replace(call, charged_ns=round(time * 1_000_000)) for call, time in calls])

    page.goto(report(replace(record, calls=slow)) + "#m=k")

    expect(page.locator(".moves .time")).to_have_text(
        ["999 ms", "1.00 s", "59.9 s", "1 min 0 s", "2 min 0 s"]
    )


def test_keys_move_through_a_match(report: Report, page: Page) -> None:
    page.goto(report(random_record("pente", plies=40)) + "#m=k&p=12")
    live = page.locator(".live")

    expect(live).to_contain_text("12 of 40")
    for key, ply in (("End", 40), ("Shift+ArrowLeft", 30), ("ArrowLeft", 29), ("Home", 0)):
        page.keyboard.press(key)
        expect(live).to_contain_text(f"{ply} of 40")
    page.keyboard.press("f")
    expect(page.locator(".board.flipped")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("dialog :focus")).to_have_count(0)  # from the next frame on
    for _ in range(5):
        page.keyboard.press("+")
    page.keyboard.press("Space")
    expect(live).to_contain_text("40 of 40")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_arrows_walk_a_focused_board(report: Report, page: Page) -> None:
    page.goto(report(random_record("pente", plies=4)) + "#m=k")
    page.locator("[data-place='0']").focus()
    for key, place in (("ArrowRight", 1), ("ArrowDown", 20), ("ArrowLeft", 19), ("ArrowUp", 0)):
        page.keyboard.press(key)
        expect(page.locator(f"[data-place='{place}']")).to_be_focused()
    expect(page.locator(".live")).to_contain_text("0 of 4")


def test_a_cell_of_the_crosstable_leads_to_its_matches(report: Report, page: Page) -> None:
    first = random_record("pente", key="a")
    second = random_record("pente", key="b", bots="cd")
    page.goto(report(first, second))

    page.get_by_title("matches of c against d").click()

    expect(page.get_by_role("status")).to_have_text("1 match")


def test_hostile_texts_stay_texts(report: Report, page: Page) -> None:
    record = random_record("pente", key="a", plies=6, note=EVIL)
    crash = crashed(job_of("ann", "bob"), 1)
    crash.seats[1].output_tail = EVIL
    page.goto(report(record, crash, name=f"{EVIL}\N{TAG LATIN CAPITAL LETTER A}x{MARK * 3}"))

    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>alert(1)</script>")
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        f"\\u202e\\U000e0041x{MARK * 2}\\u0301"
    )
    page.locator("[aria-labelledby=faults] summary").first.click()
    page.get_by_role("link", name="1", exact=True).first.click()
    expect(page.locator(".board")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".bubble")).to_contain_text("alert(1)")
    assert page.locator("img").count() == 0


def test_the_remarks_of_a_bot_are_written_drawn_and_charted(report: Report, page: Page) -> None:
    plan = [{"v": 9, "h": -9}, {"v": 99, "h": 0}]
    record = random_record("pente", plies=6, value=-5, data={"depth": 7}, plan=plan)
    page.goto(report(record))
    expect(page.get_by_role("img", name="percentage won by value")).to_be_visible()
    page.goto(report(record) + "#m=k&p=3")
    page.reload()

    bubble = page.locator(".bubble")
    for text in ("a says", "-5", "9,-9 (not legal: v 99 h 0)", "depth 7"):
        expect(bubble).to_contain_text(text)
    expect(page.locator(".plan text")).to_have_text("1")
    expect(page.get_by_role("img", name="value of the position")).to_be_visible()
    page.keyboard.press("n")
    expect(bubble).to_be_hidden()
    expect(page.locator(".plan text")).to_have_count(0)


def test_one_match_opens_at_once(tmp_path: Path, page: Page) -> None:
    store, played = store_with(tmp_path, random_record("damspel"))
    row = next(store.matches(played.event.id))
    file = tmp_path / "match.html"
    file.write_text(match_html(played.event, row, store.record(row.id)))

    page.goto(file.as_uri())

    expect(page.locator(".board")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 768, 1440])
def test_a_page_fits_its_window_and_is_accessible(
    width: int, theme: Literal["light", "dark"], report: Report, tab: Page
) -> None:
    records = [random_record("pente", key=str(number), plies=20) for number in range(4)]
    address = report(*records, crashed(job_of("ann", "bob"), 1))
    tab.set_viewport_size({"width": width, "height": 900})
    tab.emulate_media(color_scheme=theme)
    for part, seen in (("", "h1"), ("#m=1&p=9", ".board")):
        tab.goto("about:blank")
        tab.goto(address + part)
        expect(tab.locator(seen).first).to_be_visible()
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()
    label = tab.locator(".col-label").first.bounding_box()
    assert label is not None
    assert label["height"] >= 8  # in px: of 19 columns on 320 px
    assert label["y"] >= (tab.locator(".board").bounding_box() or label)["y"]


@pytest.mark.parametrize("width", [320, 360, 768])
def test_differences_of_bots_with_long_names_need_no_scrolling_sideways(
    width: int, report: Report, tab: Page
) -> None:
    names = [f"{letter}_{'long' * 9}ed" for letter in "abc"]
    seatings = [(one, other) for one in names for other in names if one != other]
    address = report(*(won_by(job_of(*seated), 0) for seated in seatings))
    tab.set_viewport_size({"width": width, "height": 900})

    tab.goto(address)
    if width < 768:  # a phone's parts are folded
        tab.get_by_role("heading", name="Differences").click()

    frame = tab.get_by_role("region", name="table of differences")
    expect(frame.get_by_role("row")).to_have_count(4)
    assert frame.evaluate("(frame) => frame.scrollWidth <= frame.clientWidth")
