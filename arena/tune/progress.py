"""The progress of a running tuning, in words after every few iterations and at each fault."""

from math import ceil

from arena.formats.format import Results
from arena.results.store import MatchRow
from arena.text import rough
from arena.tune.text import settings_text
from arena.tune.tune import Tune

LINES = 50
"""Number of lines of a whole tuning, about."""


class TuneProgress:
    """The course of a tuning, match by match."""

    def __init__(self, tune: Tune, results: Results) -> None:
        """Start after the results of earlier matches."""
        self._tune = tune
        self._every = ceil(tune.gains.iterations / LINES)
        self._next = 0 if tune.is_grid else tune.course(results).iteration // self._every + 1

    def after(self, match: MatchRow) -> str:
        """Return a line about the fault of a match, or about the course; otherwise empty."""
        if fault := self._fault(match):
            return fault
        if self._tune.is_grid:
            return ""
        course = self._tune.search.latest
        if course.iteration < self._next * self._every or course.is_ended:
            return ""
        self._next = course.iteration // self._every + 1
        values = ", ".join(
            f"{each.name} {rough(value)}"
            for each, value in zip(course.parameters, course.path[-1], strict=True)
        )
        return f"iteration {course.iteration} of {course.gains.iterations}: {values}"

    def _fault(self, match: MatchRow) -> str:
        for seat in match.seats:
            if seat.fault and seat.player in self._tune.sides:
                settings = self._tune.settings(match.board)[seat.player]
                return (
                    f"no evidence: {seat.player} with {settings_text(settings)} had a fault"
                    f" ({seat.fault}) in match {match.id}"
                )
        return ""
