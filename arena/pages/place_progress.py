"""The places of the bots during an event."""

from collections.abc import Iterable
from typing import Any

from arena.pages.elo_progress import PARTS
from arena.results.standings import Table
from referee.records.result import SeatRow


class PlaceProgress:
    """The places by score after each part of an event, as those of its Elo; few are kept."""

    def __init__(self, table: Table) -> None:
        """Begin with the table of an event without matches."""
        self._table = table
        self._length = 1
        self._places: dict[int, dict[str, int]] = {}
        """The place of each bot by the number of matches before."""

    def add(self, seats: Iterable[SeatRow]) -> None:
        """Add the next match."""
        table = self._table
        table.add(seats)
        while table.matches > PARTS * self._length:
            self._length *= 2
            self._places = {n: each for n, each in self._places.items() if n % self._length == 0}
        if table.matches % self._length == 0:
            self._places[table.matches] = {row.player: rank for rank, row in table.ranked()}

    def earlier(self) -> dict[str, Any] | None:
        """Return the places of the table before this one, and its number of matches."""
        before = [number for number in self._places if number < self._table.matches]
        if not before:
            return None
        return {"matches": before[-1], "places": self._places[before[-1]]}
