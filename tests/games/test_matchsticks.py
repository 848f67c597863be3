"""Matchsticks: its special cases, and its rules in a second implementation."""

import random
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.matchsticks import Claims, Matchsticks, Move, State
from referee.rules import IllegalMoveError, NotationError, OptionError

NORMAL = "normal"
MISERE = "misere"

Cells = frozenset[tuple[int, int]]


def game_on(*rows: str, objectives: str = NORMAL) -> Matchsticks:
    return Matchsticks(dimension=len(rows), board=rows, objectives=objectives)  # type: ignore[arg-type]


def full(size: int, objectives: str = NORMAL) -> Matchsticks:
    return game_on(*["1" * size] * size, objectives=objectives)


def play(game: Matchsticks, *moves: str) -> State:
    state = game.start(2, 0)
    for move in moves:
        state = game.apply(state, game.parse(move))
    return state


def rows_of(game: Matchsticks, state: State) -> list[str]:
    board = game.view(state, 0)["board"]
    assert isinstance(board, list)
    return board


def present(game: Matchsticks, state: State) -> Cells:
    rows = rows_of(game, state)
    return frozenset(
        (row, column)
        for row, text in enumerate(rows)
        for column, cell in enumerate(text)
        if cell == "1"
    )


def distinct_runs(cells: Cells) -> set[Cells]:
    """Every set of cells that a move may remove: two cells in line and all between them present."""
    runs = {frozenset([cell]) for cell in cells}
    for (row, column), (other_row, other_column) in combinations(sorted(cells), 2):
        if row == other_row:
            run = frozenset((row, number) for number in range(column, other_column + 1))
        elif column == other_column:
            run = frozenset((number, column) for number in range(row, other_row + 1))
        else:
            continue
        if run <= cells:
            runs.add(run)
    return runs


def cells_named(move: Move) -> Cells:
    low, high = min(move.start, move.end), max(move.start, move.end)
    along = range(low, high + 1)
    return frozenset((move.line, at) if move.row else (at, move.line) for at in along)


@cache
def is_won(cells: Cells, *, last_loses: bool) -> bool:
    """Whether the player to move wins with perfect play."""
    if not cells:
        return last_loses
    return any(not is_won(cells - run, last_loses=last_loses) for run in distinct_runs(cells))


def is_won_by_rules(game: Matchsticks, start: bytes, *, last_loses: bool) -> bool:
    @cache
    def is_won_from(position: bytes) -> bool:
        if not position:
            return last_loses
        return any(not is_won_from(child) for child in game.children(position))

    return is_won_from(start)


@pytest.mark.parametrize("objectives", [NORMAL, MISERE])
@pytest.mark.parametrize(("size", "first_wins"), [(2, False), (3, True)])
def test_perfect_play_from_a_full_board(*, size: int, first_wins: bool, objectives: str) -> None:
    last_loses = objectives == MISERE
    game = full(size, objectives)
    start = game.start(2, 0)

    assert is_won(present(game, start), last_loses=last_loses) is first_wins
    assert is_won_by_rules(game, game.position(start), last_loses=last_loses) is first_wins


@pytest.mark.parametrize("last_loses", [False, True])
def test_the_second_player_wins_on_a_full_board_of_4_by_4(*, last_loses: bool) -> None:
    game = full(4)
    start = game.position(game.start(2, 0))

    assert not is_won_by_rules(game, start, last_loses=last_loses)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13])
def test_a_full_board_has_as_many_moves_as_the_cube_of_its_size(size: int) -> None:
    game = full(size)
    moves = list(game.legal(game.start(2, 0)))

    assert len(moves) == size**3
    assert len({cells_named(move) for move in moves}) == size**3


