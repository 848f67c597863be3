"""A match as a database of its own, to replay it at home: `arena replay 1 --db match-17.db`."""

from contextlib import closing

from arena.results.store import Store
from referee.records.record import Record
from referee.sandbox import private_directory


def database_of(name: str, record: Record) -> bytes:
    """Return the bytes of a database with this match alone, as number 1."""
    job = record.job
    config = {"game": {"name": job.game, **job.options}}
    with private_directory() as folder:
        path = folder / "match.db"
        with closing(Store(path, is_new_allowed=True)) as store:
            contents = {player.name: player.content for player in job.players}
            event = store.add_event(name, job.seed, config, contents)
            store.add_match(event, board=0, variant="", attempt=1, match=record.finished())
            store.database.row("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.read_bytes()
