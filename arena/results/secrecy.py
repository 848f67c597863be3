"""Secrecy of an event's seed until the organiser closes the event.

With the seed anybody can compute the boards, draws and seeds of rivals that are still to come, also
those of a contest that continues with `--update`. Only the organiser knows when no match will
follow: so an event is closed by a command, and a closed one is not resumed.

A seed of few bits is no secret: a bot can find it from its own.
"""

import json
from dataclasses import replace
from hashlib import sha256
from sqlite3 import Connection

from arena.results.store import EventRow, Store
from referee.seeds import is_guessable

CLOSED = "is_closed"
"""Key of a stored config: whether the event is closed."""
HASH = "seed_hash"
"""Key of the stored config of a copy without the seed: the seed's SHA-256."""
SEEDS = ("seed", "board_seed")
"""Keys of a record that are left out while the seed is secret."""


def is_closed(event: EventRow) -> bool:
    """Whether no match is added any more."""
    return bool(event.config.get(CLOSED))


def is_secret(event: EventRow) -> bool:
    """Whether the seed is not to be published; matches of people are over when they are stored."""
    if HASH in event.config:
        return True
    return not (is_guessable(event.seed) or is_closed(event) or "person" in event.config)


def told_seed(event: EventRow) -> str | None:
    """Return the seed as a text; None for a secret one."""
    return None if is_secret(event) else str(event.seed)


def seed_hash(event: EventRow) -> str | None:
    """Return the SHA-256 of a secret seed, by which it can be checked later; None for others."""
    if (kept := event.config.get(HASH)) is not None:
        return str(kept)
    return sha256(str(event.seed).encode()).hexdigest() if is_secret(event) else None


def seed_part(event: EventRow, mark: str = ",") -> str:
    """Return the seed as a part of a line, like ", seed 5"; empty for a secret one."""
    return "" if is_secret(event) else f"{mark} seed {event.seed}"


def seed_text(event: EventRow) -> str:
    """Return the seed for a report, or that it is secret, with its hash in groups."""
    digest = seed_hash(event)
    if digest is None:
        return str(event.seed)
    groups = " ".join(digest[start : start + 8] for start in range(0, len(digest), 8))
    return f"secret until the event is closed; SHA-256 {groups}"


def sealed(event: EventRow, command: str) -> list[str]:
    """Return the promise that a secret seed is not chosen later, as lines; `command` closes it."""
    if event.config.get("is_quick") or not is_secret(event):
        return []
    return [f"the seed is secret until `{command}`; its SHA-256 is {seed_hash(event)}"]


def remove_secrets(db: Connection) -> None:
    """Take the seeds of open events out of a copy of a database, and all that foretells matches."""
    rows = db.execute("SELECT id, seed, config FROM event").fetchall()
    for number, seed, text in rows:
        config = json.loads(text)
        if config.get(CLOSED) or HASH in config or is_guessable(int(seed)):
            continue
        digest = sha256(str(seed).encode()).hexdigest()
        sealed_config = json.dumps({**config, "seed": None, HASH: digest})
        db.execute("UPDATE event SET seed = '0', config = ? WHERE id = ?", (sealed_config, number))
        # a void match is played again with its seed, which its record has
        db.execute("UPDATE void SET record = NULL WHERE event = ?", (number,))
    db.commit()
    db.execute("VACUUM")  # the pages of before are in the file until then


def close_event(store: Store, event: EventRow) -> EventRow:
    """Close an event, with those that chose its openings from the same seed; return it."""
    with store.database.transaction() as db:
        for each in store.events():
            if each.seed == event.seed:
                values = (json.dumps({**each.config, CLOSED: True}), each.id)
                db.execute("UPDATE event SET config = ? WHERE id = ?", values)
    return replace(event, config={**event.config, CLOSED: True})
