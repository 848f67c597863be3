"""Matches of the season, read from arena.db for a page."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from operator import add
from pathlib import Path

from arena.config.event import Config
from arena.config.loading import load_config
from arena.errors import MachineError
from arena.league.folder import SEASON
from arena.league.seasons.freeze import hidden_since
from arena.league.web.here import league
from arena.results.store import EventRow, MatchRow, Store
from referee.records.record import Record

MAX_NUMBER = 2**62
ALWAYS = "9999"
"""A time after all others, as arena.db compares them."""
LATEST = 50
"""Number of the latest matches of a bot on its page."""
MOST_FAULTS = 200
"""Limit of the matches with a fault on a page."""


@dataclass(frozen=True)
class KeptMatch:
    """A match with its event and record."""

    event: EventRow
    row: MatchRow
    record: Record


def match_row(number: int) -> MatchRow | None:
    """Return a match by its number."""
    with league().matches() as store:
        return None if store is None or number > MAX_NUMBER else store.match(number)


def kept_match(number: int) -> KeptMatch | None:
    """Return a match by its number, with its record."""
    with league().matches() as store:
        row = None if store is None or number > MAX_NUMBER else store.match(number)
        event = None if store is None or row is None else store.event(row.event)
        if store is None or row is None or event is None:
            return None
        return KeptMatch(event, row, store.record(number))


def latest_matches(players: Sequence[str], season: str | None = None) -> list[MatchRow]:
    """Return the latest rated matches of these players, the newest first.

    They are those of one season, or of all.
    """
    marks = ", ".join("?" * len(players))
    query = (
        f"SELECT DISTINCT seat.match FROM seat WHERE player IN ({marks})"  # noqa: S608 - marks only
        " AND EXISTS (SELECT 1 FROM match JOIN event ON event.id = match.event WHERE"
        " match.id = seat.match AND aside = 0 AND event.name NOT LIKE '%/unrated'"
        " AND event.name = coalesce(?, event.name))"
        f" ORDER BY seat.match DESC LIMIT {LATEST}"
    )
    with league().matches() as store:
        if store is None or not players:
            return []
        numbers = [number for (number,) in store.database.rows(query, (*players, season))]
        found = (store.match(number) for number in numbers)
        return [match for match in found if match is not None]


@dataclass(frozen=True)
class Rival:
    """The results of a version against another one."""

    player: str
    matches: int
    won: int
    drawn: int
    lost: int

    @property
    def score(self) -> float:
        """Share of the points."""
        return (self.won + self.drawn / 2) / self.matches

    def added_to(self, earlier: "Rival | None") -> "Rival":
        """Return these results with earlier ones."""
        if earlier is None:
            return self
        sums = map(add, astuple(earlier)[1:], astuple(self)[1:])
        return Rival(self.player, *sums)


@dataclass
class _Counted:
    """What was counted of a version; a house bot has too many matches to count them for a page."""

    so_far: tuple[int, tuple[Rival, ...]] = (0, ())
    """Number of the last match, and the results up to it."""


@lru_cache(maxsize=256)
def _counted(*_: object) -> _Counted:
    """Return the counts of a version under given circumstances."""
    return _Counted()


def rivals_of(player: str) -> list[Rival]:
    """Return the results of a version against each other one of the season, up to a freeze."""
    query = (
        "SELECT max(own.match), rival.player, count(*), sum(own.place < rival.place),"
        " sum(own.place = rival.place), sum(own.place > rival.place)"
        " FROM seat own JOIN seat rival ON rival.match = own.match AND rival.seat <> own.seat"
        " JOIN match ON match.id = own.match"
        " WHERE own.player = ? AND own.match > ?"
        " AND match.event = ? AND match.aside = 0 AND match.finished <= ?"
        " GROUP BY rival.player ORDER BY rival.player"
    )
    with league().matches() as store:
        event = None if store is None else store.latest_event(season_config(league().folder).name)
        if store is None or event is None:
            return []
        until = hidden_since() or ALWAYS
        counted = _counted(store.path, event.created, _set_aside(store, event.id), until, player)
        last, rivals = counted.so_far
        found = {rival.player: rival for rival in rivals}
        for number, *row in store.database.rows(query, (player, last, event.id, until)):
            rival = Rival(*row)
            last, found[rival.player] = max(last, number), rival.added_to(found.get(rival.player))
        counted.so_far = last, tuple(found[name] for name in sorted(found))
        return list(counted.so_far[1])


def _set_aside(store: Store, event: int) -> int:
    query = "SELECT count(*) FROM match WHERE event = ? AND aside > 0"
    (number,) = store.database.row(query, (event,))
    return int(number)


def faults_of(player: str) -> list[MatchRow]:
    """Return the latest matches with a fault of a version, the newest first."""
    query = (
        "SELECT match FROM seat WHERE player = ? AND fault IS NOT NULL AND NOT unplayed"
        " ORDER BY match DESC LIMIT ?"
    )
    with league().matches() as store:
        if store is None:
            return []
        numbers = [number for (number,) in store.database.rows(query, (player, MOST_FAULTS))]
        found = (store.match(number) for number in numbers)
        return [match for match in found if match is not None]


def season_config(folder: Path) -> Config:
    """Return the config of the season; raises ConfigError."""
    path = folder / SEASON
    try:
        changed_ns = path.stat().st_mtime_ns
    except OSError as error:
        raise MachineError(f"{path}: {error.strerror}") from None
    return _season_config(path, changed_ns)


@lru_cache(maxsize=4)
def _season_config(path: Path, _: int) -> Config:
    return load_config(str(path))
