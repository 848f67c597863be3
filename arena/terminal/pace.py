"""The pace of an event: its matches, counted, and the time left."""

import time

from arena.text import duration


class Pace:
    """Counts matches and estimates the time left from those of this run."""

    def __init__(self, total: int, done: int) -> None:
        self.total = total
        self.done = done
        self._before = done
        self._started = time.monotonic()
        self._is_most = False
        """Whether the event may end before its total."""

    def finish(self) -> None:
        """Count a match; one that ends after the decision raises the total."""
        self.done += 1
        self.total = max(self.total, self.done)

    def expect(self, total: int) -> None:
        """Count to another total, an upper bound until the results decide."""
        self.total, self._is_most = total, True

    def rate(self) -> str:
        """Return the number of matches in a second, minute or hour as text; empty while unknown."""
        played, spent = self.done - self._before, time.monotonic() - self._started
        if played == 0 or spent <= 0:
            return ""
        rate = played / spent
        if rate >= 1:
            return f"{rate:.1f} matches/s"
        return f"{60 * rate:.1f} matches/min" if 60 * rate >= 1 else f"{3600 * rate:.1f} matches/h"

    def eta(self) -> str:
        """Return the time left as text; empty while unknown."""
        played = self.done - self._before
        if played == 0 or self.done >= self.total:
            return ""
        spent = time.monotonic() - self._started
        most = "at most " if self._is_most else ""
        return f"ETA {most}{duration(spent / played * (self.total - self.done))}"
