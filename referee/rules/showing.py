"""How a game is shown to people, and how they enter a move; every part has a plain default."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from protocol.vocabulary import Seat
from referee.rules.game import M, Rules, S
from referee.rules.layout import Layout, Piece, Place
from referee.rules.plain import plain_diagram


class Margins(NamedTuple):
    """The parts of a diagram around the board; they stay in sight when a large board scrolls."""

    above: int = 0
    """Lines above the board, like the names of the columns."""
    left: int = 0
    """Characters to the left of the board, like the numbers of the rows."""
    below: int = 0
    """Lines below the board, like the points so far."""


class Showing(Rules[S, M]):
    """Boards for terminals, pages and pictures, and the words around them."""

    seat_names: ClassVar[tuple[str, ...]] = ()
    """Names of the seats, like white and black; () without names."""
    seat_marks: ClassVar[tuple[str, ...]] = ()
    """Marks of the seats' men in a diagram, like X and O; () if no man belongs to a seat."""
    asked_options: ClassVar[tuple[str, ...]] = ()
    """Options requested from a human player before a match."""
    margins: ClassVar[Margins] = Margins()
    """The parts of each diagram around the board."""

    def role(self, seat: Seat) -> str:
        """Return name and mark of a seat, like black X; empty if the game has neither."""
        return " ".join(each[seat] for each in (self.seat_names, self.seat_marks) if each[seat:])

    def diagram(self, state: S, seat: Seat | None = None) -> str:
        """Draw the board in `margins`, spaces between places, for a seat or a spectator (None).

        By default the fields of the view, one in each line.
        """
        return plain_diagram(self.view(state, 0 if seat is None else seat))

    def caption(self, state: S, seat: Seat | None = None) -> str:
        """Return in one line what the board does not show, for a seat or a spectator (None).

        It stands below every board, unless the `diagram` has this line already.
        """
        return ""

    def parse_in(self, state: S, text: str) -> M:
        """Parse a move as people write it in this position, or raise NotationError."""
        return self.parse(text)

    def notation_in(self, state: S, move: M) -> str:
        """Write a legal move as people write it in this position; by default its notation."""
        return self.notation(move)

    def layout(self, seats: int) -> Layout | None:
        """Return the board for pages and pictures, or None to show the `diagram` instead."""
        return None

    def pieces(self, state: S, seat: Seat | None) -> Mapping[Place, Piece]:
        """Return the pieces visible to a seat, or to a spectator (None), by place."""
        return {}

    def decisive(self, state: S, move: M) -> Sequence[Place]:
        """Return the places that show why this move has ended the game, like a row of five."""
        return ()

    def gesture(self, move: M) -> Sequence[Place]:
        """Return the places to click for a move, in order; () for a choice from a list.

        The number of seats is unknown here: if the board depends on it, let the places of moves
        come first in the `layout`, so that their numbers are the same on every board.
        """
        return ()

    def gesture_in(self, state: S, move: M) -> Sequence[Place]:
        """Return the places to click for a legal move of this position; by default its gesture.

        Moves with the same places are offered by their words, as moves without places are.
        """
        return self.gesture(move)

    def task(self, state: S) -> str:
        """Return what the seat to move has to do, in a few words; "" for a usual move."""
        return ""

    def meaning(self, state: S, move: M) -> str:
        """Return what a move does, for a list of moves; "" if its notation says it."""
        return ""
