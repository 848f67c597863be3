"""While bots start, none takes the core from the others by having more processes."""

import pytest
from fakes import MS, FakeProcess

from referee.sandbox.shares import LEAD_NS, Shares


class Starting:
    """Two bots that start, one of them with a crowd."""

    def __init__(self) -> None:
        self.crowd, self.modest = FakeProcess(), FakeProcess()
        self.shares = Shares([self.crowd, self.modest])
        self.now_ns = 0

    def burn(self, crowd_ms: float, modest_ms: float, *, modest_waits: bool = True) -> None:
        """Let a slice of time pass with this CPU time of each, and check."""
        self.crowd.spent_ns += round(crowd_ms * MS)
        self.modest.spent_ns += round(modest_ms * MS)
        self.now_ns += Shares.SLICE_NS
        waiting = [self.crowd, self.modest] if modest_waits else [self.crowd]
        self.shares.look(waiting, self.now_ns)

    @property
    def is_crowd_suspended(self) -> bool:
        return self.crowd.treatment[-1] == "suspend"


def test_a_bot_far_ahead_waits_for_a_working_one() -> None:
    both = Starting()
    both.burn(LEAD_NS / MS + 50, 1)
    assert both.is_crowd_suspended

    both.burn(0, 30)
    assert both.is_crowd_suspended
    both.burn(0, 30)

    assert not both.is_crowd_suspended
    assert "suspend" not in both.modest.treatment


def test_a_bot_that_has_worked_at_all_is_waited_for() -> None:
    both = Starting()

    both.burn(LEAD_NS / MS + 1, 1 / MS)

    assert both.is_crowd_suspended


def test_an_idle_bot_delays_no_one() -> None:
    both = Starting()
    both.burn(1, 1)

    both.burn(LEAD_NS / MS + 10, 0)

    assert not both.is_crowd_suspended


def test_a_bot_that_hardly_works_suspends_no_one_for_long() -> None:
    """Otherwise a bot could keep its rival from its hello until the start limit."""
    both = Starting()
    both.burn(LEAD_NS / MS + 10, 0.1)

    states = []
    for _ in range(100):  # half of the limit of 10 s
        both.burn(0 if both.is_crowd_suspended else 50, 0.1)
        states.append(both.is_crowd_suspended)

    assert states.count(True) == 50


@pytest.mark.parametrize(("modest_ms", "is_suspended"), [(25, True), (24.999999, False)])
def test_a_bot_stays_suspended_while_the_others_use_half_of_the_time(
    modest_ms: float, *, is_suspended: bool
) -> None:
    both = Starting()
    both.burn(LEAD_NS / MS + 100, 1)

    both.burn(0, modest_ms)

    assert both.is_crowd_suspended == is_suspended


def test_a_bot_stays_as_it_is_until_a_slice_is_over() -> None:
    both = Starting()
    both.burn(LEAD_NS / MS + 100, 1)
    looks = len(both.crowd.treatment)
    both.modest.spent_ns += 2 * LEAD_NS

    both.shares.look([both.crowd, both.modest], both.now_ns + Shares.SLICE_NS - 1)
    assert len(both.crowd.treatment) == looks

    both.shares.look([both.crowd, both.modest], both.now_ns + Shares.SLICE_NS)
    assert not both.is_crowd_suspended


def test_an_arrived_bot_delays_no_one() -> None:
    both = Starting()

    both.burn(LEAD_NS / MS + 10, 1, modest_waits=False)

    assert not both.is_crowd_suspended


@pytest.mark.parametrize(("lead_ns", "is_suspended"), [(LEAD_NS, False), (LEAD_NS + 1, True)])
def test_a_small_lead_is_ignored(lead_ns: int, *, is_suspended: bool) -> None:
    both = Starting()

    both.burn(1 + lead_ns / MS, 1)

    assert both.is_crowd_suspended == is_suspended


def test_at_the_end_all_bots_are_resumed() -> None:
    both = Starting()
    both.burn(LEAD_NS / MS + 10, 1)

    both.shares.end()

    assert not both.is_crowd_suspended


def test_a_single_starting_bot_is_never_suspended() -> None:
    alone = FakeProcess()
    shares = Shares([alone])
    alone.spent_ns = 10 * LEAD_NS

    shares.look([alone], Shares.SLICE_NS)
    shares.end()

    assert alone.treatment == []
