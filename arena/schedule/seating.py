"""Who sits where, who moves after whom, and which table plays next.

Players are numbers 0..n-1 here. An order is the players of one match by seat; seat 0 moves first
and the turn passes to the next seat, from the last one back to seat 0.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, islice, pairwise, permutations
from math import gcd
from operator import itemgetter

Order = tuple[int, ...]

CANDIDATES = 120
"""How many of the k! orders of a table are compared; for up to five seats that is all."""
THOROUGH = 1000
"""For how many tables all orders are compared."""
SEAT_WEIGHT = 2
"""What a seat had once more weighs against a player followed once more."""
COMPARISONS = 400_000
"""About how often tables are compared to put them in the order of play."""
PLAYED, JUST_NOW = 8, 1
"""What a match weighs when players are compared by load, and what it weighs more right after."""


class Seating:
    """Chooses who sits where at the tables that come, in view of those that came before."""

    def __init__(self, players: int, seats: int) -> None:
        self.seated = [[0] * seats for _ in range(players)]
        self.follows = [[0] * players for _ in range(players)]
        self.tables = 0
        self.choices = [_Choice(ranks) for ranks in permutations(range(seats))]

    def orders(self, tables: Iterable[Sequence[int]]) -> list[Order]:
        """Return the players of each table in an order that is fair, and count it as played.

        Each player sits in each seat equally often: at the first call no seat is had two times
        more than another, later calls keep to that where they can. In second place, each player
        should move right after each other player equally often.
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

    def _fairest(self, table: Sequence[int]) -> Order:
        had = [times for player in table for times in self.seated[player]]
        followed = [self.follows[a][b] for a in table for b in table]
        best = min(
            self._candidates(),
            key=lambda choice: SEAT_WEIGHT * sum(choice.seats(had)) + sum(choice.steps(followed)),
        )
        return tuple([table[rank] for rank in best.ranks])

    def _count(self, order: Order, times: int) -> None:
        for seat, player in enumerate(order):
            self.seated[player][seat] += times
            self.follows[order[seat - 1]][player] += times

    def _candidates(self) -> list["_Choice"]:
        """Return the orders to compare: all, or others for each table once there are many."""
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

    def __init__(self, ranks: Order) -> None:
        size = len(ranks)
        self.ranks = ranks
        self.seats = itemgetter(*[rank * size + seat for seat, rank in enumerate(ranks)])
        self.steps = itemgetter(*[ranks[seat - 1] * size + ranks[seat] for seat in range(size)])


class _Leveller:
    """Swaps seats until no player has been in one seat two times more than in another.

    For two seats, draw an arrow for each match, from who sits in the one to who sits in the other.
    Whoever has two arrows more out than in has a path to somebody with more in than out, and
    swapping the seats in the matches along it changes nobody in between. So it always ends well
    (D. de Werra, "Equitable colorations of graphs", RIRO 5, 1971), unless it begins with counts
    of matches that cannot be changed any more: then a path may be missing.
    """

    def __init__(self, orders: Sequence[Order], before: Sequence[Sequence[int]]) -> None:
        self.orders = [list(order) for order in orders]
        self.before = before
        self.players = range(len(before))
        self.seats = range(len(before[0]))
        # Dictionaries as ordered sets: what is found must not depend on hashing.
        self.matches: list[list[dict[int, None]]] = [[{} for _ in self.players] for _ in self.seats]
        for match, order in enumerate(orders):
            for seat, player in enumerate(order):
                self.matches[seat][player][match] = None

    def levelled(self) -> list[Order]:
        """Return the orders after as few swaps as were needed."""
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
        """Return how much more often the player has had the one seat than the other."""
        now = len(self.matches[much][player]) - len(self.matches[little][player])
        return now + self.before[player][much] - self.before[player][little]

    def _shift(self, start: int, much: int, little: int) -> bool:
        """Swap the two seats along a shortest path from `start` to a player who lacks `much`."""
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
def turn(seats: int, number: int, shift: int = 0) -> Order:
    """Return how to rearrange an order for the `number`-th match of the same players, from 0.

    Matches 0..k-1 rotate the seats; the next k rotate another circle of the same players, and so
    on: k! matches in a row are all the orders there are. The next circle is always the one that
    best evens out who has moved after whom. `shift` begins each of it that much further on.
    """
    circles = _circles(seats)
    circle = circles[(number // seats + shift // seats) % len(circles)]
    return tuple(circle[(seat + number + shift) % seats] for seat in range(seats))


@cache
def _circles(seats: int) -> tuple[Order, ...]:
    """Return the (k-1)! ways to sit around a table."""
    steps = {
        circle: list(pairwise((*circle, 0)))
        for circle in [(0, *others) for others in permutations(range(1, seats))]
    }
    # With a prime number of seats the k-1 circles of equal steps need no other to be even.
    left = sorted(steps, key=lambda circle: len({(b - a) % seats for a, b in steps[circle]}))
    followed: Counter[tuple[int, int]] = Counter()
    circles = []
    while left:
        best = min(left, key=lambda circle: sum([followed[step] for step in steps[circle]]))
        left.remove(best)
        followed.update(steps[best])
        circles.append(best)
    return tuple(circles)


def rounds(players: int) -> list[Order]:
    """Return every pair once, by the circle method: rounds in which everybody plays at most once.

    One player stays, the others turn around; with an odd number nobody stays and one has a bye.
    """
    circle = players - 1 + players % 2
    pairs: list[Order] = []
    for shift in range(circle):
        if players % 2 == 0:
            pairs.append((shift, circle))
        for step in range(1, (circle + 1) // 2):
            a, b = (shift + step) % circle, (shift - step) % circle
            pairs.append((min(a, b), max(a, b)))
    return pairs


def spread(tables: Sequence[Order], players: int) -> list[Order]:
    """Return the tables in an order of play that is fair wherever it stops.

    Next comes whose players have played least, least of all in the match before; then, who have met
    least. Of a long list only a few tables at a time are looked at.
    """
    total = len(tables)
    stride = next(s for s in range(total * 5 // 8 or 1, 2 * total + 1) if gcd(s, total) == 1)
    waiting = iter([tables[i * stride % total] for i in range(total)])
    pool = list(islice(waiting, max(8, COMPARISONS // total)))
    load = [0] * players
    met: defaultdict[tuple[int, int], int] = defaultdict(int)
    spread_out: list[Order] = []
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
