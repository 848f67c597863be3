"""Tables and lines of an event as text: outcomes, standings, crosstable."""

import sys
from collections.abc import Mapping, Sequence

from arena import text
from arena.reports.standings import standings_cells
from arena.results.standings import Table
from arena.results.store import MatchRow
from arena.terminal.tones import tone_of
from arena.text import plural


def fitted(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int, spare: Sequence[str]
) -> str:
    """Return a table in the colours and the width of the terminal, as `text.narrowed` does."""
    width = text.width_of(sys.stdout)
    return text.narrowed(header, rows, left=left, spare=spare, width=width, tone=tone_of())


def outcome_line(match: MatchRow) -> str:
    """Return one finished match as one line."""
    seats = " - ".join(f"{seat.player} {seat.points}" for seat in match.seats)
    variant = f" ({match.variant})" if match.variant else ""
    pause = "," if match.has_fault else ""  # faults are long texts
    length = plural(match.plies, "ply")
    return f"match {match.id}: {seats}{variant}: {match.reason}{pause} after {length}"


def standings_text(
    table: Table,
    limit: int | None = None,
    *,
    elo: Mapping[str, str] | None = None,
    width: int | None = None,
    tone: text.Tone | None = None,
) -> str:
    """Return the standings as a table of text, the first `limit` rows of it, under a caption.

    `elo` maps each player to its rating as text; None or an empty mapping adds no column. The least
    informative columns are dropped if the table exceeds `width`.
    """
    header, rows = standings_cells(table, elo or {})
    shown = rows if limit is None else rows[:limit]
    spare = ("wall", "matches", "CPU", "unplayed", "adjudicated", "Elo, 95 %")
    lines = text.narrowed(header, shown, left=2, spare=spare, width=width, tone=tone)
    lines = f"standings by {table.ranked_by}:\n{lines}"
    return lines if len(shown) == len(rows) else f"{lines}\n... and {len(rows) - len(shown)} more"


def crosstable_text(table: Table, width: int | None = None, tone: text.Tone | None = None) -> str:
    """Return wins-draws-losses of each bot against each other, in blocks within `width`."""
    order = [row.player for _, row in table.ranked()]
    header = ["", *(str(number) for number in range(1, len(order) + 1))]
    rows = [
        [f"{number} {player}", *(str(table.duels.get((player, other), ".")) for other in order)]
        for number, player in enumerate(order, start=1)
    ]
    return text.in_blocks(header, rows, width, tone)
