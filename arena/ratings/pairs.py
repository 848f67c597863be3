"""The Elo difference of two players from pairs of matches.

A pair is two matches on one board with the seats swapped. A board that favours a seat or a player
makes the results of its matches depend on each other, so that they are no independent sample; the
pairs are. The error is that of the mean of the pairs' points, counted in five bins
("pentanomial" in fishtest and fastchess), times the slope of the logistic curve.
"""

import math
from collections.abc import Iterable, Sequence

from arena.ratings.pentanomial import PAIR_SCORES, SURE, pair_bin
from arena.ratings.sprt import LEAST_PAIRS
from arena.ratings.text import is_rated
from arena.results.store import EventRow, MatchRow, Store
from referee.records.result import SeatRow

PRIOR = 0.2
"""Pseudo-count added to every bin, one pair in total, so that the Elo estimate stays finite."""


def elo_of(bins: Sequence[int]) -> tuple[float, float]:
    """Return the Elo difference and its 95 % error from the number of pairs in each bin."""
    counts = [count + PRIOR for count in bins]
    pairs = sum(counts)
    mean = sum(n * score for n, score in zip(counts, PAIR_SCORES, strict=True)) / pairs
    spread = sum(n * (score - mean) ** 2 for n, score in zip(counts, PAIR_SCORES, strict=True))
    slope = 400 / math.log(10) / (mean * (1 - mean))
    return -400 * math.log10(1 / mean - 1), SURE * slope * math.sqrt(spread) / pairs


def points_of(player: str, match: Sequence[SeatRow]) -> float:
    """Return the points of a player in a match of two: 1 for winning, 0.5 for a draw, else 0."""
    (mine,) = (seat.place for seat in match if seat.player == player)
    (other,) = (seat.place for seat in match if seat.player != player)
    return 0.5 if mine == other else float(mine < other)


def bins_text(bins: Sequence[int]) -> str:
    """Return the number of pairs in each bin as text."""
    taken = zip(("0", "½", "1", "1½", "2"), bins, strict=True)
    return "points of 2: " + ", ".join(f"{name}: {count}" for name, count in taken)


def pairs_text(store: Store, event: EventRow) -> str:
    """Return the points in pairs of matches; empty without enough pairs, and for a gate."""
    if len(event.entrants) != 2 or event.config.get("format") == "gate" or not is_rated(event):
        return ""
    few = event.config.get("boards", LEAST_PAIRS) < LEAST_PAIRS
    if few and event.config.get("format") != "ladder":
        return ""  # without reading the matches again
    one, _ = event.entrants
    bins = _bins(one, store.matches(event.id))
    if sum(bins) < LEAST_PAIRS:
        return ""
    return (
        f"{one} in {sum(bins)} pairs ({bins_text(bins)}).\n"
        "A pair is two matches on one board with the seats swapped."
    )


class PairBins:
    """The pairs of two players, match by match, by the points of one of them."""

    def __init__(self, one: str) -> None:
        self._one = one
        self._boards: dict[int, tuple[str, float] | None] = {}
        """Who was first in the only match on a board, and the points; None after both."""
        self._counts = [0] * len(PAIR_SCORES)
        self._is_paired = True

    @property
    def bins(self) -> tuple[int, ...]:
        """Number of pairs in each bin; all 0 if the matches are not in pairs."""
        return tuple(self._counts) if self._is_paired else (0,) * len(PAIR_SCORES)

    def add(self, match: MatchRow) -> None:
        """Add a finished match."""
        if len(match.seats) != 2 or any(seat.is_unplayed for seat in match.seats):
            return
        first, points = match.seats[0].player, points_of(self._one, match.seats)
        if match.board not in self._boards:
            self._boards[match.board] = first, points
            return
        before = self._boards[match.board]
        if before is None or before[0] == first:
            self._is_paired = False
            return
        self._counts[pair_bin(before[1] + points)] += 1
        self._boards[match.board] = None


def _bins(one: str, matches: Iterable[MatchRow]) -> tuple[int, ...]:
    """Return the number of pairs by the points of a player; all 0 if more share a board."""
    pairs = PairBins(one)
    for match in matches:
        pairs.add(match)
    return pairs.bins
