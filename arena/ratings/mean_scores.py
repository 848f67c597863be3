"""Mean scores with intervals, for games with scores rather than wins.

A player with easy boards looks strong, so intervals use the bootstrap over boards (Efron 1979):
whole boards are drawn again, with all scores on them. Two players are compared on the same drawn
boards, so that the difficulty of a board cancels out.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from arena.results.store import MatchRow

DRAWS = 1000
LEAST_BOARDS = 2
SEED = 1979
"""Fixed seed, so that equal matches give equal intervals."""

Interval = tuple[float, float]
_Cell = tuple[float, int]
"""Sum of the scores and number of matches of a player on a board."""


@dataclass(frozen=True, slots=True)
class MeanScore:
    """Mean score of a player per match."""

    player: str
    matches: int
    mean: float
    interval: Interval | None
    """95 % bootstrap interval of the mean; None with fewer than LEAST_BOARDS boards."""
    ahead: float | None
    """Difference to the next player; None for the last one."""
    ahead_interval: Interval | None
    """95 % bootstrap interval of the difference, on the same boards."""


def mean_scores(matches: Iterable[MatchRow]) -> list[MeanScore]:
    """Return the mean scores, best first, independent of the order of the matches."""
    table = _table(matches)
    boards = len(next(iter(table.values()), ()))
    means = {player: _mean(row, [1] * boards) or 0.0 for player, row in table.items()}
    ranked = sorted(means, key=lambda player: (-means[player], player))
    drawn = _drawn(table, boards) if boards >= LEAST_BOARDS else {}
    found = []
    for number, player in enumerate(ranked):
        after = ranked[number + 1] if number + 1 < len(ranked) else None
        paired = _differences(drawn, player, after) if drawn and after is not None else ()
        found.append(
            MeanScore(
                player=player,
                matches=sum(count for _, count in table[player]),
                mean=means[player],
                interval=_interval(drawn.get(player, ())),
                ahead=means[player] - means[after] if after is not None else None,
                ahead_interval=_interval(paired),
            )
        )
    return found


def _table(matches: Iterable[MatchRow]) -> dict[str, list[_Cell]]:
    """Return the scores of every player on every board, players and boards sorted."""
    scored: dict[str, dict[int, list[float]]] = {}
    boards: set[int] = set()
    for match in matches:
        boards.add(match.board)
        for seat in match.seats:
            scored.setdefault(seat.player, {}).setdefault(match.board, []).append(float(seat.score))
    # fsum rounds once: the last digits of plain sums depend on the order.
    return {
        player: [
            (math.fsum(by_board.get(board, ())), len(by_board.get(board, ())))
            for board in sorted(boards)
        ]
        for player, by_board in sorted(scored.items())
    }


def _drawn(table: dict[str, list[_Cell]], boards: int) -> dict[str, list[float | None]]:
    """Return the mean of every player in every draw; None without a match on a drawn board."""
    random = Random(SEED)  # noqa: S311 - statistics, no secret
    means: dict[str, list[float | None]] = {player: [] for player in table}
    for _ in range(DRAWS):
        times = [0] * boards
        for board in random.choices(range(boards), k=boards):
            times[board] += 1
        for player, row in table.items():
            means[player].append(_mean(row, times))
    return means


def _mean(row: Sequence[_Cell], times: Sequence[int]) -> float | None:
    total = 0.0
    count = 0
    for (score, matches), drawn in zip(row, times, strict=True):
        total += score * drawn
        count += matches * drawn
    return total / count if count else None


def _differences(drawn: Mapping[str, Sequence[float | None]], one: str, other: str) -> list[float]:
    """Return the difference of two players in every draw with matches of both."""
    return [
        mean - other_mean
        for mean, other_mean in zip(drawn[one], drawn[other], strict=True)
        if mean is not None and other_mean is not None
    ]


def _interval(values: Iterable[float | None]) -> Interval | None:
    """Return the interval of the middle 95 % of the values."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    cut = len(known) // 40
    return known[cut], known[-1 - cut]
