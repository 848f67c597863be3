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


def test_an_arrived_bot_delays_no_one() -> None:
    both = Starting()

    both.burn(LEAD_NS / MS + 10, 1, modest_waits=False)

    assert not both.is_crowd_suspended


def test_a_small_lead_is_ignored() -> None:
    both = Starting()

    both.burn(LEAD_NS / MS, 1)

    assert not both.is_crowd_suspended


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
