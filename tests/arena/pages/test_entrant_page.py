"""The page of a bot in an event: place, rating, opponents, faults with output, matches."""

import http.client
import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from events import crashed, job_of, keep, new_store
from playwright.sync_api import Page, expect
from random_matches import random_record
from reported import store_with
from staged import Staged, event_of, row_of, scene_of
from test_report_file import EVIL
from watching import serving

from arena.formats.event_results import table_of
from arena.pages.event_page import event_page
from arena.pages.place_progress import PlaceProgress
from arena.pages.report_file import report_html
from arena.reports.report import PlayedEvent
from arena.results.standings import Table
from referee.records.record import Record

LONG = "w" * 40


def event_with(name: str, **parts: Any) -> dict[str, Any]:
    record = random_record("pente", plies=5)
    pairs = [(name, "boole"), ("curry", "boole"), ("curry", name)]
    rows = [row_of(n, record, *pair) | {"key": f"k{n}"} for n, pair in enumerate(pairs, start=1)]
    fault = {"bot": name, "headline": f"{name} (seat 0): crash", "text": "exit 1", "output": None}
    parts = {
        "matches": rows,
        "faults": [{"match": 1, **fault}, {"match": 2, **fault, "bot": "curry"}],
        "fault_count": 2,
        "progress": {name: [0, 10, 24.5], "boole": [0, 1, 2], "curry": [0, 3, 4]},
        "earlier": {"matches": 2, "places": {name: 3, "boole": 2, "curry": 1}},
        **parts,
    }
    return event_of([name, "boole", "curry"], **parts)


def opened(page: Page, name: str = "ada", **parts: Any) -> Staged:
    record = random_record("pente", plies=5)
    scenes = {number: scene_of(record) for number in (1, 2, 3)}
    staged = Staged(page, event_with(name, **parts), scenes, outputs={name: EVIL})
    staged.open(f"#e=1&b={name}")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    return staged


def test_a_name_of_the_standings_leads_to_the_page_of_a_bot(own_tab: Page) -> None:
    opened(own_tab)
    own_tab.get_by_role("link", name="← all results").click()

    own_tab.locator("[aria-labelledby=standings]").get_by_role("link", name="boole").click()

    expect(own_tab.get_by_role("heading", level=1)).to_have_text("boole")


@pytest.mark.parametrize(
    ("before", "text"),
    [(3, "up 2 since match 2"), (1, "unchanged since match 2"), (None, "with 12.5 (score); Elo")],
)
def test_the_first_sentence_says_how_the_place_has_changed(
    own_tab: Page, before: int | None, text: str
) -> None:
    earlier = before and {"matches": 2, "places": {"ada": before}}
    opened(own_tab, earlier=earlier)

    expect(own_tab.locator(".champion")).to_contain_text("Place 1 of 3 with 12.5 (score)")
    expect(own_tab.locator(".champion")).to_contain_text(text)


def test_rating_opponents_and_faults_are_those_of_the_bot(own_tab: Page) -> None:
    opened(own_tab)

    expect(own_tab.get_by_role("img", name="Elo after each part")).to_be_visible()
    opponents = own_tab.get_by_role("region", name="table of opponents")
    expect(opponents.get_by_role("rowheader")).to_have_text(["boole", "curry"])
    # a draw is half of it, so it is no share of wins as in the table of seats
    expect(opponents.get_by_role("columnheader").last).to_have_text("share of points")
    expect(opponents.locator("tbody tr").first).to_contain_text("12310")
    expect(own_tab.locator("summary")).to_have_text(["match 1: ada (seat 0): crash"])


def test_all_matches_of_the_bot_are_stepped_through_in_turn(own_tab: Page) -> None:
    opened(own_tab)
    rows = own_tab.locator("[aria-labelledby=matches] tbody tr")
    expect(rows).to_have_count(2)

    rows.first.get_by_role("link").click()
    expect(own_tab.locator(".board")).to_be_visible()
    expect(own_tab.get_by_role("link", name="previous match")).to_have_count(0)
    own_tab.get_by_role("link", name="next match").click()

    expect(own_tab.get_by_role("heading", level=1)).to_have_text(re.compile("match 3: curry . ada"))
    own_tab.get_by_role("link", name="← ada").click()
    expect(own_tab.get_by_role("heading", level=1)).to_have_text("ada")


