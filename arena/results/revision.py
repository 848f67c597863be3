"""Changes of a begun event: matches that no longer count are set aside, never deleted."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Revision:
    """A changed event and its effect on what was played."""

    seed: int
    config: Mapping[str, Any]
    entrants: Mapping[str, str]
    """Content hash by name, as in `EventRow`."""
    lines: tuple[str, ...]
    """The changes in words, each with its effect."""
    counting: Collection[int]
    """Numbers of the matches counted from now on, including restored ones."""
    names: Mapping[int, tuple[str, ...]]
    """Names of the players by seat, for all matches by number."""
    void_keys: Collection[str]
    """Keys of the matches whose void attempts are set aside."""
    withdrawals: Mapping[str, str]
    """All withdrawn players from now on, with the reasons."""


def write_revision(db: Connection, event: int, revision: Revision, now: str) -> None:
    """Write everything but the new entrants, within a transaction; the old ones are deleted."""
    latest = "SELECT coalesce(max(number), 0) + 1 FROM revision WHERE event = ?"
    number = db.execute(latest, (event,)).fetchone()[0]
    db.execute(
        "INSERT INTO revision VALUES (?, ?, ?, ?)",
        (event, number, json.dumps(revision.lines), now),
    )
    db.execute(
        "UPDATE event SET seed = ?, config = ? WHERE id = ?",
        (str(revision.seed), json.dumps(revision.config), event),
    )
    db.execute("DELETE FROM entrant WHERE event = ?", (event,))
    _set_aside(db, event, number, revision)
    db.executemany(
        "UPDATE void SET aside = ? WHERE event = ? AND key = ? AND aside = 0",
        [(number, event, key) for key in revision.void_keys],
    )
    _withdraw(db, event, revision.withdrawals, now)


def _set_aside(db: Connection, event: int, number: int, revision: Revision) -> None:
    counting = set(revision.counting)
    matches = db.execute("SELECT id, aside = 0 FROM match WHERE event = ?", (event,))
    changed = [
        (0 if match in counting else number, match)
        for match, was_counting in matches
        if was_counting != (match in counting)
    ]
    changed.sort(reverse=True)  # a key counts once: the former match is first set aside
    db.executemany("UPDATE match SET aside = ? WHERE id = ?", changed)
    query = "SELECT match, seat, player FROM match JOIN seat ON seat.match = id WHERE event = ?"
    renamed = [
        (revision.names[match][seat], match, seat)
        for match, seat, player in db.execute(query, (event,))
        if revision.names[match][seat] != player
    ]
    db.executemany("UPDATE seat SET player = ? WHERE match = ? AND seat = ?", renamed)


def _withdraw(db: Connection, event: int, withdrawals: Mapping[str, str], now: str) -> None:
    query = "SELECT player FROM withdrawal WHERE event = ?"
    known = {player for (player,) in db.execute(query, (event,))}
    ended = [(event, player) for player in known - set(withdrawals)]
    db.executemany("DELETE FROM withdrawal WHERE event = ? AND player = ?", ended)
    db.executemany(
        "INSERT INTO withdrawal VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [(event, player, reason, now) for player, reason in withdrawals.items()],
    )
