"""Plans a whole game of Down-N-Out: the best of several searches from the first board to the last.

Of all boards with the same number of cells only the best is searched further, so a large group is
not preferred to a small one just because its points come sooner. A board's worth is the points so
far plus an estimate for each colour. The estimate grows with the square of the colour's cells, most
for the colour kept for the end, and shrinks with the number of its parts. Each search keeps another
colour for the end, and a little noise makes all searches different.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from columns import FIELD, Columns, Group, changed, groups, tallies, tally

MASK = (1 << FIELD) - 1


class Weights(NamedTuple):
    """Factors of the estimate for a colour, in points."""

    square: float
    """For the square of the number of its cells."""
    pair: float
    """For each pair of neighbours."""
    torn: float
    """Subtracted: its cells times its parts (cells - pairs + squares, by Euler)."""
    block: float
    """Subtracted: each square of four."""


# Found by hill climbing on some hundred boards of 10 x 30 cells with three colours.
KEPT = Weights(0.757, -4.7, 1.0, -10.0)
SECOND = Weights(0.2, 22.2, 0.265, 28.1)
OTHER = Weights(0.05, 20.6, 0.0, -2.7)
NOISE = 30.0


class Node(NamedTuple):
    """A reached board."""

    worth: float
    points: int
    columns: Columns
    cells: dict[str, int]
    """Number of cells of each colour."""
    parent: Node | None
    group: Group
    """Group removed from the parent."""


def plan(columns: Columns, searches: int, seed: int) -> list[Group]:
    """Return the groups to remove, each as it lies in the board of its turn."""
    cells = {color: "".join(columns).count(color) for color in sorted(set("".join(columns)))}
    chance = random.Random(seed)
    best = start = Node(0, 0, columns, cells, None, [])
    for index in range(searches if cells else 0):
        kept = list(cells)[index % len(cells)]
        found = _search(start, kept, chance)
        if found.points > best.points:
            best = found
    moves = []
    while best.parent:
        moves.append(best.group)
        best = best.parent
    return moves[::-1]


def _search(start: Node, kept: str, chance: random.Random) -> Node:
    left = sum(start.cells.values())
    chain: list[Node | None] = [None] * left + [start]
    best = start
    for count in range(left, 0, -1):
        node = chain[count]
        if node is None:
            continue
        if node.points > best.points:
            best = node
        _expand(node, kept, chain, chance)
    last = chain[0]
    return last if last and last.points > best.points else best


def _expand(node: Node, kept: str, chain: list[Node | None], chance: random.Random) -> None:
    """Store the board after each move if it is the best so far with its number of cells."""
    columns = node.columns
    count = sum(node.cells.values())
    tallied = tallies(columns)
    total = sum(tallied)
    for size, group in groups(columns):
        first, last = group[0][0], group[-1][0]
        color = columns[first][group[0][1]]
        left = changed(columns, group)
        before = max(first - 1, 0)
        lane = [*columns[before:first], *left, *columns[last + 1 : last + 2]]
        change = -sum(tallied[before : last + 1])
        if last + 1 == len(columns):
            lane.append("")
        change += sum(map(tally, lane, lane[1:]))
        cells = {**node.cells, color: node.cells[color] - size}
        points = node.points + size * size
        worth = points + _worth(cells, total + change, kept) + NOISE * chance.random()
        rival = chain[count - size]
        if rival is None or worth > rival.worth:
            after = (*columns[:first], *left, *columns[last + 1 :])
            chain[count - size] = Node(worth, points, after, cells, node, group)


def _worth(cells: dict[str, int], total: int, kept: str) -> float:
    worth, most = 0.0, None
    for color, count in cells.items():
        counts = total >> 2 * FIELD * int(color)
        pairs, squares = counts & MASK, counts >> FIELD & MASK
        if color == kept:
            worth += _color_worth(KEPT, count, pairs, squares)
            continue
        other = _color_worth(OTHER, count, pairs, squares)
        gain = _color_worth(SECOND, count, pairs, squares) - other
        worth += other
        most = gain if most is None else max(most, gain)
    return worth + (most or 0.0)


def _color_worth(weights: Weights, cells: int, pairs: int, squares: int) -> float:
    square, pair, torn, block = weights
    torn *= cells * (cells - pairs + squares)
    return square * cells * cells + pair * pairs - torn - block * squares
