"""Void matches of a league: as in an event, but a season has no end.

An event forgives a remote bot three lost lines in all. Here it is three a day, so that an owner
with a bad line may play for a term, and nobody has every match played again that goes badly.
"""

import time
from collections.abc import Callable, Iterable, Mapping

from arena.event.play.voids import Sequel, Voids
from arena.results.voids import VoidRow
from referee.records.match_end import MatchEnd

DAY_S = 86_400.0


class LeagueVoids(Voids):
    """Follows the void matches of a season."""

    def __init__(
        self,
        known: Iterable[VoidRow],
        begun: Mapping[str, int],
        slots: int,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start from earlier runs; what they knew of a remote bot is forgiven a day later."""
        super().__init__(known, begun, slots)
        self._now_s = now_s
        self._began_s = now_s()
        self._since_s: dict[str, float] = {}
        """Begin of the day of each remote version that has lost its line."""

    def add(self, end: MatchEnd) -> Sequel:
        """Add a void match; return what follows."""
        if end.suspect is not None and (player := end.job.player(end.suspect.seat)).is_remote:
            self._begin_day(player.name)
        return super().add(end)

    def _begin_day(self, player: str) -> None:
        now_s = self._now_s()
        if now_s >= self._since_s.setdefault(player, self._began_s) + DAY_S:
            self._since_s[player] = now_s
            self.forgive(player)
