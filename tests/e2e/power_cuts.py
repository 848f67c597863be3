"""Cuts the power at random moments of events and of a league; looks for what is lost then.

    python tests/e2e/power_cuts.py --cuts 1000 --seed 3

At each cut, the folder is made anew as it may be on disk (`power_disk.py`): what was synced, and a
random part of what was not. Every match that was printed before the cut is stored unchanged, every
hand-in with a receipt has its row and its whole file, a league that was reported as made is there,
prepared bots are whole or absent, and every database is sound. At some cuts, commands of Arena
continue from there. The exit code is 1 if anything is wrong.
"""

import argparse
import hashlib
import random
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))  # pytest puts it there
from power_disk import Disk, read_log
from power_runs import Logged, arena, event_run, league_run

from arena.errors import ArenaError
from arena.league.folder import League, open_league
from arena.results.store import Store

CUTS = 100
"""Cuts of one run."""
COMMANDS = 25
"""One of this many cuts is followed by commands of Arena."""
_MATCH = re.compile(rb"\]  match (\d+): ")
_RECEIPT = re.compile(rb'"number": ?(\d+).*?"digest": ?"([0-9a-f]{64})"')
_MADE = b"league.yaml has the address"
_TOKEN = b"token "


class Said:
    """What Arena has acknowledged so far."""

    def __init__(self) -> None:
        self.matches: set[int] = set()
        self.receipts: dict[int, str] = {}  # {number: hash}
        self.is_made = False
        self.has_token = False

    def hear(self, data: bytes) -> None:
        """Note what is in something printed or sent."""
        self.matches.update(map(int, _MATCH.findall(data)))
        self.receipts |= {int(n): digest.decode() for n, digest in _RECEIPT.findall(data)}
        self.is_made = self.is_made or _MADE in data
        self.has_token = self.has_token or data.startswith(_TOKEN)

    def __len__(self) -> int:
        return len(self.matches) + len(self.receipts) + self.is_made + self.has_token


class Cuts:
    """Cuts of one logged run, and what was wrong after them."""

    def __init__(self, logged: Logged, seed: int) -> None:
        self.wrong: list[str] = []
        self.cuts = 0
        self.said = Said()
        self._choice = random.Random(seed)
        self._root = logged.root
        self.entries = list(read_log(logged.log))
        self._rows = _rows(logged.root / "arena.db")

    def cut(self, number: int) -> None:
        """Cut the power at random moments, and check what each cut leaves on the disk."""
        disk = Disk(self._root)
        places = [at for at, entry in enumerate(self.entries) if entry.what != "P"]
        moments = set(self._choice.sample(places, min(number - 1, len(places))))
        for at, entry in enumerate(self.entries):
            if at in moments:
                self._look(disk, at)
            if entry.what == "P":
                self.said.hear(entry.data)
            else:
                disk.do(entry)
        self._look(disk, len(self.entries))

    def _look(self, disk: Disk, at: int) -> None:
        self.cuts += 1
        with tempfile.TemporaryDirectory(prefix="arena-power.") as name:
            there = Path(name)
            disk.crash(there, self._choice)
            for problem in self._problems(there):
                self.wrong.append(f"cut at {at} of {len(self.entries)}: {problem}")

    def _problems(self, there: Path) -> Iterator[str]:
        yield from self._lost_matches(there / "arena.db")
        yield from self._lost_league(there / "league")
        yield from self._broken_bots(there)
        if self.cuts % COMMANDS == 1:
            yield from self._lost_by_commands(there)

    def _lost_matches(self, path: Path) -> Iterator[str]:
        if not self._rows:
            return
        try:
            rows = _rows(path)
        except (ArenaError, sqlite3.Error) as error:
            yield f"the database cannot be opened: {error}"
            return
        for number in self.said.matches:
            if rows.get(number) != self._rows[number]:
                yield f"match {number} is {'changed' if number in rows else 'lost'}"

    def _lost_league(self, folder: Path) -> Iterator[str]:
        if not self.said.is_made:
            return
        try:
            league = open_league(folder)
        except ArenaError as error:
            yield f"the league is lost: {error}"
            return
        try:
            if not league.secret:
                yield "the secret of sessions is lost"
            if self.said.has_token:
                yield from self._lost_receipts(league)
        except (OSError, sqlite3.Error) as error:
            yield f"the key or the database of the league is lost: {error}"

    def _lost_receipts(self, league: League) -> Iterator[str]:
        with closing(sqlite3.connect(league.site_db)) as db:
            rows = dict(db.execute("SELECT id, digest FROM league_handin").fetchall())
            persons = db.execute("SELECT count(*) FROM league_token").fetchone()[0]
            sound = db.execute("PRAGMA integrity_check").fetchone()[0]
        if sound != "ok" or not persons:
            yield f"site.db: {sound}, {persons} tokens"
        for number, digest in self.said.receipts.items():
            kept = league.files / digest[:2] / digest[2:]
            if rows.get(number) != digest:
                yield f"hand-in {number} has no row"
            if not kept.is_file() or hashlib.sha256(kept.read_bytes()).hexdigest() != digest:
                yield f"the file of hand-in {number} is lost or changed"

    def _broken_bots(self, there: Path) -> Iterator[str]:
        for place in (Path("cache/arena/bots"), Path("league/bots")):
            for folder in (there / place).glob("[!.]*"):
                wanted = _contents(self._root / place / folder.name)
                if wanted and _contents(folder) != wanted:
                    yield f"the prepared bot {place / folder.name} is not whole"

    def _lost_by_commands(self, there: Path) -> Iterator[str]:
        env = {"XDG_CACHE_HOME": str(there / "cache")}
        if self.said.matches:
            shown = arena("show", "--db", str(there / "arena.db"), env=env)
            if shown.returncode:
                yield f"arena show: {shown.stderr}"
        if self.said.has_token:
            verified = arena("league", "verify", str(there / "league"), env=env)
            if verified.returncode:
                yield f"arena league verify: {verified.stdout}{verified.stderr}"


