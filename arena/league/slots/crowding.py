"""How many matches the league's own machine plays at a time after a shortage.

As in an event (`arena.event.play.shortages`), half as many matches run at once after one that
lacked memory, processes or disk below the limits of its bots. A league has no end, so the limit is
doubled again after a while without another shortage. Where one match ran alone, its shortage is
that of its own bots: the director makes the match void, and its suspect forfeits it the second
time. Otherwise a losing bot that fills the machine could have its match played again for ever.

A match beside an examination does not run alone. After some shortages no examination begins, and
no match beside the last one, until the match has run alone: otherwise hand-ins without end would
keep its bots from any blame.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from referee.records.match_end import MatchEnd

RECOVERY_S = 600.0
"""Time in seconds without a shortage after which twice as many matches run at once."""
MOST_CUTS = 10
"""Number of shortages of a match after which it is void without a suspect, if it never ran alone.
"""
QUIET_CUTS = 5
"""Number of shortages of a match after which it is to run without an examination beside it."""
QUIET_S = 900.0
"""Longest wait of examinations in seconds for such a match: perhaps it is never played again."""
MOST_KEYS = 1000
"""Limit of the matches whose shortages are counted."""


class Crowding:
    """Limits the matches that run at once, and knows which of them ran alone."""

    def __init__(self, slots: int, now_s: Callable[[], float] = time.monotonic) -> None:
        """Begin without a limit below the number of slots."""
        self.most = self._all = slots
        """Limit of matches that run at once."""
        self._now_s = now_s
        self._since_s = now_s()
        self._begun_under: dict[str, int] = {}  # {key of a running match: limit at its begin}
        self._examined: set[str] = set()
        """Keys of the running matches beside which a hand-in was examined."""
        self._cuts: Counter[str] = Counter()
        """Number of shortages of each match."""
        self._quiet_until_s: dict[str, float] = {}
        """End of the wait of examinations for each match that is to run alone."""

    @property
    def wants_quiet(self) -> bool:
        """Whether no examination may begin, as a match is to run alone."""
        return any(self._now_s() < until_s for until_s in self._quiet_until_s.values())

    def look(self, running: Iterable[str], *, is_examining: bool) -> None:
        """Note what has begun since the last look; to be called before each wait."""
        if self.most < self._all and self._now_s() >= self._since_s + RECOVERY_S:
            self.most = min(self._all, 2 * self.most)
            self._since_s = self._now_s()
            self._begun_under.clear()  # others may begin beside those that run
        begun = self._begun_under
        self._begun_under = {key: begun.get(key, self.most) for key in running}
        self._examined = self._begun_under.keys() & self._examined
        if is_examining:
            self._examined = set(self._begun_under)

    def after(self, end: MatchEnd) -> MatchEnd:
        """Return an end with whether its match ran alone; halve the limit after a shortage."""
        key = end.job.key
        begun_under = self._begun_under.pop(key, self.most)
        is_own = begun_under == 1 and key not in self._examined
        self._examined -= {key}
        if is_own or not end.is_short:
            self._forget(key)
        if not end.is_short:
            return end
        self._since_s = self._now_s()
        if is_own:
            return replace(end, is_alone=True)
        if begun_under == self.most > 1:
            self.most //= 2
        return self._after_many(end)

    def _after_many(self, end: MatchEnd) -> MatchEnd:
        """Return a shortage that is not the match's own; after many of one match it is given up."""
        key = end.job.key
        self._cuts[key] += 1
        if len(self._cuts) > MOST_KEYS:
            self._forget(next(iter(self._cuts)))
        if self._cuts[key] >= QUIET_CUTS:
            self._quiet_until_s[key] = self._now_s() + QUIET_S
        if self._cuts[key] < MOST_CUTS:
            return end
        self._forget(key)
        return replace(end, is_alone=True, suspect=None)

    def _forget(self, key: str) -> None:
        self._cuts.pop(key, None)
        self._quiet_until_s.pop(key, None)
