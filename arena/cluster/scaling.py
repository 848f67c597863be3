"""Time limits and penalties for a machine of another speed than the reference machine."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from referee.job import Job

TIMES = (
    *("start_ns", "start_free_ns", "init_ns", "per_move_ns", "bank_ns", "increment_ns"),
    *("wall_bank_ns", "display_ns", "term_ns"),
)
"""The limits of a time control that depend on the speed of a core; the grace for noise does not."""


def scaled(job: Job, speed: float) -> Job:
    """Return a match with the limits and penalties for a machine of this speed.

    A machine of half the speed gets twice the time, and takes half the points off for each second.
    """
    rate = Decimal(str(speed))
    times: dict[str, Any] = {
        name: ns and round(ns / speed) for name in TIMES for ns in (getattr(job.time, name),)
    }
    rates: dict[str, Any] = {
        name: points and points * rate
        for name in ("per_second", "percent_per_ms")
        for points in (getattr(job.score, name),)
    }
    return replace(job, time=replace(job.time, **times), score=replace(job.score, **rates))
