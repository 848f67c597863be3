"""The columns of the standings, the same in every table."""

from collections.abc import Callable, Mapping

from arena.results.standings import Standing, Table
from arena.text import cpu_time, score, seconds

Column = Callable[[Standing], str]


def standings_cells(table: Table, elo: Mapping[str, str]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the standings, best first.

    `elo` maps players to their ratings as text; an empty one adds no column. Points are a column
    where scores are other numbers, unplayed and adjudicated matches where there are any.
    """
    columns: dict[str, Column] = {"bot": lambda row: row.player}
    columns["score"] = lambda row: score(row.score)
    if elo:
        columns["Elo, 95 %"] = lambda row: elo.get(row.player, "")
    if table.has_score_rule:
        columns["points"] = lambda row: str(row.points)
    columns |= _COUNTS
    if any(row.unplayed for row in table.rows.values()):
        columns["unplayed"] = lambda row: str(row.unplayed)
    if any(row.adjudicated for row in table.rows.values()):
        columns["adjudicated"] = lambda row: str(row.adjudicated)
    rows = [[str(rank), *(cell(row) for cell in columns.values())] for rank, row in table.ranked()]
    return ["#", *columns], rows


_COUNTS: Mapping[str, Column] = {
    "+": lambda row: str(row.wins),
    "=": lambda row: str(row.draws),
    "-": lambda row: str(row.losses),
    "matches": lambda row: str(row.matches),
    "CPU": lambda row: cpu_time(row.cpu_ns, is_exact=row.is_clock_exact),
    "wall": lambda row: seconds(row.wall_ns),
    "faults": lambda row: str(row.faults),
}
