"""Damspel: positions special to it, and the rules once more, written slowly, as a reference."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.damspel import Damspel, Move, State
from referee.rules import IllegalMoveError, NotationError, OptionError, Outcome

Board = dict[tuple[int, int], str]
"""The reference's position: the man on each square that has one."""


def state_of(*lines: str, turn: int = 0) -> tuple[Damspel, State]:
    """Return a position drawn with the top row first, and its game."""
    game = Damspel(rows=len(lines), cols=len(lines[0]), men_rows=1)
    men = {
        man: sum(
            game._bit(row, column)
            for row, line in enumerate(reversed(lines))
            for column, square in enumerate(line)
            if square == man
        )
        for man in "WZ"
    }
    return game, State(men["W"], men["Z"], turn)


def played(game: Damspel, state: State, *moves: str) -> State:
    for move in moves:
        state = game.apply(state, game.parse(move))
    return state


def legal(game: Damspel, state: State) -> set[str]:
    moves = [game.notation(move) for move in game.legal(state)]
    assert len(moves) == len(set(moves))
    return set(moves)


def board_of(game: Damspel, state: State) -> Board:
    return {
        (row, column): man
        for row, line in enumerate(reversed(squares_of(game, state)))
        for column, man in enumerate(line)
        if man != "."
    }


def squares_of(game: Damspel, state: State) -> list[str]:
    """Return the squares of the diagram, the top row first."""
    above, left, _ = game.margins
    return [line[left + 2 :: 3] for line in game.diagram(state).splitlines()[above:]]


def reference_moves(game: Damspel, board: Board, turn: int) -> dict[Move, Board]:
    """Every legal move with the board after it, found man by man in a random order."""
    own = "WZ"[turn]
    forward = (1, -1)[turn]
    slides: dict[Move, Board] = {}
    captures: dict[Move, Board] = {}

    def is_empty(square: tuple[int, int]) -> bool:
        row, column = square
        return row in range(game.rows) and column in range(game.cols) and square not in board

    for (row, column), man in board.items():
        if man != own:
            continue
        rest = {square: other for square, other in board.items() if square != (row, column)}
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                near = (row + down, column + right)
                far = (row + 2 * down, column + 2 * right)
                if down == forward and is_empty(near):
                    slides[Move((row, column), near)] = rest | {near: own}
                if board.get(near, own) != own and is_empty(far):
                    after = rest | {far: own}
                    del after[near]
                    captures[Move((row, column), far)] = after
    return captures or slides


@st.composite
def positions(draw: st.DrawFn) -> tuple[Damspel, State]:
    """Any men on any board, reachable or not; sizes around the limits of the bit layout."""
    rows = draw(st.sampled_from((2, 3, 4, 5, 8)))
    cols = draw(st.sampled_from((2, 3, 6, 7, 8, 9, 15, 16, 26)))
    chance = random.Random(draw(st.integers(0, 2**32)))
    men = draw(st.sampled_from(("WZ..", "WZ", "WWZ.", "WZ" + "." * 12)))
    lines = ["".join(chance.choices(men, k=cols)) for _ in range(rows)]
    return state_of(*lines, turn=chance.randrange(2))


def test_the_board_prints_with_the_coordinates_of_the_notation() -> None:
    game = Damspel(rows=6, cols=7, men_rows=2)

    assert game.diagram(game.start(2, 0)).splitlines() == [
        "      a  b  c  d  e  f  g",
        "   6  .  Z  .  Z  .  Z  .",
        "   5  Z  .  Z  .  Z  .  Z",
        "   4  .  .  .  .  .  .  .",
        "   3  .  .  .  .  .  .  .",
        "   2  .  W  .  W  .  W  .",
        "   1  W  .  W  .  W  .  W",
    ]


def test_the_normal_board_has_twenty_men_a_seat_on_dark_squares() -> None:
    game = Damspel()
    board = board_of(game, game.start(2, 0))

    assert Counter(board.values()) == {"W": 20, "Z": 20}
    assert all((row + column) % 2 == 0 for row, column in board)
    assert board[0, 0] == "W"


