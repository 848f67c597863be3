"""Fixed numbers of moves: each legal move of every game has its own, in every position."""

import random
from typing import Any

import pytest
from tables import OPTIONS, SEATS, positions

from arena.environment import Environment
from arena.environment.actions import TooManyMovesError


@pytest.mark.parametrize(("game", "options"), OPTIONS)
def test_every_legal_move_has_a_number_of_its_own(game: str, options: dict[str, Any]) -> None:
    numbers: dict[Any, int] = {}
    chance = random.Random(1)
    for seats in SEATS.get(game, (None,)):
        for table in positions(game, options, seats):
            actions, state = table.actions, table.state
            moves = tuple(table.game.legal(state))
            legal = actions.legal(state)

            assert actions.is_stable
            assert len(set(legal)) == len(legal) == len(moves)
            assert all(0 <= number < actions.number for number in legal)
            assert [actions.number_of(state, move) for move in moves] == list(legal)
            pairs = list(zip(legal, moves, strict=True))
            for number, move in chance.sample(pairs, min(2, len(pairs))):
                played = table.game.apply(state, actions.move(state, number))
                assert played == table.game.apply(state, move)
            if "open_spiel" not in game:  # its texts of an action depend on the position
                assert all(numbers.setdefault(move, number) == number for number, move in pairs)
            assert table.last()[0].mask.count(1) == len(moves)
    assert len(set(numbers.values())) == len(numbers), "no two moves share a number"


@pytest.mark.parametrize("game", ["chess", "damspel", "down_n_out", "matchsticks"])
def test_every_number_is_a_move(game: str) -> None:
    actions = Environment(game).actions
    moves = [actions.move(None, number) for number in range(actions.number)]

    assert len(set(moves)) == len(moves)
    assert [actions.number_of(None, move) for move in moves] == list(range(len(moves)))


def test_numbers_have_the_published_sizes() -> None:
    sizes = {
        ("chess", None): 1968,
        ("chinese_checkers", None): 121**2,
        ("damspel", None): 2 * (90 + 2 * 81) + 4 * 80 + 4 * 64,
        ("down_n_out", None): 300,
        ("go", None): 362,
        ("gomoku", None): 227,
        ("matchsticks", None): 8 * 36 + 8 * 28,
        ("pente", None): 361,
        ("open_spiel/connect_four", None): 7,
    }

    measured = {key: Environment(key[0]).actions.number for key in sizes}
    assert measured == sizes
    large = Environment("chinese_checkers", {"game_size": 63})
    assert large.actions.number == (6 * 63 * 63 + 6 * 63 + 1) ** 2


@pytest.mark.usefixtures("small_games")
def test_numbers_of_a_game_without_a_list_mean_nth_legal_moves() -> None:
    table = Environment("liars", most=3)
    table.reset(seed=1)
    moves = list(table.game.legal(table.state))

    assert not table.actions.is_stable
    with pytest.raises(TooManyMovesError, match=f"{len(moves)} legal moves, and 3 numbers"):
        table.observe("seat_0").legal  # noqa: B018 - made when it is read
    table = Environment("liars")
    table.reset(seed=1)
    assert list(table.observe("seat_0").legal) == list(range(len(moves)))
    table.step(2)
    assert table.last_move == moves[2]
