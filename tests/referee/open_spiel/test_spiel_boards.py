"""Boards of OpenSpiel's games: the same position as OpenSpiel's own state, and clicks for moves."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, pairwise
from typing import Any

import pytest

from arena.testing import check_game
from referee.open_spiel.boards import OTHERS, SEAT_MARKS
from referee.open_spiel.boards.grids import GRIDS
from referee.open_spiel.position import State
from referee.options import make_game
from referee.rules.layout import Layout, Piece

CASES: list[tuple[str, dict[str, Any]]] = [
    ("tic_tac_toe", {}),
    ("connect_four", {}),
    ("connect_four", {"rows": 5, "columns": 9}),
    ("othello", {}),
    ("hex", {}),
    ("hex", {"num_rows": 3, "num_cols": 5}),
    ("hex", {"board_size": 4, "swap": True, "string_rep": "explicit"}),
    ("breakthrough", {}),
    ("breakthrough", {"rows": 12, "columns": 5}),
    ("checkers", {}),
    ("checkers", {"rows": 12, "columns": 10}),
    ("amazons", {"board_size": 6}),
    ("backgammon", {}),
    ("backgammon", {"hyper_backgammon": True}),
    ("dots_and_boxes", {}),
    ("dots_and_boxes", {"num_rows": 3, "num_cols": 4}),
    ("kuhn_poker", {}),
    ("leduc_poker", {}),
    ("leduc_poker", {"suit_isomorphism": True, "action_mapping": True}),
]
every_case = pytest.mark.parametrize(
    ("name", "options"), CASES, ids=[f"{name}-{'-'.join(options)}" for name, options in CASES]
)
PLANES: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "tic_tac_toe": {"x": (2,), "o": (1,)},
    "connect_four": {"x": (0,), "o": (1,)},
    "othello": {"black": (1,), "white": (2,)},
    "hex": {"black": (5, 6, 7, 8), "white": (0, 1, 2, 3)},
    "breakthrough": {"black": (0,), "white": (1,)},
    "checkers": {"white man": (0,), "white king": (1,), "black man": (2,), "black king": (3,)},
    "amazons": {"amazon of X": (2,), "amazon of O": (1,), "arrow": (3,)},
}
"""The planes of OpenSpiel's tensor of a position with the places of each piece, by its name."""


def game_of(name: str, options: dict[str, Any]) -> Any:
    return make_game(f"open_spiel/{name}", options)


def playout(game: Any, seed: int, seats: int = 2) -> Iterator[tuple[State, Any]]:
    """Yield each position of a random game with the move made there, None at the end."""
    chance = random.Random(seed)
    state = game.start(seats, seed)
    while game.outcome(state) is None:
        drawn = game.draw(state, chance)
        move = drawn or chance.choice(list(game.legal(state)))
        yield state, None if drawn else move
        state = game.apply(state, move)
    yield state, None


def tensor_places(name: str, state: State) -> dict[str, set[int]]:
    """Return the places of each piece by the tensor of an observation."""
    planes, rows, cols = state.inner.get_game().observation_tensor_shape()
    tensor = state.inner.observation_tensor(0)
    size = rows * cols
    found: dict[str, set[int]] = {}
    for piece, numbers in PLANES[name].items():
        assert max(numbers) < planes
        places = {place for n in numbers for place in range(size) if tensor[n * size + place]}
        if name == "connect_four":  # its first row is the lowest
            places = {(rows - 1 - place // cols) * cols + place % cols for place in places}
        found[piece] = places
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "options"), [case for case in CASES if case[0] in PLANES])
def test_the_pieces_of_a_grid_are_those_of_the_tensor(
    name: str, options: dict[str, Any], seed: int
) -> None:
    game = game_of(name, options)
    for state, _ in playout(game, seed):
        shown: dict[str, set[int]] = {piece: set() for piece in PLANES[name]}
        for place, piece in game.pieces(state, None).items():
            shown[piece.name].add(place)
        assert shown == tensor_places(name, state)