def test_the_view_shows_the_top_row_first() -> None:
    game = Damspel(rows=3, cols=3, men_rows=1)
    state = played(game, game.start(2, 0), "a1-a2")

    assert game.view(state, 0) == game.view(state, 1)
    assert game.view(state, 0) == {"turn": 1, "ply": 1, "board": ["Z.Z", "W..", "..W"]}


@pytest.mark.parametrize(("rows", "men_rows"), [(2, 2), (3, 2), (10, 6), (25, 13)])
def test_more_rows_of_men_than_fit_are_refused(rows: int, men_rows: int) -> None:
    with pytest.raises(OptionError, match=f"at most {rows // 2}") as caught:
        Damspel(rows=rows, men_rows=men_rows)

    assert caught.value.option == "men_rows"


@pytest.mark.parametrize("rows", [2, 4, 26])
def test_men_may_fill_all_rows(rows: int) -> None:
    game = Damspel(rows=rows, cols=2, men_rows=rows // 2)

    assert len(board_of(game, game.start(2, 0))) == rows
    assert legal(game, game.start(2, 0))


def test_a_man_slides_forward_straight_or_diagonally() -> None:
    white, state = state_of("Z....", ".....", "..W..", ".....")
    black, other = state_of("....", ".Z..", "....", "...W", turn=1)

    assert legal(white, state) == {"c2-b3", "c2-c3", "c2-d3"}
    assert legal(black, other) == {"b3-a2", "b3-b2", "b3-c2"}


@pytest.mark.parametrize("down", [-1, 0, 1])
@pytest.mark.parametrize("right", [-1, 0, 1])
@pytest.mark.parametrize("turn", [0, 1])
def test_a_man_captures_in_all_eight_directions(down: int, right: int, turn: int) -> None:
    if not (down or right):
        return
    own, enemy = ("WZ", "ZW")[turn]
    lines = [["."] * 5 for _ in range(5)]
    lines[4 - 2][2] = own
    lines[4 - (2 + down)][2 + right] = enemy
    game, state = state_of(*("".join(line) for line in lines), turn=turn)
    move = Move((2, 2), (2 + 2 * down, 2 + 2 * right))

    assert list(game.legal(state)) == [move]
    assert board_of(game, game.apply(state, move)) == {move.to: own}


def test_capturing_is_mandatory_with_a_free_choice() -> None:
    game, state = state_of(".....", ".Z.Z.", "..W..", "...Z.", "W....")

    assert legal(game, state) == {"c3xa5", "c3xe5", "c3xe1"}
    with pytest.raises(IllegalMoveError, match="a capture is possible, so it is mandatory"):
        played(game, state, "a1-a2")


def test_one_capture_is_a_whole_move() -> None:
    game, state = state_of("Z....", "...Z.", ".....", ".Z...", "W....")
    after = played(game, state, "a1xc3")

    assert game.turn(after) == 1
    assert board_of(game, after) == {(2, 2): "W", (3, 3): "Z", (4, 0): "Z"}


def test_a_man_on_the_far_row_captures_sideways_and_backwards() -> None:
    game, state = state_of("W.WZ.", ".Z...", "..Z..", "W....")

    assert legal(game, state) == {"c4xa2", "c4xe4"}


def test_a_man_on_the_far_row_does_not_slide() -> None:
    game, state = state_of("W....", "....Z", "..W..")

    assert legal(game, state) == {"c1-b2", "c1-c2", "c1-d2"}


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (Move((0, 0), (1, 5)), "off the board: rows are 0 to 3, columns 0 to 4"),
        (Move((-1, 0), (0, 0)), "off the board"),
        (Move((2**53, -(2**53)), (0, 0)), "off the board"),
        (Move((0, 1), (1, 1)), "starts at one of the seat's own men"),
        (Move((3, 4), (2, 4)), "starts at one of the seat's own men"),
        (Move((0, 0), (0, 0)), "to an empty square"),
        (Move((0, 0), (1, 1)), "to an empty square"),
        (Move((0, 0), (0, 1)), "slides one square forward"),
        (Move((1, 1), (0, 1)), "slides one square forward"),
        (Move((0, 0), (2, 1)), "slides one square forward"),
        (Move((0, 0), (3, 3)), "slides one square forward"),
        (Move((0, 0), (2, 0)), "jumping over an adjacent enemy man"),
        (Move((0, 0), (2, 2)), "jumping over an adjacent enemy man"),
    ],
)
def test_an_illegal_move_is_refused_with_its_rule(move: Move, rule: str) -> None:
    game, state = state_of("....Z", ".....", ".W...", "W....")

    with pytest.raises(IllegalMoveError, match=rule):
        game.apply(state, move)


