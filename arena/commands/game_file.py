"""A PGN file to which the matches of an event are added while it is played."""

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from arena.config.event import Config
from arena.errors import UsageError
from arena.event.watch.progress import Announcer, Progress
from arena.reports.files import append, check_writable
from arena.reports.pgn import match_pgn
from arena.results.standings import Table
from arena.results.store import EventRow, MatchRow, Store
from referee.games.chess import Chess
from referee.job import Job


def check_game_file(path: Path | None, config: Config) -> None:
    """Raise UsageError unless the matches of a config can be added to a file, if one is wanted."""
    if path is None:
        return
    if config.game.name != Chess.name:
        raise UsageError(f"--pgn writes matches of chess, and this event is of {config.game.name}")
    book = config.openings.file if config.openings else None
    if book is not None and (Path(config.folder) / book).resolve() == path.resolve():
        raise UsageError(f"--pgn {path}: is the book of openings; name another file")
    check_writable(path, "--pgn")


def with_game_file(
    announcer: Announcer, path: Path | None, store: Store, event: EventRow
) -> Announcer:
    """Return an announcer that also adds each finished match to a file, if one is wanted."""
    return announcer if path is None else _GameFileAnnouncer(announcer, path, store, event)


class _GameFileAnnouncer:
    """An announcer that also adds each finished match to a file."""

    def __init__(self, inner: Announcer, path: Path, store: Store, event: EventRow) -> None:
        self._inner = inner
        self._path = path
        self._store = store
        self._event = event

    def say(self, line: str) -> None:
        """Receive a notice, of one line or more."""
        self._inner.say(line)

    def follow(self, total: int, done: int, table: Table) -> Progress:
        """Return the progress of the event."""
        inner = self._inner.follow(total, done, table)
        return _GameFile(inner, self._path, self._store, self._event.name)


class _GameFile:
    """Adds each match that is finished and stored; whole games only, at once for every reader."""

    def __init__(self, inner: Progress, path: Path, store: Store, event: str) -> None:
        self._inner = inner
        self._path = path
        self._store = store
        self._event = event
        self._has_failed = False

    def __enter__(self) -> Self:
        self._inner.__enter__()
        return self

    def __exit__(self, *cause: object) -> None:
        self._inner.__exit__(*cause)

    def finished(self, match: MatchRow) -> None:
        """Add a match; a file that cannot be written does not stop the event."""
        self._inner.finished(match)
        text = match_pgn(self._event, match, self._store.record(match.id))
        try:
            append(self._path, f"{text}\n")
        except OSError as error:
            if not self._has_failed:
                detail = f"cannot be written: {error.strerror}; `arena export --pgn` has all"
                self._inner.say(f"warning: --pgn {self._path}: {detail}")
            self._has_failed = True

    def expect(self, total: int) -> None:
        """Receive a new total of matches."""
        self._inner.expect(total)

    def running(self, jobs: Sequence[Job]) -> None:
        """Receive the running matches."""
        self._inner.running(jobs)

    def say(self, line: str) -> None:
        """Receive a notice of one line."""
        self._inner.say(line)
