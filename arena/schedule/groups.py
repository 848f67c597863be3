"""A group stage: a round robin within each group of players."""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

from arena.schedule.pairing import Schedule, round_robin, side_by_side

LABELS = ascii_uppercase
"""Names of the groups, in order."""


def groups_of(players: Sequence[str], number: int) -> list[list[str]]:
    """Return the players by group, dealt out in turns: 1 2 3, 3 2 1, 1 2 3.

    With the best players first, the groups are about equally strong. More players at the end change
    no group of another one.
    """
    groups: list[list[str]] = [[] for _ in range(number)]
    for place, player in enumerate(players):
        turn, group = divmod(place, number)
        groups[group if turn % 2 == 0 else number - 1 - group].append(player)
    return groups


def group_stage(
    groups: Sequence[Sequence[str]], *, seats: Sequence[int], **options: Any
) -> Schedule:
    """Return the round robins of all groups, interleaved, with the options of `round_robin`."""
    parts = []
    lines = []
    if len({len(group) for group in groups}) > 1:
        sizes = ", ".join(f"{LABELS[place]} {len(group)}" for place, group in enumerate(groups))
        lines.append(f"the groups have different numbers of bots: {sizes}")
    for place, group in enumerate(groups):
        if len(group) >= max(seats):
            schedule = round_robin(group, seats=seats, **options)
            parts.append(schedule.pairings)
            lines += [f"group {LABELS[place]}: {line}" for line in schedule.imbalance]
    return Schedule(side_by_side(parts) if parts else (), tuple(lines))
