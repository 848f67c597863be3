"""The time left of an event, as a number or as the most that it can be."""

import time

import pytest

from arena.terminal.pace import Pace


def paced(monkeypatch: pytest.MonkeyPatch, total: int, done: int, seconds: float) -> Pace:
    """Return a pace at which one match has just taken this time."""
    now_s = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    found = Pace(total, done)
    now_s += seconds
    found.finish()
    return found


def test_the_time_left_is_that_of_the_matches_of_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert paced(monkeypatch, 12, 5, 2.0).eta() == "ETA 12 s"
    assert paced(monkeypatch, 1, 0, 2.0).eta() == ""
    assert Pace(12, 5).eta() == ""


def test_an_event_that_may_end_early_has_at_most_this_time_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = paced(monkeypatch, 600, 0, 1.2)
    gate.expect(601)

    assert gate.eta() == "ETA at most 12 min 0 s"


@pytest.mark.parametrize(
    ("seconds", "rate"),
    [(0.5, "2.0 matches/s"), (30, "2.0 matches/min"), (7200, "0.5 matches/h"), (0, "")],
)
def test_the_rate_has_a_unit_in_which_it_is_no_zero(
    monkeypatch: pytest.MonkeyPatch, seconds: float, rate: str
) -> None:
    assert paced(monkeypatch, 12, 5, seconds).rate() == rate
