"""Long lists of a page: drawn as they are scrolled, found, sorted and printed whole."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from random_matches import random_record
from staged import Staged, event_of, row_of

MANY = 10_000
MOST_ROWS = 500
"""Limit of drawn rows, far above what a window shows and far below all of them."""
ROWS = "[aria-labelledby=matches] tbody tr"
CHANGES = """() => {
  window.added = 0;
  const note = (records) => {
    for (const record of records) window.added += record.addedNodes.length;
  };
  const body = document.querySelector("[aria-labelledby=matches] tbody");
  new MutationObserver(note).observe(body, { childList: true, subtree: true });
}"""
"""Counts the nodes added to the list of matches."""


def rows_of(count: int) -> list[dict[str, Any]]:
    row = row_of(1, random_record("pente", plies=4), "ada", "boole")
    names = ("ada", "boole", "curry")
    return [
        row
        | {
            "number": number,
            "key": f"k{number}",
            "players": [names[number % 3], names[(number + 1) % 3]],
            "plies": 4 + number % 7,
        }
        for number in range(1, count + 1)
    ]


def opened(page: Page, count: int = MANY) -> Staged:
    event = event_of(["ada", "boole", "curry"], matches=rows_of(count), edition="1")
    staged = Staged(page, event)
    staged.open()
    expect(page.locator(ROWS).first).to_be_attached()
    return staged


def numbers(page: Page) -> list[int]:
    return [int(text) for text in page.locator(f"{ROWS} th").all_inner_texts()]


def test_a_large_event_is_drawn_as_far_as_it_is_scrolled(own_tab: Page) -> None:
    opened(own_tab)
    count = own_tab.locator("[role=status].hint")
    expect(count).to_have_text(f"{MANY} matches")
    table = own_tab.locator("[aria-labelledby=matches] table")
    expect(table).to_have_attribute("aria-rowcount", str(MANY + 1))
    before = own_tab.locator(ROWS).count()
    assert before < MOST_ROWS

    own_tab.locator(".more:visible").focus()  # as the Tab key does behind the last link
    expect(own_tab.locator(ROWS).nth(before)).to_be_attached()
    expect(own_tab.locator(ROWS).nth(before)).to_have_attribute("aria-rowindex", str(before + 2))
    assert own_tab.locator(ROWS).count() < MOST_ROWS
    expect(own_tab.locator(".more:visible")).to_contain_text("more of ")


def test_a_short_list_has_nothing_more_to_show(own_tab: Page) -> None:
    opened(own_tab, 3)

    expect(own_tab.locator(ROWS)).to_have_count(3)
    expect(own_tab.locator(".more:visible")).to_have_count(0)


def test_what_is_found_among_all_matches_is_drawn_anew_in_part(own_tab: Page) -> None:
    opened(own_tab)
    own_tab.evaluate(CHANGES)
    field = own_tab.get_by_role("searchbox")
    drawn = own_tab.locator(ROWS).count()

    for text, found in (("a", MANY), ("ada curry", 3333), ("k9999", 1), ("nobody", 0)):
        field.fill(text)
        status = f"{found} matches" if found != 1 else "1 match"
        expect(own_tab.locator("[role=status].hint")).to_have_text(status)
        assert own_tab.locator(ROWS).count() <= drawn
    assert own_tab.evaluate("window.added") < 4 * MOST_ROWS
    field.fill("k9999")
    assert numbers(own_tab) == [9999]


def test_a_new_match_touches_no_other_row(own_tab: Page) -> None:
    opened(own_tab, 20)
    own_tab.evaluate(CHANGES)
    link = own_tab.get_by_role("link", name="7", exact=True)
    link.focus()
    row = rows_of(21)[-1]
    news = {"matches": {"first": 20, "items": [row]}, "faults": {"first": 0, "items": []}}

    change = {"edition": "2", "after": "1", "news": news}
    own_tab.evaluate("(change) => window.tell('results', change)", change)

    expect(own_tab.locator(ROWS)).to_have_count(21)
    assert own_tab.evaluate("window.added") == 1
    expect(link).to_be_focused()


def test_the_list_is_sorted_by_click_and_by_key(own_tab: Page) -> None:
    opened(own_tab)
    head = own_tab.get_by_role("columnheader", name="plies", exact=True)
    assert head.get_attribute("aria-sort") is None

    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert numbers(own_tab)[:2] == [6, 13]
    head.get_by_role("button").press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert numbers(own_tab)[:2] == [7, 14]
    own_tab.get_by_role("columnheader", name="match", exact=True).get_by_role("button").press(" ")
    assert numbers(own_tab)[0] == MANY
    expect(head).not_to_have_attribute("aria-sort", "ascending")


@pytest.mark.parametrize("key", ["Enter", " "])
def test_a_sorted_table_stays_sorted_when_results_arrive(own_tab: Page, key: str) -> None:
    staged = opened(own_tab, 3)
    standings = own_tab.locator("[aria-labelledby=standings]")
    names = standings.locator("tbody td[data-column=bot]")
    head = standings.get_by_role("columnheader", name="bot", exact=True)
    head.get_by_role("button").press(key)
    head.get_by_role("button").press(key)
    expect(names).to_have_text(["curry", "boole", "ada"])

    news = {"matches": {"first": 3, "items": []}, "faults": {"first": 0, "items": []}}
    rows = [[*row[:2], "99", *row[3:]] for row in staged.event["standings"]["rows"]]
    news["standings"] = {**staged.event["standings"], "rows": rows}
    change = {"edition": "2", "after": "1", "news": news}
    own_tab.evaluate("(change) => window.tell('results', change)", change)

    expect(standings.locator("tbody td[data-column=score]").first).to_have_text("99")
    expect(names).to_have_text(["curry", "boole", "ada"])
    expect(head).to_have_attribute("aria-sort", "descending")
    head.get_by_role("button").press(key)
    expect(names).to_have_text(["ada", "boole", "curry"])


def test_numbers_and_times_are_sorted_by_their_size(own_tab: Page) -> None:
    rows = rows_of(3)
    for row, charged in zip(rows, (2_000, 90_000_000, 5), strict=True):
        row["players"] = [f"bot {row['number']}", "other"]
        row["charged"] = [charged, 1]
    Staged(own_tab, event_of(["ada"], matches=rows)).open()
    time = own_tab.get_by_role("region", name="table of time")

    time.get_by_role("columnheader", name="charged a match").get_by_role("button").click()

    expect(time.locator("tbody td:nth-child(2)")).to_have_text(
        ["1 min 30 s", "2.00 ms", "5 µs", "1 µs"]
    )
    # a match's time is that of all its calls: init, which may take longer than any move, is one
    expect(time.locator("thead th").nth(3)).to_have_text("charged a move, with init")


def test_differences_are_sorted_by_their_size_however_their_ends_are(own_tab: Page) -> None:
    elos = ["+89 ±21", "+1274 -596 +1042", "-5 -102 +96", "+637 -404 +892"]
    rows = [["ada", "boole", elo, "60.0 %"] for elo in elos]
    Staged(own_tab, event_of(["ada", "boole"], differences=rows)).open()
    table = own_tab.get_by_role("region", name="table of differences")

    table.get_by_role("columnheader", name="Elo, 95 %").get_by_role("button").click()

    in_order = [elos[1], elos[3], elos[0], elos[2]]
    expect(table.locator("tbody td:nth-child(3)")).to_have_text(in_order)


def test_a_print_has_all_matches(own_tab: Page) -> None:
    opened(own_tab, 700)
    drawn = own_tab.locator(ROWS).count()
    assert drawn < 700
    own_tab.evaluate("""() => addEventListener("beforeprint", () => {
        window.printed = document.querySelectorAll("[aria-labelledby=matches] tbody tr").length;
    })""")

    own_tab.pdf()

    assert own_tab.evaluate("window.printed") == 700
    expect(own_tab.locator(ROWS)).to_have_count(drawn)
