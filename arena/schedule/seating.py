"""Fair seats, fair move order, and a fair order of play.

Players are numbers 0..n-1. An order lists the players of one match by seat; seat 0 moves first, and
the turn passes to the next seat, from the last one back to seat 0.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, islice, pairwise, permutations
from math import gcd
from operator import itemgetter
from typing import Literal

PlayerOrder = tuple[int, ...]
SeatOrders = Literal["rotate", "all"]
"""Orders of the seats of a table over its matches: rotations only, or all of them."""

CANDIDATES = 120
"""Limit of the k! orders compared per table; up to five seats that is all of them."""
THOROUGH = 1000
"""Number of tables with all orders compared."""
SEAT_WEIGHT = 2
"""Weight of an uneven seat, relative to an uneven predecessor."""
COMPARISONS = 400_000
"""Approximate number of comparisons to find the order of play."""
PLAYED, JUST_NOW = 8, 1
"""Load of a player per match, and its extra load right after a match."""


class Seating:
    """Assigns fair seats to a sequence of tables."""

    def __init__(self, players: int, seats: int) -> None:
        self.seated = [[0] * seats for _ in range(players)]
        self.follows = [[0] * players for _ in range(players)]
        self.tables = 0
        self.choices = [_Choice(ranks) for ranks in permutations(range(seats))]

    def orders(self, tables: Iterable[Sequence[int]]) -> list[PlayerOrder]:
        """Return a fair order for each table, and count it as played.

        Each player occupies each seat equally often: after the first call the counts differ by at
        most one; later calls keep to that where possible. Second, each player moves right after
        each other player about equally often.
        """
        before = [list(had) for had in self.seated]
        chosen = []
        for table in tables:
            order = self._fairest(table)
            self._count(order, 1)
            self.tables += 1
            chosen.append(order)
        levelled = _Leveller(chosen, before).levelled()
        for first, last in zip(chosen, levelled, strict=True):
            if first != last:
                self._count(first, -1)
                self._count(last, 1)
        return levelled

    def _fairest(self, table: Sequence[int]) -> PlayerOrder:
        had = [times for player in table for times in self.seated[player]]
        followed = [self.follows[a][b] for a in table for b in table]
        best = min(
            self._candidates(),
            key=lambda choice: SEAT_WEIGHT * sum(choice.seats(had)) + sum(choice.steps(followed)),
        )
        return tuple([table[rank] for rank in best.ranks])

    def _count(self, order: PlayerOrder, times: int) -> None:
        for seat, player in enumerate(order):
            self.seated[player][seat] += times
            self.follows[order[seat - 1]][player] += times

    def _candidates(self) -> list["_Choice"]:
        """Return the orders to compare: all, or a different subset per table after many tables."""
        total = len(self.choices)
        if total <= CANDIDATES or self.tables < THOROUGH:
            return self.choices
        first = self.tables * CANDIDATES % total
        return (self.choices + self.choices)[first : first + CANDIDATES]


class _Choice:
    """One of the k! ways to seat k players, and where to read what it adds up to.

    `seats` picks from k x k counts by player and seat, `steps` from counts by player and follower.
    """

    __slots__ = ("ranks", "seats", "steps")

    def __init__(self, ranks: PlayerOrder) -> None:
        size = len(ranks)
        self.ranks = ranks
        self.seats = itemgetter(*[rank * size + seat for seat, rank in enumerate(ranks)])
        self.steps = itemgetter(*[ranks[seat - 1] * size + ranks[seat] for seat in range(size)])


class _Leveller:
    """Swaps seats until a player's counts in any two seats differ by at most one.

    For two seats, draw an arrow per match, from the player in the one to the player in the other. A
    player with two more arrows out than in has a path to a player with more arrows in than out.
    Swapping the seats in all matches along the path changes the counts of its two ends only. So the
    process succeeds (D. de Werra, "Equitable colorations of graphs", RIRO 5, 1971), unless earlier
    matches are fixed: then a path may be missing.
    """

    def __init__(self, orders: Sequence[PlayerOrder], before: Sequence[Sequence[int]]) -> None:
        self.orders = [list(order) for order in orders]
        self.before = before
        self.players = range(len(before))
        self.seats = range(len(before[0]))
        # Dictionaries as ordered sets: the result must not depend on hashing.
        self.matches: list[list[dict[int, None]]] = [[{} for _ in self.players] for _ in self.seats]
        for match, order in enumerate(orders):
            for seat, player in enumerate(order):
                self.matches[seat][player][match] = None

    def levelled(self) -> list[PlayerOrder]:
        """Return the orders after the necessary swaps."""
        has_moved = True
        while has_moved:
            has_moved = False
            for much, little in permutations(self.seats, 2):
                for player in self.players:
                    while self._excess(player, much, little) >= 2:
                        if not self._shift(player, much, little):
                            break
                        has_moved = True
        return [tuple(order) for order in self.orders]

    def _excess(self, player: int, much: int, little: int) -> int:
        """Return the player's count in seat `much` minus the one in seat `little`."""
        now = len(self.matches[much][player]) - len(self.matches[little][player])
        return now + self.before[player][much] - self.before[player][little]

    def _shift(self, start: int, much: int, little: int) -> bool:
        """Swap the two seats along a shortest path from `start` to a player short of `much`."""
        reached_by = {start: -1}
        queue = deque([start])
        while queue:
            player = queue.popleft()
            if self._excess(player, much, little) < 0:
                self._swap_back(player, reached_by, much, little)
                return True
            for match in self.matches[much][player]:
                if (neighbour := self.orders[match][little]) not in reached_by:
                    reached_by[neighbour] = match
                    queue.append(neighbour)
        return False

    def _swap_back(self, end: int, reached_by: dict[int, int], much: int, little: int) -> None:
        player = end
        while (match := reached_by[player]) >= 0:
            earlier = self.orders[match][much]
            self._move(match, player, little, much)
            self._move(match, earlier, much, little)
            player = earlier

    def _move(self, match: int, player: int, source: int, target: int) -> None:
        del self.matches[source][player][match]
        self.matches[target][player][match] = None
        self.orders[match][target] = player


