"""Who plays no more: a player whose bot was at fault in several of its matches in a row.

The rule, as `withdraw_after` sets it: a player at fault in so many of its matches in a row is
withdrawn. In a row means in the order of the schedule, whatever the order they were finished in, so
that an event that was interrupted comes to the same decisions. Matches that are running by then
count as they end. In all others the player loses its seat before the first ply: fault `no_show`, no
time, and the opponent gets what the game gives when a player retires at the start; where several
others are left, they play. A match in which a player was not called says nothing about its bot.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from arena.results.store import MatchRow
from arena.schedule.pairing import Pairing
from arena.text import plural


class Withdrawals:
    """Follows the faults of all players of an event."""

    def __init__(self, schedule: Iterable[Pairing], after: int, known: Mapping[str, str]) -> None:
        """Begin with the withdrawals that are known; `after` 0 adds none to them."""
        self.reasons = dict(known)
        """Why each of the withdrawn was, by player."""
        self._after = after
        self._keys: dict[str, list[str]] = defaultdict(list)
        self._places: dict[tuple[str, str], int] = {}
        for pairing in schedule if after else ():
            for player in pairing.players:
                self._places[player, pairing.key] = len(self._keys[player])
                self._keys[player].append(pairing.key)
        self._is_faulty: dict[tuple[str, str], bool | None] = {}
        """By player and key; None says nothing about the player."""

    def add(self, match: MatchRow) -> dict[str, str]:
        """Take in a finished match; return who is withdrawn for it, each with the reason."""
        withdrawn = {}
        for seat in match.seats:
            was_called = seat.wall_ns > 0 or seat.fault is not None
            self._is_faulty[seat.player, match.key] = bool(seat.fault) if was_called else None
            if seat.player not in self.reasons and self._has_enough(seat.player, match.key):
                withdrawn[seat.player] = f"{plural(self._after, 'fault')} in a row"
        self.reasons |= withdrawn
        return withdrawn

    def skip(self, pairing: Pairing) -> None:
        """Take in that a match stays undecided: it says nothing about anyone."""
        for player in pairing.players:
            self._is_faulty[player, pairing.key] = None

    def _has_enough(self, player: str, key: str) -> bool:
        place = self._places.get((player, key))
        if place is None:
            return False  # nobody counts, or the match is of a schedule before a bot was left out
        before = self._count(player, range(place, -1, -1))
        after = self._count(player, range(place + 1, len(self._keys[player])))
        return self._is_faulty[player, key] is True and before + after >= self._after

    def _count(self, player: str, places: Iterable[int]) -> int:
        """Return how many faults there are before the first match without one, or not yet known."""
        count = 0
        for place in places:
            is_faulty = self._is_faulty.get((player, self._keys[player][place]), False)
            if is_faulty is False or count == self._after:
                break
            count += is_faulty is True
        return count
