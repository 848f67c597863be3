"""The worker of each match, and its speed at the time."""

from collections.abc import Iterator

from arena.results.store import Store
from protocol.wording import escaped
from referee.records.match_end import Worker


def add_worker(store: Store, match: int, worker: Worker) -> None:
    """Write the worker of a finished match."""
    with store.database.transaction() as db:
        db.execute("INSERT INTO worker VALUES (?, ?, ?)", (match, *worker))


def workers_of(store: Store, event: int) -> Iterator[tuple[int, Worker]]:
    """Yield the number and the worker of each counted match that a worker has played."""
    query = (
        "SELECT worker.match, worker.name, worker.speed FROM worker JOIN match"
        " ON match.id = worker.match WHERE match.event = ? AND match.aside = 0 ORDER BY match.id"
    )
    for number, name, speed in store.database.rows(query, (event,)):
        yield number, Worker(escaped(name), speed)