@pytest.mark.parametrize("options", [{}, {"hyper_backgammon": True}])
def test_the_checkers_of_backgammon_are_those_of_its_text(options: dict[str, Any]) -> None:
    game = game_of("backgammon", options)
    total = 3 if options else 15
    for state, _ in playout(game, 1):
        pieces = game.pieces(state, None)
        columns = [column for column in range(14) if column not in (6, 13)]
        lines = [line.replace("|", "") for line in str(state.inner).splitlines()[1:12]]
        for side in (range(5), range(10, 5, -1)):
            for text_column, column in enumerate(columns):
                stack = [pieces[14 * row + column] for row in side if 14 * row + column in pieces]
                letters = [lines[row][text_column] for row in side]
                assert count_of(stack) == count_in(letters)
                assert {"xo"[piece.seat or 0] for piece in stack} == set(letters) & {*"xo"}
        for seat in (0, 1):
            stacks = Counter(
                place % 14 + 14 * (place < 70)
                for place, piece in pieces.items()
                if piece.seat == seat and piece.shape == "disc"
            )
            assert sum(stacks.values()) <= total


def count_of(stack: list[Piece]) -> int:
    """Return the number of checkers that a stack shows."""
    numbers = [int(piece.text) for piece in stack if piece.text]
    return numbers[0] if numbers else len(stack)


def count_in(letters: list[str]) -> int:
    """Return the number of checkers in a column of the text, which writes a number over five."""
    numbers = [int(letter) for letter in letters if letter.isdecimal()]
    return numbers[0] if numbers else sum(letter in "xo" for letter in letters)


@pytest.mark.parametrize("options", [{}, {"num_rows": 3, "num_cols": 4}])
def test_lines_and_boxes_belong_to_the_seats_that_drew_them(options: dict[str, Any]) -> None:
    game = game_of("dots_and_boxes", options)
    rows, cols = options.get("num_rows", 2), options.get("num_cols", 2)
    across = (rows + 1) * cols
    first = across + rows * (cols + 1)
    for state, _ in playout(game, 2):
        pieces = game.pieces(state, None)
        order = [entry.action for entry in state.inner.full_history()]
        players = {entry.action: entry.player for entry in state.inner.full_history()}
        assert {p: piece.seat for p, piece in pieces.items() if piece.shape == "line"} == players
        drawn = "".join("1" if place in pieces else "0" for place in range(first))
        assert drawn == state.inner.dbn_string()
        for box in range(rows * cols):
            row, col = divmod(box, cols)
            left = across + row * (cols + 1) + col
            sides = [row * cols + col, (row + 1) * cols + col, left, left + 1]
            last = max(sides, key=order.index) if set(sides) <= {*order} else None
            owner = pieces[first + box].seat if first + box in pieces else None
            assert owner == (None if last is None else players[last])


def kuhn_rank(card: int, seats: int) -> str:
    return "789TJQK"[card - seats - 1]


