"""The end of a match: finished, void, or returned before its begin.

A referee writes it once (`pipe.py`) and the director reads it once, wherever the match was played.
"""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

from referee.job import Absence, Job
from referee.records.result import Finished


class Worker(NamedTuple):
    """A worker of a cluster that has played a match."""

    name: str
    speed: float
    """Speed relative to the reference machine."""


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """The end of a match: exactly one of `match`, `void` and `is_returned` is set."""

    job: Job
    match: Finished | None = None
    void: str | None = None
    """The reason for a void match."""
    suspect: Absence | None = None
    """The seat suspected of making the match void, and its fault if it does so again."""
    _: KW_ONLY
    is_exhausted: bool = False
    """Whether the match is void because the machine lacked resources to start a bot."""
    is_short: bool = False
    """Whether the match is void because the machine had too little for its running bots."""
    is_absent: bool = False
    """Whether the match did not begin because the suspect, a remote bot, was out of reach."""
    is_returned: bool = False
    """Whether the match was taken back before it began."""
    void_record: bytes = b""
    """The packed record of a void match (`void_record.py`); empty unless an error of its rules made
    it void."""

    # What the director's slots add; no referee can say so.
    is_lost: bool = False
    """Whether the match is void because the connection to its machine was lost."""
    is_alone: bool = False
    """Whether that machine was playing no other match."""
    worker: Worker | None = None
    """The worker that has played the match; None for this machine."""

    def __post_init__(self) -> None:
        if (self.match is not None) + (self.void is not None) + self.is_returned != 1:
            raise ValueError("a match is finished, void or returned")

    @property
    def is_played(self) -> bool:
        """Whether the match was played without a fault, and so affects no other."""
        return self.match is not None and not self.match.has_fault

    @property
    def stops(self) -> bool:
        """Whether no match behind it may begin before the director has seen this end."""
        return not (self.is_played or self.is_returned)
