"""Down-N-Out: its special cases, and its rules in a second implementation."""

import random
from collections import Counter
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.down_n_out import Claims, DownNOut, Move, State
from referee.rules import IllegalMoveError, NotationError

Grid = list[list[int]]


def position(*rows: str) -> tuple[DownNOut, State]:
    """A game in which the board, row 0 first, has just been reached."""
    game = DownNOut(rows=len(rows), cols=len(rows[0]), colors=9)
    margin = bytes(len(rows) + 1)
    columns = (bytes([0, *(int(row[col]) for row in rows)]) for col in range(len(rows[0])))
    state = State(margin + b"".join(columns) + margin)
    assert list(game.picture(state)) == list(rows)
    return game, state


def after(rows: list[str], *moves: str) -> list[str]:
    game, state = position(*rows)
    for move in moves:
        state = game.apply(state, game.parse(move))
    return list(game.picture(state))


def grid_of(game: DownNOut, state: State) -> Grid:
    return [[int(cell) for cell in row] for row in game.picture(state)]


def group_of(grid: Grid, row: int, col: int) -> set[tuple[int, int]]:
    group = {(row, col)}
    grown = True
    while grown:
        around = {
            (r + dr, c + dc) for r, c in group for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))
        }
        found = {
            (r, c)
            for r, c in around - group
            if 0 <= r < len(grid) and 0 <= c < len(grid[0]) and grid[r][c] == grid[row][col]
        }
        group |= found
        grown = bool(found)
    return group