def leduc_rank(card: int, seats: int) -> str:
    return kuhn_rank(card // 2, seats) + "♠♥"[card % 2]


@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize(
    ("name", "options", "rank"),
    [
        ("kuhn_poker", {}, kuhn_rank),
        ("leduc_poker", {}, leduc_rank),
        ("leduc_poker", {"suit_isomorphism": True}, kuhn_rank),
    ],
)
def test_a_seat_sees_its_own_card_and_a_spectator_all(
    name: str, options: dict[str, Any], rank: Callable[[int, int], str], seats: int
) -> None:
    game = game_of(name, options)
    for seed in range(4):
        for state, _ in playout(game, seed, seats):
            dealt = state.inner.history()[:seats]
            cards = [rank(card, seats) for card in dealt]
            everything = game.pieces(state, None)
            assert [everything[2 * seat].text for seat in range(len(dealt))] == cards
            for seat in range(seats):
                seen = game.pieces(state, seat)
                hidden = {2 * each for each in range(len(dealt)) if each != seat}
                assert {place: seen[place].text for place in hidden} == dict.fromkeys(hidden, "")
                others = {place: piece for place, piece in seen.items() if place not in hidden}
                assert others == {p: piece for p, piece in everything.items() if p not in hidden}


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_a_picture_depends_on_the_knowledge_of_its_seat_only(name: str) -> None:
    game = game_of(name, {})
    seen: dict[tuple[int, int, str], Any] = {}
    same = 0
    for seed in range(200):
        for state, _ in playout(game, seed):
            if state.inner.is_chance_node():
                continue
            for seat in (0, 1):
                key = (seat, state.ply, state.inner.information_state_string(seat))
                shown = game.pieces(state, seat), game.caption(state, seat)
                same += key in seen
                assert seen.setdefault(key, shown) == shown
    assert same > 100


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_the_chips_are_the_pot(name: str) -> None:
    game = game_of(name, {})
    for seed in range(10):
        for state, _ in playout(game, seed):
            chips = [piece for piece in game.pieces(state, 0).values() if piece.shape == "disc"]
            pot = sum(int(chip.text) for chip in chips)
            assert game.caption(state) == f"pot {pot}"
            text = str(state.inner)
            if name == "leduc_poker" and not state.inner.is_terminal():
                assert f"Pot: {pot}\n" in text


@every_case
def test_every_move_is_told_apart_by_its_clicks_or_its_words(
    name: str, options: dict[str, Any]
) -> None:
    game = game_of(name, options)
    words = {"kuhn_poker", "leduc_poker"}
    for state, move in playout(game, 3):
        if move is None:
            continue
        found = [(tuple(game.gesture_in(state, each)), each) for each in game.legal(state)]
        assert len({(clicks, game.notation(each)) for clicks, each in found}) == len(found)
        assert all(
            clicks or name in words or game.notation(each).lower() in ("pass", "swap")
            for clicks, each in found
        )


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("tic_tac_toe", slice(None)),
        ("connect_four", slice(None)),
        ("othello", slice(None)),
        ("hex", slice(None)),
        ("breakthrough", slice(None)),
        ("checkers", slice(None)),
        ("dots_and_boxes", slice(None)),
        ("backgammon", slice(0, 0)),
    ],
)
def test_a_move_changes_the_picture_at_its_places(name: str, changed: slice) -> None:
    game = game_of(name, {})
    for state, move in playout(game, 4):
        if move is None:
            continue
        before, after = game.pieces(state, None), game.pieces(game.apply(state, move), None)
        assert before != after or game.notation(move).lower() == "pass"
        for place in tuple(game.gesture_in(state, move))[changed]:
            assert before.get(place) != after.get(place)


@every_case
def test_the_contract_of_games_holds(name: str, options: dict[str, Any]) -> None:
    check_game(game_of(name, options))


def test_a_board_with_more_columns_than_letters_is_text() -> None:
    game = game_of("hex", {"num_rows": 2, "num_cols": 27})
    state = game.start(2, 0)

    layout: Layout | None = game.layout(2)
    assert layout is None
    assert game.pieces(state, None) == {}
    assert game.gesture_in(state, next(iter(game.legal(state)))) == ()
    assert ". ." in game.diagram(state)


def test_every_game_with_a_board_is_tested() -> None:
    assert {name for name, _ in CASES} == {*GRIDS, *OTHERS}


@pytest.mark.parametrize("name", sorted(SEAT_MARKS.keys() - {*GRIDS, *OTHERS}))
def test_a_mark_of_a_seat_in_a_text_comes_by_its_own_moves_only(name: str) -> None:
    game = game_of(name, {})
    come: set[str] = set()
    for (before, move), (after, _) in pairwise(islice(playout(game, 5), 40)):
        if move is None or (seat := game.turn(before)) > 1:
            continue
        own, other = game.seat_marks[seat], game.seat_marks[1 - seat]
        old, new = (Counter(board_text(state)) for state in (before, after))
        assert new[other] <= old[other]
        come |= {own} if new[own] > old[own] or name in ("clobber", "lines_of_action") else set()
    assert come == {*game.seat_marks}


def board_text(state: State) -> str:
    """Return the lines of the board, without those that name the seat to move."""
    lines = str(state.inner).splitlines()
    return "\n".join(line for line in lines if "layer" not in line and "to_play" not in line)
