"""The record of a match made void by an error in the rules: enough to come to the error again.

It has the game, its options and seeds, the moves so far, the move that the rules were given, and
the traceback.
"""

import traceback
import zlib
from dataclasses import dataclass
from typing import Any, Final, Self

from pydantic import TypeAdapter

from protocol.codec import stored
from protocol.messages import Fields
from protocol.vocabulary import Termination
from protocol.wording import escaped
from referee.errors import NO_BLAME, BrokenMatchError
from referee.job import Job
from referee.records.calls import Calls, Json
from referee.records.record import Record, SeatReport, Verdict, stored_fields

MAX_VOID_BYTES: Final = 4 << 20
"""Limit of the record of a void match; a larger one is kept without its moves."""
MAX_TRACEBACK: Final = 1 << 14
"""Limit of the characters of a traceback; its end is kept."""


@dataclass(frozen=True, kw_only=True)
class VoidRecord:
    """The record of a void match."""

    record: Record
    """The match so far; its verdict is `void`, with the reason."""
    traceback: str
    move: Json | None = None
    """The move, as on the wire, that the rules were given when they raised the error."""

    @classmethod
    def from_bytes(cls, body: bytes) -> Self:
        """Return the record of `void_bytes`; raises ValueError, LookupError, TypeError."""
        fields = stored_fields(body)
        record = Record.from_json(fields)
        return cls(record=record, traceback=str(fields["traceback"]), move=_MOVES(fields["move"]))

    def lines(self) -> list[str]:
        """Return what leads to the error, and the error, in printable lines.

        Seeds and draws stay out: the event's seed may be secret, and its first match has the same.
        """
        job = self.record.job
        made = [call for call in self.record.calls if call.move]
        moves = " ".join("(a draw)" if call.seat is None else call.notation or "" for call in made)
        parts = [f"options {job.options}"]
        parts += [f"opening {job.history}"] * bool(job.history)
        parts += [f"moves so far: {moves or 'none'}"]
        parts += [f"the rules raised an error about the move {self.move}"] * bool(self.move)
        return [*map(escaped, [*parts, *self.traceback.rstrip().splitlines()])]


def is_of_rules(error: Exception) -> bool:
    """Whether an error may be one of the rules, and not of a machine, a line or a sandbox."""
    return not isinstance(error, NO_BLAME) or type(error) is BrokenMatchError


def void_bytes(job: Job, calls: Calls, move: Fields | None, error: Exception) -> bytes:
    """Return the packed record of a void match, without its moves if they are too many."""
    seats = [SeatReport(name=player.name, content=player.content) for player in job.players]
    verdict = Verdict(
        termination=Termination.VOID,
        reason=f"{type(error).__name__}: {error}"[:MAX_TRACEBACK],
        points=(0,) * len(seats),
        places=(1,) * len(seats),
        scores=("0",) * len(seats),
    )
    text = "".join(traceback.format_exception(error))[-MAX_TRACEBACK:]

    def packed(kept: Calls) -> bytes:
        record = Record(job=job, calls=kept, seats=seats, verdict=verdict).to_json()
        return zlib.compress(stored({**record, "traceback": text, "move": move}), 1)

    body = packed(calls)
    return body if len(body) <= MAX_VOID_BYTES else packed(Calls())


_MOVES: Any = TypeAdapter(Json | None).validate_python
