"""The result of a match as tables and formats need it, beside its packed record."""

from dataclasses import dataclass
from typing import NamedTuple


class SeatRow(NamedTuple):
    """The result of a seat: a named tuple, which is made five times as fast as a dataclass."""

    player: str
    points: int
    place: int
    score: str
    fault: str | None
    wall_ns: int
    cpu_ns: int
    charged_ns: int
    grace_ns: int
    near_limit: int = 0
    """Replies above 90 % of their limit."""
    null_ns: int | None = None
    """Wall-clock time of a null call's round trip, in nanoseconds."""
    is_unplayed: bool = False
    """Whether the seat was forfeited unplayed, its player being withdrawn."""
    is_clock_exact: bool = True
    """Whether `cpu_ns` includes all processes of the bot."""

    @property
    def is_at_fault(self) -> bool:
        """Whether its bot made a fault, a withdrawal aside."""
        return self.fault is not None and not self.is_unplayed


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A finished match as stored: its result and its packed record."""

    key: str
    termination: str
    reason: str
    plies: int
    essence: str
    """Hash of the rules, bots and seeds of the match: `referee.job.essence`."""
    contents: tuple[str, ...]
    """Content hashes of the bots, by seat."""
    seats: tuple[SeatRow, ...]
    body: bytes
    """The record, packed and compressed; `referee.records.record.Record.from_bytes` reads it."""

    @property
    def has_fault(self) -> bool:
        """Whether a seat has a fault."""
        return any(seat.fault is not None for seat in self.seats)
