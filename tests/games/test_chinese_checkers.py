"""Chinese Checkers: the board, the moves, passing, the options and how it is all written."""

import random
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.chinese_checkers import ChineseCheckers, Move, State
from referee.rules import IllegalMoveError, NotationError, OptionError
from referee.rules.star import columns, star

Point = tuple[int, int]


def play(game: ChineseCheckers, state: State, *moves: str) -> State:
    for move in moves:
        state = game.apply(state, game.parse(move))
    return state


def men_of(game: ChineseCheckers, state: State) -> list[set[Point]]:
    men: Any = game.view(state, 0)["men"]
    return [{(row, column) for row, column in seat} for seat in men]


def placed(game: ChineseCheckers, men: Sequence[Iterable[Point]]) -> State:
    """A position with these men, seat by seat; men at home are not counted."""
    geometry = star(game.game_size)
    board = bytearray(geometry.empty)
    for seat, points in enumerate(men):
        for point in points:
            board[geometry.cells[point]] = seat + 1
    return game.start(len(men), 0)._replace(board=bytes(board))


def ends(game: ChineseCheckers, state: State) -> set[Point]:
    return {move.to for move in game.legal(state)}


def triangle(size: int, number: int) -> set[Point]:
    geometry = star(size)
    return {geometry.points[cell] for cell in geometry.triangles[number]}


def perft(game: ChineseCheckers, seats: int, depth: int) -> list[int]:
    level: dict[Any, int] = {game.position(game.start(seats, 0)): 1}
    counts = []
    for _ in range(depth):
        after: dict[Any, int] = {}
        for position, ways in level.items():
            for child in game.children(position):
                after[child] = after.get(child, 0) + ways
        level = after
        counts.append(sum(level.values()))
    return counts


def test_the_board_of_size_4_is_the_table_of_the_challenge() -> None:
    ends = "0..0 0..1 -1..1 -1..2 -6..6 -5..6 -5..5 -4..5 -4..4 -4..5 -5..5 -5..6 -6..6 -1..2 -1..1"
    table = [*ends.split(), "0..1", "0..0"]

    rows = [columns(4, row) for row in range(17)]

    assert [f"{row.start}..{row.stop - 1}" for row in rows] == table


@pytest.mark.parametrize("size", range(3, 64, 4))
def test_each_seat_has_4n_minus_2_first_moves(size: int) -> None:
    game = ChineseCheckers(game_size=size)
    start = game.start(6, 0)

    for seat in range(6):
        moves = list(game.legal(start._replace(turn=seat)))
        assert len(set(moves)) == len(moves) == 4 * size - 2


@pytest.mark.parametrize(
    ("size", "seats", "counts"),
    [
        (3, 2, [10, 100, 1720, 29584]),
        (4, 2, [14, 196, 4648]),
        (4, 3, [14, 196, 2744]),
        (3, 6, [10, 101, 1020]),
        (5, 4, [18, 325]),
    ],
)
def test_the_counts_of_move_sequences_are_known(size: int, seats: int, counts: list[int]) -> None:
    assert perft(ChineseCheckers(game_size=size), seats, len(counts)) == counts


def test_positions_reached_in_another_order_are_counted_together() -> None:
    game = ChineseCheckers(game_size=3)
    one = play(game, game.start(2, 0), "2,0>3,0", "10,0>9,0", "2,1>3,1", "10,1>9,1")
    other = play(game, game.start(2, 0), "2,1>3,1", "10,1>9,1", "2,0>3,0", "10,0>9,0")
    later = play(game, one, "3,0>2,0", "9,0>10,0", "2,0>3,0", "10,0>9,0")

    assert game.position(one) == game.position(other)
    assert game.position(one) != game.position(later), "fewer rounds are left"


def test_children_are_the_positions_after_the_legal_moves_and_none_after_the_end() -> None:
    game = ChineseCheckers(game_size=3)
    state = play(game, game.start(3, 0), "2,0>3,0")
    after = [game.position(game.apply(state, move)) for move in game.legal(state)]

    assert list(game.children(game.position(state))) == after
    assert list(game.children(game.retire(game.retire(state, 0), 1))) == []


