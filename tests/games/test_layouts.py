"""Boards, pieces and gestures of every game: consistent with the rules and with the diagram."""

from collections.abc import Callable
from typing import Any

import pytest
from every_game import Case, every_game, playout, positions, some_positions

from arena.testing.pictures import place_count
from referee.rules.layout import Layout, Piece

GLYPHS: dict[str, Callable[[Piece], str]] = {
    "pente": lambda piece: "XO"[piece.seat or 0],
    "matchsticks": lambda _: "|",
    "chinese_checkers": lambda piece: str(piece.seat),
    "down_n_out": lambda piece: piece.text,
    "damspel": lambda piece: "WZ"[piece.seat or 0],
    "go": lambda piece: "XO"[piece.seat or 0],
    "gomoku": lambda piece: "XO"[piece.seat or 0],
    "rendezvous": lambda piece: piece.text,
    "chess": lambda piece: "pnbrqkPNBRQK"["♟♞♝♜♛♚".index(piece.text[0]) + 6 * (piece.seat == 0)],
}
"""Glyph of a piece in the diagram."""
CHOSEN_FROM_A_LIST = ("pass", "swap", "two")


def layout_of(case: Case) -> Layout:
    board = case.game.layout(case.seats)
    assert board is not None, "all games of the project have a board"
    return board


@every_game
def test_every_move_can_be_clicked(case: Case) -> None:
    for state in some_positions(case):
        assert all(
            case.game.name == "rendezvous"  # accelerations are typed
            or case.game.gesture(move)
            or case.game.notation(move) in CHOSEN_FROM_A_LIST
            for move in case.game.legal(state)
        )


@every_game
def test_a_move_changes_the_picture_at_its_gesture(case: Case) -> None:
    for before, move in playout(case, 1):
        if move is None or case.game.notation(move).startswith("pass"):
            continue
        after = case.game.apply(before, move)
        old, new = case.game.pieces(before, None), case.game.pieces(after, None)
        places = case.game.gesture(move)
        assert all(old.get(place) != new.get(place) for place in places) or (
            case.game.name in ("down_n_out", "go") and old != new  # cells fall; suicide
        )


def glyphs_of_diagram(case: Case, state: Any) -> str:
    """Return the glyphs of the board in reading order, without labels and spaces."""
    margins = case.game.margins
    lines = case.game.diagram(state).splitlines()
    rows = lines[margins.above : len(lines) - margins.below]
    return "".join(row[margins.left :] for row in rows).replace(" ", "")


@every_game
def test_the_diagram_and_the_pieces_show_the_same(case: Case) -> None:
    places = place_count(layout_of(case))
    glyph = GLYPHS[case.game.name]
    for state in positions(case):
        pieces = case.game.pieces(state, None)
        drawn = "".join(glyph(pieces[place]) if place in pieces else "." for place in range(places))
        assert glyphs_of_diagram(case, state) == drawn


@pytest.mark.parametrize("size", [3, 4])
def test_neighbours_of_a_star_are_one_unit_apart(size: int) -> None:
    from referee.games.chinese_checkers import ChineseCheckers
    from referee.rules.star import star

    game = ChineseCheckers(game_size=size)
    board = game.layout(2)
    assert board is not None
    geometry = star(size)
    cells = list(geometry.cells.values())
    for number, cell in enumerate(cells):
        for step in geometry.steps:
            if cell + step in geometry.points:
                x, y = board.spots[number]
                to_x, to_y = board.spots[cells.index(cell + step)]
                assert abs(((x - to_x) ** 2 + (y - to_y) ** 2) ** 0.5 - 1) < 1e-9