def test_a_seat_without_men_has_lost() -> None:
    game, state = state_of("...", ".Z.", "W..")
    after = played(game, state, "a1xc3")

    assert game.outcome(after) == Outcome((1, 0), (1, 2), "no move left")
    assert legal(game, after) == set()
    with pytest.raises(IllegalMoveError, match="the game is over"):
        played(game, after, "c3-c2")


def test_a_blocked_seat_has_lost_with_men_on_the_board() -> None:
    game, state = state_of(".Z.", "WW.", ".WW")
    after = played(game, state, "c1-c2")

    assert legal(game, after) == set()
    assert game.outcome(after) == Outcome((1, 0), (1, 2), "no move left")


def test_black_wins_when_white_cannot_move() -> None:
    game, state = state_of("W...", "...Z", "....", turn=1)

    after = played(game, state, "d2-d1")
    assert game.outcome(after) == Outcome((0, 1), (2, 1), "no move left")


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("moves", [(), ("a1-a2",)])
def test_a_retired_seat_loses_whoever_is_to_move(seat: int, moves: tuple[str, ...]) -> None:
    game = Damspel(rows=4, cols=4, men_rows=1)
    state = game.retire(played(game, game.start(2, 0), *moves), seat)
    outcome = game.outcome(state)

    assert outcome is not None
    assert outcome.points[seat] == 0
    assert outcome.points[1 - seat] == 1
    assert outcome.places[1 - seat] == 1
    assert legal(game, state) == set()
    assert list(game.children(game.position(state))) == []


def test_a_stopped_game_has_no_winner() -> None:
    game = Damspel()

    assert game.adjudicate(game.start(2, 0), "ply limit") == Outcome((0, 0), (1, 1), "ply limit")


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("a1-b2", Move((0, 0), (1, 1))),
        ("c3xa1", Move((2, 2), (0, 0))),
        (" Z26-Y25 ", Move((25, 25), (24, 24))),
        ("a1-c3", Move((0, 0), (2, 2))),
    ],
)
def test_moves_are_read_as_people_write_them(text: str, move: Move) -> None:
    assert Damspel().parse(text) == move


@pytest.mark.parametrize(
    "text", ["", "a1", "a1b2", "a0-a1", "1a-2b", "a1-b2-c3", "\u00e91-b2", "a100-a9", "a1-b\u0662"]
)
def test_text_that_is_not_a_move_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(NotationError, match='like "a3-b4" or "a3xc5"'):
        Damspel().parse(text)


@pytest.mark.parametrize(
    ("rows", "cols", "men_rows", "lines"),
    [(10, 10, 4, (29, 841, 24704)), (6, 7, 2, (13, 169, 2071))],
)
def test_lines_of_play_from_the_start(
    rows: int, cols: int, men_rows: int, lines: tuple[int, ...]
) -> None:
    game = Damspel(rows=rows, cols=cols, men_rows=men_rows)
    states = [game.start(2, 0)]
    for number in lines[:2]:
        states = [game.apply(state, move) for state in states for move in game.legal(state)]
        assert len(states) == number
    assert sum(len(list(game.legal(state))) for state in states) == lines[2]


