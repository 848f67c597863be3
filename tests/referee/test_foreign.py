"""Results of a foreign runner, hostile ones among them, and the game without rules."""

import json

import pytest

from arena.schedule.openings import draws_boards
from referee.catalog import game_names
from referee.foreign import MAX_REPLAY, Foreign, ForeignResultError, read_result
from referee.options import make_game
from referee.rules import IllegalMoveError, NotationError, OptionError


@pytest.mark.parametrize(
    ("line", "points", "places"),
    [
        ('{"scores": [1, 0]}', (1, 0), (1, 2)),
        ('{"scores": [-3, -3]}', (-3, -3), (1, 1)),
        ('{"places": [2, 1]}', (0, 1), (2, 1)),
        ('{"places": [1, 1]}', (1, 1), (1, 1)),
        ('{"scores": [0, 7], "places": [1, 2]}', (0, 7), (1, 2)),
    ],
)
def test_scores_or_places_are_a_result(
    line: str, points: tuple[int, ...], places: tuple[int, ...]
) -> None:
    outcome = read_result(f"round 1\nround 2\n{line}\n\n", 2).outcome

    assert (outcome.points, outcome.places) == (points, places)


def test_a_reason_and_a_replay_are_kept_without_control_characters() -> None:
    said = {"scores": [1, 0], "reason": "a\n\x1b[31mb\ud800", "replay": "1. e4\n\x07"}

    result = read_result(json.dumps(said), 2)

    assert result.outcome.reason == "a \\x1b[31mb\\ud800"
    assert result.replay == "1. e4\n\\x07"


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("", "has printed nothing"),
        (" \n\n", "has printed nothing"),
        ("1 0", r"must be an object in braces|must be a result"),
        ("[1, 0]", "must be an object in braces"),
        ('{"scores": [1, 0]}\nbye', "must be a result like .*, not 'bye'"),
        ('{"scores": [NaN, 0]}', "must be a result"),
        ('{"scores": [1e999, 0]}', "whole numbers from .*, not 'Infinity'"),
        ('{"scores": [0.5, 0]}', "whole numbers"),
        ('{"scores": [true, 0]}', "whole numbers"),
        ('{"scores": ["1", 0]}', "whole numbers"),
        ('{"scores": [null, 0]}', "whole numbers"),
        ('{"scores": [1000000001, 0]}', "whole numbers"),
        ('{"scores": [' + "9" * 10_000 + ", 0]}", "whole numbers"),
        ('{"scores": [1]}', "a list of 2 numbers; it is 1 values"),
        ('{"scores": [1, 2, 3]}', "a list of 2 numbers; it is 3 values"),
        ('{"scores": 1}', "a list of 2 numbers; it is no list"),
        ('{"places": [0, 1]}', "whole numbers from 1 to 2"),
        ('{"places": [2, 2]}', "leave one out"),
        ("{}", "neither scores nor places"),
        ('{"scores": [1, 0], "winner\\u001b": 1}', r'unknown field "winner\\x1b"'),
        ('{"scores": [1, 0], "reason": 7}', "its reason must be text"),
        ('{"scores": [1, 0], "reason": "' + "x" * 201 + '"}', "201 characters; 200 are allowed"),
        ('{"scores": [1, 0], "replay": "' + "x" * (MAX_REPLAY + 1) + '"}', "are allowed"),
        ("[" * 100_000, "must be a result"),
        ('{"scores": [1, 0]', "must be a result"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_anything_else_is_refused_in_words(output: str, why: str) -> None:
    with pytest.raises(ForeignResultError, match=why) as caught:
        read_result(output, 2)

    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 250


def test_the_game_has_no_moves_and_is_none_of_arenas_own() -> None:
    game = make_game("foreign", {"title": "chess"})
    state = game.start(2, 1)

    assert "foreign" not in game_names()
    assert list(game.legal(state)) == []
    assert game.outcome(state) is None
    assert "not refereed by arena" in game.diagram(state)
    with pytest.raises(NotationError):
        game.parse("e4")
    with pytest.raises(IllegalMoveError):
        game.apply(state, None)


def test_boards_differ_by_their_seed_so_gates_and_ladders_need_no_openings() -> None:
    assert draws_boards(Foreign(title="tron"))


def test_who_is_absent_loses_to_all_others() -> None:
    game = Foreign(title="tron")

    outcome = game.outcome(game.retire(game.start(3, 1), 1))

    assert outcome is not None
    assert (outcome.points, outcome.places) == ((1, 0, 1), (1, 3, 1))


@pytest.mark.parametrize("title", ["", "x" * 61, "a\x1bb"])
def test_a_title_is_short_and_printable(title: str) -> None:
    with pytest.raises(OptionError, match="printable"):
        Foreign(title=title)
