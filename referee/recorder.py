"""The recorder of a match in progress."""

from dataclasses import replace
from typing import Any

from protocol.vocabulary import Seat, Termination
from referee.errors import Forfeit
from referee.job import Job
from referee.record import Call, Fault, Spent, Verdict
from referee.rules import Outcome
from referee.verdict import settle


class Recorder:
    """The calls, faults and warnings of a match so far."""

    def __init__(self, job: Job) -> None:
        self.calls: list[Call] = []
        """Every charged call."""
        self.faults: list[Fault] = []
        self.warnings: dict[Seat, str] = {}
        """Defects without a penalty, by seat."""
        self.plies = 0
        """Number of moves, without those of the history."""
        self._job = job

    def add_call(self, seat: Seat, name: str, spent: Spent) -> None:
        """Add a completed call."""
        self.calls.append(Call(seat=seat, call=name, ply=self.plies, **spent._asdict()))

    def note(self, **facts: Any) -> None:
        """Add facts from the reply, fields of `Call`, to the last call."""
        self.calls[-1] = replace(self.calls[-1], **facts)

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
        charged_ns = [0] * len(self._job.players)
        for call in self.calls:
            charged_ns[call.seat] += call.charged_ns
        standing = settle(
            outcome,
            rule=self._job.score,
            time=self._job.time,
            charged_ns=charged_ns,
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
