"""Begin or resume an event, under a lock against a second director."""

import fcntl
import os
import secrets
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.config.event import Config, Event
from arena.config.same_event import can_grow, conflicts
from arena.errors import EventError, StoreError
from arena.results.store import EventRow, Store
from referee.job import Player
from referee.seeds import SEED_BITS


@contextmanager
def held_event(
    store: Store, config: Config, players: Mapping[str, Player], *, is_new: bool
) -> Iterator[EventRow]:
    """Lock the begun event of this config, or a new one, until the context ends.

    Raises EventError if another director holds the event, or if it was begun with a different
    config. The kernel releases a lock when its process ends, so a dead director blocks no other.
    """
    contents = {name: player.content for name, player in players.items()}
    with _lock_file(store) as descriptor:
        fcntl.lockf(descriptor, fcntl.LOCK_EX, 1, _BEGINNING)
        begun = None if is_new else store.latest_event(config.name)
        number = begun.id if begun else _begin(store, config, contents)
        _hold(store, descriptor, number)
        if begun is not None:
            _go_on(store, begun, config, contents)
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, _BEGINNING)
        event = store.event(number)
        if event is None:
            raise EventError(f"{store.path}: event {number} is gone")
        yield event
        with suppress(StoreError):  # only shown while the lock is held
            store.set_director(number, None)


_BEGINNING = 0
"""Byte of the lock file locked while an event is begun; byte N is the lock of event N."""


@contextmanager
def _lock_file(store: Store) -> Iterator[int]:
    path = Path(f"{store.path}.lock")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise EventError(f"{path}: {error.strerror}") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _hold(store: Store, descriptor: int, event: int) -> None:
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, event)
    except OSError:
        holder = store.director(event) or "another process"
        raise EventError(
            f"event {event} in {store.path} is being played by {holder}; wait for it or end it"
        ) from None
    store.set_director(event, f"process {os.getpid()} on {socket.gethostname()}")


def _begin(store: Store, config: Config, contents: Mapping[str, str]) -> int:
    seed = secrets.randbits(SEED_BITS) if config.seed is None else config.seed
    return store.add_event(config.name, seed, {**config.form(), "seed": seed}, contents)


def _go_on(store: Store, begun: EventRow, config: Config, contents: Mapping[str, str]) -> None:
    """Resume a begun event, and store the permitted changes of its config.

    An event without finished matches or void attempts may become any other event of its name.
    """
    if not store.is_touched(begun.id):
        seed = begun.seed if config.seed is None else config.seed
        store.replace_event(begun.id, seed, {**config.form(), "seed": seed}, contents)
        return
    _check_same(store, begun, config, contents)
    merged = {**begun.entrants, **contents}
    kept = {**config.form(), "seed": begun.seed}
    if merged != begun.entrants or begun.config != kept:
        store.replace_event(begun.id, begun.seed, kept, merged)


def _check_same(store: Store, begun: EventRow, config: Config, contents: Mapping[str, str]) -> None:
    old = Event.read(begun.config)
    changes = conflicts(old, config)
    changes += [
        f"bots.{name}: its files or arguments have changed"
        for name, content in contents.items()
        if begun.entrants.get(name, content) != content
    ]
    if not changes and not can_grow(old):
        changes += [f"bots.{name}: was left out" for name in contents if name not in begun.entrants]
        changes += [f"bots.{name}: is left out" for name in begun.entrants if name not in contents]
    if changes:
        lines = "\n".join(f"  {change}" for change in changes)
        raise EventError(
            f"event {begun.id} ({begun.name}) in {store.path} was begun differently:\n{lines}\n"
            f"put that back to go on with it, or start over with --new (what was played is kept)"
        )
