"""Time limits and penalties for a machine of another speed than the reference machine."""

from dataclasses import replace
from decimal import Decimal

from referee.job import Job


def scaled(job: Job, speed: float) -> Job:
    """Return a match with the limits and penalties for a machine of this speed.

    A machine of half the speed gets twice the time, and takes half the points off for each second.
    The grace for noise of the host stays: it does not depend on the speed of its cores.
    """
    time, score = job.time, job.score
    rate = Decimal(str(speed))

    def longer(limit_ns: int) -> int:
        return round(limit_ns / speed)

    return replace(
        job,
        time=replace(
            time,
            start_ns=longer(time.start_ns),
            start_free_ns=longer(time.start_free_ns),
            init_ns=longer(time.init_ns),
            per_move_ns=longer(time.per_move_ns),
            bank_ns=None if time.bank_ns is None else longer(time.bank_ns),
            increment_ns=None if time.increment_ns is None else longer(time.increment_ns),
            wall_bank_ns=None if time.wall_bank_ns is None else longer(time.wall_bank_ns),
            display_ns=longer(time.display_ns),
            term_ns=longer(time.term_ns),
        ),
        score=replace(
            score,
            per_second=None if score.per_second is None else score.per_second * rate,
            percent_per_ms=None if score.percent_per_ms is None else score.percent_per_ms * rate,
        ),
    )
