"""The table of each group of a group stage."""

from collections.abc import Iterator, Sequence

from arena import text
from arena.config.event import Event
from arena.results.standings import Ranking, Standing, Table
from arena.schedule.groups import LABELS, groups_of

Row = tuple[int, Standing]
"""Place in the group, and the standing."""


def all_groups(event: Event) -> list[list[str]]:
    """Return the players of each group, with those that are not available."""
    return groups_of([str(bot.name) for bot in event.bots], event.groups or 1)


def group_ranking(table: Table, groups: Sequence[Sequence[str]]) -> Ranking:
    """Return the places: all winners of groups first, then all seconds, and so on."""
    placed = [
        (rank, row.player)
        for group in groups
        for rank, row in _rows(table, [name for name in group if name in table.rows])
    ]
    return Ranking("place in the group", tuple(sorted(placed, key=lambda place: place[0])))


def groups_text(table: Table, groups: Sequence[Sequence[str]]) -> str:
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
            for rank, row in _rows(table, [name for name in group if name in table.rows])
        ]
        lines = text.table(["#", "bot", "score", "+", "=", "-", "matches"], rows, left=2)
        parts.append(f"group {label}\n{lines}")
    return "\n\n".join(parts)


def _rows(table: Table, group: Sequence[str]) -> Iterator[Row]:
    """Yield the players of a group, best first; equal scores and points share a place."""
    rows = sorted(
        (table.rows[name] for name in group), key=lambda row: (-row.score, -row.points, row.player)
    )
    values = [(row.score, row.points) for row in rows]
    for row in rows:
        yield values.index((row.score, row.points)) + 1, row
