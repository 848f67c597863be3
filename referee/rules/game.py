"""The rules of a game, as every game has them.

A game is a frozen dataclass with its options as fields; its moves are frozen dataclasses with the
fields of the wire. States are immutable and `apply` returns a new state, so any position can be
kept, replayed and taken back. A first game defines eight names: `seats`, `move_type`, `start`,
`turn`, `legal`, `apply`, `outcome` and `retire`.

The class that games inherit from is `Game` (`contract.py`). It adds optional parts, each in a file
of its own: `secrets.py` for chance and hidden information, `showing.py` for boards and people,
`claims.py` for what bots say besides their moves, `shortcuts.py` for speed, and `learning.py` for
numbers of moves and positions.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Generic, Self, TypeVar

from protocol.vocabulary import Seat, Wire
from referee.rules.plain import plain_move, plain_notation, plain_view

S = TypeVar("S", bound=Hashable)
M = TypeVar("M", bound=Hashable)


@dataclass(frozen=True)
class Outcome:
    """The result by the rules.

    `points` are by the rules of the game, one number per seat. `places` rank the seats, 1 is best;
    seats with a shared place 1 have drawn. `reason` is a short phrase, like "five in a row".
    """

    points: tuple[int, ...]
    places: tuple[int, ...]
    reason: str

    @classmethod
    def by_points(cls, points: tuple[int, ...], reason: str) -> Self:
        """Return the result in which more points are a better place; equal ones share it."""
        return cls(
            points, tuple(1 + sum(other > own for other in points) for own in points), reason
        )


class Rules(ABC, Generic[S, M]):
    """The rules of one game with chosen options."""

    name: ClassVar[str]
    """Name in configs; by default that of the class, `down_n_out` for `DownNOut`."""
    summary: ClassVar[str]
    """One line for `arena games`; by default the first line of the docstring."""
    seats: ClassVar[range]
    """Allowed numbers of seats."""
    move_type: ClassVar[type]
    """The frozen dataclass of a move, with the fields of the wire; `from_` is `from` there."""

    @abstractmethod
    def start(self, seats: int, seed: int) -> S:
        """Return the first position; its random choices depend only on the seed.

        All matches on a board have the same seed, so a bot can know the position from an earlier
        match. Draw anything that must stay hidden (`draw`): the seed of draws is the match's own.
        """

    @abstractmethod
    def turn(self, state: S) -> Seat:
        """Return the seat to move; any seat while a draw is due, and once the game is over."""

    @abstractmethod
    def legal(self, state: S) -> Iterable[M]:
        """Yield every legal move once in a fixed order.

        Yield none if and only if the game is over or a draw is due. Bots receive this list, so make
        it depend only on the knowledge of the seat to move.
        """

    @abstractmethod
    def apply(self, state: S, move: M) -> S:
        """Return the position after a move or draw.

        Raises IllegalMoveError with the broken rule for any illegal move, and for a draw that is
        impossible or not due.
        """

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """Return the result, or None while the game continues."""

    @abstractmethod
    def retire(self, state: S, seat: Seat) -> S:
        """Take a seat out of play, whether or not it is to move; the others may continue.

        Its place is then behind all seats that have not retired, those eliminated before included.
        """

    def adjudicate(self, state: S, reason: str) -> Outcome:
        """Return the result if play is stopped here, with the current points; default: a draw."""
        if len(self.seats) > 1:
            raise NotImplementedError(f"the seats of {self.name} vary: define adjudicate")
        return Outcome.by_points((0,) * self.seats[0], reason)

    def notation(self, move: M) -> str:
        """Return the move in notation; by default its fields, separated by spaces."""
        return plain_notation(move)

    def parse(self, text: str) -> M:
        """Parse a move in notation, or raise NotationError."""
        move: M = plain_move(self.move_type, text)
        return move

    def view(self, state: S, seat: Seat) -> dict[str, Wire]:
        """Return the part of the state visible to the seat, in wire form with `turn` and `ply`.

        By default all fields of the state, which has `ply`. A game that hides something must not
        use the default.
        """
        return {"turn": self.turn(state), **plain_view(state)}
