"""Waits for an event, however slow the machine is."""

import time
from collections.abc import Callable

PATIENCE_S = 240
"""Longer than any wait on a busy machine, shorter than the time limit of a test."""


def becomes(fact: Callable[[], bool]) -> bool:
    """Check a hundred times a second until the fact is true."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        if fact():
            return True
        time.sleep(0.01)
    return False
