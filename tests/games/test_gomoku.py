"""Gomoku: rows of five, the forbidden moves of renju and the choices of swap2."""

from typing import Any

import pytest

from referee.games.gomoku import Gomoku, Move, State
from referee.rules import IllegalMoveError, NotationError


def played(game: Gomoku, moves: str) -> State:
    state = game.start(2, 0)
    for text in moves.split():
        state = game.apply(state, game.parse(text))
    return state


def position(drawing: str, *, size: int = 15, to_move: int = 0) -> State:
    """Return a position from a drawing whose first character is the top left corner."""
    board = bytearray(size * size)
    for row, line in enumerate(drawing.split()):
        for column, stone in enumerate(line):
            board[row * size + column] = ".XO".index(stone.upper()) if stone in ".XOxo" else 0
    return State(bytes(board), ply=20 + to_move, turn=to_move)


def marked(drawing: str) -> Move:
    """Return the point with the star of a drawing."""
    row, line = next((row, line) for row, line in enumerate(drawing.split()) if "*" in line)
    return Move(f"{'abcdefghijklmno'[line.index('*')]}{15 - row}")


@pytest.mark.parametrize(
    ("rule", "row", "places"),
    [
        ("freestyle", "XXXX*..........", (1, 2)),
        ("freestyle", "XXX*XX.........", (1, 2)),
        ("exact", "XXXX*..........", (1, 2)),
        ("exact", "XXX*XX.........", None),
        ("renju", "XXXX*..........", (1, 2)),
        ("freestyle", "XXX*...........", None),
        ("freestyle", "XXXXO*X........", None),
    ],
)
def test_a_row_wins_as_the_rule_says(rule: Any, row: str, places: Any) -> None:
    after = Gomoku(rule=rule).apply(position(row), marked(row))

    assert (after.ended and after.ended.places) == places
    if after.ended:
        assert after.ended.reason == "five in a row"
        assert after.ended.points == (2, 0)
        stones = sum(mark in "X*" for mark in row)
        assert Gomoku().decisive(after, marked(row)) == tuple(range(stones))


@pytest.mark.parametrize(
    ("rule", "places"), [("freestyle", (2, 1)), ("exact", None), ("renju", (2, 1))]
)
def test_white_wins_with_six_unless_five_must_be_exact(rule: Any, places: Any) -> None:
    row = "OOO*OO........."
    after = Gomoku(rule=rule).apply(position(row, to_move=1), marked(row))

    assert (after.ended and after.ended.places) == places


def test_the_seats_alternate_and_keep_their_stones() -> None:
    game = Gomoku(size=5)
    state = played(game, "a1 b1 a2 b2 a3 b3 a4 b4")

    view = game.view(state, 0)
    assert (view["board"], view["turn"], view["black"]) == ([".....", *["XO..."] * 4], 0, 0)
    ended = game.apply(state, Move("a5")).ended
    assert ended is not None
    assert ended.points == (2, 0)


def test_rows_do_not_run_around_the_edge_and_count_in_four_directions() -> None:
    around = "............XXX *X.............."
    assert Gomoku().apply(position(around), marked(around)).ended is None
    for drawing in (
        "X.... X.... *.... X.... X....",
        "X.... .X... ..*.. ...X. ....X",
        "....X ...X. ..*.. .X... X....",
    ):
        assert Gomoku().apply(position(drawing), marked(drawing)).ended is not None


