"""The table of each group of a group stage."""

from collections.abc import Iterable

from arena import text
from arena.config.event import Event
from arena.results.standings import Table
from arena.schedule.groups import LABELS, groups_of


def all_groups(event: Event) -> list[list[str]]:
    """Return the players of each group, unavailable ones included."""
    return groups_of([str(bot.name) for bot in event.bots], event.groups or 1)


def groups_text(table: Table, groups: Iterable[Iterable[str]]) -> str:
    """Return a small table for each group."""
    parts = []
    for label, group in zip(LABELS, groups, strict=False):
        rows = [
            [
                str(rank),
                row.player,
                text.score(row.score),
                *map(str, (row.wins, row.draws, row.losses, row.matches)),
            ]
            for rank, row in table.among(group)
        ]
        lines = text.table(["#", "bot", "score", "+", "=", "-", "matches"], rows, left=2)
        parts.append(f"group {label}\n{lines}")
    return "\n\n".join(parts)
