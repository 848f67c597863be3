"""The evidence of a running gate, in words."""

import math
from collections.abc import Mapping, Sequence

from arena.gate.gate import Gate
from arena.ratings.sprt import Bounds, GateOutcome
from arena.results.store import MatchRow
from arena.text import plural
from referee.records.result import SeatRow


class Evidence:
    """The distance of a gate from its decision, match by match."""

    def __init__(self, gate: Gate, results: Mapping[str, Sequence[SeatRow]]) -> None:
        """Start from the results of earlier matches."""
        self._question = gate.question
        self._name = "evidence" if gate.rule.is_by_scores else "LLR"
        self._schedule = gate.schedule()
        self._most = gate.rule.pairs
        self._results = dict(results)

    def add(self, match: MatchRow) -> None:
        """Add a match."""
        self._results[match.key] = match.seats

    def text(self) -> str:
        """Return the evidence of the pairs so far; empty before the first, and once decided."""
        progress = self._schedule.progress(self._results)
        if not progress.ended or progress.outcome is not GateOutcome.OPEN:
            return ""
        bounds, llr = self._question.bounds, self._question.llr(progress.tally)
        least = self._question.least_pairs - progress.ended
        return (
            f"{self._name} {llr:+z.2f}, fails at {bounds.lower:+z.2f}, passes at"
            f" {bounds.upper:+z.2f};"
            f" {pairs_left(bounds, llr, progress.ended, self._most - progress.ended, least)}"
        )


def pairs_left(bounds: Bounds, llr: float, ended: int, most: int, least: int = 1) -> str:
    """Return how many more pairs a gate needs if its evidence grows as in the `ended` pairs.

    It needs at least `least`, however strong the evidence is. The estimated time to the end is that
    of the cap, which a clear difference never needs.
    """
    bound = bounds.upper if llr > 0 else bounds.lower
    if not llr or (more := math.ceil(ended * (bound - llr) / llr)) >= most:
        return "no end before the cap at this rate"
    more = max(more, least)
    return f"about {plural(more, 'pair')} more at this rate"
