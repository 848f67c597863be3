"""Time limits and penalties for a machine of another speed than the reference machine."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from referee.job import Job, TimeControl

TIMES = (
    *("start_ns", "start_free_ns", "init_ns", "per_move_ns", "bank_ns", "increment_ns"),
    *("wall_bank_ns", "display_ns", "term_ns"),
)
"""The limits of a time control that depend on the speed of a core; the grace for noise does not."""
PENALTIES = ("per_second", "percent_per_ms")
"""What a score loses for time."""


def scaled(job: Job, speed: float) -> Job:
    """Return a match with the limits and penalties for a machine of this speed.

    A machine of half the speed gets twice the time, and takes half the points off for each second.
    """
    rate = Decimal(str(speed))
    rates = _changed(job.score, PENALTIES, lambda points: points * rate)
    return replace(
        job,
        time=_scaled(job.time, speed),
        players=tuple(
            replace(player, time=player.time and _scaled(player.time, speed))
            for player in job.players
        ),
        score=replace(job.score, **rates),
    )


def _scaled(time: TimeControl, speed: float) -> TimeControl:
    return replace(time, **_changed(time, TIMES, lambda ns: round(ns / speed)))


def _changed(part: object, names: Iterable[str], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return these fields of a part of the job, changed where they are set."""
    values = {name: getattr(part, name) for name in names}
    return {name: None if value is None else change(value) for name, value in values.items()}
