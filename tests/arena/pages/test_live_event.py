"""Events in play, from what their directors say."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from events import keep, new_store
from random_matches import GAMES, random_record

from arena.event.watch.watchers import description
from arena.pages.directors import read_ended
from arena.pages.live_event import (
    HOLD_S,
    LEAST_HOLD_S,
    MOST_WAITING,
    WAITING,
    Found,
    LiveEvent,
    Search,
)
from arena.pages.live_feed import EventFeed, ListFeed
from arena.pages.live_match import StoredMatch
from arena.pages.scenes import match_scene
from referee.records.record import Record
from referee.records.replay import game_of


def state(*records: Record, left: int = 3) -> bytes:
    running = [description(record.job) for record in records]
    return json.dumps({"running": running, "next": [["a", "b"]], "left": left, "total": 9}).encode()


def report(record: Record, first: int, last: int, run: int = 1) -> bytes:
    calls = [asdict(call) for call in record.calls[first:last]]
    return json.dumps({"key": record.job.key, "run": run, "first": first, "calls": calls}).encode()


def watched(*records: Record) -> LiveEvent:
    """Return an event with these matches running, as a page shows it from time 0 on."""
    event = LiveEvent()
    event.take(state(*records))
    event.arrange(None, 0)
    return event


def found(*records: Record, ended: Sequence[tuple[int, str]] = ()) -> Found:
    rows = {each.job.key: StoredMatch(each, {"number": 1}) for each in records}
    return Found(tuple(ended), rows)


def look(event: LiveEvent, database: Sequence[Record], now_s: float) -> None:
    """Read what the event needs from the finished matches, numbered from 1 on."""
    answer(event, event.search(now_s), database, now_s)


def answer(
    event: LiveEvent, search: Search | None, database: Sequence[Record], now_s: float
) -> None:
    if search is None:
        event.arrange(None, now_s)
        return
    numbered = list(enumerate(database, start=1))
    wanted = [r for n, r in numbered if r.job.key in search.keys or n in search.numbers]
    ended = [(n, r.job.key) for n, r in numbered if n > search.after][-search.most :]
    event.arrange(found(*wanted, ended=ended), now_s)


def texts(event: LiveEvent) -> dict[str, list[str]]:
    return {m.key: m.scene.to_json()["text"] for m in event.places if m.scene is not None}


def feed_of(event: LiveEvent) -> EventFeed:
    return EventFeed({1: event, 2: LiveEvent()}, 1)


def news(feed: EventFeed) -> dict[str, Any]:
    found = feed.news()
    assert found is not None
    event: dict[str, Any] = found["1"]
    return event


@pytest.mark.parametrize("name", GAMES)
def test_a_match_in_play_becomes_the_finished_match(name: str) -> None:
    record = random_record(name, plies=20, note="hm")
    event = watched(record)
    feed = feed_of(event)
    whole: dict[str, Any] = {}
    for first in range(0, len(record.calls), 3):
        event.take(report(record, first, first + 3))
        scene = news(feed)["places"][0]["scene"]
        for key, value in scene.items():
            if key in ("palette", "roles", "start", "times"):
                whole[key] = value
            elif isinstance(value, dict):
                whole[key] = {**whole.get(key, {}), **value}
            else:
                whole[key] = [*whole.get(key, []), *value]

    assert whole == match_scene(record)


def test_calls_that_are_known_or_too_early_change_nothing() -> None:
    record = random_record("pente", plies=9)
    event = watched(record)
    event.take(report(record, 4, 6))
    assert event.places[0].steps == 0
    event.take(report(record, 0, 5))
    event.take(report(record, 3, 7))
    event.take(report(record, 0, 2))
    assert event.places[0].steps == 7


def test_another_attempt_begins_again() -> None:
    record = random_record("pente", plies=9)
    event = watched(record)
    event.take(report(record, 0, 9))
    event.take(report(record, 0, 2, run=2))
    assert event.places[0].steps == 2


def test_a_match_keeps_its_place_until_another_begins_there() -> None:
    a, b, c = (random_record("pente", key=key, plies=3) for key in "abc")
    event = watched(a, b)
    event.take(state(b))
    look(event, [], 1)
    assert event.running.keys() == {"b"}
    assert [match.key for match in event.places] == ["a", "b"]
    event.take(state(c, b))
    look(event, [], 1 + HOLD_S)
    assert [match.key for match in event.places] == ["c", "b"]


def test_an_ended_match_is_shown_whole_whatever_was_reported() -> None:
    a, b = (random_record("pente", key=key, plies=9) for key in "ab")
    event = watched(a)
    feed = feed_of(event)
    event.take(report(a, 0, 2))
    news(feed)
    event.take(state(b))
    look(event, [a], 1)
    event.take(report(a, 2, 4))

    (place,) = news(feed)["places"]

    assert (place["key"], place["first"], place["steps"]) == ("a", 2, 9)
    assert place["scene"]["text"] == match_scene(a)["text"][2:]
    assert place["result"] == {"number": 1}
    assert event.held == [True]
    assert feed.news() is None
    event.take(state(b))
    assert "result" not in news(feed)["places"][0]
    look(event, [a], 0.9 + HOLD_S)
    assert texts(event) == {"a": match_scene(a)["text"]}
    look(event, [a], 1 + HOLD_S)
    assert texts(event) == {"b": []}


def test_the_last_match_is_whole_when_its_director_is_gone() -> None:
    record = random_record("pente", plies=9)
    event = watched(record)
    feed = feed_of(event)
    look(event, [], 0)
    event.end()
    assert not event.is_settled
    look(event, [record], 1)

    shown = news(feed)

    assert (shown["over"], shown["running"]) == (True, [False])
    assert texts(event) == {"k": match_scene(record)["text"]}
    assert event.is_settled


def test_an_attempt_that_was_not_kept_is_replaced_by_the_record() -> None:
    record, other = random_record("pente", plies=9), random_record("pente", plies=0)
    event = watched(record)
    event.take(report(record, 0, 9))
    event.take(state())
    look(event, [other], 1)
    assert texts(event) == {"k": []}


def test_matches_that_nobody_has_seen_are_shown_within_a_second_each_for_a_while() -> None:
    records = [random_record("pente", key=f"{n}", plies=3) for n in range(1 + WAITING)]
    event = watched(records[0])
    look(event, [], 0)
    event.take(state())
    shown = []
    for tenth in range(30):
        look(event, records, tenth / 10)
        shown.append(event.places[0].key)
    assert list(dict.fromkeys(shown)) == [record.job.key for record in records]
    assert min(shown.count(record.job.key) for record in records) >= int(LEAST_HOLD_S * 10)
    assert shown[:10].count(shown[9]) < 10
    assert texts(event) == {f"{WAITING}": match_scene(records[-1])["text"]}


def test_of_more_matches_than_can_be_looked_at_the_newest_are_shown() -> None:
    records = [random_record("pente", key=f"{n}", plies=1) for n in range(99)]
    event = watched(*records[:30])
    look(event, [], 0)
    event.take(state(*records[30:60]))
    look(event, records, 1)
    while (search := event.search(5)) and search.numbers:
        assert min(search.numbers) > len(records) - MOST_WAITING
        event.arrange(found(*(records[n - 1] for n in search.numbers)), 5)


def over(*records: Record) -> LiveEvent:
    """Return an event whose matches have all ended unseen, with two places."""
    event = watched(*records[:2])
    look(event, [], 0)
    event.end()
    return event


def test_an_event_is_not_settled_before_its_last_ends_have_been_read() -> None:
    records = [random_record("pente", key=f"{n}", plies=1) for n in range(6)]
    event = over(*records)
    for tenth in range(100):
        search = event.search(tenth / 10)
        assert search is None or not event.is_settled
        answer(event, search, records, tenth / 10)
    assert event.is_settled


def test_where_the_database_cannot_be_read_no_end_is_lost() -> None:
    records = [random_record("pente", key=f"{n}", plies=1) for n in range(6)]
    event, shown = over(*records), set[str]()
    for tenth in range(100):
        if event.search(tenth / 10):
            event.search_again()
            event.arrange(None, tenth / 10)
        look(event, records, tenth / 10)
        shown |= {match.key for match in event.places}
    assert event.is_settled
    assert shown == {record.job.key for record in records}


def test_a_long_match_is_seen_beside_ever_so_many_short_ones() -> None:
    short = [random_record("pente", key=f"{n}", plies=1) for n in range(200)]
    long = random_record("pente", key="long", plies=3)
    event = watched(short[0])
    for tenth in range(1, 60):
        event.take(state(long))
        look(event, short[: 3 * tenth], tenth / 10)
    assert [match.key for match in event.places] == ["long"]


def test_the_database_is_read_for_what_was_not_reported(tmp_path: Path) -> None:
    a, b, c = (random_record("pente", key=key, plies=7) for key in "abc")
    with closing(new_store(tmp_path)) as store:
        for name in ("other", "cup"):
            store.add_event(name, 1, {"game": {"name": "pente"}}, {n: n for n in "ab"})
        keep(store, 1, random_record("pente", key="a", plies=2))
        for record in (a, b, c):
            keep(store, 2, record)
    search = Search(after=2, most=9, keys=frozenset("ax"), numbers=(3, 77))

    read = read_ended(tmp_path / "arena.db", 2, search)

    assert read is not None
    assert read.ended == ((3, "b"), (4, "c"))
    assert read.matches.keys() == {"a", "b"}
    assert read.matches["b"].record.calls == b.calls
    assert read.matches["b"].row["number"] == 3
    assert read_ended(tmp_path / "none.db", 2, search) is None


def test_a_page_receives_each_step_once() -> None:
    record = random_record("pente", plies=6)
    event = watched(record)
    feed = feed_of(event)
    assert news(feed)["places"][0]["players"] == ["a", "b"]
    assert feed.news() is None
    event.take(report(record, 0, 4))
    assert news(feed)["places"][0]["scene"]["text"] == [call.notation for call in record.calls[:4]]
    event.take(state(record, left=2))
    again = news(feed)["places"][0]
    assert "scene" not in again
    assert "players" not in again
    other = feed.everything()
    assert other["1"]["places"][0]["scene"]["seat"] == [0, 1, 0, 1]
    assert feed.news() is None


def test_the_list_of_events_receives_their_progress_alone() -> None:
    record = random_record("pente", plies=6)
    event = watched(record)
    feed = ListFeed({3: event})
    news = feed.news()
    assert news is not None
    assert (news["3"]["left"], news["3"]["places"]) == (3, [])
    event.take(report(record, 0, 4))
    assert feed.news() is None
    event.end()
    assert feed.news() is not None


def test_another_event_is_no_news() -> None:
    events = {1: watched(random_record("pente", plies=6)), 2: LiveEvent()}
    feed = EventFeed(events, 1)
    feed.news()
    events[2].take(state())
    assert feed.news() is None


def test_wrong_moves_and_unknown_games_show_what_can_bedescription() -> None:
    record = random_record("pente", plies=6)
    event = LiveEvent()
    feed = feed_of(event)
    wrong = json.loads(state(record))
    wrong["running"][0]["game"] = "no such game"
    event.take(json.dumps(wrong).encode())
    event.arrange(None, 0)
    event.take(report(record, 0, 4))
    assert news(feed)["places"][0]["steps"] == 0

    event = watched(record)
    twice = json.loads(report(record, 0, 4))
    twice["calls"][3]["move"] = twice["calls"][2]["move"]
    event.take(json.dumps(twice).encode())
    assert event.places[0].steps == 3


def test_only_what_a_spectator_may_see_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    record = random_record("pente", plies=6)
    asked: list[int | None] = []
    game = type(game_of(record.job))
    pieces = game.pieces

    def seen(self: Any, position: Any, seat: int | None) -> Any:
        asked.append(seat)
        return pieces(self, position, seat)

    monkeypatch.setattr(game, "pieces", seen)
    event = watched(record)
    event.take(report(record, 0, 6))
    assert "board_seed" not in str(news(feed_of(event)))
    assert set(asked) == {None}


@pytest.mark.usefixtures("small_games")
def test_a_page_for_everybody_shows_no_board_with_secrets() -> None:
    job = {"key": "k", "game": "phantom", "options": {}, "players": ["a", "b"]}
    running = [{**job, "board_seed": "1", "history": [], "times": [None, None]}]
    for event, is_shown in ((LiveEvent(), True), (LiveEvent(is_public=True), False)):
        feed = feed_of(event)
        event.take(json.dumps({"running": running, "next": [], "left": 1, "total": 1}).encode())
        event.arrange(None, 0)

        (place,) = news(feed)["places"]
        assert ("scene" in place) is is_shown
        assert place["players"] == ["a", "b"]
