"""Backgammon: 24 points in two rows, the bar between them, and the checkers that are off.

A point is a column of five places from the edge of the board; the fifth shows the number of
checkers if there are more.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from protocol.vocabulary import Seat
from referee.open_spiel.boards.board import Board
from referee.rules.layout import Layout, Piece, Place, Region

HEIGHT: Final = 5
"""Places of a point."""
ROWS: Final = 2 * HEIGHT + 1
"""The points above and below, and the row of the dice."""
BAR_COLUMN: Final = 6
OFF_COLUMN: Final = 13
COLS: Final = 14
BAR: Final = 100
"""OpenSpiel's number of the bar."""
POINTS: Final = 24
NAMES: Final = ("x", "o")


class Backgammon(Board):
    """The board; seat 0 moves x from point 24 down to 1, seat 1 moves o the other way."""

    def __init__(self, _spiel_game: Any) -> None:
        self._layout = _layout()

    def layout(self) -> Layout:
        """Return the places; the points are those of seat 0."""
        return self._layout

    def pieces(self, inner: Any, seat: Seat | None) -> dict[Place, Piece]:
        """Return the checkers of all points, the bar and the trays, and the dice."""
        shown: dict[Place, Piece] = {}
        text = str(inner)
        off = _OFF.search(text)
        for owner in (0, 1):
            for point in range(POINTS):
                shown |= dict(_stack(_at_point(point), owner, inner.board(owner, point)))
            shown |= dict(_stack(_at_edge(BAR_COLUMN, owner), owner, inner.board(owner, BAR)))
            removed = int(off[1 + owner]) if off else 0
            shown |= dict(_stack(_at_edge(OFF_COLUMN, owner), owner, removed))
        dice = _DICE.search(text)
        mover = _TURN.search(text)
        roller = NAMES.index(mover[1]) if mover else None
        for number, die in enumerate(dice[1] if dice else ""):
            shown[_place(HEIGHT, 8 + 2 * number)] = Piece(roller, "square", 7, die, f"die {die}")
        return shown

    def clicks(self, inner: Any, action: int) -> Sequence[Place]:
        """Return start and target of both checkers, in the order of the action."""
        seat = inner.current_player()
        moves = inner.spiel_move_to_checker_moves(seat, action)
        return tuple(
            place
            for move in moves
            if move.pos >= 0
            for place in (_start(seat, move.pos), _target(seat, move.pos, move.num))
        )

    def caption(self, inner: Any, seat: Seat | None) -> str:
        """Return the numbers of checkers off the board."""
        found = _OFF.search(str(inner))
        return f"off: x {found[1]}, o {found[2]}" if found else ""


def _place(row: int, col: int) -> Place:
    return row * COLS + col


def _at_point(index: int) -> tuple[Place, int]:
    """Return the outermost place of OpenSpiel's point from 0, and the step to the next."""
    side = index % 12
    column = side if index >= 12 else 11 - side
    column += column >= BAR_COLUMN
    return (_place(0, column), COLS) if index >= 12 else (_place(ROWS - 1, column), -COLS)


def _at_edge(column: int, seat: Seat) -> tuple[Place, int]:
    """Return the first place of a seat's bar or tray, and the step to the next."""
    return (_place(ROWS - 1, column), -COLS) if seat == 0 else (_place(0, column), COLS)


def _stack(first: tuple[Place, int], owner: Seat, count: int) -> Iterator[tuple[Place, Piece]]:
    place, step = first
    for number in range(min(count, HEIGHT)):
        is_last = number == HEIGHT - 1 and count > HEIGHT
        many = str(count) if is_last else ""
        yield place + number * step, Piece(owner, text=many, name=f"{NAMES[owner]} {many}".strip())


def _start(seat: Seat, position: int) -> Place:
    return _at_edge(BAR_COLUMN, seat)[0] if position == BAR else _at_point(position)[0]


def _target(seat: Seat, position: int, steps: int) -> Place:
    """Return the place that a die of `steps` leads to: seat 0 moves up the points, seat 1 down."""
    if position == BAR:
        position = -1 if seat == 0 else POINTS
    target = position + steps if seat == 0 else position - steps
    return _at_point(target)[0] if 0 <= target < POINTS else _at_edge(OFF_COLUMN, seat)[0]


def _layout() -> Layout:
    above = [*range(13, 19), "bar", *range(19, 25), "off"]
    below = [*range(12, 6, -1), "bar", *range(6, 0, -1), "off"]
    names = []
    for row in range(ROWS):
        labels = above if row < HEIGHT else below
        depth = min(row, ROWS - 1 - row)
        side = "x" if row > HEIGHT else "o"
        for label in labels:
            name = f"{label} of {side}" if isinstance(label, str) else str(label)
            names.append(f"{name}, {depth + 1}" if depth else name)
    names = [f"middle {n}" if n // COLS == HEIGHT else name for n, name in enumerate(names)]
    striped = tuple(
        _place(row, col)
        for row in range(ROWS)
        for col in range(COLS)
        if row != HEIGHT and col not in (BAR_COLUMN, OFF_COLUMN)
        if (col - (col > BAR_COLUMN) + (row > HEIGHT)) % 2
    )
    return Layout(
        kind="cells",
        rows=ROWS,
        cols=COLS,
        col_labels=tuple(map(str, above)),
        foot_labels=tuple(map(str, below)),
        names=tuple(names),
        regions=(Region(striped),),
    )


_OFF: Final = re.compile(r"Scores, X: (\d+), O: (\d+)")
_DICE: Final = re.compile(r"^Dice: (\d+)", re.MULTILINE)
_TURN: Final = re.compile(r"^Turn: ([xo])", re.MULTILINE)
