"""Events in play, from what their directors say."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from random_matches import GAMES, random_record

from arena.event.watchers import description
from arena.pages.live_event import Feed, LiveEvent, LiveEvents
from arena.pages.scenes import match_scene
from referee.record import Record
from referee.replay import game_of


def state(*records: Record, left: int = 3) -> bytes:
    running = [description(record.job) for record in records]
    return json.dumps({"running": running, "next": [["a", "b"]], "left": left, "total": 9}).encode()


def report(record: Record, first: int, last: int, run: int = 1) -> bytes:
    calls = [asdict(call) for call in record.calls[first:last]]
    return json.dumps({"key": record.job.key, "run": run, "first": first, "calls": calls}).encode()


def feed_of(event: LiveEvent) -> tuple[LiveEvents, Feed]:
    live = LiveEvents(Path("none"))
    live.events[1] = event
    return live, Feed(live)


def news(live: LiveEvents, feed: Feed) -> dict[str, Any]:
    live.version += 1
    found = feed.news()
    assert found is not None
    event: dict[str, Any] = found["1"]
    return event


@pytest.mark.parametrize("name", GAMES)
def test_a_match_in_play_becomes_the_finished_match(name: str) -> None:
    record = random_record(name, plies=20, note="hm")
    event = LiveEvent()
    live, feed = feed_of(event)
    event.take(state(record))
    whole: dict[str, Any] = {}
    for first in range(0, len(record.calls), 3):
        event.take(report(record, first, first + 3))
        scene = news(live, feed)["places"][0]["scene"]
        for key, value in scene.items():
            if key in ("palette", "roles", "start"):
                whole[key] = value
            elif isinstance(value, dict):
                whole[key] = {**whole.get(key, {}), **value}
            else:
                whole[key] = [*whole.get(key, []), *value]

    assert whole == match_scene(record)


def test_calls_that_are_known_or_too_early_change_nothing() -> None:
    record = random_record("pente", plies=9)
    event = LiveEvent()
    event.take(state(record))
    event.take(report(record, 4, 6))
    assert event.places[0].steps == 0
    event.take(report(record, 0, 5))
    event.take(report(record, 3, 7))
    event.take(report(record, 0, 2))
    assert event.places[0].steps == 7


def test_another_attempt_begins_again() -> None:
    record = random_record("pente", plies=9)
    event = LiveEvent()
    event.take(state(record))
    event.take(report(record, 0, 9))
    event.take(report(record, 0, 2, run=2))
    assert event.places[0].steps == 2


def test_a_match_keeps_its_place_until_another_begins_there() -> None:
    a, b, c = (random_record("pente", key=key, plies=3) for key in "abc")
    event = LiveEvent()
    for running in ((a, b), (b,), (c, b)):
        event.take(state(*running))
        assert event.places[1].key == "b"
        assert event.running == {record.job.key for record in running}
    assert event.places[0].key == "c"


def test_a_page_receives_each_step_once() -> None:
    record = random_record("pente", plies=6)
    event = LiveEvent()
    live, feed = feed_of(event)
    event.take(state(record))
    assert news(live, feed)["places"][0]["players"] == ["a", "b"]
    assert feed.news() is None
    event.take(report(record, 0, 4))
    assert news(live, feed)["places"][0]["scene"]["text"] == [
        call.notation for call in record.calls[:4]
    ]
    again = news(live, feed)["places"][0]
    assert "scene" not in again
    assert "players" not in again
    other = Feed(live).news()
    assert other is not None
    assert other["1"]["places"][0]["scene"]["seat"] == [0, 1, 0, 1]


def test_wrong_moves_and_unknown_games_show_what_can_bedescription() -> None:
    record = random_record("pente", plies=6)
    event = LiveEvent()
    live, feed = feed_of(event)
    wrong = json.loads(state(record))
    wrong["running"][0]["game"] = "no such game"
    event.take(json.dumps(wrong).encode())
    event.take(report(record, 0, 4))
    assert news(live, feed)["places"][0]["steps"] == 0

    event = LiveEvent()
    event.take(state(record))
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
    event = LiveEvent()
    event.take(state(record))
    event.take(report(record, 0, 6))
    assert set(asked) == {None}
    assert "board_seed" not in str(news(*feed_of(event)))


@pytest.mark.usefixtures("small_games")
def test_a_page_for_everybody_shows_no_board_with_secrets() -> None:
    job = {"key": "k", "game": "phantom", "options": {}, "players": ["a", "b"]}
    running = [{**job, "board_seed": "1", "history": []}]
    for event, is_shown in ((LiveEvent(), True), (LiveEvent(is_public=True), False)):
        live, feed = feed_of(event)
        event.take(json.dumps({"running": running, "next": [], "left": 1, "total": 1}).encode())

        (place,) = news(live, feed)["places"]
        assert ("scene" in place) is is_shown
        assert place["players"] == ["a", "b"]