@cache
def turn(seats: int, number: int, shift: int = 0) -> PlayerOrder:
    """Return the permutation of seats for the `number`-th match of the same players, from 0.

    Matches 0..k-1 rotate the seats; the next k rotate another circle of the same players, and so
    on: k! consecutive matches cover all orders. Each next circle is the one with the most even
    sequence of movers. `shift` is the offset of the rotation.
    """
    circles = _circles(seats)
    circle = circles[(number // seats + shift // seats) % len(circles)]
    return tuple(circle[(seat + number + shift) % seats] for seat in range(seats))


@cache
def _circles(seats: int) -> tuple[PlayerOrder, ...]:
    """Return the (k-1)! circular orders."""
    steps = {
        circle: list(pairwise((*circle, 0)))
        for circle in [(0, *others) for others in permutations(range(1, seats))]
    }
    # With a prime number of seats the k-1 circles of equal steps are even by themselves.
    left = sorted(steps, key=lambda circle: len({(b - a) % seats for a, b in steps[circle]}))
    followed: Counter[tuple[int, int]] = Counter()
    circles = []
    while left:
        best = min(left, key=lambda circle: sum([followed[step] for step in steps[circle]]))
        left.remove(best)
        followed.update(steps[best])
        circles.append(best)
    return tuple(circles)


def rounds(players: int) -> list[PlayerOrder]:
    """Return every pair once, in rounds by the circle method: a player has one match per round.

    One player stays and the others rotate; with an odd number all rotate and one has a bye.
    """
    circle = players - 1 + players % 2
    pairs: list[PlayerOrder] = []
    for shift in range(circle):
        if players % 2 == 0:
            pairs.append((shift, circle))
        for step in range(1, (circle + 1) // 2):
            a, b = (shift + step) % circle, (shift - step) % circle
            pairs.append((min(a, b), max(a, b)))
    return pairs


def spread(tables: Sequence[PlayerOrder], players: int) -> list[PlayerOrder]:
    """Return the tables in an order of play with fair prefixes.

    The next table has the players with the fewest matches, the last match weighing more; ties go to
    the players with the fewest meetings. Long lists are compared a few tables at a time.
    """
    total = len(tables)
    stride = next(s for s in range(total * 5 // 8 or 1, 2 * total + 1) if gcd(s, total) == 1)
    waiting = iter([tables[i * stride % total] for i in range(total)])
    pool = list(islice(waiting, max(8, COMPARISONS // total)))
    load = [0] * players
    met: defaultdict[tuple[int, int], int] = defaultdict(int)
    spread_out: list[PlayerOrder] = []
    while pool:
        loads = [sum([load[player] for player in table]) for table in pool]
        least = min(loads)
        chosen = min(
            (i for i, heavy in enumerate(loads) if heavy == least),
            key=lambda i: sum([met[pair] for pair in combinations(pool[i], 2)]),
        )
        rest = spread_out[-1] if spread_out else ()
        table = pool.pop(chosen)
        pool.extend(islice(waiting, 1))
        spread_out.append(table)
        for pair in combinations(table, 2):
            met[pair] += 1
        for player in table:
            load[player] += PLAYED + JUST_NOW
        for player in rest:
            load[player] -= JUST_NOW
    return spread_out
