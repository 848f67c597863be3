"""The list of events: state, leader and progress of each, and matches with people together."""

import re
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from events import job_of, keep, new_store, won_by
from playwright.sync_api import Page, expect
from staged import Staged, event_of, event_row

from arena.pages import event_list
from arena.pages.event_list import EventList
from arena.results.store import MatchRow, Store

GAME = {"game": {"name": "pente"}}


def add_event(folder: Path, *winners: int, name: str = "cup", total: int = 0, **config: Any) -> int:
    """Add an event of ann and bob with these winners of its matches."""
    with closing(new_store(folder)) as store:
        event = store.add_event(name, 1, {**GAME, **config}, {"ann": "1", "bob": "2"})
        store.set_total(event, total or len(winners))
        for number, winner in enumerate(winners):
            keep(store, event, won_by(job_of("ann", "bob", key=f"{number}"), winner))
    return event


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return EventList(folder / "arena.db").read()


def test_an_event_has_its_game_state_leader_and_progress(tmp_path: Path) -> None:
    add_event(tmp_path, 1, 1, name="old")
    add_event(tmp_path, 0, name="new", total=5)

    new, old = rows_of(tmp_path)

    facts = ("name", "game", "state", "leader", "progress", "bots", "is_people")
    assert [old[fact] for fact in facts] == ["old", "pente", "finished", "bob", "2", 2, False]
    assert [new[fact] for fact in facts] == [
        "new",
        "pente",
        "unfinished",
        "ann",
        "1 of 5",
        2,
        False,
    ]


@pytest.mark.parametrize(("winners", "leader"), [((), ""), ((0, 1), ""), ((0, 1, 1), "bob")])
def test_nobody_leads_where_all_are_equal(
    tmp_path: Path, winners: tuple[int, ...], leader: str
) -> None:
    add_event(tmp_path, *winners)

    assert [row["leader"] for row in rows_of(tmp_path)] == [leader]


def test_a_match_with_a_person_has_its_players_and_its_result(tmp_path: Path) -> None:
    add_event(tmp_path, 1, name="play", person={"seats": [0]})

    (row,) = rows_of(tmp_path)

    assert (row["is_people"], row["players"], row["leader"]) == (True, ["ann", "bob"], "bob won")


def test_only_new_matches_are_read_for_a_leader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = add_event(tmp_path, 0, 0, total=9)
    add_event(tmp_path, 1, 1)
    read: list[int] = []

    def matches(self: Store, event: int, after: int = 0) -> list[MatchRow]:
        found = list(self._matches("WHERE event = ? AND aside = 0 AND id > ?", event, after))
        read.extend(match.id for match in found)
        return found

    monkeypatch.setattr(Store, "matches", matches)
    events = EventList(tmp_path / "arena.db")
    assert events.read() == events.read()
    assert sorted(read) == [1, 2, 3, 4]
    with closing(new_store(tmp_path)) as store:
        for key in "abc":
            keep(store, event, won_by(job_of("ann", "bob", key=key), 1))
    read.clear()
    assert events.read()[1]["leader"] == "bob"
    assert read == [5, 6, 7]


def test_a_reading_takes_a_limited_number_of_matches_and_the_next_one_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        add_event(tmp_path, 0, 0)
    monkeypatch.setattr(event_list, "MOST_MATCHES", 1)
    events = EventList(tmp_path / "arena.db")

    leaders = [[row["leader"] for row in events.read()] for _ in range(2)]
    assert leaders == [["ann", "", ""], ["ann", "ann", ""]]
    assert events.has_more
    assert [row["leader"] for row in events.read()] == ["ann"] * 3
    assert not events.has_more


def open_list(page: Page, width: int) -> Staged:
    page.set_viewport_size({"width": width, "height": 800})
    staged = Staged(page, event_of(["ada", "boole"], matches=[]))
    staged.events = [
        event_row(3, "autumn", state="unfinished", progress="9 of 12", leader="w" * 40),
        *(
            event_row(n, "play", is_people=True, players=["you", "random"], leader="you won")
            for n in range(60, 4, -1)
        ),
        event_row(2, "summer"),
        event_row(1, "<b>spring</b>", leader=""),
    ]
    staged.open("")
    return staged


def test_matches_with_people_are_together_and_folded(own_tab: Page) -> None:
    open_list(own_tab, 1280)
    events = own_tab.get_by_role("region", name="table of events")
    people = own_tab.get_by_role("region", name="table of matches with people")
    expect(events.locator("tbody tr")).to_have_count(3)
    expect(own_tab.locator("summary")).to_have_text("56 matches")
    expect(people).to_be_hidden()
    own_tab.locator("summary").click()
    expect(people.locator("tbody tr").first).to_contain_text(re.compile("you . random"))

    link = events.get_by_role("link", name="autumn")
    link.focus()
    own_tab.evaluate("""() => window.tell("live", {
        3: {places: [], running: [], held: [], next: [], left: 3, total: 12, over: false},
        2: {places: [], running: [], held: [], next: [], left: 1, total: 2, over: false}})""")
    expect(events.locator("tbody tr").first).to_contain_text("in play, 3 left")
    expect(link).to_be_focused()
    events.get_by_role("columnheader", name="name", exact=True).get_by_role("button").press("Enter")
    expect(events.locator("tbody tr").first).to_contain_text("<b>spring</b>")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1440, 1920])
def test_the_list_of_events_fits_and_is_accessible(
    own_tab: Page, width: int, theme: Literal["light", "dark"]
) -> None:
    own_tab.emulate_media(color_scheme=theme)
    open_list(own_tab, width)
    expect(own_tab.get_by_role("link", name="autumn")).to_be_visible()
    own_tab.locator("summary").click()

    assert own_tab.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(own_tab)
    assert found.violations_count == 0, found.generate_report()


def test_an_event_without_matches_of_people_has_no_part_for_them(own_tab: Page) -> None:
    Staged(own_tab, event_of(["ada"], matches=[])).open("")

    expect(own_tab.get_by_role("link", name="spring-cup")).to_be_visible()
    expect(own_tab.get_by_role("heading", name="Matches with people")).to_be_hidden()
