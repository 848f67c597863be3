"""The schedule of an event as text."""

from dataclasses import replace

from events import plan_of

from arena.terminal.schedule import schedule_text
from referee.job import SECOND_NS, TimeControl


def test_the_longest_events_have_a_duration() -> None:
    plan = plan_of(("ann", "bob"))
    year = TimeControl(start_ns=0, wall_bank_ns=365 * 86_400 * SECOND_NS)

    for factor, expected in ((1, "730 days, 0:00:00 a match"), (10**9, "730000000000 days, 0:00")):
        time = replace(year, wall_bank_ns=factor * year.wall_allowed_ns)
        assert expected in schedule_text(replace(plan, job=replace(plan.job, time=time)))
