"""Withdrawal of players after faults in several consecutive matches.

A player with faults in `withdraw_after` consecutive matches is withdrawn. Consecutive refers to the
order of the schedule, not of completion, so that an interrupted event makes the same decisions.
Matches already running count as they end. In all other matches the player loses its seat before the
first ply: fault `no_show`, no time, and the opponent gets the game's result for a retirement at the
start; two or more remaining players play on. A match without a call to a player is no evidence
about its bot.
"""

from collections.abc import Iterable, Mapping

from arena.results.store import MatchRow
from arena.schedule.pairing import Pairing
from arena.text import plural

_UNKNOWN, _FINE, _FAULTY, _SILENT = range(4)
"""Marks of a player's match: not finished, without fault, with a fault, no evidence."""


class Withdrawals:
    """Follows the faults of all players of an event."""

    def __init__(self, schedule: Iterable[Pairing], after: int, known: Mapping[str, str]) -> None:
        """Start from the known withdrawals; with `after` 0 no others follow."""
        self.reasons = dict(known)
        """Reason of each withdrawal, by player."""
        self._after = after
        self._places: dict[str, dict[str, int]] = {}
        """For each player, the index of each of its matches by key."""
        self._marks: dict[str, bytearray] = {}
        """For each player, one byte per match in order, since an event may have millions."""
        self.expect(schedule)

    def expect(self, schedule: Iterable[Pairing]) -> None:
        """Add the known matches of the schedule; those added before are ignored."""
        for pairing in schedule if self._after else ():
            key = pairing.key
            for player in pairing.players:
                places = self._places.setdefault(player, {})
                if key not in places:
                    places[key] = len(places)
                    self._marks.setdefault(player, bytearray()).append(_UNKNOWN)

    def add(self, match: MatchRow) -> dict[str, str]:
        """Add a finished match; return the resulting withdrawals with their reasons, by player."""
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
        """Mark a match as undecided, which is no evidence about its players."""
        for player in pairing.players:
            self._set(player, pairing.key, _SILENT)

    def _set(self, player: str, key: str, mark: int) -> None:
        place = self._places.get(player, {}).get(key)
        if (
            place is not None
        ):  # otherwise nothing is counted, or a bot of the match was left out since
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
        """Return the number of faults before the first match without a fault or result."""
        count = 0
        for place in places:
            if marks[place] in (_UNKNOWN, _FINE) or count == self._after:
                break
            count += marks[place] == _FAULTY
        return count
