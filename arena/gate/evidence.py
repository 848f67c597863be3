"""The evidence of a running gate, in words after every few pairs."""

import math
from collections.abc import Mapping, Sequence

from arena.gate.gate import Gate
from arena.ratings.sprt import Bounds, GateOutcome
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
        self._most = gate.rule.pairs
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
            f" fails at {bounds.lower:+.2f}, passes at {bounds.upper:+.2f};"
            f" {pairs_left(bounds, llr, progress.ended, self._most - progress.ended)}"
        )


def pairs_left(bounds: Bounds, llr: float, ended: int, most: int) -> str:
    """Return how many more pairs a gate needs if its evidence grows as in the `ended` pairs.

    The estimated time to the end is that of the cap, which a clear difference never needs.
    """
    bound = bounds.upper if llr > 0 else bounds.lower
    more = math.ceil(ended * (bound - llr) / llr) if llr else math.inf
    return (
        f"about {more} more at this rate" if more < most else "no end before the cap at this rate"
    )