@given(st.integers(1, 6), st.floats(0, 0.7), st.integers(0, 2**64 - 1), st.randoms())
@settings(max_examples=40, deadline=None)
def test_random_play_agrees_with_the_rules_written_as_sets(
    size: int, fraction: float, seed: int, chance: random.Random
) -> None:
    if size == 1:
        fraction = 0.0
    objectives = chance.choice([NORMAL, MISERE])
    game = Matchsticks(dimension=size, hole_fraction=fraction, objectives=objectives)  # type: ignore[arg-type]
    state = game.start(2, seed)
    cells = present(game, state)
    taker = 1
    while cells:
        assert game.outcome(state) is None
        moves = list(game.legal(state))
        assert {cells_named(move) for move in moves} == distinct_runs(cells)
        assert len(moves) == len(distinct_runs(cells))
        taker = game.turn(state)
        move = chance.choice(moves)
        cells -= cells_named(move)
        state = game.apply(state, move)
        assert present(game, state) == cells

    assert list(game.legal(state)) == []
    outcome = game.outcome(state)
    assert outcome is not None
    winner = taker if objectives == NORMAL else 1 - taker
    assert outcome.points[winner] == size * size
    assert outcome.points[1 - winner] == 0
    assert outcome.places[winner] < outcome.places[1 - winner]


@given(st.builds(Move, st.booleans(), *[st.integers(-2, 5)] * 3))
def test_exactly_the_runs_of_present_matchsticks_are_legal(move: Move) -> None:
    game = game_on("1101", "0111", "1111", "1010")
    state = game.start(2, 0)
    if cells_named(move) <= present(game, state):
        after = game.apply(state, move)
        assert present(game, after) == present(game, state) - cells_named(move)
    else:
        with pytest.raises(IllegalMoveError):
            game.apply(state, move)


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        ("r0:0-2", "a matchstick must be present in every cell of the run"),
        ("c1:0", "a matchstick must be present in every cell of the run"),
        ("r3:0", "off the board: line, start and end run from 0 to 2"),
        ("r-1:0", "off the board"),
        ("c0:-1-0", "off the board"),
        (f"c0:0-{2**53}", "off the board"),
    ],
)
def test_an_illegal_move_is_refused_with_its_rule(move: str, rule: str) -> None:
    game = game_on("101", "111", "111")

    with pytest.raises(IllegalMoveError, match=rule):
        play(game, move)


def test_a_hole_that_play_made_may_not_be_reached_across() -> None:
    game = full(3)
    state = play(game, "r1:1")

    with pytest.raises(IllegalMoveError):
        game.apply(state, game.parse("c1:0-2"))


def test_no_move_is_legal_after_the_last_matchstick() -> None:
    game = game_on("10", "00")

    with pytest.raises(IllegalMoveError, match="the game is over"):
        game.apply(play(game, "r0:0"), game.parse("r0:0"))


@pytest.mark.parametrize("same", ["r1:2", "r1:2-2", "c2:1", "c2:1-1"])
def test_a_single_matchstick_may_be_named_by_row_or_column(same: str) -> None:
    game = full(3)

    assert play(game, same) == play(game, "r1:2")


def test_an_end_before_the_start_is_the_same_run() -> None:
    game = full(4)

    assert play(game, "c1:3-1", "r0:2-0") == play(game, "c1:1-3", "r0:0-2")
    assert rows_of(game, play(game, "c1:3-1", "r0:2-0")) == ["0001", "1011", "1011", "1011"]


@pytest.mark.parametrize(("objectives", "winner"), [(NORMAL, 1), ("both", 1), (MISERE, 0)])
def test_the_last_matchstick_decides(objectives: str, winner: int) -> None:
    game = game_on("110", "000", "000", objectives=objectives)
    outcome = game.outcome(play(game, "r0:0", "r0:1"))

    assert outcome is not None
    assert outcome.points == ((9, 0) if winner == 0 else (0, 9))
    assert outcome.places == ((1, 2) if winner == 0 else (2, 1))
    assert "last matchstick" in outcome.reason


def test_both_objectives_are_played_on_each_board() -> None:
    game = Matchsticks(dimension=5)

    assert [(label, variant.objectives) for label, variant in game.variants()] == [
        (NORMAL, NORMAL),
        (MISERE, MISERE),
    ]
    assert len({variant.start(2, 7) for _, variant in game.variants()}) == 1


def test_a_single_objective_is_a_single_game() -> None:
    game = Matchsticks(objectives="misere")

    assert game.variants() == (("", game),)


@pytest.mark.parametrize(
    ("dimension", "fraction", "holes"),
    [
        (8, 0.1, 6),  # 6.4
        (5, 0.1, 3),  # 2.5: a half goes up
        (10, 0.145, 15),  # 14.5, though the float lies below
        (1, 0.1, 0),
        (64, 0.5, 2048),
        (7, 0.0, 0),
    ],
)
def test_the_number_of_holes_is_rounded_half_up(
    dimension: int, fraction: float, holes: int
) -> None:
    game = Matchsticks(dimension=dimension, hole_fraction=fraction)

    assert game.start(2, 3).board.count(0) == holes


