"""The page of an event in play: boards beside numbers, and on a phone the board first."""

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect
from random_matches import random_record
from staged import Staged, event_news, event_of, match_news, row_of

NAMES = ["ada", "boole", "curry", "dijkstra"]


def open_event(page: Page, width: int, *, coming: int = 2, played: str = "2 of 9") -> Staged:
    page.set_viewport_size({"width": width, "height": 740})
    record = random_record("pente", plies=20)
    rows = [row_of(number, record, *NAMES[:2]) | {"key": str(number)} for number in (1, 2)]
    event = event_of(NAMES, matches=rows)
    event["facts"][2] = ["matches", played]
    staged = Staged(page, event)
    staged.open()
    news = [match_news(record, *NAMES[:2], key=f"k{at}") for at in range(3)]
    staged.tell(event_news(news, coming=[NAMES[:2]] * coming))
    expect(page.locator(".tile.large .piece").first).to_be_attached()
    return staged


def box(node: Locator) -> FloatRect:
    found = node.bounding_box()
    assert found is not None
    return found


@pytest.mark.parametrize("width", [1200, 1440, 1920])
def test_a_wide_page_has_the_boards_beside_the_numbers(own_tab: Page, width: int) -> None:
    open_event(own_tab, width)

    large, standings = box(own_tab.locator(".large")), box(own_tab.locator("#standings"))
    results = box(own_tab.locator("[aria-labelledby=last-results]"))
    assert large["x"] + large["width"] <= standings["x"]
    assert standings["y"] <= large["y"] + 100
    assert results["x"] == standings["x"]
    assert own_tab.evaluate("document.documentElement.scrollWidth") <= width


def test_a_phone_shows_the_board_first_and_folds_the_rest(own_tab: Page) -> None:
    open_event(own_tab, 360)

    assert box(own_tab.locator(".large .board"))["y"] < 300
    assert box(own_tab.locator(".facts"))["y"] > box(own_tab.locator(".large"))["y"]
    expect(own_tab.get_by_role("link", name="projector view")).to_be_hidden()
    seats = own_tab.get_by_role("region", name="table of seats")
    expect(seats).to_be_hidden()
    own_tab.locator("[aria-labelledby=seats] summary").click()
    expect(seats).to_be_visible()


@pytest.mark.parametrize(("coming", "shown"), [(0, 0), (2, 1)])
def test_what_comes_next_has_a_heading_only_if_something_comes(
    own_tab: Page, coming: int, shown: int
) -> None:
    open_event(own_tab, 1440, coming=coming)

    expect(own_tab.get_by_role("heading", name="Next")).to_have_count(shown)


@pytest.mark.parametrize(("played", "verb"), [("2 of 9", "leads"), ("9", "won")])
def test_the_first_sentence_names_who_is_first(own_tab: Page, played: str, verb: str) -> None:
    open_event(own_tab, 1440, played=played)

    expect(own_tab.locator(".champion")).to_have_text(
        f"ada {verb} with 12.5 (score) before boole with 12.5; Elo +90 ±30."
    )


def test_tables_of_seats_and_times_are_of_played_matches(own_tab: Page) -> None:
    record = random_record("pente", plies=20)
    faults = [(None, None), ("unplayed", None), ("crash", "timeout"), ("unplayed", None)]
    places = [(1, 2), (2, 1), (1, 1), (2, 1)]
    rows = [
        row_of(number, record, *NAMES[:2])
        | {"key": str(number), "faults": marks, "places": place}
        | ({"charged": [0, 0], "plies": 0} if "unplayed" in marks else {})
        for number, (marks, place) in enumerate(zip(faults, places, strict=True), 1)
    ]
    Staged(own_tab, event_of(NAMES, matches=rows)).open()

    seats = own_tab.get_by_role("region", name="table of seats").locator("tbody tr")
    expect(seats.nth(0).locator("td")).to_have_text(["2", "1", "0", "50 %"])
    expect(seats.nth(1).locator("td")).to_have_text(["2", "0", "0", "0 %"])
    time = own_tab.get_by_role("region", name="table of time").locator("tbody td:nth-child(2)")
    expect(time).to_have_text(["1.00 s", "1.00 s"])
    ends = own_tab.get_by_role("region", name="table of ends by bot")
    expect(ends.get_by_role("columnheader", name="unplayed")).to_be_attached()
