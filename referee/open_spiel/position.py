"""Positions, moves and draws of OpenSpiel's games."""

from dataclasses import dataclass
from typing import Any

from protocol.vocabulary import Seat


@dataclass(frozen=True)
class Move:
    """An action: its number, its text, or both."""

    action: int | None = None
    text: str | None = None


@dataclass(frozen=True)
class Draw:
    """An outcome of chance: OpenSpiel's number and text; of a game's own draws, their seed."""

    action: int
    text: str


class State:
    """A position: OpenSpiel's state, never changed again, and the retired seats."""

    __slots__ = (
        "actions",
        "completed",
        "ended",
        "inner",
        "is_open",
        "moves",
        "ply",
        "retired",
        "seats",
    )

    def __init__(
        self,
        inner: Any,
        ply: int,
        *,
        seats: int,
        retired: tuple[Seat, ...] = (),
        is_open: bool = False,
    ) -> None:
        self.inner = inner
        self.ply = ply
        self.seats = seats
        self.retired = retired
        self.is_open = is_open
        """Whether some seats have made their moves of a round and others have not."""
        self.moves: dict[int, Move] | None = None
        """The legal moves by action, once they were asked for."""
        self.actions: tuple[int, ...] | None = None
        """The legal actions, once they were asked for."""
        self.completed: Move | None = None
        """The legal move found last, with number and text: it is asked for several times."""
        self.ended: bool | None = None
        """Whether the game is over, once that was asked for."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"State(actions={self.inner.history()}, retired={self.retired})"

    def _key(self) -> tuple[Any, ...]:
        return tuple(self.inner.history()), self.retired, str(self.inner.get_game())
