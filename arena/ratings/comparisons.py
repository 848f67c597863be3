"""Matches as comparisons of two seats each, counted by players, seats, matches and boards.

A match of several seats compares every two of them, as in the full breaking of rankings (Azari
Soufiani, Parkes & Xia 2014), whose estimate is consistent where a ranking follows the model of
Plackett (1975) and Luce (1959), and which depends less on that model than its own likelihood. The
better place scores 1, a shared place one half each.

Not compared are seats that share the last place: in a game that ends with its winner, all others
share place 2, independent of their progress. All seats sharing place 1 is a draw. Seats with a
fault are behind all others and are not compared with each other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.ratings.likelihood import Cell
from arena.results.standings import RatedMatch, RatedSeat

Seating = tuple[int, int]
"""Number of seats and index of one of them."""
Scores = dict[Cell, tuple[float, float]]
"""Number of comparisons and score of the earlier seat, by cell."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Comparisons that depend on each other: those of a match, or of all matches on a board."""

    times: int
    """Number of such clusters, with equal results."""
    scores: Scores


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The comparisons of all rated matches."""

    players: tuple[str, ...]
    seatings: tuple[Seating, ...]
    """Seats with a value to estimate: all but the first, by the number of seats."""
    matches: Counter[str]
    """Number of rated matches by player."""
    ignored: int
    """Number of matches that compare nobody: one seat, a player against itself, or all at fault."""
    unplayed: int
    """Number of matches forfeited unplayed."""
    faulty: int
    """Number of rated matches with a fault."""
    by_match: tuple[Cluster, ...]
    by_board: tuple[Cluster, ...]
    boards: int
    """Number of boards; 0 if they are unknown."""

    def counts(self) -> Scores:
        """Return the comparisons of all matches."""
        counts: Scores = {}
        for cluster in self.by_match:
            _add(counts, cluster.scores, cluster.times)
        return counts

    def groups(self) -> list[list[str]]:
        """Return the players in groups connected by comparisons, the largest group first."""
        above = list(range(len(self.players)))

        def root(player: int) -> int:
            while above[player] != player:
                above[player] = above[above[player]]
                player = above[player]
            return player

        for cluster in self.by_match:
            for cell in cluster.scores:
                above[root(cell.other)] = root(cell.one)
        groups: dict[int, list[str]] = {}
        for number, player in enumerate(self.players):
            groups.setdefault(root(number), []).append(player)
        return sorted(groups.values(), key=lambda group: (-len(group), group))


def compare(outcomes: Mapping[RatedMatch, int]) -> Comparisons:
    """Return the comparisons of matches, given as numbers of matches by outcome."""
    rated: list[tuple[RatedMatch, int]] = []
    ignored = unplayed = 0
    for outcome, times in sorted(outcomes.items()):
        if outcome.is_unplayed:
            unplayed += times
        elif len({seat.player for seat in outcome.seats}) == len(outcome.seats) and any(
            compared_seats(outcome.seats)
        ):
            rated.append((outcome, times))
        else:
            ignored += times
    matches: Counter[str] = Counter()
    for outcome, times in rated:
        for seat in outcome.seats:
            matches[seat.player] += times
    players = tuple(sorted(matches))
    sizes = sorted({len(outcome.seats) for outcome, _ in rated})
    seatings = tuple((size, seat) for size in sizes for seat in range(1, size))
    by_match, by_board = _clusters(rated, players, seatings)
    return Comparisons(
        players=players,
        seatings=seatings,
        matches=matches,
        ignored=ignored,
        unplayed=unplayed,
        faulty=sum(times for outcome, times in rated if any(seat.fault for seat in outcome.seats)),
        by_match=by_match,
        by_board=by_board,
        boards=len({outcome.board for outcome, _ in rated if outcome.board}),
    )


def _clusters(
    rated: Iterable[tuple[RatedMatch, int]], players: Sequence[str], seatings: Sequence[Seating]
) -> tuple[tuple[Cluster, ...], tuple[Cluster, ...]]:
    """Return the comparisons by match and by board; a match without a board stands alone."""
    index = {player: number for number, player in enumerate(players)}
    seats = {seating: len(players) + number for number, seating in enumerate(seatings)}
    last = len(players) + len(seatings)
    alone: Counter[tuple[RatedSeat, ...]] = Counter()
    boards: dict[tuple[int, ...], Scores] = {}
    whole: Counter[tuple[RatedSeat, ...]] = Counter()
    cells: dict[tuple[RatedSeat, ...], Scores] = {}
    for (seated, board, _), times in rated:
        whole[seated] += times
        if seated not in cells:
            cells[seated] = {
                Cell(
                    index[seated[one].player],
                    index[seated[other].player],
                    seats.get((len(seated), one), last),
                    seats.get((len(seated), other), last),
                ): (1.0, score)
                for one, other, score in compared_seats(seated)
            }
        if board:
            _add(boards.setdefault(board, {}), cells[seated], times)
        else:
            alone[seated] += times
    by_match = tuple(Cluster(times, cells[seated]) for seated, times in whole.items())
    by_board = [Cluster(times, cells[seated]) for seated, times in alone.items()]
    by_board += [Cluster(1, scores) for scores in boards.values()]
    return by_match, tuple(by_board)


def _add(counts: Scores, more: Scores, times: int) -> None:
    for cell, (number, score) in more.items():
        before = counts.get(cell, (0.0, 0.0))
        counts[cell] = (before[0] + times * number, before[1] + times * score)


def compared_seats(seated: Sequence[RatedSeat]) -> Iterator[tuple[int, int, float]]:
    """Yield the compared seats of a match with the score of the earlier one."""
    places = [seat.place for seat in seated if not seat.fault]
    if not places:
        return
    first, last = min(places), max(places)
    for one, other in combinations(range(len(seated)), 2):
        mine, its = seated[one], seated[other]
        if mine.fault or its.fault:
            if mine.fault != its.fault:
                yield one, other, float(its.fault)
        elif mine.place != its.place:
            yield one, other, float(mine.place < its.place)
        elif mine.place < last or first == last:
            yield one, other, 0.5
