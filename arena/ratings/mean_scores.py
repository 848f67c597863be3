"""Mean scores with intervals, for games with scores rather than wins.

A player with easy boards looks strong, and the matches on a board depend on each other. So boards
are the sample: the error of a mean follows from what each board adds to it, and the width of the
interval from Student's distribution, since boards are often few. Two players are compared board by
board, so that the difficulty of a board cancels out, if matches connect them. Without any spread
there is no interval: that three boards agree does not make a mean certain.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from arena.ratings.student import half_width
from arena.results.store import MatchRow

LEAST_BOARDS = 2
TINY = 1e-9
"""Deviation of boards that agree but for rounding."""
ROUNDING = 1e-13
"""The same as a part of the largest score."""

Interval = tuple[float, float]
_Row = Mapping[int, tuple[float, int]]
"""Sum of the scores and number of matches of a player, by board."""


@dataclass(frozen=True, slots=True)
class MeanScore:
    """Mean score of a player per match."""

    player: str
    matches: int
    mean: float
    interval: Interval | None
    """95 % interval of the mean; None for fewer than LEAST_BOARDS boards, or if all agree."""
    ahead: float | None
    """Difference to the next player; None for the last one, and if no matches connect both."""
    ahead_interval: Interval | None
    """95 % interval of the difference, None as for the mean."""


def mean_scores(matches: Iterable[MatchRow]) -> list[MeanScore]:
    """Return the mean scores, best first, independent of the order of the matches."""
    table, group = _read(matches)
    means = {player: _mean(row) for player, row in table.items()}
    ranked = sorted(means, key=lambda player: (-means[player], player))
    found = []
    for player, after in zip_longest(ranked, ranked[1:]):
        row = table[player]
        is_compared = after is not None and group[player] == group[after]
        ahead = means[player] - means[after] if is_compared else None
        found.append(
            MeanScore(
                player=player,
                matches=sum(count for _, count in row.values()),
                mean=means[player],
                interval=_interval(means[player], len(row), _parts(row).values(), _tiny(row)),
                ahead=ahead,
                ahead_interval=_compared(row, table[after]) if is_compared else None,
            )
        )
    return found


def _read(matches: Iterable[MatchRow]) -> tuple[dict[str, _Row], dict[str, str]]:
    """Return the scores of every player by board, players and boards sorted, and its group.

    A group is named after one of its members: players connected by matches.
    """
    scored: dict[str, dict[int, list[float]]] = {}
    group: dict[str, str] = {}

    def root(member: str) -> str:
        while group.setdefault(member, member) != member:
            member = group[member]
        return member

    for match in matches:
        for seat in match.seats:
            scored.setdefault(seat.player, {}).setdefault(match.board, []).append(float(seat.score))
        others = [seat.player for seat in match.seats[1:]] or [""]  # all players of one seat meet
        for other in others:
            group[root(other)] = root(match.seats[0].player)
    # fsum rounds once: the last digits of plain sums depend on the order.
    table: dict[str, _Row] = {
        player: {board: (math.fsum(scores), len(scores)) for board, scores in sorted(row.items())}
        for player, row in sorted(scored.items())
    }
    return table, {player: root(player) for player in table}


def _mean(row: _Row) -> float:
    return math.fsum(total for total, _ in row.values()) / sum(count for _, count in row.values())


def _parts(row: _Row) -> dict[int, float]:
    """Return by how much each board moves the mean from its value; the sum is 0."""
    mean = _mean(row)
    matches = sum(count for _, count in row.values())
    return {board: (total - mean * count) / matches for board, (total, count) in row.items()}


def _compared(row: _Row, other: _Row) -> Interval | None:
    """Return the interval of the difference of two players."""
    one, two = _parts(row), _parts(other)
    parts = [one.get(board, 0.0) - two.get(board, 0.0) for board in sorted({*one, *two})]
    tiny = max(_tiny(row), _tiny(other))
    return _interval(_mean(row) - _mean(other), len(one.keys() & two.keys()), parts, tiny)


def _tiny(row: _Row) -> float:
    """Return the deviation from which boards may differ by more than rounding."""
    return max(TINY, *(ROUNDING * abs(total) / count for total, count in row.values()))


def _interval(mean: float, boards: int, parts: Iterable[float], tiny: float) -> Interval | None:
    """Return the 95 % interval of a value from the boards' parts in its error."""
    squares = math.fsum(part * part for part in parts)
    if boards < LEAST_BOARDS or squares <= tiny * tiny:
        return None
    variance = squares * boards / (boards - 1)
    width = half_width(boards - 1) * math.sqrt(variance)
    return mean - width, mean + width
