"""Dots and Boxes: lines between dots, and boxes of the seat that closed them."""

from collections.abc import Sequence
from typing import Any, Final

from protocol.vocabulary import Seat
from referee.open_spiel.boards.board import Board
from referee.rules.layout import Layout, Piece, Place

BOX_WIDTH: Final = 4
"""Characters of a box in OpenSpiel's text, with one of its borders."""


class DotsAndBoxes(Board):
    """The board with its parameters. The number of an action is the place of its line."""

    def __init__(self, spiel_game: Any) -> None:
        lines = str(spiel_game.new_initial_state()).rstrip("\n").splitlines()
        self._rows = len(lines) // 2
        self._cols = len(lines[0]) // BOX_WIDTH
        self._first_box = (self._rows + 1) * self._cols + self._rows * (self._cols + 1)

    def layout(self) -> Layout:
        """Return the lines and boxes."""
        rows, cols = range(self._rows), range(self._cols)
        return Layout(
            kind="edges",
            rows=self._rows + 1,
            cols=self._cols + 1,
            names=(
                *(f"h,{row},{col}" for row in range(self._rows + 1) for col in cols),
                *(f"v,{row},{col}" for row in rows for col in range(self._cols + 1)),
                *(f"box {row},{col}" for row in rows for col in cols),
            ),
        )

    def pieces(self, inner: Any, seat: Seat | None) -> dict[Place, Piece]:
        """Return each line, and each closed box, by the seat that drew it."""
        drawn = {
            each.action: Piece(each.player, "line", name=f"line of seat {each.player}")
            for each in inner.full_history()
        }
        return drawn | {
            self._first_box + number: Piece(owner, "square", name=f"box of seat {owner}")
            for number, owner in enumerate(self._owners(str(inner)))
            if owner is not None
        }

    def clicks(self, inner: Any, action: int) -> Sequence[Place]:
        """Return the line."""
        return (action,)

    def caption(self, inner: Any, seat: Seat | None) -> str:
        """Return the numbers of boxes."""
        owners = self._owners(str(inner))
        return f"boxes: {owners.count(0)} of seat 0, {owners.count(1)} of seat 1"

    def _owners(self, text: str) -> list[Seat | None]:
        """Return the owner of each box; OpenSpiel writes 1 for seat 0."""
        lines = text.splitlines()[1::2]
        middles = (line[BOX_WIDTH // 2 :: BOX_WIDTH][: self._cols] for line in lines)
        letters = (letter for row in middles for letter in row)
        return [int(letter) - 1 if letter.isdecimal() else None for letter in letters]
