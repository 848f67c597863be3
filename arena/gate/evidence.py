"""The evidence of a running gate, in words after every few pairs."""

from collections.abc import Mapping, Sequence

from arena.gate.gate import Gate
from arena.ratings.sprt import GateOutcome
from arena.results.store import MatchRow
from referee.records.result import SeatRow

EVERY = 10
"""Number of pairs between two remarks."""


class Evidence:
    """The distance of a gate from its decision, match by match."""

    def __init__(self, gate: Gate, results: Mapping[str, Sequence[SeatRow]]) -> None:
        """Start from the results of earlier matches."""
        self._question = gate.question
        self._name = "evidence" if gate.rule.is_by_scores else "LLR"
        self._schedule = gate.schedule()
        self._results = dict(results)
        self._next = EVERY + self._schedule.progress(self._results).ended

    def after(self, match: MatchRow) -> str:
        """Add a match; return the evidence once enough pairs have ended, otherwise empty."""
        self._results[match.key] = match.seats
        progress = self._schedule.progress(self._results)
        if progress.ended < self._next or progress.outcome is not GateOutcome.OPEN:
            return ""
        self._next = progress.ended + EVERY
        bounds, llr = self._question.bounds, self._question.llr(progress.tally)
        return (
            f"after {progress.ended} pairs: {self._name} {llr:+.2f};"
            f" fails at {bounds.lower:+.2f}, passes at {bounds.upper:+.2f}"
        )
