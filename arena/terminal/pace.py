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

    def finish(self) -> None:
        """Count a match; one that ends after the decision raises the total."""
        self.done += 1
        self.total = max(self.total, self.done)

    def eta(self) -> str:
        """Return the time left as text; empty while unknown."""
        played = self.done - self._before
        if played == 0 or self.done >= self.total:
            return ""
        spent = time.monotonic() - self._started
        return f"ETA {duration(spent / played * (self.total - self.done))}"
