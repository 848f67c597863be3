"""The recorder of a match in progress."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from protocol.messages import Fields
from protocol.vocabulary import Seat, Termination
from referee.errors import Forfeit
from referee.job import Job
from referee.move_codec import MoveForms
from referee.records.calls import CHANCE, Calls, Spent
from referee.records.record import Fault, Verdict
from referee.records.scoring import seat_results
from referee.rules import Outcome

MAX_REMARKS = 8 << 20
"""Characters of a seat's remarks that are kept in a match; a record has a limit for its readers."""


class Recorder:
    """The calls, faults and warnings of a match so far."""

    def __init__(self, job: Job) -> None:
        self.calls = Calls()
        """Every charged call."""
        self.faults: list[Fault] = []
        self.warnings: dict[Seat, str] = {}
        """Defects without a penalty, by seat."""
        self.plies = 0
        """Number of moves and draws, without those of the history."""
        self.moves = 0
        """Number of moves, without those of the history."""
        self._job = job
        self._remarked: Counter[Seat] = Counter()
        """Characters of the remarks so far, by seat."""

    def add_call(self, seat: Seat, name: str, spent: Spent) -> None:
        """Add a completed call."""
        self.calls.add(seat, name, self.plies, spent)

    def note(self, **facts: Any) -> None:
        """Add facts from the reply, fields of `Call`, to the last call."""
        self.calls.note(**facts)

    def note_move(self, forms: MoveForms) -> None:
        """Add a move to the last call."""
        self.plies += 1
        self.moves += 1
        self.calls.note_move(forms.wire, forms.notation)

    def note_rest(
        self, seat: Seat, *, claims: Fields | None, left_ms: int | None, remarks: Mapping[str, Any]
    ) -> None:
        """Add to the last call what came with its move, and what is left of the bank."""
        if remarks:
            remarks = self._kept(seat, remarks)
        self.calls.note(claims=claims, left_ms=left_ms, **remarks)

    def _kept(self, seat: Seat, remarks: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the remarks of a reply, or none if the seat has made too many."""
        self._remarked[seat] += len(str(remarks))
        return remarks if self._remarked[seat] <= MAX_REMARKS else {}

    def add_draw(self, forms: MoveForms) -> None:
        """Add a draw of the game."""
        self.calls.add(None, CHANCE, self.plies, Spent())
        self.plies += 1
        self.calls.note_move(forms.wire, forms.notation)

    def add_fault(self, forfeit: Forfeit) -> None:
        """Add a fault at the last call."""
        self.note(fault=forfeit.termination)
        fault = Fault(
            seat=forfeit.seat,
            termination=forfeit.termination,
            detail=forfeit.detail,
            call=self.calls[-1].call,
            ply=self.plies,
        )
        self.faults.append(fault)

    def verdict(self, outcome: Outcome, termination: Termination, reason: str) -> Verdict:
        """Return the verdict on a match ending now."""
        standing = seat_results(
            outcome,
            rule=self._job.score,
            times=[self._job.time_of(seat) for seat in self._job.seats()],
            charged_ns=[self.calls.charged_ns(seat) for seat in self._job.seats()],
            faults={fault.seat: fault.call for fault in self.faults},
        )
        return Verdict(
            termination=termination,
            reason=reason,
            points=standing.points,
            places=standing.places,
            scores=standing.scores,
            faults=tuple(self.faults),
        )
