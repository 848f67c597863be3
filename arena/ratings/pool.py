"""Ratings over several events, with each version of a bot as a player of its own.

Players with one name and one content are the same everywhere. Where a name has several contents,
each is a player, named after the first digits of its hash. Matches of earlier versions, set aside
when an event was updated, count as well. The boards of two events are different boards.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena import text
from arena.errors import UsageError
from arena.ratings.rating import Elo, Ratings
from arena.ratings.text import is_rated
from arena.results.queries import start_of
from arena.results.standings import RatedMatch, RatedSeat, rated_match
from arena.results.store import EventRow, Store

DIGITS = 8
"""Digits of a content hash in the name of a version."""
WIDTH = 40
"""Width of the chart in characters."""
_CONTENTS = """
    SELECT seat.match, content FROM seat JOIN match ON match.id = seat.match
    JOIN version ON version.id = seat.version WHERE match.event = ? ORDER BY seat.match, seat.seat
"""


class Version(NamedTuple):
    """A bot with a content."""

    name: str
    content: str


@dataclass(frozen=True, slots=True)
class Pool:
    """The results of several events."""

    events: tuple[str, ...]
    """Name, file and number of each event."""
    outcomes: Counter[RatedMatch]
    versions: dict[str, tuple[str, ...]]
    """Players of each bot with several versions, the oldest first."""


def pooled(sources: Sequence[tuple[Store, EventRow]]) -> Pool:
    """Return the results of events of one game; raises UsageError for several games."""
    games = {str(event.config.get("game", {}).get("name", "")): event.name for _, event in sources}
    if len(games) > 1:
        found = " and ".join(f"{game} ({event})" for game, event in sorted(games.items()))
        raise UsageError(f"ratings over events are for one game, not {found}")
    rated = [(store, event) for store, event in sources if is_rated(event)]
    matches = [
        match for number, source in enumerate(rated) for match in sorted(_matches(*source, number))
    ]
    contents: dict[str, dict[Version, None]] = {}
    for _, outcome, versions in sorted(matches, key=lambda match: match[0]):
        for version in versions if not outcome.is_unplayed else ():
            contents.setdefault(version.name, {})[version] = None
    names = {
        version: f"{name}@{version.content[:DIGITS]}" if len(several) > 1 else name
        for name, several in contents.items()
        for version in several
    }
    outcomes: Counter[RatedMatch] = Counter()
    for _, outcome, versions in matches:
        seats = (
            RatedSeat(names.get(version, version.name), seat.place, seat.fault)
            for version, seat in zip(versions, outcome.seats, strict=True)
        )
        outcomes[outcome._replace(seats=tuple(seats))] += 1
    return Pool(
        events=tuple(
            f"{event.name} ({store.path.name}, event {event.id})" for store, event in rated
        ),
        outcomes=outcomes,
        versions={
            name: tuple(names[version] for version in several)
            for name, several in contents.items()
            if len(several) > 1
        },
    )


def versions_text(pool: Pool, ratings: Ratings) -> str:
    """Return the strength of each bot by version as a chart; empty without several versions.

    A version without a rated match has no line.
    """
    elos = {each.player: each.elo for each in ratings.players}
    parts = [
        f"{name} by version, the oldest first:\n{_chart(known)}"
        for name, players in sorted(pool.versions.items())
        if (known := [(player, elos[player]) for player in players if player in elos])
    ]
    return "\n\n".join(parts)


def _matches(
    store: Store, event: EventRow, number: int
) -> Iterator[tuple[str, RatedMatch, tuple[Version, ...]]]:
    """Yield time, outcome and versions of each match of an event."""
    contents: dict[int, list[str]] = {}
    for match, content in store.database.rows(_CONTENTS, (event.id,)):
        contents.setdefault(match, []).append(content)
    for matches in (store.matches(event.id), store.earlier_matches(event.id)):
        for match in matches:
            outcome = rated_match(match.seats)
            versions = zip(outcome.seats, contents[match.id], strict=True)
            yield (
                match.finished,
                outcome._replace(board=(number, start_of(event, match.board))),
                tuple(Version(seat.player.partition("@")[0], each) for seat, each in versions),
            )


def _chart(known: Sequence[tuple[str, Elo]]) -> str:
    least = min(elo.low for _, elo in known)
    width = max(max(elo.high for _, elo in known) - least, 1.0)

    def column(elo: float) -> int:
        return round((elo - least) / width * (WIDTH - 1))

    rows = []
    for player, elo in known:
        line = [" "] * column(elo.low) + ["-"] * (column(elo.high) - column(elo.low) + 1)
        line[column(elo.value)] = "o"
        rows.append([player, "".join(line), elo.text()])
    return text.table(["version", "", "Elo, 95 %"], rows, left=2)
