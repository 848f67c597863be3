"""A match with people so far: reported before each turn, so that it can be resumed later."""

from collections.abc import Callable
from dataclasses import dataclass

from protocol.messages import Fields
from referee.play.reporter import Reporter
from referee.records.calls import Calls, entry_of


@dataclass(frozen=True, kw_only=True)
class UnfinishedMatch:
    """The moves of a match so far, and what its record will say of its people."""

    moves: tuple[Fields, ...] = ()
    """All moves and draws, those before the match included."""
    taken_back: int = 0
    hints: int = 0


Keep = Callable[[UnfinishedMatch | None], None]
"""Receives a match so far, None once it cannot be resumed."""


class MoveReporter(Reporter):
    """Reports the moves so far before each turn; None once a seat has left the match.

    A history has no word for a seat that has left.
    """

    def __init__(self, tell: Callable[[tuple[Fields, ...] | None], None]) -> None:
        super().__init__((1,), len)
        self.history: tuple[Fields, ...] = ()
        """The moves before the match."""
        self._tell = tell

    def report(self, key: str, calls: Calls) -> None:
        """Report the moves of the match with this key."""
        del key
        has_left = any(call.move is None and (call.fault or call.resign) for call in calls)
        moves = (entry_of(call) for call in calls if call.move is not None)
        self._tell(None if has_left else (*self.history, *moves))
