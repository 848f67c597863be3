"""The output of bots on pages: for the owner's eyes, never for everybody's, always as text."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from events import crashed, job_of
from playwright.sync_api import Page, expect
from random_matches import random_record
from reported import data_of, store_with
from starlette.types import Message

from arena.pages.report_file import match_html, report_html
from arena.pages.server import Site, app_of
from protocol.vocabulary import Seat
from referee.records.record import Printed, Record

EVIL = "<script>alert(1)</script>\u202e"
PLAN = "the plan of bob"


def printing(record: Record) -> Record:
    """Return a record in which both bots have printed something."""
    record.seats[0].printed = [Printed(0, "started"), Printed(1, f"\x1b[2J{EVIL}\n")]
    record.seats[1].printed = [Printed(1, PLAN)]
    return record


@pytest.mark.parametrize(("seat", "has_secret"), [(None, True), (0, False), (1, True)])
def test_a_page_of_a_match_has_the_output_by_steps(
    tmp_path: Path, seat: Seat | None, *, has_secret: bool
) -> None:
    store, played = store_with(tmp_path, printing(random_record("pente", plies=6)))
    (row,) = played.matches

    _, board = data_of(match_html(played.event, row, store.record(row.id), seat))

    texts = {output["text"] for outputs in board["printed"].values() for output in outputs}
    assert (PLAN in texts) == has_secret
    if seat == 0:
        shown = "\\x1b[2J" + EVIL.replace("\u202e", "\\u202e")
        assert board["printed"] == {
            "0": [{"seat": 0, "moment": "at its start", "text": "started"}],
            "1": [{"seat": 0, "moment": "in this move", "text": shown}],
        }


def test_a_report_has_the_output_of_bots_at_fault_only(tmp_path: Path) -> None:
    records = [
        printing(random_record("pente", key="a")),
        printing(crashed(job_of("ann", "bob"), 1)),
    ]

    _, crash, clean = data_of(report_html(*store_with(tmp_path, *records), 1_000_000))

    assert [output["text"] for found in crash["printed"].values() for output in found] == [PLAN]
    assert "printed" not in clean


def asked(site: Site, path: str) -> Any:
    """Return what a site answers, past its guard."""
    parts: list[bytes] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        parts.append(message.get("body", b""))

    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b""}
    with ThreadPoolExecutor(1) as thread:  # a browser's loop may run in this one
        thread.submit(asyncio.run, app_of(site)(scope, receive, send)).result()
    return json.loads(b"".join(parts))


@pytest.mark.parametrize("is_public", [False, True])
def test_a_public_server_sends_no_output(tmp_path: Path, *, is_public: bool) -> None:
    store, played = store_with(tmp_path, printing(random_record("pente", plies=6)))
    (row,) = played.matches
    store.close()

    board = asked(Site(store.path, 80, is_public=is_public), f"/api/matches/{row.id}")

    assert board["text"]
    assert ("printed" in board) == (not is_public)
    assert (PLAN in json.dumps(board)) == (not is_public)


@pytest.mark.parametrize("is_public", [False, True])
def test_a_public_server_tells_of_a_fault_without_the_output(
    tmp_path: Path, *, is_public: bool
) -> None:
    crash = crashed(job_of("ann", "bob"), 1)
    crash.seats[1].output_tail = PLAN
    store, _ = store_with(tmp_path, crash)
    store.close()

    event = asked(Site(store.path, 80, is_public=is_public), "/api/events/1")

    (fault,) = event["faults"]
    assert crash.verdict.faults[0].detail in fault["text"]
    assert PLAN not in json.dumps(event)  # the owner asks for it, match by match


def test_the_output_of_a_move_stands_beside_it_with_its_times(tmp_path: Path, page: Page) -> None:
    store, played = store_with(tmp_path, printing(random_record("pente", plies=6)))
    (row,) = played.matches
    file = tmp_path / "match.html"
    file.write_text(match_html(played.event, row, store.record(row.id)))

    page.goto(file.as_uri())

    printed = page.locator(".printed")
    expect(printed).to_have_text("a printed at its startstarted")
    page.keyboard.press("ArrowRight")
    expect(printed.locator("figcaption")).to_contain_text("a printed in this move, charged ")
    expect(printed.locator("pre")).to_contain_text("<script>alert(1)</script>")
    page.keyboard.press("ArrowRight")
    expect(printed.locator("pre")).to_have_text(PLAN)
    page.keyboard.press("n")
    expect(printed).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(printed).to_have_count(0)
