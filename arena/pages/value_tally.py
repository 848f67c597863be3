"""The values given by bots to their positions, against the results of the matches."""

from typing import Any

from referee.records.record import Record

BINS = 10
"""Number of equal parts of the range of values."""
LIMIT = 1000


class ValueTally:
    """For each bot and each part of the range: the positions, and the shares won from them."""

    def __init__(self) -> None:
        self._bins: dict[str, list[tuple[int, float]]] = {}
        self.positions = 0

    def add(self, record: Record) -> None:
        """Add the values of a match of several seats."""
        places = record.verdict.places
        if len(places) < 2:
            return
        columns = zip(record.calls.column("seat"), record.calls.column("value"), strict=True)
        for seat, value in columns:
            if value is not None:
                bins = self._bins.setdefault(record.job.player(seat).name, [(0, 0.0)] * BINS)
                place = min((value + LIMIT) * BINS // (2 * LIMIT), BINS - 1)
                count, won = bins[place]
                bins[place] = (count + 1, won + _share(places, seat))
                self.positions += 1

    def to_json(self) -> dict[str, Any]:
        """Return the percentage won from each part of the range by bot, None without positions."""
        return {
            "positions": self.positions,
            "won": {
                player: [round(100 * won / count, 1) if count else None for count, won in bins]
                for player, bins in sorted(self._bins.items())
            },
        }


def _share(places: tuple[int, ...], seat: int) -> float:
    """Return the share of other seats behind this one; a tie counts half."""
    mine = places[seat]
    others = [place for other, place in enumerate(places) if other != seat]
    return sum((place > mine) + (place == mine) / 2 for place in others) / len(others)
