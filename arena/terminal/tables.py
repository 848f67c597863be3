"""Tables and lines of an event as text: outcomes, standings, crosstable."""

from collections.abc import Mapping

from arena import text
from arena.results.standings import Table
from arena.results.store import MatchRow


def outcome_line(match: MatchRow) -> str:
    """Return one finished match as one line."""
    seats = " - ".join(f"{seat.player} {seat.points}" for seat in match.seats)
    variant = f" ({match.variant})" if match.variant else ""
    return f"match {match.id}: {seats}{variant}: {match.reason} after {match.plies} plies"


def standings_text(
    table: Table,
    limit: int | None = None,
    *,
    elo: Mapping[str, str] | None = None,
    width: int | None = None,
) -> str:
    """Return the standings as a table of text, the first `limit` rows of it.

    `elo` maps each player to its rating as text; None or an empty mapping adds no column. The least
    informative columns are dropped if the table exceeds `width`.
    """
    header = ["#", "bot", "score", "points", "+", "=", "-", "matches", "CPU", "wall", "faults"]
    rows = [
        [
            str(rank),
            row.player,
            text.score(row.score),
            str(row.points),
            str(row.wins),
            str(row.draws),
            str(row.losses),
            str(row.matches),
            text.seconds(row.cpu_ns),
            text.seconds(row.wall_ns),
            str(row.faults),
        ]
        for rank, row in table.ranked()
    ]
    if elo:
        header.insert(3, "Elo ±95%")
        for cells in rows:
            cells.insert(3, elo.get(cells[1], ""))
    shown = rows if limit is None else rows[:limit]
    lines = text.narrowed(header, shown, left=2, spare=("wall", "matches", "CPU"), width=width)
    return lines if len(shown) == len(rows) else f"{lines}\n... and {len(rows) - len(shown)} more"


def crosstable_text(table: Table) -> str:
    """Return wins-draws-losses of each bot against each other, in the order of the standings."""
    order = [row.player for _, row in table.ranked()]
    header = ["", *(str(number) for number in range(1, len(order) + 1))]
    rows = []
    for number, player in enumerate(order, start=1):
        cells = [f"{number} {player}"]
        for other in order:
            duel = table.duels.get((player, other))
            cells.append(f"{duel.wins}-{duel.draws}-{duel.losses}" if duel else ".")
        rows.append(cells)
    return text.table(header, rows)
