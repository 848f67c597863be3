"""Locks of events: one director for each event, and one process at a time that begins one.

The kernel releases a lock when its process ends, so a dead director blocks no other.
"""

import fcntl
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from sqlite3 import Connection

from arena.errors import EventError, HeldEventError
from arena.event.play.interruptions import Interruptions
from arena.results.database import lock_path
from arena.results.database_errors import FULL_DISK, full_disk, waiting_text
from arena.results.store import Store

_BEGINNING = 0
"""Byte of the lock file locked while an event is begun; byte N is the lock of event N."""


@contextmanager
def lock_file(store: Store) -> Iterator[int]:
    """Yield a descriptor of the database's lock file; its locks end with the context."""
    path = lock_path(store.path)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        if error.errno in FULL_DISK:
            raise full_disk(path) from None
        raise EventError(
            f"{path}: {error.strerror}; make it and its folder writable, or"
            f" {store.database.advice.other}"
        ) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def beginning(descriptor: int) -> Iterator[None]:
    """Let no other process begin or resume an event until the context ends."""
    fcntl.lockf(descriptor, fcntl.LOCK_EX, 1, _BEGINNING)
    try:
        yield
    finally:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, _BEGINNING)


def lock_event(store: Store, descriptor: int, event: int) -> None:
    """Lock an event for this process; raises HeldEventError if another one plays it."""
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, event)
    except OSError:
        holder = store.director(event) or "another process"
        raise HeldEventError(
            f"event {event} in {store.path} is being played by {holder}; wait for it or end it"
        ) from None
    store.set_director(event, f"process {os.getpid()} on {socket.gethostname()}")


def patient_transaction(
    store: Store, interruptions: Interruptions, say: Callable[[str], None]
) -> AbstractContextManager[Connection]:
    """Write to the database, waiting while it is locked, until a second interruption."""

    def has_patience(waits: int) -> bool:
        if interruptions.count > 1:
            return False
        if not waits:
            say(waiting_text(store.path))
        return True

    return store.database.transaction(has_patience)
