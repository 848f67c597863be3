"""Look-ups in a database: an event, a match, players of an event."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena.errors import EventError
from arena.results.store import EventRow, MatchRow, Store
from arena.results.voids import VOID, VoidRow, void_body
from arena.shell_words import db_option
from protocol.wording import escaped, quoted

MAX_DIGITS = 18
"""Limit of a number's digits in SQLite; Python refuses to read thousands of them."""


@contextmanager
def snapshot(store: Store) -> Iterator[None]:
    """Have all queries in this context read the same state, whatever others write."""
    store.database.row("BEGIN")
    try:
        yield
    finally:
        store.database.row("ROLLBACK")


def find_event(store: Store, name: str | None) -> EventRow:
    """Return the event by number or name (the newest of that name), or the newest of all."""
    number = _number(name or "")
    found = store.latest_event(name) if number is None else store.event(number)
    if found is None:
        known = ", ".join(dict.fromkeys(event.name for event in store.events())) or "none yet"
        if number is not None and (newest := store.latest_event()):
            known += f"; the newest is {newest.id}"
        what = f"no event {quoted(name)}" if name else "no event"
        raise EventError(f"{store.path}: {what}; events there: {known}")
    return found


def find_match(store: Store, reference: str, event: str | None = None) -> MatchRow:
    """Return a match by its number, or by its key in an event, the newest by default."""
    number = _number(reference)
    if number is None:
        number = store.match_number(find_event(store, event).id, reference)
    match = store.match(number) if number is not None else None
    where = None if event is None else find_event(store, event).id
    if match is not None and where in (None, match.event):
        return match
    other = f" in event {where}" if event is not None else ""
    hint = f"; match {match.id} is in event {match.event}" if match else ""
    if voids := [] if number else _voids_of(store, reference, event):
        hint = f"; it was void{voids[-1].onward(store.path)}"
    db = db_option(store.path)
    listed = f"`arena show {where} --matches{db}` lists them"
    if where is None:
        listed = f"`arena show --matches{db}` lists those of the newest event, `arena show{db}` all"
        listed += " events"
    raise EventError(f"{store.path}: no match {quoted(reference)}{other}{hint}; {listed}")


def find_void(store: Store, name: str) -> bytes:
    """Return the packed record of a void attempt by its name, like void-7."""
    number = _number(name.removeprefix(VOID))
    if body := void_body(store.database, number):
        return body
    raise EventError(
        f"{store.path}: no void attempt {quoted(name)} with a record;"
        f" `arena show EVENT{db_option(store.path)}` lists the void attempts of an event"
    )


def first_played(store: Store, event: EventRow) -> int | None:
    """Return the number of the first match with a move; None if there is none yet."""
    query = "SELECT id FROM match WHERE event = ? AND aside = 0 AND plies > 0 ORDER BY id LIMIT 1"
    row = store.database.row(query, (event.id,))
    return row[0] if row else None


def last_match(store: Store) -> int:
    """Return the number of the last match, 0 if there is none."""
    row = store.database.row("SELECT max(id) FROM match")
    return row[0] or 0


def ended_matches(store: Store, event: int, after: int, most: int) -> list[tuple[int, str]]:
    """Return number and key of an event's matches after number `after`, of the last `most`."""
    query = (
        "SELECT id, key FROM match WHERE event = ? AND aside = 0 AND id > ?"
        " ORDER BY id DESC LIMIT ?"
    )
    return list(store.database.rows(query, (event, after, most)))[::-1]


def inexact_players(store: Store, event: int) -> list[str]:
    """Return the players with a match whose CPU time is approximate, by name."""
    query = (
        "SELECT DISTINCT player FROM match JOIN seat ON seat.match = match.id"
        " WHERE event = ? AND aside = 0 AND NOT is_clock_exact ORDER BY player"
    )
    return [escaped(player) for (player,) in store.database.rows(query, (event,))]


def _voids_of(store: Store, key: str, event: str | None) -> list[VoidRow]:
    """Return the void attempts at a match that have a record."""
    voids = store.voids(find_event(store, event).id)
    return [void for void in voids if void.key == key and void.number is not None]


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else None


def start_of(event: EventRow, board: int) -> int:
    """Return the first board that has the opening of this one."""
    lines = event.config.get("opening_lines")
    return board % len(lines) if lines else board
