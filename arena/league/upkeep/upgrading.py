"""`arena league upgrade`: a backup, the new tables, a canary match; or everything as it was.

A league whose databases are older than this Arena is not started, so that they change at a moment
that staff has chosen, and never without a backup.
"""

import tarfile
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from django.core.management import call_command
from django.db import connections

from arena.errors import UnplayedError, UsageError
from arena.league.folder import ADVICE, League
from arena.league.persons.people import audit
from arena.league.seasons.playing import event_values, played
from arena.league.settings import pending
from arena.league.upkeep.backups import DATABASES, back_up
from arena.results.store import Store
from arena.terminal.story import check_replay
from arena.text import plural
from referee.sandbox import private_directory

FOLDER = "backups"
LINES = 20
"""Number of lines shown of a canary match that could not be played."""
Tell = Callable[[str], None]


def upgrade(league: League, tell: Tell) -> None:
    """Bring the databases of a league up to date; raises UsageError, and then nothing is changed.

    The league must not be running.
    """
    with league.lock("start"), league.lock("director"):
        steps = pending()
        folder = league.folder / FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        backup = folder / f"before-upgrade-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.tar"
        size = back_up(league, backup)
        tell(f"backup: {backup}, {size / 1_000_000:.1f} MB, checked")
        try:
            call_command("migrate", verbosity=0, interactive=False)
            tell(f"{plural(len(steps), 'step')} of site.db: {', '.join(steps) or 'up to date'}")
            with suppress(UnplayedError):  # to open it brings it up to date
                Store(league.arena_db, advice=ADVICE).close()
            tell("a canary match is played")
            play_canary(league)
            tell("canary match: played, stored and replayed")
            audit(None, "upgraded", ", ".join(steps))
        except BaseException as error:
            _put_back(league, backup)
            if not isinstance(error, Exception):
                raise
            raise UsageError(
                f"the upgrade failed: {error}\nthe league is as it was; the backup is {backup}"
            ) from error


def play_canary(league: League) -> None:
    """Play a pair of the first two house bots and replay it; raises UsageError."""
    values = event_values(league, "canary")
    values["bots"] = values["bots"][:2]
    with private_directory() as made:
        db = made / "canary.db"
        with (made / "output").open("w+") as output:
            try:
                played(league, values, db, output)
            except UsageError as error:
                output.seek(0)
                said = "\n".join(output.read().splitlines()[-LINES:])
                raise UsageError(f"{error}:\n{said}") from None
        with closing(Store(db)) as store:
            event = store.latest_event()
            matches = [] if event is None else list(store.matches(event.id))
            if not matches:
                raise UsageError("the canary match was not played")
            for match in matches:
                if match.has_fault:
                    raise UsageError(f"the canary match has a fault: {match.reason}")
                check_replay(store.record(match.id), None)


def _put_back(league: League, backup: Path) -> None:
    """Replace the databases by those of the backup; files are never changed."""
    connections.close_all()
    with tarfile.open(backup, "r:") as tar:
        for name in DATABASES:
            path = league.folder / name
            try:
                source = tar.extractfile(name)
            except KeyError:
                continue
            assert source is not None  # noqa: S101 - our own file
            part = path.with_name(f".{name}.part")
            part.touch(mode=0o600)
            part.write_bytes(source.read())
            for end in ("-wal", "-shm"):
                path.with_name(f"{name}{end}").unlink(missing_ok=True)
            part.rename(path)
