"""How often results may be read again: a reading may cost little on the whole."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

SHARE = 20
"""Least ratio of the time between two readings to the time of a reading."""
LEAST_PAUSE_S = 1.0


class ReadingPace:
    """The time of the next reading."""

    def __init__(self, now_s: Callable[[], float], least_s: float = LEAST_PAUSE_S) -> None:
        """`least_s` is the least time between the beginnings of two readings."""
        self._now_s = now_s
        self._least_s = least_s
        self._due_s = 0.0

    @property
    def is_due(self) -> bool:
        """Whether the last reading is long enough ago."""
        return self._now_s() >= self._due_s

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Measure a reading."""
        begun_s = self._now_s()
        try:
            yield
        finally:
            took_s = self._now_s() - begun_s
            self._due_s = begun_s + max(self._least_s, SHARE * took_s)
