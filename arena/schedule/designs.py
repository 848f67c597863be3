"""Balanced incomplete block designs: even meetings if not every table can be played.

A point is a bot; a block is a set of points in one match. The goal is `count` blocks with equal
frequencies of all points and of all pairs of points, or frequencies as equal as possible.

Two searches, both bounded by a number of steps and never by a clock:

* Blocks developed modulo v: a few base blocks, shifted v times, meet evenly if their differences
  do (R. C. Bose, "On the construction of balanced incomplete block designs", Annals of Eugenics 9,
  1939). This finds the Fano plane, the larger projective and affine planes, and most large
  schedules at once.
* Annealing: exchange points between two blocks, which preserves the frequency of each point.

Both use only sums, products and quotients of floats and `Random.random`, whose values Python
guarantees, so every machine finds the same blocks.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, repeat
from math import comb
from random import Random

Block = tuple[int, ...]

BASE_STEPS = 60_000
EXCHANGE_STEPS = 500_000
EXCHANGES = 2
HOT = 1.5
"""Initial temperature of the annealing, in units of squared meetings."""
STAGES, COOLING = 100, 0.977


def balanced_blocks(points: int, size: int, count: int, chance: Random) -> list[Block]:
    """Return `count` blocks of `size` of the points 0..points-1, as even as the search finds.

    Every possible block is taken as often as `count` allows; the rest is searched. The frequencies
    of points differ by at most one.
    """
    laps, rest = divmod(count, comb(points, size))
    blocks = list(combinations(range(points), size)) * laps if laps else []
    if rest:
        blocks += _developed(points, size, rest, chance) or _annealed(points, size, rest, chance)
    return blocks


def draw(chance: Random, below: int) -> int:
    """Return a random number 0..below-1."""
    return int(chance.random() * below)


def least_squares(points: int, size: int, count: int) -> int:
    """Return the lower bound of the sum of squared meetings of `count` blocks."""
    pairs = comb(points, 2)
    meetings, extra = divmod(count * comb(size, 2), pairs)
    return pairs * meetings**2 + extra * (2 * meetings + 1)


def _is_taken(change: float, temperature: float, chance: Random) -> bool:
    """Whether annealing accepts a change of the cost; a worse cost with probability about e^-x."""
    if change <= 0:
        return True
    growth = 1 + change / temperature / 16
    growth *= growth
    growth *= growth
    growth *= growth
    return chance.random() * growth * growth < 1


def _temperatures(steps: int) -> Iterator[float]:
    """Yield one temperature per step, falling in stages to a tenth of the first."""
    temperature = HOT
    for _ in range(STAGES):
        yield from repeat(temperature, steps // STAGES)
        temperature *= COOLING


# -- blocks developed modulo v ---------------------------------------------------------------------


def _developed(points: int, size: int, count: int, chance: Random) -> list[Block] | None:
    """Return perfectly even blocks with a cyclic symmetry, or None if the search fails.

    All points rotate, or all but the last. Blocks shift through all v places; if `count` is not a
    multiple of v, one evenly spaced short block returns to itself after `rest` shifts.
    """
    for fixed in (0, 1):
        modulus = points - fixed
        full, rest = divmod(count, modulus)
        if rest * (size - fixed) != (modulus if rest else 0) or (fixed and not rest):
            continue
        if fixed and abs(rest - (full * size + 1)) > 1:
            continue  # the fixed point is in every short block, each other point in one
        goal = least_squares(points, size, count) - fixed * modulus
        base = _BaseBlocks(modulus, size, full, rest).search(goal, chance)
        if base is None:
            continue
        turning = [[(x + i) % modulus for x in block] for i in range(modulus) for block in base]
        short = [[*range(i, modulus, rest), *range(modulus, modulus + fixed)] for i in range(rest)]
        return [tuple(sorted(block)) for block in turning + short]
    return None


class _BaseBlocks:
    """Base blocks modulo v, and the number of meetings for each difference 1..v//2."""

    def __init__(self, modulus: int, size: int, full: int, rest: int) -> None:
        self.modulus = modulus
        self.size = size
        self.full = full
        self.meetings = [
            int(rest > 0 and difference % rest == 0) for difference in range(modulus // 2 + 1)
        ]
        self.blocks: list[list[int]] = []

    def search(self, goal: int, chance: Random) -> list[list[int]] | None:
        """Return base blocks with the sum of squared meetings `goal`, or None."""
        if self.size > self.modulus:
            return None
        self._deal(chance)
        cost = sum(self._squares(d) for d in range(1, self.modulus // 2 + 1))
        for temperature in _temperatures(BASE_STEPS):
            if cost == goal or not self.blocks or self.size == self.modulus:
                break
            block = self.blocks[draw(chance, self.full)]
            place, new = draw(chance, self.size), draw(chance, self.modulus)
            if new in block:
                continue
            old = block[place]
            change = self._replace(block, place, new)
            if _is_taken(change / self.modulus, temperature, chance):
                cost += change
            else:
                self._replace(block, place, old)
        return self.blocks if cost == goal else None

    def _deal(self, chance: Random) -> None:
        for _ in range(self.full):
            block: list[int] = []
            while len(block) < self.size:
                point = draw(chance, self.modulus)
                if point not in block:
                    self._meet(block, point, 1)
                    block.append(point)
            self.blocks.append(block)

    def _replace(self, block: list[int], place: int, new: int) -> int:
        """Put `new` in the block; return the increase of the sum of squares."""
        old = block[place]
        others = [point for point in block if point != old]
        touched = {self._difference(point, x) for point in others for x in (old, new)}
        before = sum(map(self._squares, touched))
        self._meet(others, old, -1)
        self._meet(others, new, 1)
        block[place] = new
        return sum(map(self._squares, touched)) - before

    def _difference(self, a: int, b: int) -> int:
        around = (a - b) % self.modulus
        return min(around, self.modulus - around)

    def _meet(self, others: Sequence[int], point: int, times: int) -> None:
        for other in others:
            difference = self._difference(point, other)
            # Opposite points meet again after half a rotation.
            self.meetings[difference] += times * (1 + (2 * difference == self.modulus))

    def _squares(self, difference: int) -> int:
        pairs = self.modulus // (1 + (2 * difference == self.modulus))
        return pairs * self.meetings[difference] ** 2


# -- annealing -------------------------------------------------------------------------------------


def _annealed(points: int, size: int, count: int, chance: Random) -> list[Block]:
    """Return the best blocks found by exchanging points of random blocks."""
    goal = least_squares(points, size, count)
    best: tuple[int, list[list[int]]] | None = None
    for _ in range(EXCHANGES):
        exchange = _Exchange(points, size, count, chance)
        cost = exchange.run(goal, chance)
        if best is None or cost < best[0]:
            best = cost, exchange.blocks[:count]
        if cost == goal:
            break
    return [tuple(sorted(block)) for block in best[1]] if best else []


class _Exchange:
    """Blocks that exchange points.

    The last "block" is the bench: points that occur once less than others. It has no meetings.
    """

    def __init__(self, points: int, size: int, count: int, chance: Random) -> None:
        self.bench = count
        self.blocks, left = _dealt(points, size, count, chance)
        self.blocks.append(left)
        self.meetings = [[0] * points for _ in range(points)]
        for block in self.blocks[:count]:
            for a, b in combinations(block, 2):
                self.meetings[a][b] += 1
                self.meetings[b][a] += 1

    def run(self, goal: int, chance: Random) -> int:
        """Anneal until the sum of squared meetings is `goal` or the steps end; return the sum."""
        slots = [(b, place) for b, block in enumerate(self.blocks) for place in range(len(block))]
        cost = sum(times**2 for row in self.meetings for times in row) // 2
        for temperature in _temperatures(EXCHANGE_STEPS):
            if cost == goal:
                break
            (a, i), (b, j) = slots[draw(chance, len(slots))], slots[draw(chance, len(slots))]
            x, y = self.blocks[a][i], self.blocks[b][j]
            if y in self.blocks[a] or x in self.blocks[b]:
                continue
            change = self._change(a, x, y, b) + self._change(b, y, x, a)
            if _is_taken(change, temperature, chance):
                self._replace(a, i, y)
                self._replace(b, j, x)
                cost += 2 * change
        return cost

    def _change(self, b: int, old: int, new: int, partner: int) -> int:
        """Return half the increase of the cost if `new` replaces `old` in block b."""
        if b == self.bench:
            return 0
        lost, won = self.meetings[old], self.meetings[new]
        stay = () if partner == self.bench else self.blocks[partner]
        return sum([won[z] - lost[z] + 1 for z in self.blocks[b] if z != old and z not in stay])

    def _replace(self, b: int, place: int, new: int) -> None:
        block = self.blocks[b]
        old, block[place] = block[place], new
        if b == self.bench:
            return
        for z in block:
            if z != new:
                self.meetings[old][z] -= 1
                self.meetings[z][old] -= 1
                self.meetings[new][z] += 1
                self.meetings[z][new] += 1


def _dealt(points: int, size: int, count: int, chance: Random) -> tuple[list[list[int]], list[int]]:
    """Deal points like cards, in rounds; return the blocks and the remaining points."""
    blocks = []
    deck: list[int] = []
    for _ in range(count):
        block: list[int] = []
        while len(block) < size:
            if not deck:
                lots = [chance.random() for _ in range(points)]
                deck = sorted(range(points), key=lots.__getitem__)
            new = next(place for place, point in enumerate(deck) if point not in block)
            block.append(deck.pop(new))
        blocks.append(block)
    return blocks, deck
