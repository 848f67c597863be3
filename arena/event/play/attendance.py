"""Remote bots that are out of reach: their matches wait, for a limited time in all.

The door is asked once a second whose line works. A bot is away as soon as a match has lost its
line, and back as soon as the door says so. Absence is no fault. Only when a bot has been away for
longer than the limit of the event, in one run of it, its matches are forfeited while it is away.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping

from arena.reading.quantities import format_duration
from referee.job import SECOND_NS, Player

ASK_DOOR_S = 1.0
"""Seconds between two questions to the door."""
MISSED = 3
"""Number of lost starts of a match; each one more counts as a line lost in the running match.

Otherwise an owner could keep an opponent waiting with a line that fails at each start.
"""

Ask = Callable[[], Collection[str] | None]
"""Returns the entrants whose line works; None without a door."""


class Attendance:
    """Follows which remote players are out of reach."""

    def __init__(
        self,
        players: Mapping[str, Player],
        limit_ns: int,
        ask: Ask | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Follow the remote ones of these players; `ask` is a question to the door by default."""
        self._entrants = {name: one.remote for name, one in players.items() if one.door}
        self._limit_ns = limit_ns
        self._ask, self._now_s = ask or _ask_door, now_s
        self._next_look_s = now_s()
        self._since_s: dict[str, float] = {}
        """Times since when the players are away, by name."""
        self._spent_s: dict[str, float] = defaultdict(float)
        """Length of the ended absences of each player, in seconds."""
        self._told: set[str] = set()
        """Players whose forfeits were said."""
        self._missed: Counter[str] = Counter()

    @property
    def is_complete(self) -> bool:
        """Whether no player is away."""
        return not self._since_s

    def is_awaited(self, player: str) -> bool:
        """Whether the matches of a player wait."""
        return player in self._since_s and not self._is_over(player)

    def absence(self, player: str) -> str | None:
        """Return why a player forfeits its matches now; None for a player that does not."""
        if player not in self._since_s or not self._is_over(player):
            return None
        return f"out of reach for more than {format_duration(self._limit_ns)}"

    def miss(self, player: str) -> str:
        """Note that a player is away; return a line for the user, empty if that was known."""
        if player in self._since_s or player not in self._entrants:
            return ""
        self._since_s[player] = self._now_s()
        if self._is_over(player):
            return ""
        left_ns = round(self._limit_ns - self._spent_s[player] * SECOND_NS)
        left = format_duration(max(1, left_ns // SECOND_NS) * SECOND_NS)
        return f"{player} is out of reach: its matches wait, for {left} at most (`absence`)"

    def miss_start(self, key: str) -> bool:
        """Count a lost start of a match; return whether it is too many."""
        self._missed[key] += 1
        return self._missed[key] > MISSED

    def look(self) -> list[str]:
        """Ask the door, at most once in ASK_DOOR_S; return lines for the user."""
        if not self._entrants or self._now_s() < self._next_look_s:
            return []
        self._next_look_s = self._now_s() + ASK_DOOR_S
        if (here := self._ask()) is None:
            return []  # the matches say what is wrong
        lines = []
        for player, entrant in self._entrants.items():
            lines.append(self._welcome(player) if entrant in here else self.miss(player))
            if self.absence(player) is not None and player not in self._told:
                self._told.add(player)
                lines.append(
                    f"{player} was {self.absence(player)}: it forfeits its matches while it is"
                    " away; a higher `absence` with --update has them played"
                )
        return [line for line in lines if line]

    def _welcome(self, player: str) -> str:
        if (since_s := self._since_s.pop(player, None)) is None:
            return ""
        self._spent_s[player] += self._now_s() - since_s
        self._told.discard(player)
        return f"{player} is back"

    def _is_over(self, player: str) -> bool:
        away_s = self._now_s() - self._since_s[player] + self._spent_s[player]
        return away_s * SECOND_NS > self._limit_ns


def _ask_door() -> Collection[str] | None:
    from arena.remote.presence import reachable_entrants  # slow: it loads ZeroMQ

    return reachable_entrants()
