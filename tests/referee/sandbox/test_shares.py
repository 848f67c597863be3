"""While bots start, none takes the core from the others by having more processes."""

from fakes import MS, FakeProcess

from referee.sandbox.shares import LEAD_NS, Shares


class Starting:
    """Two bots that start, one of them with a crowd."""

    def __init__(self) -> None:
        self.crowd, self.modest = FakeProcess(), FakeProcess()
        self.shares = Shares([self.crowd, self.modest])
        self.now_ns = 0

    def burn(self, crowd_ms: float, modest_ms: float, *, modest_waits: bool = True) -> None:
        """Let a slice of time pass in which they burn so much, and look."""
        self.crowd.spent_ns += round(crowd_ms * MS)
        self.modest.spent_ns += round(modest_ms * MS)
        self.now_ns += Shares.SLICE_NS
        waiting = [self.crowd, self.modest] if modest_waits else [self.crowd]
        self.shares.look(waiting, self.now_ns)

    @property
    def is_crowd_suspended(self) -> bool:
        return self.crowd.treatment[-1] == "suspend"


def test_who_is_far_ahead_of_one_at_work_waits_until_that_has_caught_up() -> None:
    both = Starting()
    both.burn(LEAD_NS / MS + 10, 1)
    assert both.is_crowd_suspended

    both.burn(0, 5)
    assert both.is_crowd_suspended
    both.burn(0, 5)

    assert not both.is_crowd_suspended
    assert "suspend" not in both.modest.treatment


def test_who_does_nothing_holds_nobody_up() -> None:
    both = Starting()
    both.burn(1, 1)

    both.burn(LEAD_NS / MS + 10, 0)

    assert not both.is_crowd_suspended


def test_who_has_arrived_holds_nobody_up() -> None:
    both = Starting()

    both.burn(LEAD_NS / MS + 10, 1, modest_waits=False)

    assert not both.is_crowd_suspended


def test_a_small_lead_is_nothing() -> None:
    both = Starting()

    both.burn(LEAD_NS / MS, 1)

    assert not both.is_crowd_suspended


def test_at_the_end_everybody_goes_on() -> None:
    both = Starting()
    both.burn(LEAD_NS / MS + 10, 1)

    both.shares.end()

    assert not both.is_crowd_suspended


def test_a_bot_that_starts_alone_is_left_alone() -> None:
    alone = FakeProcess()
    shares = Shares([alone])
    alone.spent_ns = 10 * LEAD_NS

    shares.look([alone], Shares.SLICE_NS)
    shares.end()

    assert alone.treatment == []
