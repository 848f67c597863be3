"""Waits for an event: a minute, and longer where the machine has more to do than it has cores."""

import os
import time
from collections.abc import Callable

LEAST_S, LONGEST_S = 60, 200


def patience_s() -> int:
    """Return the limit of a wait in seconds: more of it while more tasks share each core.

    A test that waits longer hangs. The average load is low where a run has just begun, so that the
    workers of the run count too.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    load = max(os.getloadavg()[0], workers) / len(os.sched_getaffinity(0))
    return min(LONGEST_S, int(LEAST_S * max(1.0, load)))


PATIENCE_S = patience_s()
"""Limit of a wait for one event, or for a program that builds nothing; others take LONGEST_S."""


def becomes(fact: Callable[[], bool]) -> bool:
    """Check a hundred times a second until the fact is true."""
    began_s = time.monotonic()
    while time.monotonic() < began_s + patience_s():
        if fact():
            return True
        time.sleep(0.01)
    return False
