"""Approximate CPU times are marked in every table and named in every form of a report."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from events import job_of, keep, new_event, new_store, won_by

from arena.event.play.director import Ending
from arena.event.play.event_report import event_report
from arena.formats.event_results import table_of
from arena.reports.document import document_text
from arena.reports.entrant import entrant_text
from arena.reports.export import export_csv, export_standings
from arena.reports.junit import junit_text
from arena.reports.notes import notes_of
from arena.reports.report import Report
from arena.reports.summary import summary_text
from arena.results.store import EventRow, Store
from arena.terminal.show import event_text
from arena.terminal.show_match import match_text
from referee.job import REMOTE

TITLE = "approximate CPU times, marked ~"


@pytest.fixture
def played(tmp_path: Path) -> Iterator[tuple[Store, EventRow]]:
    """Yield an event with two matches; the clock of bob was approximate in one of them."""
    with closing(new_store(tmp_path)) as store:
        number = new_event(store, ("ann", "bob"), game={"name": "pente"})
        for key, is_exact in (("one", True), ("two", False)):
            record = won_by(job_of("ann", "bob", key=key), 0)
            for seat in record.seats:
                seat.cpu_ns, seat.start_cpu_ns = 5_000_000, 3_000_000
            record.seats[1].is_clock_exact = is_exact
            keep(store, number, record)
        event = store.event(number)
        assert event is not None
        yield store, event


def report(store: Store, event: EventRow) -> Report:
    return event_report(
        store,
        event,
        table_of(store, event),
        Ending(missing=0),
        command="tournament",
        exit_code=0,
        onward="",
    )


def test_they_are_marked_and_named_beside_the_table(played: tuple[Store, EventRow]) -> None:
    told = event_text(*played, table_of(*played))

    assert "~10.0 ms" in told
    assert " 10.0 ms" in told
    assert f"{TITLE}:\n  bob: no control group" in told


def test_they_are_marked_in_a_match(played: tuple[Store, EventRow]) -> None:
    store, event = played
    first, second = (match_text(match, store.record(match.id)) for match in store.matches(event.id))

    assert "~" not in first
    assert "~3.0 ms" in second
    assert "~5.0 ms" in second


def test_they_are_in_every_report(played: tuple[Store, EventRow]) -> None:
    whole = report(*played)
    document = json.loads(document_text(whole))

    assert {row["bot"]: row["is_clock_exact"] for row in document["standings"]} == {
        "ann": True,
        "bob": False,
    }
    assert document["notes"][TITLE].startswith("bob: ")
    assert 'name="approximate CPU times" value="bob"' in junit_text(whole)
    summary = summary_text(whole)
    assert "~10.0 ms" in summary
    assert "bob: no control group" in summary
    assert "~10.0 ms" in entrant_text(*played, table_of(*played), "bob")


def test_they_are_in_exports(played: tuple[Store, EventRow]) -> None:
    store, event = played
    seats, standings = StringIO(), StringIO()

    export_csv(store, event.id, seats)
    export_standings(store, event, standings)

    last = [line.rsplit(",", 1)[1] for line in seats.getvalue().splitlines()]
    assert last == ["is_clock_exact", "1", "1", "1", "0"]
    assert [line.rsplit(",", 2)[1] for line in standings.getvalue().splitlines()[1:]] == ["1", "0"]


def test_a_remote_bot_has_a_note_of_its_own(played: tuple[Store, EventRow]) -> None:
    store, event = played
    remote = replace(event, entrants={**event.entrants, "bob": f"{REMOTE}bob"})

    assert TITLE not in dict(notes_of(store, remote))
