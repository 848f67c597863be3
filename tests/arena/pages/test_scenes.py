"""Scenes: the start and the changes of a match lead to the positions of its replay."""

from dataclasses import replace
from typing import Any

import pytest
from random_matches import GAMES, random_record

from arena.pages.scenes import EMPTY, match_scene
from referee.records.calls import Calls
from referee.records.replay import game_of, steps


def boards_of(scene: dict[str, Any]) -> list[dict[int, dict[str, Any]]]:
    """Return the pieces by place of every position, as a page computes them."""
    shown = dict(scene["start"])
    found = [dict(shown)]
    for changes in scene["changes"]:
        for place, kind in changes:
            if kind == EMPTY:
                del shown[place]
            else:
                shown[place] = kind
        found.append(dict(shown))
    return [{place: scene["palette"][kind] for place, kind in board.items()} for board in found]


@pytest.mark.parametrize("name", GAMES)
def test_a_scene_shows_every_position_of_the_replay(name: str) -> None:
    record = random_record(name)
    game = game_of(record.job)
    scene = match_scene(record)

    start, *after = steps(record.job, record.calls)
    expected = [
        {place: vars(piece) for place, piece in game.pieces(step.state, None).items()}
        for step in (start, *after)
    ]
    assert boards_of(scene) == expected
    assert len(scene["text"]) == len(scene["changes"]) == len(expected) - 1
    assert scene["text"] == [game.notation_in(step.before, step.move) for step in after]
    assert scene["charged"][0] == 1000


@pytest.mark.parametrize("name", GAMES)
def test_marks_are_the_clicks_of_the_move(name: str) -> None:
    record = random_record(name)
    game = game_of(record.job)
    for marks, call in zip(match_scene(record)["marks"], record.calls, strict=True):
        assert call.notation is not None
        assert set(marks) == set(game.gesture(game.parse(call.notation)))


def test_a_game_without_a_layout_shows_its_diagrams(monkeypatch: pytest.MonkeyPatch) -> None:
    record = random_record("pente", plies=3)
    game = game_of(record.job)
    monkeypatch.setattr(type(game), "layout", lambda *_: None)

    scene = match_scene(record)

    diagrams = [game.diagram(step.state) for step in steps(record.job, record.calls)]
    assert scene["diagrams"] == diagrams
    assert scene["start"] == []


def test_remarks_are_reported_and_a_plan_has_the_places_of_its_legal_moves() -> None:
    record = random_record("pente", plies=2)
    first, second = record.calls
    move: dict[str, Any] = {"v": 9, "h": -9}
    call = replace(second, value=-5, data={"depth": 2}, plan=[move, move], note="hm")
    record.calls = Calls([first, call])

    scene = match_scene(record)

    game = game_of(record.job)
    assert {name: scene[name] for name in ("notes", "values", "data")} == {
        "notes": {"2": "hm"},
        "values": {"2": -5},
        "data": {"2": "depth 2"},
    }
    assert scene["plans"] == {"2": "9,-9 (not legal: v 9 h -9)"}
    assert scene["planned"] == {"2": [list(game.gesture(game.parse("9,-9")))]}
