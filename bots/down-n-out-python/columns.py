"""A Down-N-Out position as its non-empty columns, from left to right.

A column is a string of colours, the lowest cell first. No cell has an empty one below it, and no
empty column lies between others, so the columns determine all further play. Boards of one game have
most columns in common: the results for a column, or for two neighbours, are cached.
"""

from __future__ import annotations

from functools import cache
from itertools import groupby

Columns = tuple[str, ...]
Group = list[tuple[int, int, int]]
"""The runs of a group: column, start and end in it; columns in ascending order."""

FIELD = 16
"""Bits of a count in a tally."""


@cache
def runs(column: str) -> tuple[tuple[int, int], ...]:
    """Return the start and end of each run of cells of one colour."""
    found, start = [], 0
    for _, cells in groupby(column):
        end = start + len(list(cells))
        found.append((start, end))
        start = end
    return tuple(found)


@cache
def links(left: str, right: str) -> tuple[tuple[int, int], ...]:
    """Return the pairs of touching runs of one colour in two neighbouring columns."""
    return tuple(
        (one, other)
        for one, (start, end) in enumerate(runs(left))
        for other, (begin, stop) in enumerate(runs(right))
        if begin < end and start < stop and left[start] == right[begin]
    )


@cache
def tally(column: str, right: str) -> int:
    """Return the numbers of pairs and squares of each colour that begin in a column.

    Colour c has its pairs of neighbours in field 2c, its squares of four in field 2c + 1.
    """
    total = 0
    for height, color in enumerate(column):
        is_right = right[height : height + 1] == color
        is_up = column[height + 1 : height + 2] == color
        is_square = is_right and is_up and right[height + 1 : height + 2] == color
        total += (is_right + is_up | is_square << FIELD) << 2 * FIELD * int(color)
    return total


def forget() -> None:
    """Clear the caches: the next game has other columns."""
    for kept in (runs, links, tally):
        kept.cache_clear()


def tallies(columns: Columns) -> list[int]:
    """Return the tally of each column."""
    return [tally(*pair) for pair in zip(columns, (*columns[1:], ""), strict=True)]


def groups(columns: Columns) -> list[tuple[int, Group]]:
    """Return the groups of two or more cells: size and runs."""
    first, total = [], 0
    for column in columns:
        first.append(total)
        total += len(runs(column))
    leader = list(range(total))
    for index in range(len(columns) - 1):
        here, there = first[index], first[index + 1]
        for one, other in links(columns[index], columns[index + 1]):
            a, b = here + one, there + other
            while leader[a] != a:
                a = leader[a]
            while leader[b] != b:
                b = leader[b]
            if a < b:
                leader[b] = a
            else:
                leader[a] = b
    return _gathered(columns, leader)


def _gathered(columns: Columns, leader: list[int]) -> list[tuple[int, Group]]:
    members: list[Group] = [[] for _ in leader]
    sizes = [0] * len(leader)
    number = 0
    for index, column in enumerate(columns):
        for start, end in runs(column):
            root = leader[number] = leader[leader[number]]
            members[root].append((index, start, end))
            sizes[root] += end - start
            number += 1
    return [(size, group) for size, group in zip(sizes, members, strict=True) if size > 1]


def changed(columns: Columns, group: Group) -> list[str]:
    """Return the columns of a group after its removal, from its first to its last."""
    first = group[0][0]
    left = list(columns[first : group[-1][0] + 1])
    for index, start, end in reversed(group):
        column = left[index - first]
        left[index - first] = column[:start] + column[end:]
    return [column for column in left if column]
