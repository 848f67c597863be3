"""Backups of a league: made while it runs, checked before they have a name, restored elsewhere.

The databases are copied first, by SQLite's own backup, and then the files, which are never changed:
so every row of the copy has its file. Prepared bots are left out; they are built again.
"""

import hashlib
import re
import shutil
import sqlite3
import tarfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from arena.aside import made_aside
from arena.errors import UsageError, cause
from arena.league.files import place
from arena.league.folder import PRIVATE, SEASON, SITE, League, open_league
from arena.new_files import rename_whole
from arena.results.secrecy import remove_secrets
from protocol.wording import quoted

PAGES = 1000
"""Pages of a database copied at a time, so that its writers wait briefly."""
DATABASES = ("site.db", "arena.db")
KEPT = ("seasons", "alumni", "finals")
"""Folders of earlier seasons and of finals."""
_CHUNK = 1 << 20
_DIGESTS = "SELECT DISTINCT digest FROM league_handin"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MEMBER = re.compile(
    r"league\.yaml|season\.yaml|site\.db|arena\.db|keys/secret|files/[0-9a-f]{2}/[0-9a-f]{62}"
    r"|seasons/[^/]+\.yaml|alumni/[^/]+(/[^/]+)?|finals/[^/]+(/[^/]+){0,2}"
)


def back_up(league: League, target: Path) -> int:
    """Write a backup as a tar file and return its size in bytes; raises UsageError."""
    if target.exists():
        raise UsageError(f"{target} exists; give a new file")
    if league.site.database is not None:
        raise UsageError(
            "this league is in PostgreSQL: back it up with pg_dump, and then its folder with tar;"
            " in this order every row has its file"
        )
    if not (league.site_db.exists() and league.site_db.stat().st_size):
        raise UsageError(f"nothing is kept before the first `arena league start {league.folder}`")
    try:
        with made_aside(target) as folder:
            for name in DATABASES:
                if (league.folder / name).exists():
                    _copy(league.folder / name, folder / name)
            check(folder, league.files)
            part = folder / "backup.tar"
            part.touch(mode=0o600)
            with part.open("r+b") as file, tarfile.open(fileobj=file, mode="w") as tar:
                _add_all(tar, league, folder)
            rename_whole(part, target)
    except (OSError, sqlite3.Error, tarfile.TarError) as error:
        raise UsageError(f"{target}: no backup was made: {cause(error, target)}") from None
    return target.stat().st_size


def export_season(league: League, target: Path) -> int:
    """Write the database of matches as a file of its own; return their number.

    The seed of a season that has not ended is not in it, but its SHA-256.
    """
    if target.exists():
        raise UsageError(f"{target} exists; give a new file")
    with league.matches() as store:
        if store is None:
            raise UsageError(f"{league.folder}: no match was played yet")
    try:
        with made_aside(target) as folder:
            part = folder / "matches.db"
            _copy(league.arena_db, part)
            with closing(sqlite3.connect(part)) as db:
                remove_secrets(db)
                count: int = db.execute("SELECT count(*) FROM match").fetchone()[0]
            rename_whole(part, target)
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"{target}: nothing was written: {cause(error, target)}") from None
    return count


def restore(source: Path, folder: Path) -> League:
    """Make the folder of a league from a backup; raises UsageError, and then leaves no folder."""
    if folder.exists():
        raise UsageError(f"{folder} exists; give a new folder")
    try:
        with made_aside(folder) as part:
            made = part / "league"
            made.mkdir(mode=0o755)
            with tarfile.open(source, "r:") as tar:
                for name in PRIVATE:
                    (made / name).mkdir(mode=0o700)
                (made / "bots").mkdir(mode=0o755)
                _unpack(tar, made)
            check(made, made / "files")
            rename_whole(made, folder)
    except (OSError, sqlite3.Error, tarfile.TarError) as error:
        raise UsageError(f"{source}: nothing was restored: {cause(error, source)}") from None
    return open_league(folder)


def check(databases: Path, files: Path, digests: Iterable[str] | None = None) -> None:
    """Raise UsageError unless the databases are whole and have all their files.

    `digests` are those of the hand-ins where another database than site.db has them.
    """
    for name in DATABASES:
        if (databases / name).exists():
            with closing(sqlite3.connect(databases / name)) as db:
                if (found := db.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
                    raise UsageError(f"{name} is damaged: {found}")
    for digest in _digests(databases) if digests is None else digests:
        if _hash(place(files, digest)) != digest:
            raise UsageError(f"the file {digest} of a hand-in is damaged")


def _digests(databases: Path) -> list[str]:
    with closing(sqlite3.connect(databases / "site.db")) as db:
        found = [str(digest) for (digest,) in db.execute(_DIGESTS)]
    if wrong := [digest for digest in found if not _DIGEST.fullmatch(digest)]:
        raise UsageError(f"site.db is damaged: {quoted(wrong[0][:100])} is no hash of a hand-in")
    return found


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _copy(source: Path, target: Path) -> None:
    target.touch(mode=0o600)
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new, pages=PAGES)


def _add_all(tar: tarfile.TarFile, league: League, databases: Path) -> None:
    for name in (SITE, SEASON):
        tar.add(league.folder / name, name)
    for name in DATABASES:
        if (databases / name).exists():
            tar.add(databases / name, name)
    tar.add(league.folder / "keys" / "secret", "keys/secret")
    for kind in KEPT:
        for path in sorted((league.folder / kind).rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                tar.add(path, str(path.relative_to(league.folder)))
    for path in sorted(league.files.glob("??/*")):
        tar.add(path, f"files/{path.parent.name}/{path.name}")


def _unpack(tar: tarfile.TarFile, folder: Path) -> None:
    """Write the files of a backup, which has no others; raises UsageError."""
    for member in tar:
        is_file = member.isreg() and not member.issparse()  # whose size takes no bytes
        source = tar.extractfile(member) if is_file else None
        if source is None or not _MEMBER.fullmatch(member.name):
            raise UsageError(f"{quoted(member.name[:100])} is no file of a backup")
        if ".." in member.name.split("/"):
            raise UsageError(f"{quoted(member.name[:100])} leads out of the folder")
        path = folder / member.name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=False)
        with path.open("wb") as file:
            shutil.copyfileobj(source, file, _CHUNK)