def test_the_holes_come_from_the_seed_and_every_cell_gets_its_share() -> None:
    game = Matchsticks(dimension=4, hole_fraction=0.25)
    boards = [game.start(2, seed).board for seed in range(800)]

    assert boards[5] == game.start(2, 5).board
    shares = [sum(board[cell] == 0 for board in boards) for cell in range(16)]
    assert sum(shares) == 3200
    assert all(140 <= share <= 260 for share in shares)  # 200 expected, deviation 12


def test_a_given_board_replaces_the_holes() -> None:
    game = game_on("10", "01")

    assert game.view(game.start(2, 99), 1) == {"turn": 0, "ply": 0, "board": ["10", "01"]}


@pytest.mark.parametrize(
    ("dimension", "board", "sentence"),
    [
        (2, ("00", "00"), "has no matchstick"),
        (2, ("12", "00"), "neither 0 .* nor 1"),
        (2, ("1\u0661", "11"), "neither 0 .* nor 1"),
        (2, ("11",), "must be 2 rows of 2 digits"),
        (2, ("11", "111"), "must be 2 rows of 2 digits"),
        (3, ("11", "11"), "must be 3 rows of 3 digits"),
        (1, (), "must be 1 rows of 1 digits"),
    ],
)
def test_an_invalid_board_is_refused(dimension: int, board: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence) as caught:
        Matchsticks(dimension=dimension, board=board)

    assert caught.value.option == "board"


def test_holes_that_leave_no_matchstick_are_refused() -> None:
    with pytest.raises(OptionError, match="leaves no matchstick") as caught:
        Matchsticks(dimension=2, hole_fraction=0.9)

    assert caught.value.option == "hole_fraction"


@pytest.mark.parametrize("moves", [(), ("r0:0",)])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_retired_seat_loses_whoever_is_to_move(seat: int, moves: tuple[str, ...]) -> None:
    game = full(3)
    state = game.retire(play(game, *moves), seat)
    outcome = game.outcome(state)

    assert outcome is not None
    assert outcome.points == ((0, 9) if seat == 0 else (9, 0))
    assert outcome.places == ((2, 1) if seat == 0 else (1, 2))
    assert list(game.legal(state)) == []
    assert list(game.children(game.position(state))) == []


def test_a_stopped_match_is_drawn_without_points() -> None:
    game = full(3)
    outcome = game.adjudicate(play(game, "r0:0"), "ply limit")

    assert (outcome.points, outcome.places, outcome.reason) == ((0, 0), (1, 1), "ply limit")


def test_the_true_claim_is_the_board_after_the_move() -> None:
    game = full(2)
    before = game.start(2, 0)
    move = game.parse("c0:0-1")

    assert game.claims(before, move, game.apply(before, move)) == Claims(("01", "01"))


@given(st.builds(Move, st.booleans(), *[st.integers(-(2**53), 2**53)] * 3))
def test_every_move_reads_back_as_it_was_written(move: Move) -> None:
    game = Matchsticks()

    assert game.parse(game.notation(move)) == move


@pytest.mark.parametrize(
    "text", ["", "r", "r3", "3:2-5", "d3:2", "r3:2-", "r3:2-5-7", "r3,2", "r²:1"]
)
def test_an_invalid_run_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(NotationError, match="r3:2-5"):
        Matchsticks().parse(text)


def test_children_are_the_boards_after_the_legal_moves_and_nothing_after_the_last() -> None:
    game = Matchsticks(dimension=4)
    state = game.start(2, 5)
    while not game.outcome(state):
        after = [game.apply(state, move) for move in game.legal(state)]
        assert list(game.children(game.position(state))) == [game.position(s) for s in after]
        state = after[len(after) // 2]
    assert list(game.children(game.position(state))) == []


def test_the_diagram_has_a_line_a_row() -> None:
    game = game_on("10", "01")

    assert game.diagram(game.start(2, 0)).splitlines() == [
        "      0  1",
        "   0  |  .",
        "   1  .  |",
    ]
