"""Moves and positions as numbers, for learners; a game is right without them."""

from collections.abc import Sequence

from protocol.vocabulary import Seat
from referee.rules.game import M, Rules, S
from referee.rules.layout import Piece
from referee.rules.numbers import Numbers


class Learning(Rules[S, M]):
    """Fixed numbers of moves, kinds of pieces, and what the board does not show."""

    def numbers(self) -> Numbers[M] | None:
        """Return the numbers of all moves, or None.

        A game with `choices` needs none: its moves have the numbers of that list.
        """
        return None

    def kinds(self) -> Sequence[Piece]:
        """Return every piece that `pieces` can have, for games in which a seat has several kinds.

        The Nth piece of one seat is of the same kind as the Nth of another. Only seat, shape, color
        and text count. By default (): one kind for each seat, and one for the pieces of no seat.
        """
        return ()

    def scalars(self, state: S, seat: Seat) -> Sequence[float] | None:
        """Return what the board does not show to a seat, equally many numbers in each position.

        None for the numbers of the view and its lists of numbers, but for `turn` and `ply`.
        """
        return None