def _rows(path: Path) -> dict[int, str]:
    """Return a hash of each match with its record, opened as the next command would."""
    if not path.parent.is_dir():
        return {}
    with closing(Store(path, is_new_allowed=True)) as store:
        (sound,) = store.database.row("PRAGMA integrity_check")
        if sound != "ok":
            raise sqlite3.DatabaseError(sound)
        query = "SELECT * FROM match JOIN record ON record.match = match.id"
        rows = list(store.database.rows(query))
        seats = list(store.database.rows("SELECT * FROM seat ORDER BY match, seat"))
    return {
        row[0]: hashlib.sha256(
            repr((row, [seat for seat in seats if seat[0] == row[0]])).encode()
        ).hexdigest()
        for row in rows
    }


def _contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a prepared bot."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="arena-power.") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def cut_events(cuts: int, seed: int) -> Cuts:
    """Cut the power of events."""
    with _folder() as folder:
        made = Cuts(event_run(folder, seed), seed)
        made.cut(cuts)
        return made


def cut_league(cuts: int, seed: int) -> Cuts:
    """Cut the power of a league."""
    with _folder() as folder:
        made = Cuts(league_run(folder), seed)
        made.cut(cuts)
        return made


def main() -> None:
    """Cut the power of events and leagues in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    arguments = parser.parse_args()
    if shutil.which("cc") is None:
        parser.error("needs a C compiler, cc")
    print(f"seed {arguments.seed}", flush=True)
    is_sound, done = True, 0
    while done < arguments.cuts:
        act = (cut_events, cut_league)[done // CUTS % 2]
        made = act(min(CUTS, arguments.cuts - done), arguments.seed + done)
        done += made.cuts
        print(f"{act.__name__}: {made.cuts} cuts, {len(made.said)} acknowledged", flush=True)
        print("\n".join(made.wrong[:20]), flush=True)
        is_sound = is_sound and not made.wrong
    sys.exit(not is_sound)


if __name__ == "__main__":
    main()
