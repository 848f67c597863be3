"""Chance and hidden information in a game; most games have neither.

What is random before the first move depends only on the seed of `start`. Later draws are made by
the referee: it calls `draw` and applies the result like a move of nobody, so `apply` is pure, and a
record has the draws. `seen` is the part of a move or draw known to a seat; `view`, `pieces`,
`diagram` and `caption` are its part of a position.
"""

from random import Random
from typing import Any, ClassVar

from protocol.vocabulary import Seat, Wire
from referee.rules.game import M, Rules, S
from referee.rules.plain import move_fields


class Secrets(Rules[S, M]):
    """Draws, what seats learn of them and of moves, and moves made at once."""

    chance_type: ClassVar[type | None] = None
    """The frozen dataclass of a draw, with the fields of the wire; None without draws.

    It may be the move's. Random choices of `start` are no draws.
    """

    is_known_by_view: ClassVar[bool] = False
    """Whether seats learn of hidden moves and draws from `view` alone, not from `seen`.

    For foreign rules that tell no more. The contract test cannot find what such a view reveals.
    """

    def draw(self, state: S, stream: Random) -> Any:
        """Return the due draw, of `chance_type`; None if none is due.

        Whether one is due does not depend on the stream. Each ply of each match has its own stream;
        Python promises the same numbers for ever only for its method `random()`.
        """
        return None

    def seen(self, before: S, move: Any, after: S, seat: Seat) -> dict[str, Wire] | None:
        """Return the part of another's move or draw known to a seat: all, some, or nothing (None).

        In wire form: any fields, usually some of the move's. A seat knows its own moves.
        """
        return move_fields(move)

    def is_round_open(self, state: S) -> bool:
        """Whether moves of the current round are withheld, since some seats have yet to move.

        For simultaneous moves: the others receive them once the round is closed.
        """
        return False

    @property
    def has_chance(self) -> bool:
        """Whether draws can be due; only then `draw` is called."""
        return self.chance_type is not None

    @property
    def has_hidden_information(self) -> bool:
        """Whether a seat may not know all; only then `seen` and `is_round_open` are called."""
        cls = type(self)
        return cls.seen is not Secrets.seen or cls.is_round_open is not Secrets.is_round_open

    def view(self, state: S, seat: Seat) -> dict[str, Wire]:
        """Refuse the default, which has all fields of the state, to a game that hides some."""
        if self.has_hidden_information:
            raise NotImplementedError(f"{self.name} has hidden information: define view")
        return super().view(state, seat)
