"""Chinese Checkers: how rounds are counted, when a race is over, and what a retired seat leaves."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from referee.games.chinese_checkers import ChineseCheckers, State
from referee.rules import IllegalMoveError
from referee.rules.star import EMPTY, star

Point = tuple[int, int]


def play(game: ChineseCheckers, state: State, *moves: str) -> State:
    for move in moves:
        state = game.apply(state, game.parse(move))
    return state


def men_of(game: ChineseCheckers, state: State) -> list[set[Point]]:
    men: Any = game.view(state, 0)["men"]
    return [{(row, column) for row, column in seat} for seat in men]


def placed(game: ChineseCheckers, men: Sequence[Iterable[Point]], turn: int = 0) -> State:
    """A position with exactly these men, seat by seat."""
    geometry = star(game.game_size)
    start = game.start(len(men), 0)
    board = bytearray(geometry.empty)
    for seat, points in enumerate(men):
        for point in points:
            board[geometry.cells[point]] = seat + 1
    filled = tuple(sum(board[c] != EMPTY for c in cells) for cells in geometry.triangles)
    arrived = tuple(
        sum(board[cell] == seat + 1 for cell in geometry.triangles[(position + 3) % 6])
        for seat, position in enumerate(start.positions)
    )
    return start._replace(board=bytes(board), arrived=arrived, filled=filled, turn=turn)


def triangle(size: int, number: int) -> set[Point]:
    geometry = star(size)
    return {geometry.points[cell] for cell in geometry.triangles[number]}


HOME_BUT_ONE = {
    0: (triangle(3, 3) - {(10, 0)}) | {(9, 0)},
    1: (triangle(3, 0) - {(2, 0)}) | {(3, 0)},
}


def test_the_first_seat_home_wins_only_when_the_round_is_complete() -> None:
    game = ChineseCheckers(game_size=3)
    state = placed(game, [HOME_BUT_ONE[0], [(6, 0)]])

    home = play(game, state, "9,0>10,0")
    assert game.outcome(home) is None
    ended = play(game, home, "6,0>6,1")

    outcome = game.outcome(ended)
    assert outcome is not None
    assert (outcome.points, outcome.places) == ((2, 0), (1, 2))
    assert outcome.reason == "all men in the goal"
    assert list(game.legal(ended)) == []
    with pytest.raises(IllegalMoveError, match="the game is over"):
        play(game, ended, "10,0>9,0")


def test_the_last_seat_of_a_round_wins_at_once() -> None:
    game = ChineseCheckers(game_size=3)
    state = placed(game, [[(6, 0)], HOME_BUT_ONE[1]], turn=1)

    outcome = game.outcome(play(game, state, "3,0>2,0"))

    assert outcome is not None
    assert (outcome.points, outcome.places) == ((0, 2), (2, 1))


def test_seats_that_come_home_in_the_same_round_draw() -> None:
    game = ChineseCheckers(game_size=3, positions=(0, 3, 1))
    state = placed(game, [HOME_BUT_ONE[0], HOME_BUT_ONE[1], [(6, 0)]])

    outcome = game.outcome(play(game, state, "9,0>10,0", "3,0>2,0", "6,0>6,1"))

    assert outcome is not None
    assert (outcome.points, outcome.places) == ((1, 1, 0), (1, 1, 2))
    assert outcome.reason == "home in the same round"


def test_a_man_that_leaves_the_goal_again_is_not_home() -> None:
    game = ChineseCheckers(game_size=3)
    state = placed(game, [triangle(3, 3), [(6, 0)]])

    after = play(game, state, "10,0>9,0", "6,0>6,1")

    assert game.outcome(after) is None
    assert game.outcome(play(game, after, "9,0>10,0", "6,1>6,0")) is not None


@pytest.mark.parametrize(
    ("anti_block", "own", "is_home"),
    [(False, 5, False), (True, 5, True), (True, 1, True), (True, 0, False)],
)
def test_a_full_goal_counts_with_anti_block_if_one_man_in_it_is_the_owners(
    *, anti_block: bool, own: int, is_home: bool
) -> None:
    game = ChineseCheckers(game_size=3, anti_block=anti_block)
    goal = sorted(triangle(3, 3), reverse=True)
    state = placed(game, [[*goal[:own], (6, -3)], [*goal[own:], (6, 0)]])

    after = play(game, state, "6,-3>6,-2", "6,0>6,1")

    assert (game.outcome(after) is not None) == is_home


def test_a_goal_that_is_not_full_is_not_reached_with_anti_block() -> None:
    game = ChineseCheckers(game_size=3, anti_block=True)
    state = placed(game, [HOME_BUT_ONE[0], [(6, 0)]])

    assert game.outcome(play(game, state, "9,0>8,0", "6,0>6,1")) is None


def test_the_round_limit_is_a_draw() -> None:
    game = ChineseCheckers(game_size=3, max_rounds=2)
    state = play(game, game.start(2, 0), "2,0>3,0", "10,0>9,0", "3,0>2,0")
    assert game.outcome(state) is None

    outcome = game.outcome(play(game, state, "9,0>10,0"))

    assert outcome is not None
    assert (outcome.points, outcome.places, outcome.reason) == ((0, 0), (1, 1), "round limit")


def test_a_win_in_the_last_round_counts() -> None:
    game = ChineseCheckers(game_size=3, max_rounds=1)
    state = placed(game, [HOME_BUT_ONE[0], [(6, 0)]])

    outcome = game.outcome(play(game, state, "9,0>10,0", "6,0>6,1"))

    assert outcome is not None
    assert outcome.points == (2, 0)


def test_there_are_100_rounds_for_each_point_of_the_base() -> None:
    game = ChineseCheckers(game_size=3)
    state = game.start(2, 0)
    there, back = ("2,0>3,0", "10,0>9,0"), ("3,0>2,0", "9,0>10,0")

    while game.outcome(state) is None:
        state = play(game, state, *there)
        if game.outcome(state) is None:
            state = play(game, state, *back)

    assert (state.rounds, state.ply) == (300, 600)


def test_of_two_seats_the_one_that_stays_wins() -> None:
    game = ChineseCheckers(game_size=3)
    for seat, points in ((0, (0, 2)), (1, (2, 0))):
        state = game.retire(game.start(2, 0), seat)

        outcome = game.outcome(state)
        assert outcome is not None
        assert (outcome.points, outcome.reason) == (points, "last seat in play")
        assert outcome.places[seat] == 2
        assert list(game.legal(state)) == []


def test_a_retired_seat_is_skipped_and_its_men_stay() -> None:
    game = ChineseCheckers(game_size=3)
    start = game.start(3, 0)
    state = game.retire(start, 1)

    assert (state.board, state.turn, state.ply) == (start.board, 0, 0)
    state = game.apply(state, next(game.legal(state)))
    assert (state.turn, state.rounds) == (2, 0)
    state = game.apply(state, next(game.legal(state)))
    assert (state.turn, state.rounds) == (0, 1)
    assert men_of(game, state)[1] == triangle(3, 2)


@pytest.mark.parametrize(
    ("turn", "retired", "next_turn", "rounds"),
    [
        (0, 0, 1, 0),
        (0, 1, 0, 0),
        (0, 2, 0, 0),
        (1, 0, 1, 0),
        (1, 1, 2, 0),
        (2, 1, 2, 0),
        (2, 2, 0, 1),
    ],
)
def test_retiring_ends_the_round_only_if_nobody_is_left_to_move_in_it(
    turn: int, retired: int, next_turn: int, rounds: int
) -> None:
    game = ChineseCheckers(game_size=3)
    state = game.retire(game.start(3, 0)._replace(turn=turn), retired)

    assert (state.turn, state.rounds) == (next_turn, rounds)
    assert game.outcome(state) is None


def test_a_seat_at_home_wins_when_the_last_to_move_in_the_round_retires() -> None:
    game = ChineseCheckers(game_size=3, positions=(0, 3, 1))
    state = placed(game, [HOME_BUT_ONE[0], [(6, 0)], [(5, 0)]])
    state = play(game, state, "9,0>10,0", "6,0>6,1")
    assert game.outcome(state) is None

    outcome = game.outcome(game.retire(state, 2))

    assert outcome is not None
    assert (outcome.points, outcome.places) == ((2, 0, 0), (1, 2, 3))


def test_the_round_limit_is_tested_when_the_last_to_move_retires() -> None:
    game = ChineseCheckers(game_size=3, max_rounds=1)
    state = game.retire(game.start(3, 0)._replace(turn=2), 2)

    outcome = game.outcome(state)

    assert outcome is not None
    assert (outcome.points, outcome.places) == ((0, 0, 0), (1, 1, 2))


def test_a_seat_that_is_home_and_then_retired_does_not_win() -> None:
    game = ChineseCheckers(game_size=3, positions=(0, 3, 1))
    state = placed(game, [HOME_BUT_ONE[0], [(6, 0)], [(5, 0)]])

    state = play(game, game.retire(play(game, state, "9,0>10,0"), 0), "6,0>6,1", "5,0>5,1")

    assert game.outcome(state) is None
    assert state.turn == 1


def test_nobody_wins_when_every_seat_is_retired() -> None:
    game = ChineseCheckers(game_size=3)
    state = game.start(3, 0)
    for seat in (1, 0, 2):
        state = game.retire(state, seat)

    outcome = game.outcome(state)

    assert outcome is not None
    assert (outcome.points, outcome.places) == ((0, 0, 0), (1, 1, 1))


def test_retiring_twice_or_after_the_end_changes_nothing() -> None:
    game = ChineseCheckers(game_size=3, max_rounds=1)
    once = game.retire(game.start(3, 0), 1)
    ended = play(game, game.start(2, 0), "2,0>3,0", "10,0>9,0")

    assert game.retire(once, 1) == once
    assert game.retire(ended, 0) == ended


def test_an_adjudicated_match_has_no_winner() -> None:
    game = ChineseCheckers(game_size=3)
    outcome = game.adjudicate(game.retire(game.start(3, 0), 1), "max_plies")

    assert (outcome.points, outcome.places, outcome.reason) == ((0, 0, 0), (1, 2, 1), "max_plies")
