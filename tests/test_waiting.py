"""Waits of tests: a minute, more on a busy machine, and always less than the limit of a test."""

import os
import time

import pytest
import waiting
from waiting import LEAST_S, LONGEST_S, patience_s


@pytest.mark.parametrize(
    ("load", "workers", "expected"),
    [(0, 1, LEAST_S), (2, 1, LEAST_S), (5, 1, 150), (0, 4, 120), (90, 4, LONGEST_S)],
)
def test_a_wait_is_longer_where_more_tasks_share_two_cores(
    monkeypatch: pytest.MonkeyPatch, load: float, workers: int, expected: int
) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", str(workers))
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0, 0))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})

    assert patience_s() == expected


def test_a_wait_ends_with_its_fact_or_after_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(range(1000))
    monkeypatch.setattr(waiting, "patience_s", lambda: 5)
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    looks = iter([False, False, True])

    assert waiting.becomes(lambda: next(looks))
    assert not waiting.becomes(lambda: False)


def test_the_limit_of_a_test_is_longer_than_its_waits(pytestconfig: pytest.Config) -> None:
    assert int(pytestconfig.getini("timeout")) > LONGEST_S


def test_a_hang_of_a_test_that_starts_no_program_ends_soon(request: pytest.FixtureRequest) -> None:
    """Where the command line has a limit for each test, it is that one."""
    limit = request.node.get_closest_marker("timeout")

    if request.config.getoption("timeout") is not None:
        assert limit is None
    else:
        assert LEAST_S < limit.args[0] <= LONGEST_S + 20
