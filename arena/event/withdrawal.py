"""Who plays no more: a player whose bot was at fault in several of its matches in a row.

The rule, as `withdraw_after` sets it: a player at fault in so many of its matches in a row is
withdrawn. In a row means in the order of the schedule, whatever the order they were finished in, so
that an event that was interrupted comes to the same decisions. Matches that are running by then
count as they end. In all others the player loses its seat before the first ply: fault `no_show`, no
time, and the opponent gets what the game gives when a player retires at the start; where several
others are left, they play. A match in which a player was not called says nothing about its bot.
"""

from collections.abc import Iterable, Mapping

from arena.results.store import MatchRow
from arena.schedule.pairing import Pairing
from arena.text import plural

_UNKNOWN, _FINE, _FAULTY, _SILENT = range(4)
"""What a match says of a player: not yet anything, without fault, at fault, nothing."""


class Withdrawals:
    """Follows the faults of all players of an event."""

    def __init__(self, schedule: Iterable[Pairing], after: int, known: Mapping[str, str]) -> None:
        """Begin with the withdrawals that are known; `after` 0 adds none to them."""
        self.reasons = dict(known)
        """Why each of the withdrawn was, by player."""
        self._after = after
        self._places: dict[str, dict[str, int]] = {}
        """For each player, which of its matches has which key."""
        self._marks: dict[str, bytearray] = {}
        """For each player, a byte for each of its matches in order: an event may have millions."""
        self.expect(schedule)

    def expect(self, schedule: Iterable[Pairing]) -> None:
        """Take in the schedule as far as it is known; what was known before changes nothing."""
        for pairing in schedule if self._after else ():
            key = pairing.key
            for player in pairing.players:
                places = self._places.setdefault(player, {})
                if key not in places:
                    places[key] = len(places)
                    self._marks.setdefault(player, bytearray()).append(_UNKNOWN)

    def add(self, match: MatchRow) -> dict[str, str]:
        """Take in a finished match; return who is withdrawn for it, each with the reason."""
        withdrawn = {}
        for seat in match.seats:
            was_called = seat.wall_ns > 0 or seat.fault is not None
            mark = _SILENT if not was_called else _FAULTY if seat.fault else _FINE
            self._set(seat.player, match.key, mark)
            if seat.player not in self.reasons and self._has_enough(seat.player, match.key):
                withdrawn[seat.player] = f"{plural(self._after, 'fault')} in a row"
        self.reasons |= withdrawn
        return withdrawn

    def skip(self, pairing: Pairing) -> None:
        """Take in that a match stays undecided: it says nothing about anyone."""
        for player in pairing.players:
            self._set(player, pairing.key, _SILENT)

    def _set(self, player: str, key: str, mark: int) -> None:
        place = self._places.get(player, {}).get(key)
        if place is not None:  # else nobody counts, or a bot of the match was left out since
            self._marks[player][place] = mark

    def _has_enough(self, player: str, key: str) -> bool:
        place = self._places.get(player, {}).get(key)
        if place is None:
            return False
        marks = self._marks[player]
        before = self._count(marks, range(place, -1, -1))
        after = self._count(marks, range(place + 1, len(marks)))
        return marks[place] == _FAULTY and before + after >= self._after

    def _count(self, marks: bytearray, places: Iterable[int]) -> int:
        """Return how many faults there are before the first match without one, or not yet known."""
        count = 0
        for place in places:
            if marks[place] in (_UNKNOWN, _FINE) or count == self._after:
                break
            count += marks[place] == _FAULTY
        return count
