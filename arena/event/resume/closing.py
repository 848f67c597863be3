"""The end of an event by its organiser: no match follows, so its seed can be published."""

from arena.event.play.locks import beginning, lock_event, lock_file
from arena.results.secrecy import close_event
from arena.results.store import EventRow, Store


def close_idle_event(store: Store, event: EventRow) -> EventRow:
    """Close an event that nobody plays and return it; raises EventError if it is being played."""
    with lock_file(store) as descriptor, beginning(descriptor):
        lock_event(store, descriptor, event.id)
        try:
            return close_event(store, event)
        finally:
            store.set_director(event.id, None)