def test_the_owner_reads_what_a_bot_has_printed_as_text(own_tab: Page) -> None:
    staged = opened(own_tab)

    own_tab.locator("summary").click()

    expect(own_tab.locator("details pre").last).to_contain_text("<script>alert(1)</script>")
    assert own_tab.locator("img").count() == 0
    staged.outputs = None
    staged.open("#e=1&b=ada")
    own_tab.locator("summary").click()
    expect(own_tab.locator("details pre")).to_have_text(["exit 1"])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1440, 1920])
def test_a_bot_with_a_long_name_fits_its_page(
    own_tab: Page, width: int, theme: Literal["light", "dark"]
) -> None:
    own_tab.set_viewport_size({"width": width, "height": 900})
    own_tab.emulate_media(color_scheme=theme)
    opened(own_tab, LONG)

    assert own_tab.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(own_tab)
    assert found.violations_count == 0, found.generate_report()


def test_a_report_has_the_page_of_each_bot(tmp_path: Path, page: Page) -> None:
    crash = crashed(job_of("a", "ann", key="crash"), 1)
    crash.seats[1].output_tail = EVIL
    records: list[Record] = [random_record("pente", key=key, plies=6) for key in ("1", "2")]
    file = tmp_path / "report.html"
    file.write_text(report_html(*store_with(tmp_path, *records, crash), 5_000_000))
    page.goto(file.as_uri())

    page.locator("[aria-labelledby=standings]").get_by_role("link", name="ann").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ann")
    page.locator("summary").click()
    expect(page.locator("details pre").last).to_contain_text("<script>alert(1)</script>")
    expect(page.locator("[aria-labelledby=matches] tbody tr")).to_have_count(1)
    page.goto(f"{file.as_uri()}#b=a")
    page.get_by_role("link", name="1", exact=True).click()
    page.get_by_role("link", name="next match").click()
    expect(page.locator(".board")).to_be_visible()
    page.get_by_role("link", name="← a", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("a")


def test_the_places_before_are_those_of_the_last_part() -> None:
    progress = PlaceProgress(Table(("a", "b")))
    assert progress.earlier() is None
    for number in range(1, 60):
        record = random_record("pente", key=str(number), plies=4)
        progress.add(record.finished().seats)
        earlier = progress.earlier()
        assert earlier is None or 0 < earlier["matches"] < number
        assert (earlier is None) == (number == 1)
    assert earlier is not None
    assert earlier["matches"] == 56
    assert set(earlier["places"]) == {"a", "b"}


def test_places_of_a_format_of_its_own_are_not_compared(tmp_path: Path) -> None:
    store, played = store_with(tmp_path, *(random_record("pente", key=key) for key in "ab"))
    assert event_page(store, played)["earlier"] is not None
    ranked = table_of(store, played.event)
    ranked.groups = [["a", "b"]]

    grouped = PlayedEvent.read(store, played.event, ranked)

    assert event_page(store, grouped)["earlier"] is None


def test_what_bots_have_printed_is_only_for_the_owner_of_public_pages(tmp_path: Path) -> None:
    crash = crashed(job_of("ann", "bob"), 1)
    crash.seats[1].output_tail = "a secret of bob"
    store = new_store(tmp_path)
    store.add_event("cup", 1, {"game": {"name": "pente"}}, {"ann": "1", "bob": "2"})
    store.set_broken(1, {"bob": "bob: its build failed:\n    a secret of bob's compiler"})
    keep(store, 1, crash)
    store.close()
    with serving(tmp_path, "--public", "--port", "0") as line:
        assert asked(line, "/api/matches/1/outputs")[0] == 403
        texts = [asked(line, path)[1] for path in ("/api/events/1", "/api/matches/1", "/")]
    assert "secret" not in "".join(texts)
    assert "arena-host" not in texts[2]
    assert [each["output"] for each in json.loads(texts[0])["faults"]] == [None]
    with serving(tmp_path) as line:
        token = line.partition("token=")[2].strip()
        status, text = asked(line, "/api/matches/1/outputs", token)
        assert (status, json.loads(text)) == (200, {"outputs": {"bob": "a secret of bob"}})
        assert "compiler" in asked(line, "/api/events/1", token)[1]


def asked(line: str, path: str, token: str = "") -> tuple[int, str]:
    """Ask a server that has printed this line; return the status and the body."""
    found = re.search(r"//127.0.0.1:(\d+)/", line)
    assert found
    with closing(http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)) as connection:
        connection.request("GET", path, headers={"Cookie": f"arena_{found[1]}={token}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
