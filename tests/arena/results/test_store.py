"""What is kept of events and matches: complete rows, stored once."""

import json
import sqlite3
from dataclasses import replace
from typing import Any

import pytest
from events import crashed, job_of, keep, new_event, won_by

from arena.errors import StoreError
from arena.results.store import Store
from arena.results.voids import VoidRow, add_void
from referee.records.calls import Calls


def counts(connection: sqlite3.Connection) -> list[int]:
    tables = ("event", "entrant", "match", "seat", "void", "withdrawal")
    return [
        connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - our names
        for table in tables
    ]


def test_a_match_is_kept_with_all_its_seats(store: Store) -> None:
    event = new_event(store)
    record = crashed(job_of("ann", "bob"), 1)

    match = store.add_match(event, board=3, variant="misere", attempt=2, match=record.finished())

    assert match is not None
    assert match == store.match(match.id)
    assert (match.event, match.key, match.board, match.variant) == (
        event,
        "ann,bob/b0/0",
        3,
        "misere",
    )
    assert (match.termination, match.plies) == ("crash", 0)
    assert match.reason == record.verdict.reason
    assert [seat.player for seat in match.seats] == ["ann", "bob"]
    assert [seat.fault for seat in match.seats] == [None, "crash"]
    assert tuple(seat.points for seat in match.seats) == record.verdict.points
    assert tuple(seat.place for seat in match.seats) == record.verdict.places
    assert [seat.wall_ns for seat in match.seats] == [seat.wall_ns for seat in record.seats]
    assert store.record(match.id) == record
    assert store.match_number(event, "ann,bob/b0/0") == match.id


def test_matches_are_read_in_the_order_they_were_finished(store: Store) -> None:
    event, other_event = new_event(store), new_event(store)
    kept = [
        keep(store, event, crashed(job_of("cat", "bob"), 1)),
        keep(store, event, won_by(job_of("ann", "bob"), 0)),
        keep(store, event, crashed(job_of("ann", "cat"), 0, 1)),
    ]
    keep(store, other_event, crashed(job_of("ann", "bob"), 0))

    assert list(store.matches(event)) == kept
    assert list(store.faulty_matches(event)) == [kept[0], kept[2]]
    assert store.count(event) == 3
    assert store.keys(event) == {match.key for match in kept}
    assert list(store.matches(99)) == list(store.faulty_matches(99)) == []
    assert store.count(99) == 0


def test_a_second_insert_of_a_key_changes_nothing(store: Store, other: sqlite3.Connection) -> None:
    event = new_event(store)
    job = job_of("ann", "bob")
    first = won_by(job, 0)
    match = keep(store, event, first)
    before = counts(other)

    other_one = won_by(job, 1).finished()
    again = store.add_match(event, board=9, variant="x", attempt=9, match=other_one)

    assert again is None
    assert counts(other) == before
    assert store.match(match.id) == match
    assert store.record(match.id) == first


def test_the_same_key_in_another_event_is_another_match(store: Store) -> None:
    record = won_by(job_of("ann", "bob"), 0)
    events = [new_event(store), new_event(store)]

    assert [keep(store, event, record).event for event in events] == events
    assert store.keys(events[0]) == store.keys(events[1]) == {record.job.key}


def test_a_match_is_stored_completely_or_not_at_all(
    store: Store, other: sqlite3.Connection
) -> None:
    event = new_event(store)
    record = won_by(job_of("ann", "bob"), 0)
    record.seats[1].cpu_ns = None  # type: ignore[assignment]  # wrong on purpose
    before = counts(other)

    with pytest.raises(StoreError):
        keep(store, event, record)

    assert counts(other) == before
    keep(store, event, won_by(job_of("ann", "bob"), 0))


