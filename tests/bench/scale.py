"""How the cost of an event grows with its matches.

Most matches of the larger events are copies of really played ones under other keys of the schedule,
since reading does not depend on how a match was played. The last `PLAYED` of each size are played.
"""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from itertools import cycle
from pathlib import Path

from arena.config.loading import load_config
from arena.event.plan import Plan, make_plan
from arena.event.resume.update import absent_player
from arena.results.queries import find_event
from arena.results.store import Store
from arena.schedule.pairing import Pairing
from referee.job import essence
from tests.bench.figures import Figure
from tests.bench.programs import build

SIZES = (1_000, 10_000, 100_000)
PLAYED = 1_000
BOARDS = 10
SHORT_PLIES = 4
AGAIN_S, AGAIN_MB = 3.0, 150.0
"""Bounds of a second run of a finished event of the largest size."""
READERS = {
    "show": ("show", "1"),
    "rate": ("rate", "1"),
    "export as CSV": ("export", "1", "--csv"),
    "export as JSON lines": ("export", "1"),
}


def scale(folder: Path) -> Iterator[Figure]:
    """Yield speed, memory, disk space and reading times of events of short matches."""
    (folder / "bot").mkdir()
    build(folder / "bot")
    (folder / "bot/bot.yaml").write_text("name: scripted\nrun: [./scripted, moves]\n")
    finished = 0
    for number, matches in enumerate(SIZES, start=1):
        _write_config(folder, matches, number)
        _add_copies(folder, matches - PLAYED - finished)
        yield from _event(folder, matches)
        _write_config(folder, matches, number + 1)
        seconds, megabytes = _run(folder, "tournament", "many.yaml", "--update")
        yield Figure(f"{matches:,} matches: CPU of an update", seconds, "s")
        most_mb = AGAIN_MB if matches == SIZES[-1] else None
        yield Figure(f"{matches:,} matches: memory of an update", megabytes, "MB", most=most_mb)
        finished = matches


def _event(folder: Path, matches: int) -> Iterator[Figure]:
    name = f"{matches:,} matches"
    is_largest = matches == SIZES[-1]
    _, megabytes = _run(folder, "tournament", "many.yaml")
    what = f"{name}: the last {PLAYED:,} of {SHORT_PLIES} plies each"
    yield Figure(what, _matches_per_second(folder), "/s")
    yield Figure(f"{name}: memory while playing them", megabytes, "MB", most=AGAIN_MB)
    disk = sum(path.stat().st_size for path in folder.glob("arena.db*"))
    yield Figure(f"{name}: bytes on disk a match", disk / matches, "B")
    seconds, megabytes = _run(folder, "tournament", "many.yaml")
    most_s, most_mb = (AGAIN_S, AGAIN_MB) if is_largest else (None, None)
    yield Figure(f"{name}: CPU until nothing is missing", seconds, "s", most=most_s)
    yield Figure(f"{name}: its memory", megabytes, "MB", most=most_mb)
    for command, arguments in READERS.items():
        yield Figure(f"{name}: CPU of {command}", _run(folder, *arguments)[0], "s")


def _write_config(folder: Path, matches: int, seconds: int) -> None:
    (folder / "many.yaml").write_text(
        "name: many\ngame: {name: pente}\n"
        "bots: [{name: a, bot: ./bot}, {name: b, bot: ./bot}]\n"
        f"boards: {BOARDS}\nrepeat: {matches // BOARDS}\nmax_plies: {SHORT_PLIES}\n"
        f"restart: never\nseed: 1\nisolation: none\n"
        f"time: {{per_move: {seconds}s}}\n"
    )


def _run(folder: Path, *arguments: str) -> tuple[float, float]:
    """Run a command; return its CPU time in s and the memory of its largest process in MB."""
    running = subprocess.Popen(
        [sys.executable, "-m", "arena", *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, code, usage = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(code)
    if running.returncode:
        raise RuntimeError(f"arena {' '.join(arguments)} ended with {running.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _matches_per_second(folder: Path) -> float:
    """Return the speed from the first to the last of the matches played last."""
    with closing(sqlite3.connect(folder / "arena.db")) as db:
        rows = db.execute("SELECT finished FROM match ORDER BY id DESC LIMIT ?", (PLAYED,))
        times = [datetime.fromisoformat(finished) for (finished,) in rows]
    return (PLAYED - 1) / (times[0] - times[-1]).total_seconds()


def _add_copies(folder: Path, count: int) -> None:
    """Add finished matches to the event: copies of the played ones with the same first player."""
    if count <= 0:
        return
    plan, missing = _plan(folder)
    with closing(sqlite3.connect(folder / "arena.db")) as db, db:
        rows = db.execute("SELECT id, key FROM match ORDER BY id LIMIT ?", (PLAYED,)).fetchall()
        sources = {
            first: cycle([number for number, key in rows if key.startswith(f"{first},")])
            for first in "ab"
        }
        (last,) = db.execute("SELECT max(id) FROM match").fetchone()
        for number, pairing in enumerate(missing[:count], start=last + 1):
            source = next(sources[pairing.players[0]])
            place = (pairing.key, pairing.board, essence(plan.job_of(pairing)))
            for table, columns, values in _COPIED:
                own = (number, *place) if table == "match" else (number,)
                query = f"INSERT INTO {table} SELECT {columns} FROM {table} WHERE {values} = ?"  # noqa: S608 - constants
                db.execute(query, (*own, source))


_MATCH = "?, event, ?, ?, variant, attempt, termination, reason, plies, finished, ?, aside"
_SEAT = (
    "?, seat, player, points, place, score, fault, wall_ns, cpu_ns, charged_ns, grace_ns,"
    " near_limit, null_ns, unplayed, version"
)
_COPIED = (("match", _MATCH, "id"), ("seat", _SEAT, "match"), ("record", "?, body", "match"))
"""Tables of a match, the columns of its copy, and the column with its number."""


def _plan(folder: Path) -> tuple[Plan, list[Pairing]]:
    """Return the plan of the event and its missing matches."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        config = load_config("many.yaml")
        with closing(Store(Path("arena.db"))) as store:
            event = find_event(store, None)
            done = store.keys(event.id)
    finally:
        os.chdir(before)
    players = {name: absent_player(name, content) for name, content in event.entrants.items()}
    plan = make_plan(config, players, event.seed)
    return plan, [pairing for pairing in plan.pairings if pairing.key not in done]
