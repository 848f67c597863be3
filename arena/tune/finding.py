"""The finding of a tuning: the best values so far, how sure they are, and their evidence."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.bots.settings import Settings
from arena.formats.event_results import results_of
from arena.formats.format import Results
from arena.results.store import EventRow, Store
from arena.tune.grid import Point
from arena.tune.optimum import Interval, optimum_of
from arena.tune.spsa import Course
from arena.tune.tune import Tune, stored_tune


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The values that a tuning has found."""

    tune: Tune
    event: EventRow
    db: str
    tuned: Settings
    played: int
    """Number of matches played."""
    course: Course | None
    """The course of SPSA; None for a grid."""
    intervals: Sequence[Interval | None]
    """Where the best value of each parameter is; empty for a grid, None where nobody knows."""
    points: Sequence[Point]
    """The points of a grid."""

    @property
    def is_stuck(self) -> bool:
        """Whether the search has ended early, for want of evidence."""
        return self.course is not None and self.course.is_stuck

    @property
    def is_ended(self) -> bool:
        """Whether the search is complete."""
        if self.course is not None:
            return self.course.is_ended
        return self.pairs == len(self.points) * (self.tune.section.pairs or 1)

    @property
    def pairs(self) -> int:
        """Number of ended pairs."""
        if self.course is not None:
            return len(self.course.played)
        return sum(point.pairs + point.empty for point in self.points)

    @property
    def empty(self) -> int:
        """Number of ended pairs that are no evidence."""
        if self.course is not None:
            return sum(result is None for _, result in self.course.played)
        return sum(point.empty for point in self.points)

    @property
    def is_better(self) -> bool:
        """Whether the values differ from those of the base."""
        return self.tuned != self.tune.start


def finding_of(store: Store, event: EventRow) -> Finding:
    """Return the finding of a tuning in the database."""
    tune = stored_tune(event)
    results = tune_results(store, event.id, tune)
    course = None if tune.is_grid else tune.course(results)
    return Finding(
        tune=tune,
        event=event,
        db=str(store.path),
        tuned=tune.tuned(results),
        played=store.count(event.id),
        course=course,
        intervals=() if course is None else intervals_of(course),
        points=tune.points(results) if tune.is_grid else (),
    )


def intervals_of(course: Course) -> list[Interval | None]:
    """Return where the best value of each parameter is."""
    return [
        optimum_of(course.played, place, each.low, each.high)
        for place, each in enumerate(course.parameters)
    ]


def tune_results(store: Store, event: int, tune: Tune) -> Results:
    """Return the results of all ended matches of a tuning."""
    if not tune.is_grid:
        return results_of(store, event, tune.search)
    return {match.key: match.seats for match in store.matches(event)}
