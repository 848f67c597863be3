"""Finished matches as an update reads them."""

from events import crashed, job_of, keep, new_event

from arena.results.heads import match_heads
from arena.results.store import Store


def test_equal_matches_share_names_bots_and_results(store: Store) -> None:
    """An event may have millions of them."""
    event = new_event(store)
    for repeat in range(2):
        keep(store, event, crashed(job_of("ann", "bob", key=f"ann,bob/b0/{repeat}"), 1))

    first, second = match_heads(store.database, event)

    assert first.names == ("ann", "bob")
    assert first.names is second.names
    assert first.contents is second.contents
    assert first.seats is second.seats
