"""Limits and penalties of machines of unlike speed."""

from dataclasses import replace
from decimal import Decimal

import pytest
from events import job_of

from arena.cluster.members import spread
from arena.cluster.scaling import scaled
from referee.job import ScoreRule, TimeControl


def test_a_machine_of_half_the_speed_gets_twice_the_time_and_half_the_penalty() -> None:
    time = TimeControl(per_move_ns=1_000, bank_ns=10_000, increment_ns=30, grace_ns=50)
    job = replace(job_of("ann", "bob"), time=time, score=ScoreRule(per_second=Decimal(1)))

    slow = scaled(job, 0.5)

    assert (slow.time.per_move_ns, slow.time.bank_ns, slow.time.increment_ns) == (2_000, 20_000, 60)
    assert slow.time.init_ns == 2 * time.init_ns
    assert slow.time.grace_ns == 50
    assert slow.time.wall_bank_ns is None
    assert slow.time.wall_allowed_ns > job.time.wall_allowed_ns
    assert slow.score.per_second == Decimal("0.5")
    assert scaled(job, 1.0) == job


@pytest.mark.parametrize(
    ("speeds", "share"), [([], 0.0), ([1.0], 0.0), ([1.0, 0.8, 0.9], 0.2), ([0.0], 0.0)]
)
def test_the_spread_is_the_share_by_which_the_slowest_is_slower(
    speeds: list[float], share: float
) -> None:
    assert spread(speeds) == pytest.approx(share)
