"""The counts of a season in a file beside its matches, so that a director starts at once.

The file is a cache: it names the last match that it counts and how many there are. Where arena.db
says otherwise, as after a void or a restored backup, all matches are counted again. Matches after
the last one are added. It is replaced as a whole, so that a killed director leaves the one before.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arena.league.directing.standing import Standing
from arena.league.ladder.ratings import Start
from arena.league.ladder.season import Spread
from arena.results.store import EventRow, Store

EVERY = 2000
"""Matches from a file to the next."""
FORMAT = 1
"""Number of the file's format; another one is not read."""


@dataclass
class Counts:
    """A season's standing, and what else its director continues with."""

    standing: Standing
    turns: dict[str, float] = field(default_factory=dict)
    """Turns of the ladder (`Ladder.turns`)."""
    lanes: dict[str, float] = field(default_factory=dict)
    """Slot seconds of each lane."""
    saved: int = 0
    """Number of matches in the file."""
    is_wanted: bool = False
    """Whether something has changed that the matches do not tell."""

    @property
    def is_due(self) -> bool:
        """Whether enough has happened for another file."""
        return self.is_wanted or self.standing.count >= self.saved + EVERY

    def save(self, path: Path, store: Store, event: EventRow) -> None:
        """Replace the file; a full disk leaves the one before."""
        values = {
            "format": FORMAT,
            **_identity(store, event, self.standing.last),
            "standing": self.standing.to_values(),
            "start": None if self.standing.start is None else asdict(self.standing.start),
            "turns": self.turns,
            "lanes": self.lanes,
        }
        part = path.with_suffix(".part")
        with suppress(OSError):
            text = json.dumps(values)  # `dump` would take ten times as long
            with part.open("w") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            part.rename(path)
        self.saved, self.is_wanted = self.standing.count, False


def index_players(store: Store) -> None:
    """Have the matches of a player found without reading all matches."""
    with store.database.transaction() as db:
        db.execute("CREATE INDEX IF NOT EXISTS league_player ON seat (player, match)")


def last_unit(store: Store, *events: int) -> int:
    """Return the largest unit of these events, of all but the first's matches that count; or -1.

    Of those, `Standing.unit` knows it: reading all of them takes too long.
    """
    last = -1
    for number, event in enumerate(events):
        which = "AND aside > 0" if number == 0 else ""
        query = f"SELECT max(board) FROM match WHERE event = ? {which}"  # noqa: S608 - constants
        (board,) = store.database.row(query, (event,))
        keys = [*store.begun(event), *(void.key for void in store.voids(event))]
        boards = [int(key.split("/")[1][1:]) for key in keys]
        last = max([last, *boards, *([] if board is None else [board])])
    return last


def counted(path: Path, store: Store, event: EventRow, anchors: Mapping[str, float]) -> Counts:
    """Return the counts of all matches of a season, from the file where it is right."""
    counts = _read(path, store, event, anchors) or Counts(Standing(anchors))
    for match in store.matches(event.id, counts.standing.last):
        counts.standing.add(match)
    return counts


def _read(path: Path, store: Store, event: EventRow, anchors: Mapping[str, float]) -> Counts | None:
    """Return the counts of a file; None if there is none, or not of these matches."""
    try:
        values = json.loads(path.read_text())
        standing = Standing.of_values(anchors, values["standing"])
        expected = {"format": FORMAT, **_identity(store, event, standing.last)}
        if any(values[key] != value for key, value in expected.items()):
            return None
        if (start := values.get("start")) is not None:
            standing.start = Start(start["strengths"], Spread(**start["spread"]))
        return Counts(standing, values["turns"], values["lanes"], standing.count)
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _identity(store: Store, event: EventRow, last: int) -> dict[str, Any]:
    """Return what tells the matches up to number `last` from others."""
    query = "SELECT count(*) FROM match WHERE event = ? AND aside = 0 AND id <= ?"
    (count,) = store.database.row(query, (event.id, last))
    row = store.database.row("SELECT key FROM match WHERE id = ?", (last,))
    return {
        "event": event.id,
        "created": event.created,
        "count": count,
        "key": row[0] if row else None,
    }