FORBIDDEN = {
    "overline": ("an overline", "XXX*XX........."),
    "two open threes": (
        "a double three",
        """
        .......
        .......
        .......
        ..XX*..
        ....X..
        ....X..
        .......
        .......
        """,
    ),
    "two fours": ("a double four", "....... XXX*... ...X... ...X... ...X... ......."),
    "two fours in one line": ("a double four", ".X.X*X.X......."),
    "two broken fours in one line": ("a double four", ".XX.*X.XX......"),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_black_must_not_make(name: str) -> None:
    made, drawing = FORBIDDEN[name]
    game = Gomoku(rule="renju")
    state, move = position(drawing), marked(drawing)

    with pytest.raises(IllegalMoveError, match=f"Black must not make {made}"):
        game.apply(state, move)
    assert move not in set(game.legal(state))
    assert Gomoku(rule="exact").apply(state, move).ply == state.ply + 1


ALLOWED = {
    "a four and a three": """
        .......
        .......
        ....X..
        ....X..
        .XXX*..
        .......
        .......
        .......
        """,
    "five and an overline at once": """
        XXX*XX.........
        ...X...........
        ...X...........
        ...X...........
        ...X...........
        """,
    "five with a double four": """
        .....O.........
        .XXXX*.........
        .....X.........
        .....X.........
        .....X.........
        """,
    "a three that is blocked at one end": """
        .......
        .......
        .......
        .OXX*..
        ....X..
        ....X..
        .......
        .......
        """,
    "a three beside the edge": """
        .XX*...
        ...X...
        ...X...
        .......
        """,
}


@pytest.mark.parametrize("name", ALLOWED)
def test_black_may_make(name: str) -> None:
    drawing = ALLOWED[name]
    game = Gomoku(rule="renju")
    state, move = position(drawing), marked(drawing)

    assert game.apply(state, move).ply == state.ply + 1
    assert move in set(game.legal(state))


def test_white_may_make_what_black_must_not() -> None:
    _, drawing = FORBIDDEN["two open threes"]
    state = position(drawing.replace("X", "O"), to_move=1)

    assert Gomoku(rule="renju").apply(state, marked(drawing)).ply == 22


def test_a_three_counts_only_if_an_allowed_stone_makes_it_a_straight_four() -> None:
    # Both stones that would make a straight four of the row make six in their columns.
    drawing = """
        ...............
        .....X...X.....
        .....X...X.....
        .....X...X.....
        ......X*X......
        .....X.X.X.....
        .....X.X.X.....
        ...............
        """
    game = Gomoku(rule="renju")
    state, move = position(drawing), marked(drawing)
    bare = position(drawing.replace("X...X", ".....").replace("X.X.X", "..X.."))

    assert game.apply(state, move).ply == state.ply + 1
    with pytest.raises(IllegalMoveError, match="double three"):
        game.apply(bare, move)


# Small positions in which the verdict depends on double threes of the stones that make straight
# fours; in the second one also on those of the stones after them.
NESTED = [
    (
        False,
        """
        ...............
        ...............
        ...............
        ........X......
        ...........X...
        ........X......
        .......X.*.X...
        ........X.X....
        ..........X....
        """,
    ),
    (
        True,
        """
        ...............
        ...............
        ...............
        ...............
        ...............
        ....X..........
        .........X.....
        ....X.XXX......
        .....*.........
        ....XX.........
        .......X.......
        """,
    ),
]


@pytest.mark.parametrize(("is_allowed", "drawing"), NESTED)
def test_forbidden_stones_on_the_way_to_straight_fours_are_judged_like_the_first(
    is_allowed: Any, drawing: str
) -> None:
    state, move = position(drawing), marked(drawing)

    assert (move in set(Gomoku(rule="renju").legal(state))) == is_allowed


def test_five_of_black_wins_although_the_stone_would_be_forbidden() -> None:
    drawing = "XXXX*.......... ....X.......... ....X.......... ....X.........."

    after = Gomoku(rule="renju").apply(position(drawing), marked(drawing))

    assert after.ended is not None
    assert after.ended.places == (1, 2)


def test_a_full_board_is_a_draw() -> None:
    game = Gomoku(size=5)
    drawing = "XXOXX OOXOO XXOXX OOXOO XXOX*"
    state = position(drawing, size=5)
    after = game.apply(state, Move("e1"))

    assert after.ended is not None
    assert (after.ended.reason, after.ended.points, after.ended.places) == (
        "full board",
        (1, 1),
        (1, 1),
    )


def test_renju_is_drawn_when_black_may_play_nowhere() -> None:
    # The only other empty point would be an overline.
    drawing = "XXX.XX OOXOOX XXOXXO OOXOOX XXOXXO OOXOO*"
    game = Gomoku(size=6, rule="renju")
    state = position(drawing, size=6, to_move=1)

    after = game.apply(state, Move("f1"))

    assert after.ended is not None
    assert after.ended.reason == "no point is left that Black may play"
    assert list(game.legal(after)) == []


def test_the_second_player_of_swap2_takes_white_with_a_stone() -> None:
    game = Gomoku(opening="swap2")
    state = played(game, "h8 i9 a1")

    assert (state.turn, game.view(state, 0)["choices"]) == (1, ["swap", "two"])
    after = game.apply(state, Move("c3"))
    assert (after.turn, after.black, after.board.count(1), after.board.count(2)) == (0, 0, 2, 2)
    assert game.view(after, 0)["choices"] == []


def test_a_swap_gives_the_second_player_the_black_stones() -> None:
    game = Gomoku(opening="swap2")
    state = played(game, "h8 i9 a1 swap")

    assert (state.turn, state.black, state.board.count(1), state.board.count(2)) == (0, 1, 1, 2)
    after = game.apply(state, Move("c3"))  # White's, by the first player
    assert (after.turn, after.board.count(1)) == (1, 2)
    assert game.caption(after) == "Black: O (seat 1)"


@pytest.mark.parametrize(("answer", "turn", "black", "own"), [("c3", 1, 1, 3), ("swap", 1, 0, 3)])
def test_two_more_stones_leave_the_choice_to_the_first_player(
    answer: str, turn: int, black: int, own: int
) -> None:
    game = Gomoku(opening="swap2")
    state = played(game, "h8 i9 a1 two b2 o15")

    assert (state.turn, game.view(state, 0)["choices"]) == (0, ["swap"])
    with pytest.raises(IllegalMoveError, match="not a choice here"):
        game.apply(state, Move("two"))
    after = game.apply(state, Move(answer))
    assert (after.turn, after.black, after.board.count(1)) == (turn, black, own)


def test_each_step_of_swap2_is_explained() -> None:
    game = Gomoku(opening="swap2")
    moves = ["h8", "i9", "a1", "two", "b2", "o15", "swap", "c3"]

    tasks = [game.task(played(game, " ".join(moves[:count]))) for count in range(len(moves))]
    assert tasks == [
        "place a black stone; 2 more to follow",
        "place a white stone; 1 more to follow",
        "place a black stone; then the other player chooses",
        "place a white stone to keep White, or choose swap or two",
        "place a white stone; 1 more to follow",
        "place a black stone; then the other player chooses",
        "place a white stone to keep White, or choose swap",
        "",
    ]
    assert game.meaning(game.start(2, 0), Move("swap")).startswith("swap: take Black")
    assert game.meaning(game.start(2, 0), Move("two")).startswith("two: place a white and a black")
    assert game.meaning(game.start(2, 0), Move("h8")) == ""


def test_nothing_is_chosen_outside_of_swap2() -> None:
    game = Gomoku()

    for word in ("swap", "two"):
        with pytest.raises(IllegalMoveError, match="nothing to choose"):
            game.apply(game.start(2, 0), Move(word))
    with pytest.raises(IllegalMoveError, match="nothing to choose"):
        game.apply(played(Gomoku(opening="swap2"), "h8 i9"), Move("swap"))


@pytest.mark.parametrize(
    "at", ["p1", "a16", "H8", "h08", " h8", "", "pass", "h8\n", "h\uff18", "h" * 99]
)
def test_other_texts_are_no_points(at: str) -> None:
    game = Gomoku()
    with pytest.raises(IllegalMoveError, match="they are a1 to o15") as refusal:
        game.apply(game.start(2, 0), Move(at))
    assert str(refusal.value).isprintable()


def test_points_are_read_in_capitals_and_other_text_is_refused() -> None:
    assert Gomoku().parse(" H8 ") == Move("h8")
    for text in ("8h", "h", "h0", "h100", "hh8"):
        with pytest.raises(NotationError, match='like "h8"'):
            Gomoku().parse(text)
