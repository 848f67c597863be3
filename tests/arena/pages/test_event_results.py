"""The results of an event for its pages: from one state, and only what is new."""

import gzip
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from events import crashed, job_of, keep, new_store, not_started
from random_matches import random_record

from arena.errors import StoreError
from arena.formats.event_results import progress_text, table_of
from arena.pages import event_page as pages
from arena.pages import event_results
from arena.pages.elo_progress import PARTS, EloProgress
from arena.pages.event_page import event_page, match_row
from arena.pages.event_results import Edition, EventResults
from arena.pages.reading_pace import LEAST_PAUSE_S, SHARE
from arena.reports.report import PlayedEvent
from arena.results.revision import Revision
from arena.results.standings import RatedMatch, rated_match
from arena.results.store import EventRow, MatchRow, Store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(new_store(tmp_path)) as store:
        store.add_event("cup", 1, {"game": {"name": "pente"}}, {n: n for n in "abc"})
        store.set_total(1, 9)
        add(store, "first")
    return tmp_path


def add(store: Store, key: str, bots: str = "ab") -> MatchRow:
    return keep(store, 1, random_record("pente", key=key, bots=bots, plies=4))


def data_of(edition: Edition) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(edition.whole))
    return found


def page_of(folder: Path) -> dict[str, Any]:
    """Return the data of the event as a report has it."""
    with closing(Store(folder / "arena.db")) as store:
        event = store.event(1)
        assert event is not None
        played = PlayedEvent.read(store, event, table_of(store, event))
        found: dict[str, Any] = json.loads(json.dumps(event_page(store, played)))
        return found


def changed(data: dict[str, Any], change: bytes) -> dict[str, Any]:
    """Return the data after a change, as a page makes it."""
    said = json.loads(change)
    assert said["after"] == data["edition"]
    news = dict(said["news"])
    for name in ("matches", "faults"):
        part = news.pop(name)
        data = {**data, name: [*data[name][: part["first"]], *part["items"]]}
    return {**data, **news, "edition": said["edition"]}


def test_what_is_added_to_the_results_makes_the_whole_ones(folder: Path) -> None:
    results = EventResults(folder / "arena.db", 1)
    data = data_of(results.read())
    for number in range(2 * PARTS):
        with closing(new_store(folder)) as store:
            add(store, f"{number}", "abc"[number % 2 :][:2])
            keep(store, 1, crashed(job_of("a", "b", key=f"crash {number}"), number % 2))
        edition = results.read()
        data = changed(data, results.changes[-1][1])
        assert data == data_of(edition)
    del data["edition"], data["omitted"]
    assert data == page_of(folder)
    assert len(data["faults"]) == 2 * PARTS


def test_all_counts_are_of_one_state(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def later(store: Store, event: EventRow) -> str:
        with closing(new_store(folder)) as other:
            add(other, "second")
        return progress_text(store, event)

    monkeypatch.setattr(pages, "progress_text", later)
    data = data_of(EventResults(folder / "arena.db", 1).read())

    assert dict(data["facts"])["matches"] == "1 of 9"
    assert len(data["matches"]) == 1


def test_only_new_matches_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = EventResults(folder / "arena.db", 1)
    results.read()
    with closing(new_store(folder)) as store:
        add(store, "second")
    made: list[int] = []

    def row(match: MatchRow) -> dict[str, Any]:
        made.append(match.id)
        return match_row(match)

    monkeypatch.setattr(event_results, "match_row", row)
    results.read()
    assert made == [2]
    edition = results.read()
    assert made == [2]
    assert results.read() is edition


def test_a_match_that_is_set_aside_is_taken_back(folder: Path) -> None:
    results = EventResults(folder / "arena.db", 1)
    data = data_of(results.read())
    with closing(new_store(folder)) as store:
        match = add(store, "second")
        data = data_of(results.read())
        event = store.event(1)
        assert event is not None
        store.revise_event(
            1,
            Revision(
                seed=event.seed,
                config=event.config,
                entrants=event.entrants,
                lines=("a change",),
                counting={1},
                names=dict.fromkeys((1, match.id), ("a", "b")),
                void_keys=(),
                withdrawals={},
            ),
        )
    results.read()
    data = changed(data, results.changes[-1][1])
    assert [each["key"] for each in data["matches"]] == ["first"]
    assert data["notes"]


def fail(*_: object) -> None:
    raise StoreError("it failed")


def test_a_failed_reading_is_begun_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = EventResults(folder / "arena.db", 1)
    data = data_of(results.read())
    with closing(new_store(folder)) as store:
        add(store, "second")
    with monkeypatch.context() as patch:
        patch.setattr(event_results, "rank", fail)
        with pytest.raises(StoreError, match="it failed"):
            results.read()
    results.read()
    data = changed(data, results.changes[-1][1])
    assert [each["key"] for each in data["matches"]] == ["first", "second"]


def test_reading_takes_a_small_share_of_the_time(folder: Path) -> None:
    times = iter([0.0, 0.01, 0.5, 1.5, 10.0, 12.0, 11.0 + 2 * SHARE, 10.0 + 2 * SHARE])
    results = EventResults(folder / "arena.db", 1, now_s=lambda: next(times))
    results.read()
    assert LEAST_PAUSE_S == 1.0
    assert not results.is_due
    assert results.is_due
    results.read()
    assert results.is_due
    assert results.is_due


def test_an_unknown_event_is_named(folder: Path) -> None:
    for number in (7, 10**30):
        with pytest.raises(LookupError, match=f"no event {number}"):
            EventResults(folder / "arena.db", number).read()


def test_a_progress_has_a_bounded_number_of_parts() -> None:
    record = random_record("pente", plies=4)
    match: RatedMatch = rated_match(record.finished().seats)
    progress = EloProgress()
    for number in range(1, 100):
        progress.add(match)
        parts = progress.to_json()
        assert parts.keys() == {"a", "b"}
        assert PARTS // 2 <= len(parts["a"]) <= PARTS + 1 or number < PARTS // 2
    assert EloProgress([match] * 99).to_json() == parts


def test_a_seat_that_was_not_played_has_no_fault(tmp_path: Path) -> None:
    with closing(new_store(tmp_path)) as store:
        store.add_event("cup", 1, {"game": {"name": "pente"}}, {"a": "a", "b": "b"})
        match = keep(store, 1, not_started(job_of("a", "b"), 1))
    first, second = match.seats
    unplayed = match._replace(seats=(first, second._replace(is_unplayed=True)))

    assert match_row(match)["faults"] == [None, "no_show"]
    assert match_row(unplayed)["faults"] == [None, "unplayed"]
