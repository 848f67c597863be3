"""The order of interest of matches: faults, upsets, extremes, then the newest."""

from collections.abc import Iterator, Sequence

from arena.results.standings import Table, is_win
from arena.results.store import MatchRow

UPSETS = 50
EXTREMES = 10
"""Number of shortest and of longest matches before all others."""


def by_interest(table: Table, matches: Sequence[MatchRow]) -> list[int]:
    """Return the numbers of all matches, the most interesting first."""
    return list(dict.fromkeys(match.id for match in _ordered(table, matches)))


def _ordered(table: Table, matches: Sequence[MatchRow]) -> Iterator[MatchRow]:
    yield from (match for match in matches if any(seat.is_at_fault for seat in match.seats))
    ranks = {row.player: rank for rank, row in table.ranked()}
    upsets = sorted(matches, key=lambda match: -_surprise(match, ranks))
    yield from (match for match in upsets[:UPSETS] if _surprise(match, ranks) > 0)
    by_plies = sorted(matches, key=lambda match: match.plies)
    yield from by_plies[:EXTREMES]
    yield from by_plies[-EXTREMES:]
    yield from reversed(matches)


def _surprise(match: MatchRow, ranks: dict[str, int]) -> int:
    """Return how many ranks below the best other player the winner stands."""
    seated = match.seats
    for seat in seated:
        if is_win(seat, seated):
            best = min(ranks[other.player] for other in seated if other is not seat)
            return ranks[seat.player] - best
    return 0