@pytest.mark.parametrize(
    ("seats", "homes"),
    [
        (2, [0, 3]),
        (3, [0, 2, 4]),
        (4, [0, 1, 3, 4]),
        (5, [0, 1, 2, 3, 4]),
        (6, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_seats_start_at_home_and_play_in_turn(seats: int, homes: list[int]) -> None:
    game = ChineseCheckers(game_size=3)
    state = game.start(seats, 0)

    view = game.view(state, 0)

    assert view == {"turn": 0, "ply": 0, "men": view["men"], "positions": homes}
    assert men_of(game, state) == [triangle(3, home) for home in homes]
    for ply in range(2 * seats):
        assert (game.turn(state), state.ply) == (ply % seats, ply)
        state = game.apply(state, next(game.legal(state)))


def test_positions_place_the_seats_but_the_order_stays() -> None:
    game = ChineseCheckers(game_size=3, positions=(5, 1, 2))
    state = game.start(3, 0)

    assert men_of(game, state) == [triangle(3, 5), triangle(3, 1), triangle(3, 2)]
    assert (state.turn, play(game, state, "3,-2>3,-1").turn) == (0, 1)


@pytest.mark.parametrize("positions", [(), (0,), (0, 0), (0, 6), (-1, 3), (0, 1, 2, 3, 4, 5, 0)])
def test_positions_must_be_different_triangles_of_two_to_six_seats(positions: Any) -> None:
    with pytest.raises(OptionError) as error:
        ChineseCheckers(positions=positions)

    assert error.value.option == "positions"


def test_positions_must_be_as_many_as_the_seats() -> None:
    with pytest.raises(OptionError, match="has 2 triangles, but the match has 3 seats") as error:
        ChineseCheckers(positions=(0, 3)).start(3, 0)

    assert error.value.option == "positions"


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        ("-1,0>3,0", "off the board: rows run from 0 to 12"),
        ("2,0>13,0", "off the board: rows run from 0 to 12"),
        ("2,0>2,2", "the columns of row 2 run from -1 to 1"),
        ("3,0>4,0", "no man of seat 0 is on"),
        ("10,0>9,0", "no man of seat 0 is on"),
        ("1,0>2,0", "ends on an occupied point"),
        ("2,0>4,0", "neither a step nor a chain of jumps"),
        ("1,0>3,0", "neither a step nor a chain of jumps"),
        ("pass 2,0", "passing is allowed only for a seat without a move"),
    ],
)
def test_an_illegal_move_is_refused_with_its_rule(move: str, rule: str) -> None:
    game = ChineseCheckers(game_size=3)

    with pytest.raises(IllegalMoveError, match=rule):
        play(game, game.start(2, 0), move)


any_point = st.tuples(*[st.integers(-(2**53), 2**53) | st.integers(-7, 13)] * 2)


@settings(deadline=None)
@given(any_point, any_point)
def test_any_numbers_are_a_legal_move_or_an_illegal_one(start: Point, end: Point) -> None:
    game = ChineseCheckers(game_size=3)
    state = game.start(2, 0)
    try:
        game.apply(state, Move(start, end))
        is_legal = True
    except IllegalMoveError:
        is_legal = False

    assert is_legal == (Move(start, end) in set(game.legal(state)))


def test_a_move_may_not_end_in_a_neutral_triangle_unless_allowed() -> None:
    beside = [[(3, -1)], [(12, 0)]]
    strict, free = (
        ChineseCheckers(game_size=3),
        ChineseCheckers(game_size=3, neutral_end="allow"),
    )

    with pytest.raises(IllegalMoveError, match="may not end in a neutral triangle"):
        play(strict, placed(strict, beside), "3,-1>3,-2")
    assert (3, -2) in men_of(free, play(free, placed(free, beside), "3,-1>3,-2"))[0]


def test_a_rivals_home_is_neutral_and_the_own_goal_is_not() -> None:
    game = ChineseCheckers(game_size=3)
    state = placed(game, [[(9, 0), (5, -2), (7, 4)], [(12, 0)], [(0, 0)]])

    reached = ends(game, state)

    assert {(10, 0), (10, -1)} <= reached
    assert (8, 4) not in reached
    assert not reached & (triangle(3, 1) | triangle(3, 2) | triangle(3, 4) | triangle(3, 5))


def test_a_chain_may_pass_through_a_neutral_triangle() -> None:
    game = ChineseCheckers(game_size=3)
    into_triangle_5, out_of_it = (4, -3), (3, -2)

    both = placed(game, [[(5, -2)], [into_triangle_5, out_of_it]])
    one = placed(game, [[(5, -2)], [into_triangle_5]])

    assert (3, -3) not in ends(game, both)
    assert (3, -1) in ends(game, both)
    assert (3, -1) not in ends(game, one)
    assert (3, -1) in men_of(game, play(game, both, "5,-2>3,-1"))[0]
    with pytest.raises(IllegalMoveError, match="neutral triangle"):
        play(game, both, "5,-2>3,-3")


def test_a_jump_needs_a_man_right_beside_and_an_empty_point_right_behind() -> None:
    game = ChineseCheckers(game_size=4)
    far = placed(game, [[(8, -2)], [(8, 0)]])
    blocked = placed(game, [[(8, -2)], [(8, -1), (8, 0)]])
    near = placed(game, [[(8, -2)], [(8, -1)]])

    assert (8, 2) not in ends(game, far)
    assert (8, 1) not in ends(game, blocked)
    assert (8, 0) in ends(game, near)


def test_a_chain_may_go_round_but_not_end_where_it_started() -> None:
    game = ChineseCheckers(game_size=4)
    state = placed(game, [[(8, 0)], [(8, 1), (7, 1), (7, 2)]])

    assert {(8, 2), (6, 1)} <= ends(game, state)
    assert (8, 0) not in ends(game, state)
    with pytest.raises(IllegalMoveError, match="passing"):
        play(game, state, "pass 8,0")


def test_a_seat_without_moves_passes_with_any_of_its_men() -> None:
    game = ChineseCheckers(game_size=3)
    rows = [(row, column) for row in (3, 4) for column in columns(3, row)]
    state = placed(game, [triangle(3, 0), rows])

    moves = [game.notation(move) for move in game.legal(state)]

    assert moves == ["pass 0,0", "pass 1,0", "pass 1,1", "pass 2,-1", "pass 2,0", "pass 2,1"]
    after = play(game, state, "pass 1,1")
    assert (after.board, after.turn, after.ply) == (state.board, 1, 1)
    with pytest.raises(IllegalMoveError, match="no man of seat 0"):
        play(game, state, "pass 3,0")
    with pytest.raises(IllegalMoveError, match="neither a step"):
        play(game, state, "2,0>5,0")


@settings(deadline=None)
@given(any_point, any_point)
def test_notation_is_read_back(start: Point, end: Point) -> None:
    game = ChineseCheckers()
    for move in (Move(start, end), Move(start, start)):
        assert game.parse(game.notation(move)) == move


def test_moves_are_written_with_row_and_column() -> None:
    game = ChineseCheckers()

    assert game.notation(Move((4, -6), (5, -5))) == "4,-6>5,-5"
    assert game.notation(Move((4, -6), (4, -6))) == "pass 4,-6"
    assert game.parse(" 4, -6 > 5, -5 ") == Move((4, -6), (5, -5))


@pytest.mark.parametrize("text", ["", "4,-6", "4,-6>5", "a,b>c,d", "pass", "٣,0>4,0", "9" * 5000])
def test_an_invalid_move_text_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(NotationError, match='like "3,0>4,0"'):
        ChineseCheckers().parse(text)


def test_the_diagram_is_a_star() -> None:
    game = ChineseCheckers(game_size=3)

    assert game.diagram(play(game, game.start(3, 0), "2,0>3,0")).splitlines() == [
        "              -4  -2   0   2   4",
        "   0  0..0             0",
        "   1  0..1            0 0",
        "   2  -1..1          0 . 0",
        "   3  -4..5   . . . . 0 . . . . .",
        "   4  -4..4    . . . . . . . . .",
        "   5  -3..4     . . . . . . . .",
        "   6  -3..3      . . . . . . .",
        "   7  -3..4     2 . . . . . . 1",
        "   8  -4..4    2 2 . . . . . 1 1",
        "   9  -4..5   2 2 2 . . . . 1 1 1",
        "  10  -1..1          . . .",
        "  11  0..1            . .",
        "  12  0..0             .",
        "round 1, seat 1 to move",
    ]
    over = game.diagram(game.retire(game.start(2, 0), 0))
    assert over.splitlines()[-1] == "over after 0 rounds: last seat in play"


def test_the_largest_match_ends_at_its_round_limit() -> None:
    game = ChineseCheckers(game_size=63, max_rounds=30)
    chance = random.Random(1)
    state = game.start(6, 0)
    size = len(state.board)

    while game.outcome(state) is None:
        moves = list(islice(game.legal(state), 1 + chance.randrange(200)))
        state = game.apply(state, moves[-1])

    assert (state.ply, state.rounds, len(state.board)) == (180, 30, size)
    assert [len(men) for men in men_of(game, state)] == [2016] * 6