def test_an_internal_error_leaves_no_transaction_open(
    store: Store, other: sqlite3.Connection
) -> None:
    nothing: Any = object()
    broken = replace(won_by(job_of("ann", "bob"), 0).finished(), seats=(nothing,))
    event = new_event(store)

    with pytest.raises(TypeError, match="iterable"):
        store.add_match(event, board=0, variant="", attempt=1, match=broken)

    assert counts(other) == [1, 3, 0, 0, 0, 0]
    assert new_event(store) == event + 1


def test_a_match_of_no_event_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        keep(store, 7, won_by(job_of("ann", "bob"), 0))


def test_a_missing_row_is_none(store: Store) -> None:
    event = new_event(store)

    assert store.event(7) is None
    assert store.latest_event("other") is None
    assert store.match(7) is None
    assert store.match_number(event, "ann,bob/b0/0") is None
    assert store.director(event) is None
    with pytest.raises(StoreError, match="there is no match 7"):
        store.record(7)


def test_events_come_with_their_entrants_in_the_order_of_the_config(store: Store) -> None:
    number = store.add_event("cup", 5, {"bonus": {}}, {"zoe": "1", "ann": "2"})
    store.add_event("cup", 6, {}, {})
    store.add_event("league", 7, {}, {})

    first = store.event(number)

    assert first is not None
    assert (first.name, first.seed, first.config) == ("cup", 5, {"bonus": {}})
    assert list(first.entrants.items()) == [("zoe", "1"), ("ann", "2")]
    assert [event.seed for event in store.events()] == [5, 6, 7]
    newest = [store.latest_event("cup"), store.latest_event()]
    assert [event and event.seed for event in newest] == [6, 7]


def test_an_event_can_grow(store: Store) -> None:
    number = new_event(store, ("ann", "bob"))

    store.replace_event(number, 9, {"repeat": 4}, {"ann": "1", "bob": "2", "cat": "3"})

    event = store.event(number)
    assert event is not None
    assert (event.seed, event.config) == (9, {"repeat": 4})
    assert list(event.entrants) == ["ann", "bob", "cat"]


def test_any_decision_counts_as_a_touched_event(store: Store) -> None:
    events = [new_event(store) for _ in range(3)]

    assert [store.is_touched(event) for event in events] == [False] * 3
    keep(store, events[0], won_by(job_of("ann", "bob"), 0))
    add_void(store.database, events[1], VoidRow("ann,bob/b0/0", 1, "it was stopped"))

    assert [store.is_touched(event) for event in events] == [True, True, False]


def test_voids_and_withdrawals_are_kept_by_event(store: Store) -> None:
    event, other_event = new_event(store), new_event(store)

    add_void(store.database, event, VoidRow("ann,bob/b0/0", 1, "it was stopped"))
    add_void(store.database, event, VoidRow("ann,bob/b0/0", 2, "again", "bob"))
    store.add_withdrawal(event, "bob", "3 faults in a row")
    store.add_withdrawal(event, "bob", "something else")

    assert [(row.attempt, row.suspect) for row in store.voids(event)] == [(1, None), (2, "bob")]
    assert store.withdrawals(event) == {"bob": "3 faults in a row"}
    assert (store.voids(other_event), store.withdrawals(other_event)) == ([], {})


def test_the_director_is_stored(store: Store) -> None:
    event = new_event(store)

    store.set_director(event, "process 7 on host")
    assert store.director(event) == "process 7 on host"
    store.set_director(event, None)
    assert store.director(event) is None


def test_records_are_kept_small(store: Store, other: sqlite3.Connection) -> None:
    record = won_by(job_of("ann", "bob"), 0)
    record.calls = Calls(list(record.calls) * 100)

    keep(store, new_event(store), record)

    size = other.execute("SELECT length(body) FROM record").fetchone()[0]
    assert size < len(json.dumps(record.to_json())) / 10


def test_sqlite_finds_no_fault_in_a_database_with_voids(
    store: Store, other: sqlite3.Connection
) -> None:
    event = new_event(store)
    add_void(store.database, event, VoidRow("ann,bob/b0/0", 1, "the referee ended", "ann"))

    assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
