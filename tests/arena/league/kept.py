"""Matches of the season in arena.db, for pages that show them."""

from contextlib import closing

from arena.league.folder import League
from arena.league.seasons.season import begun_season
from arena.results.store import MatchRow, Store
from referee.records.record import Record


def kept(league: League, *records: Record) -> list[MatchRow]:
    """Keep matches of the season, each on a board of its own."""
    rows = []
    with closing(Store(league.arena_db, is_new_allowed=True)) as store:
        event = begun_season(store, league.season(), {}).id
        for board, record in enumerate(records):
            row = store.add_match(
                event, board=board, variant="", attempt=1, match=record.finished()
            )
            assert row is not None
            rows.append(row)
    return rows