def removed(grid: Grid, group: set[tuple[int, int]]) -> Grid:
    """Empty the cells, then let one cell fall, or one column close up, by one place at a time."""
    height, width = len(grid), len(grid[0])
    grid = [[0 if (r, c) in group else grid[r][c] for c in range(width)] for r in range(height)]
    while loose := [
        (r, c) for r in range(height - 1) for c in range(width) if grid[r][c] and not grid[r + 1][c]
    ]:
        for r, c in loose:
            grid[r][c], grid[r + 1][c] = grid[r + 1][c], grid[r][c]
    steps = [(c, c + 1) for c in range(width // 2 - 1)]
    steps += [(c, c - 1) for c in range(width // 2 + 1, width)]

    def is_empty(col: int) -> bool:
        return not any(row[col] for row in grid)

    while moving := [(c, to) for c, to in steps if not is_empty(c) and is_empty(to)]:
        c, to = moving[0]
        for row in grid:
            row[to], row[c] = row[c], row[to]
    return grid


@given(
    st.integers(1, 7),
    st.integers(1, 9),
    st.integers(2, 4),
    st.integers(0, 2**64 - 1),
    st.randoms(),
)
@settings(max_examples=60, deadline=None)
def test_random_play_agrees_with_the_rules_written_step_by_step(
    rows: int, cols: int, colors: int, seed: int, chance: random.Random
) -> None:
    game = DownNOut(rows=rows, cols=cols, colors=colors)
    state = game.start(1, seed)
    points = 0
    while True:
        grid = grid_of(game, state)
        cells = [(r, c) for r in range(rows) for c in range(cols) if grid[r][c]]
        groups = {cell: group_of(grid, *cell) for cell in cells}
        allowed = [cell for cell in cells if len(groups[cell]) > 1]
        assert [(move.row, move.col) for move in game.legal(state)] == allowed
        assert (game.outcome(state) is not None) == (not allowed)
        if not allowed:
            break
        cell = chance.choice(allowed)
        points += len(groups[cell]) ** 2
        before, move = state, Move(*cell)
        state = game.apply(before, move)
        grid = removed(grid, groups[cell])
        assert grid_of(game, state) == grid
        assert game.claims(before, move, state) == Claims(
            len(groups[cell]), tuple("".join(map(str, row)) for row in grid)
        )
    outcome = game.outcome(state)
    assert outcome is not None
    assert (outcome.points, outcome.places, outcome.reason) == ((points,), (1,), "no group left")


def test_cells_fall_straight_down() -> None:
    assert after(["3121", "2111", "1232"], "1,1") == ["3000", "2020", "1232"]


@pytest.mark.parametrize(
    ("before", "move", "left"),
    [
        # the line is in the middle: both halves close on it
        (["123321", "213312"], "0,2", ["012210", "021120"]),
        # odd width: the middle column is the first of the right part
        (["34167", "35176"], "1,2", ["34670", "35760"]),
        (["31467", "31576"], "1,1", ["03467", "03576"]),
        # nothing crosses the line, however empty the other half is
        (["1134", "1156"], "0,0", ["0034", "0056"]),
        (["3411", "5611"], "1,3", ["3400", "5600"]),
        # two columns go at once, on one half and on both
        (["211113", "451156"], "0,2", ["020030", "045560"]),
        (["2111113", "2411156"], "0,2", ["0200300", "0245600"]),
        (["1112345", "1213454"], "0,0", ["0002345", "0023454"]),
        (["1", "1"], "0,0", ["0", "0"]),
        (["11"], "0,1", ["00"]),
    ],
)
def test_columns_close_towards_the_centre(before: list[str], move: str, left: list[str]) -> None:
    assert after(before, move) == left


def test_a_group_that_falls_together_stays() -> None:
    game, state = position("2131", "3121", "3311")
    state = game.apply(state, Move(0, 1))

    assert state.points == 4
    assert list(game.picture(state)) == ["2031", "3021", "3311"]


@pytest.mark.parametrize("cell", ["0,0", "1,0", "1,1", "1,2"])
def test_each_cell_of_a_group_is_the_same_move(cell: str) -> None:
    assert after(["122", "111", "333"], cell) == ["000", "022", "333"]


def test_a_group_scores_the_square_of_its_size() -> None:
    game, state = position("12", "12", "13")
    state = game.apply(state, Move(2, 0))
    assert state.points == 9
    state = game.apply(state, Move(0, 1))

    outcome = game.outcome(state)
    assert outcome is not None
    assert outcome.points == (13,)


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (Move(0, 0), "the cell is empty"),
        (Move(1, 0), "no neighbour of the same colour"),
        (Move(0, 2), "no neighbour of the same colour"),  # a neighbour by the corner only
        (Move(3, 0), "off the board: row 0 to 2, col 0 to 2"),
        (Move(0, 3), "off the board"),
        (Move(-1, 0), "off the board"),
        (Move(0, -(2**53)), "off the board"),
    ],
)
def test_an_illegal_cell_is_refused_with_its_rule(move: Move, rule: str) -> None:
    game, state = position("003", "131", "211")

    assert move not in game.legal(state)
    with pytest.raises(IllegalMoveError, match=rule):
        game.apply(state, move)


def test_neighbours_do_not_reach_round_the_edge() -> None:
    game, state = position("21", "32", "13")

    assert list(game.legal(state)) == []


def test_no_move_is_legal_once_no_group_is_left() -> None:
    game, state = position("11", "23")
    state = game.apply(state, Move(0, 0))

    with pytest.raises(IllegalMoveError, match="the game is over"):
        game.apply(state, Move(1, 0))


def test_a_board_without_groups_is_over_at_the_start() -> None:
    game = DownNOut(rows=1, cols=1)
    state = game.start(1, 0)
    outcome = game.outcome(state)

    assert outcome is not None
    assert outcome.points == (0,)
    assert list(game.legal(state)) == []


def test_the_points_so_far_stand_when_the_player_is_done() -> None:
    game, state = position("112", "332")
    state = game.apply(state, Move(0, 0))
    outcome = game.adjudicate(state, "the bot was done")

    assert (outcome.points, outcome.places, outcome.reason) == ((4,), (1,), "the bot was done")


def test_a_retired_player_keeps_the_points_and_is_marked_incorrect() -> None:
    game, state = position("112", "332")
    state = game.retire(game.apply(state, Move(0, 0)), 0)
    outcome = game.outcome(state)

    assert outcome is not None
    assert (outcome.points, outcome.places) == ((4,), (1,))
    assert "incorrect" in outcome.reason
    assert list(game.legal(state)) == []
    assert list(game.children(game.position(state))) == []


@pytest.mark.parametrize(
    ("rows", "cols", "colors", "counts"),
    [
        (10, 30, 3, [100, 100, 100]),
        (3, 7, 4, [6, 5, 5, 5]),
        (5, 5, 3, [9, 8, 8]),
        (2, 4, 9, [1, 1, 1, 1, 1, 1, 1, 1]),
        (100, 100, 9, [1112, *[1111] * 8]),
    ],
)
def test_the_lower_colours_have_the_extra_cells(
    rows: int, cols: int, colors: int, counts: list[int]
) -> None:
    game = DownNOut(rows=rows, cols=cols, colors=colors)
    picture = game.picture(game.start(1, 11))

    assert [len(row) for row in picture] == [cols] * rows
    cells = Counter("".join(picture))
    assert [cells[str(colour)] for colour in range(1, len(counts) + 1)] == counts
    assert sum(cells.values()) == sum(counts)


def test_the_board_comes_from_the_seed_and_every_cell_gets_its_share_of_each_colour() -> None:
    game = DownNOut(rows=2, cols=3, colors=2)
    boards = ["".join(game.picture(game.start(1, seed))) for seed in range(600)]

    assert boards[5] == "".join(game.picture(game.start(1, 5)))
    shares = [sum(board[cell] == "1" for board in boards) for cell in range(6)]
    assert all(250 <= share <= 350 for share in shares)  # 300 expected, deviation 12
    assert len(set(boards)) == 20  # all arrangements of three and three


def test_the_view_shows_board_and_points_and_no_more() -> None:
    game, state = position("112", "332")
    state = game.apply(state, Move(0, 0))

    assert game.view(state, 0) == {"turn": 0, "ply": 1, "board": ["002", "332"], "points": 4}


def plies_with_display(game: DownNOut, seed: int) -> list[int]:
    state = game.start(1, seed)
    plies = []
    while not state.ended:
        if game.is_display_due(state):
            plies.append(state.ply)
        state = game.apply(state, next(game.legal(state)))
    return plies


def test_no_display_is_asked_for_by_default() -> None:
    assert plies_with_display(DownNOut(), 1) == []


def test_displays_are_due_after_init_and_at_plies_from_the_seed() -> None:
    game = DownNOut(display="check")
    found = [plies_with_display(game, seed) for seed in range(10)]

    assert found[3] == plies_with_display(game, 3)
    assert all(plies[0] == 0 for plies in found)
    assert len(set(map(tuple, found))) == 10
    # some 85 plies, each with a chance of one in eight
    assert 7 <= mean(map(len, found)) <= 16


def test_in_half_of_the_draws_a_display_is_due_after_the_last_move() -> None:
    game = DownNOut(rows=3, cols=4, display="check")

    def ended(seed: int) -> bool:
        state = game.start(1, seed)
        while not state.ended:
            state = game.apply(state, next(game.legal(state)))
        return game.is_display_due(state)

    assert 70 <= sum(map(ended, range(200))) <= 130
    assert ended(3) == ended(3)


def test_no_display_is_due_from_a_player_that_has_retired() -> None:
    game = DownNOut(display="check")
    state = game.start(1, 1)

    assert game.is_display_due(state)
    assert not game.is_display_due(game.retire(state, 0))


def test_the_board_is_the_same_with_and_without_displays() -> None:
    assert DownNOut(display="check").start(1, 5).board == DownNOut().start(1, 5).board


def test_children_are_the_boards_after_the_legal_moves_and_nothing_once_over() -> None:
    game = DownNOut(rows=3, cols=4, colors=2)
    state = game.start(1, 2)
    while not game.outcome(state):
        after = [game.apply(state, move) for move in game.legal(state)]
        assert list(game.children(game.position(state))) == [game.position(s) for s in after]
        state = after[len(after) // 2]
    assert list(game.children(game.position(state))) == []


def points_of(seed: int, *, is_planning: bool) -> int:
    """Play random cells; if planning, those of colour 1 only as a last choice."""
    game = DownNOut()
    chance = random.Random(seed)
    state = game.start(1, seed)
    while not state.ended:
        moves = list(game.legal(state))
        if is_planning:
            picture = game.picture(state)
            moves = [move for move in moves if picture[move.row][move.col] != "1"] or moves
        state = game.apply(state, chance.choice(moves))
    return state.points


def test_naive_play_scores_as_the_authors_did() -> None:
    points = [points_of(seed, is_planning=False) for seed in range(30)]

    assert 2600 <= mean(points) <= 3300
    assert all(1500 <= total <= 5500 for total in points)


def test_keeping_one_colour_for_last_scores_far_more_than_naive_play() -> None:
    assert 6000 <= mean(points_of(seed, is_planning=True) for seed in range(30)) <= 9000


def test_taking_the_first_group_from_the_top_scores_less_than_taking_any() -> None:
    game = DownNOut()
    points = []
    for seed in range(20):
        state = game.start(1, seed)
        while not state.ended:
            state = game.apply(state, next(game.legal(state)))
        points.append(state.points)

    assert 1700 <= mean(points) <= 2500


@given(st.builds(Move, st.integers(-(2**53), 2**53), st.integers(-(2**53), 2**53)))
def test_every_move_reads_back_as_it_was_written(move: Move) -> None:
    game = DownNOut()

    assert game.parse(game.notation(move)) == move


@pytest.mark.parametrize("text", ["", "9", "9;14", "9,", "9,14,2", "a,b", "1.0,2", "\u0661,2"])
def test_an_invalid_cell_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(NotationError, match="9,14"):
        DownNOut().parse(text)


def test_the_diagram_has_a_line_a_row_and_the_points() -> None:
    game, state = position("112", "332")

    assert game.diagram(game.apply(state, Move(0, 0))).splitlines() == [
        "     0   2",
        "   0 . . 2",
        "   1 3 3 2",
        "points: 4",
    ]
