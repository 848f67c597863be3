"""Moves as people type them."""

import re
from typing import Any

import pytest

from arena.people.typed_moves import MAX_TYPED, read_move
from referee.options import make_game
from referee.rules import Game, NotationError


def read(game: Game[Any, Any], text: str, seats: int = 2) -> str:
    seats = seats if seats in game.seats else min(game.seats)
    return game.notation(read_move(game, game.start(seats, 1), text))


@pytest.mark.parametrize(
    ("game", "typed", "move"),
    [
        ("pente", "0 1", "0,1"),
        ("pente", "0,1", "0,1"),
        ("pente", " ( -2 ; 4 ) ", "-2,4"),
        ("pente", "-2 -4", "-2,-4"),
        ("pente", "\u22122,+4", "-2,4"),
        ("damspel", "A4-B5", "a4-b5"),
        ("damspel", "a4 b5", "a4-b5"),
        ("damspel", "a4b5", "a4-b5"),
        ("damspel", "a4 \u2192 b5", "a4-b5"),
        ("damspel", "A4XC6", "a4xc6"),
        ("matchsticks", "r3 2 5", "r3:2-5"),
        ("matchsticks", "R3: 2 - 5", "r3:2-5"),
        ("matchsticks", "c 0 4", "c0:4-4"),
        ("chinese_checkers", "3,0 4,0", "3,0>4,0"),
        ("chinese_checkers", "3 0 4 -1", "3,0>4,-1"),
        ("chinese_checkers", "(3, 0) \u2192 (4, 0)", "3,0>4,0"),
        ("down_n_out", "9 14", "9,14"),
        ("down_n_out", "9;14", "9,14"),
    ],
)
def test_what_a_person_types_becomes_the_notation_of_the_game(
    game: str, typed: str, move: str
) -> None:
    assert read(make_game(game, {}), typed) == move


@pytest.mark.usefixtures("small_games")
@pytest.mark.parametrize("typed", ["Rock", "PAPER", " sCISSORS "])
def test_capitals_are_read_in_a_game_that_writes_small_letters_only(typed: str) -> None:
    game = make_game("roshambo", {})
    with pytest.raises(NotationError):
        game.parse(typed.strip())

    assert read(game, typed) == typed.strip().lower()


@pytest.mark.parametrize(
    ("game", "typed"),
    [
        ("pente", "3-1"),
        ("pente", "3"),
        ("pente", "1 2 3"),
        ("pente", "a1"),
        ("pente", "1=2"),
        ("pente", "1.5,2!"),
        ("damspel", "a4"),
        ("damspel", "4a 5b"),
        ("matchsticks", "x3 2 5"),
        ("chinese_checkers", "pass"),
        ("down_n_out", "--9 1"),
        ("down_n_out", ""),
    ],
)
def test_text_that_may_mean_two_things_is_refused_with_the_words_of_the_game(
    game: str, typed: str
) -> None:
    with pytest.raises(NotationError, match="write"):
        read(make_game(game, {}), typed)


def test_hostile_text_is_escaped_and_limited() -> None:
    game = make_game("pente", {})
    with pytest.raises(NotationError, match=re.escape(r"\x1b[2J\u202e")):
        read(game, "\x1b[2J\u202e")
    with pytest.raises(NotationError, match="at most 200 characters, not 201"):
        read(game, "1" * (MAX_TYPED + 1))
