"""Withdrawal of players after faults in several consecutive matches.

A player with faults in `withdraw_after` consecutive matches is withdrawn. Consecutive refers to the
order of the schedule, not of completion, so that an interrupted event makes the same decisions.
Matches already running count as they end. In all other matches the player loses its seat before the
first ply: fault `no_show`, no time, and the opponent gets the game's result for a retirement at the
start; two or more remaining players play on. A match without a call to a player is no evidence
about its bot, nor is a match forfeited because its bot was out of reach.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from arena.results.store import MatchRow
from arena.schedule.pairing import Pairing
from arena.text import plural

_FAULTY, _SILENT = range(2)
"""Marks of a match: _FAULTY is the player's fault, _SILENT says nothing about the player."""


class Withdrawals:
    """Follows the faults of all players of an event."""

    def __init__(self, schedule: Sequence[Pairing], after: int, known: Mapping[str, str]) -> None:
        """Start from the known withdrawals; with `after` 0 no others follow."""
        self.reasons = dict(known)  # {player: reason}
        """The withdrawals."""
        self._after = after
        self._schedule = schedule
        self._places: dict[str, dict[str, int]] | None = None  # {player: {key: index}}
        """The order of each player's matches; None before the first mark."""
        self._marks: dict[str, dict[int, int]] = defaultdict(dict)  # {player: {index: mark}}
        """The marks of each player's matches; a match without one ends a run."""

    def expect(self, schedule: Sequence[Pairing]) -> None:
        """Take the known matches of a schedule that has grown."""
        self._schedule = schedule
        if self._places is not None:
            self._add_places(self._places)

    def add(self, match: MatchRow) -> dict[str, str]:
        """Add a finished match; return the resulting withdrawals with their reasons, by player."""
        withdrawn = {}
        for seat in match.seats:
            if seat.is_at_fault:
                self._set(seat.player, match.key, _FAULTY)
                if seat.player not in self.reasons and self._has_enough(seat.player, match.key):
                    withdrawn[seat.player] = f"{plural(self._after, 'fault')} in a row"
            elif not seat.wall_ns:
                self._set(seat.player, match.key, _SILENT)
        self.reasons |= withdrawn
        return withdrawn

    def skip(self, pairing: Pairing) -> None:
        """Mark a match as undecided, which is no evidence about its players."""
        for player in pairing.players:
            self._set(player, pairing.key, _SILENT)

    def _set(self, player: str, key: str, mark: int) -> None:
        if (place := self._place(player, key)) is not None:
            self._marks[player][place] = mark

    def _place(self, player: str, key: str) -> int | None:
        """Return the index of a match; None if nothing is counted or the match was left out."""
        if not self._after:
            return None
        if self._places is None:
            self._places = {}
            self._add_places(self._places)
        return self._places.get(player, {}).get(key)

    def _add_places(self, places: dict[str, dict[str, int]]) -> None:
        for pairing in self._schedule:
            key = pairing.key
            for player in pairing.players:
                own = places.setdefault(player, {})
                own.setdefault(key, len(own))

    def _has_enough(self, player: str, key: str) -> bool:
        place = self._place(player, key)
        if place is None:
            return False
        marks = self._marks[player]
        before = self._count(marks, count(place, -1))
        return before + self._count(marks, count(place + 1)) >= self._after

    def _count(self, marks: Mapping[int, int], places: Iterable[int]) -> int:
        """Return the number of faults before the first match without a fault or result."""
        faults = 0
        for place in places:
            if place not in marks or faults == self._after:
                break
            faults += marks[place] == _FAULTY
        return faults


def withdrawal_text(player: str, reason: str) -> str:
    """Return a line for the user about a withdrawal, and how to end it."""
    return (
        f"{player} is withdrawn after {reason}; its other matches are forfeited; a higher"
        " withdraw_after with --update has them played, and those with a fault again"
    )
