"""The Elo difference of two players from pairs of matches.

A pair is two matches on one board with the seats swapped. A board that favours a seat or a player
makes the results of its matches depend on each other, so that they are no independent sample; the
pairs are. The error is that of the mean of the pairs' points, counted in five bins
("pentanomial" in fishtest and fastchess), times the slope of the logistic curve.
"""

import math
from collections.abc import Iterable, Sequence

from arena.ratings.pentanomial import PAIR_SCORES, pair_bin
from arena.ratings.sprt import LEAST_PAIRS
from arena.ratings.text import is_rated
from arena.results.store import EventRow, MatchRow, Store
from referee.records.result import SeatRow

PRIOR = 0.2
"""Pseudo-count added to every bin, one pair in total, so that the Elo estimate stays finite."""
SURE = 1.96
"""Half-width of a 95 % confidence interval in standard errors."""


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


def _bins(one: str, matches: Iterable[MatchRow]) -> list[int]:
    """Return the number of pairs by the points of a player; all 0 if more share a board."""
    boards: dict[int, list[tuple[str, float]]] = {}
    for match in matches:
        if len(match.seats) == 2 and not any(seat.is_unplayed for seat in match.seats):
            result = match.seats[0].player, points_of(one, match.seats)
            boards.setdefault(match.board, []).append(result)
    bins = [0] * len(PAIR_SCORES)
    for played in boards.values():
        if len(played) > 2 or (len(played) == 2 and played[0][0] == played[1][0]):
            return [0] * len(PAIR_SCORES)
        if len(played) == 2:
            bins[pair_bin(sum(points for _, points in played))] += 1
    return bins
