"""The contract of the board of one game of OpenSpiel, with its parameters."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from protocol.vocabulary import Seat
from referee.rules.layout import Layout, Piece, Place


class Board(ABC):
    """A board: the parts of `referee.rules.showing` for positions of OpenSpiel (`inner`)."""

    @abstractmethod
    def layout(self) -> Layout:
        """Return the places."""

    @abstractmethod
    def pieces(self, inner: Any, seat: Seat | None) -> Mapping[Place, Piece]:
        """Return the pieces visible to a seat, or to a spectator (None)."""

    def clicks(self, inner: Any, action: int) -> Sequence[Place]:
        """Return the places to click for a legal action; () for a choice from a list."""
        return ()

    def caption(self, inner: Any, seat: Seat | None) -> str:
        """Return in one line what the board does not show."""
        return ""