@settings(max_examples=150, deadline=None)
@given(positions())
def test_any_position_has_the_moves_of_the_reference(position: tuple[Damspel, State]) -> None:
    game, state = position
    moves = list(game.legal(state))
    reference = reference_moves(game, board_of(game, state), state.ply & 1)

    assert len(moves) == len(reference)
    assert set(moves) == set(reference)
    for move in moves:
        assert game.parse(game.notation(move)) == move
        after = game.apply(state, move)
        board = board_of(game, after)
        assert board == reference[move]
        assert (after.ended is None) == bool(reference_moves(game, board, after.ply & 1))


@settings(max_examples=60, deadline=None)
@given(positions(), st.randoms(use_true_random=False))
def test_a_move_is_accepted_exactly_when_the_reference_has_it(
    position: tuple[Damspel, State], chance: random.Random
) -> None:
    game, state = position
    reference = reference_moves(game, board_of(game, state), state.ply & 1)
    for _ in range(200):
        row, column = chance.randrange(-1, game.rows + 1), chance.randrange(-1, game.cols + 1)
        move = Move((row, column), (row + chance.randint(-3, 3), column + chance.randint(-3, 3)))
        try:
            game.apply(state, move)
        except IllegalMoveError:
            assert move not in reference
        else:
            assert move in reference


@settings(max_examples=60, deadline=None)
@given(positions())
def test_children_are_the_positions_after_each_move(position: tuple[Damspel, State]) -> None:
    game, state = position
    after = Counter(game.position(game.apply(state, move)) for move in game.legal(state))

    assert Counter(game.children(game.position(state))) == after


@settings(max_examples=60, deadline=None)
@given(positions())
def test_mirrored_and_turned_boards_are_one_position(position: tuple[Damspel, State]) -> None:
    game, state = position
    turn = state.ply & 1
    lines = squares_of(game, state)
    mirrored = [line[::-1] for line in lines]
    turned = [line.translate(str.maketrans("WZ", "ZW")) for line in reversed(lines)]
    passed = State(state.white, state.black, 1 - turn)

    assert game.position(state_of(*mirrored, turn=turn)[1]) == game.position(state)
    assert game.position(state_of(*turned, turn=1 - turn)[1]) == game.position(state)
    if lines not in (turned, [line[::-1] for line in turned]):
        assert game.position(passed) != game.position(state)


@pytest.mark.parametrize(
    ("rows", "cols", "men_rows"),
    [(m, n, r) for m in (2, 3, 4) for n in (2, 3, 4) for r in range(1, m // 2 + 1)],
)
def test_every_position_that_a_small_board_can_reach_agrees_with_the_reference(
    rows: int, cols: int, men_rows: int
) -> None:
    game = Damspel(rows=rows, cols=cols, men_rows=men_rows)
    layer = {game.start(2, 0)}
    while layer:
        following: set[State] = set()
        for state in layer:
            after = {move: game.apply(state, move) for move in game.legal(state)}
            reference = reference_moves(game, board_of(game, state), state.ply & 1)
            assert {move: board_of(game, state) for move, state in after.items()} == reference
            assert (game.outcome(state) is None) == bool(reference)
            following.update(after.values())
        layer = following


@pytest.mark.parametrize("size", [(10, 10, 4), (5, 9, 2), (26, 26, 1)])
def test_whole_games_agree_with_the_reference(size: tuple[int, int, int]) -> None:
    chance = random.Random(2001)
    game = Damspel(rows=size[0], cols=size[1], men_rows=size[2])
    state = game.start(2, 0)
    board = board_of(game, state)
    while reference := reference_moves(game, board, state.ply & 1):
        assert game.outcome(state) is None
        move = chance.choice(sorted(reference, key=game.notation))
        state, board = game.apply(state, move), reference[move]
        assert board_of(game, state) == board
    loser = state.ply & 1
    outcome = game.outcome(state)
    assert outcome is not None
    assert (outcome.points[loser], outcome.points[1 - loser]) == (0, 1)
