"""How many matches wait in a referee's pipe, and how long results wait for others.

To store two results in one transaction costs the director little more than one, and so does a
second result after the first: what it works with is in the processor's cache then. So where matches
are short, a referee has several matches in its pipe, and a result waits for others while every
referee still has something to play.

With two matches in each pipe and no waiting, matches of instant C bots take 11 % more CPU time.
"""

import time
from collections.abc import Callable

LOOK_S = 0.025
"""Time in s between two looks for results while one waits for others."""
LOOKS = 4
"""Most looks for which a result waits."""
LONGEST_S = LOOKS * LOOK_S
"""Longest time in s that a result waits for others."""
MOST = 12
"""Most matches in a pipe."""
_FADE = 0.75
"""Weight of all that was measured before, against the latest results."""


class MatchPace:
    """Average time of the matches of a slot."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._since_s = 0.0
        self._spent_s = 0.0
        self._matches = 0.0

    def begin(self) -> None:
        """Begin to measure: the slot has a match again."""
        self._since_s = self._now_s()

    def add(self, results: int) -> None:
        """Add the results that have come since the last ones."""
        now_s = self._now_s()
        self._spent_s = _FADE * self._spent_s + now_s - self._since_s
        self._matches = _FADE * self._matches + results
        self._since_s = now_s

    def wanted(self) -> int:
        """Return the number of matches for the slot: the running one and the next ones."""
        if not self._matches or self._match_s() > LONGEST_S:
            return 2
        return min(MOST, 3 + int(LONGEST_S / max(self._match_s(), LONGEST_S / MOST)))

    def rest_s(self, matches: int) -> float:
        """Return for how many s this number of matches lasts, if the first has just ended."""
        return (matches - 1.5) * self._match_s() if self._matches else 0.0

    def _match_s(self) -> float:
        return self._spent_s / self._matches
