"""Report the evidence of a running gate after every few pairs."""

from collections.abc import Mapping, Sequence
from typing import Self

from arena.event.progress import Audience, Progress
from arena.gate.gate import Gate
from arena.ratings.sprt import GateOutcome
from arena.results.standings import Table
from arena.results.store import MatchRow
from referee.job import Job
from referee.result import SeatRow

EVERY = 10
"""Number of pairs between two reports."""


class GateAudience:
    """An audience that also receives the distance of a gate from its decision."""

    def __init__(
        self, audience: Audience, gate: Gate, results: Mapping[str, Sequence[SeatRow]]
    ) -> None:
        """Wrap an audience; `results` are those of earlier matches."""
        self._audience = audience
        self._gate = gate
        self._results = results

    def say(self, line: str) -> None:
        """Pass on a notice."""
        self._audience.say(line)

    def follow(self, total: int, done: int, table: Table) -> Progress:
        """Return the progress of the event, with the evidence."""
        progress = self._audience.follow(total, done, table)
        return _GateProgress(progress, self._gate, self._results)


class _GateProgress:
    """A progress that also receives the evidence."""

    def __init__(
        self, progress: Progress, gate: Gate, results: Mapping[str, Sequence[SeatRow]]
    ) -> None:
        self._progress = progress
        self._question = gate.question
        self._name = "evidence" if gate.rule.is_by_scores else "LLR"
        self._schedule = gate.schedule()
        self._results = dict(results)
        self._next = EVERY + self._schedule.progress(self._results).ended

    def __enter__(self) -> Self:
        self._progress.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.__exit__(*error)

    def finished(self, match: MatchRow) -> None:
        """Pass on a match; report the evidence once enough pairs have ended."""
        self._progress.finished(match)
        self._results[match.key] = match.seats
        progress = self._schedule.progress(self._results)
        if progress.ended >= self._next and progress.outcome is GateOutcome.OPEN:
            self._next = progress.ended + EVERY
            bounds, llr = self._question.bounds, self._question.llr(progress.tally)
            self._progress.say(
                f"after {progress.ended} pairs: {self._name} {llr:+.2f};"
                f" fails at {bounds.lower:+.2f}, passes at {bounds.upper:+.2f}"
            )

    def expect(self, total: int) -> None:
        self._progress.expect(total)

    def running(self, jobs: Sequence[Job]) -> None:
        self._progress.running(jobs)

    def say(self, line: str) -> None:
        """Pass on a notice."""
        self._progress.say(line)
