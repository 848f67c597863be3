"""A large league: a million matches kept, many pages open, many hand-ins; and what workers play.

The matches are written straight into the database, as the director would have written them. What is
measured are the processes of a league themselves. Where other programs use the machine, only CPU
times mean much.
"""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from tests.bench.figures import Figure, percentile

BOTS, MATCHES = 200, 1_000_000
PAGES, LOOKS, AT_ONCE = 300, 80, 10
HAND_INS, MINUTE_S = 50, 60.0
PAGE_MS, START_S, FIT_S, MATCH_BYTES, RECEIPT_S = 300.0, 5.0, 2.0, 600.0, 1.0
"""Bounds: CPU time of a page, until the first page, of a fit; disk of a match; of a receipt."""
WORKERS, WORKED_S, WARM = 4, 120.0, 40
AN_HOUR = 10_000
"""Matches that the workers play in an hour, at least."""
LONGEST_S = 300.0
_BOT = b"import arena_bot\n\narena_bot.run(lambda call: call.legal[0])  # %d\n"
_LEAGUE = (sys.executable, "-P", "-m", "arena.league")
_ARENA = (sys.executable, "-P", "-m", "arena")


def load(folder: Path) -> Iterator[Figure]:
    """Yield the figures of a league with a million matches, and of one with workers."""
    folder.chmod(0o755)
    yield from _worked(folder / "worked")
    league = folder / "league"
    # Django is set up once in a process, so the league is made by another one
    made = subprocess.run(
        [sys.executable, "-m", "tests.bench.large_league", str(league), str(BOTS), str(MATCHES)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    facts = json.loads(made.stdout.splitlines()[-1])
    yield from _kept(league, facts)
    yield Figure("large league: `start` to the first page", _to_first_page(league), "s", START_S)
    for what in ("first", "next"):
        cpu_s, megabytes = _to_first_match(league)
        yield Figure(f"large league: {what} start, CPU to a match", cpu_s, "s", START_S)
        yield Figure(f"large league: {what} start, memory", megabytes, "MB")
    with _serving(league) as server:
        yield from _pages(server, facts)
        yield from _opened(server)
        yield from _handed_in(server, facts["tokens"])


def _kept(league: Path, facts: Mapping[str, Any]) -> Iterator[Figure]:
    """Yield what the making of the league has measured."""
    yield Figure("large league: CPU of all counts again", facts["count_s"], "s")
    yield Figure("large league: CPU of the first fit", facts["fit_s"], "s", FIT_S)
    yield Figure("large league: CPU of the next fit", facts["next_fit_s"], "s", FIT_S)
    yield Figure("large league: counts.json", facts["counts_bytes"] / 1e6, "MB")
    size = sum(path.stat().st_size for path in league.glob("arena.db*"))
    yield Figure("large league: disk of a match", size / MATCHES, "B", MATCH_BYTES)


def free_port() -> int:
    """Return a free port of the loopback."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _to_first_page(league: Path) -> float:
    """Start a league as its staff does; return the time in s until a page is read."""
    with _started(league, f"title: large\npublic: true\nport: {(port := free_port())}\n"):
        begun_s = time.monotonic()
        while time.monotonic() < begun_s + LONGEST_S:
            connection = HTTPConnection("127.0.0.1", port, timeout=LONGEST_S)
            with suppress(OSError), closing(connection):
                connection.request("GET", "/")
                if connection.getresponse().status == 200:
                    return time.monotonic() - begun_s
            time.sleep(0.01)
    raise RuntimeError("no page is answered")


@contextmanager
def _started(league: Path, site: str) -> Iterator[None]:
    (league / "league.yaml").write_text(site)
    process = subprocess.Popen([*_ARENA, "league", "start", str(league)], stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(LONGEST_S)


class _Server:
    """The web process of a league."""

    def __init__(self, pid: int, port: int) -> None:
        self._pid, self.port = pid, port

    def get(self, path: str, connection: HTTPConnection | None = None) -> None:
        """Read a page."""
        own = connection or HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_S)
        own.request("GET", path)
        answer = own.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status}")

    def cpu_s(self) -> float:
        """Return the CPU time of all its threads in s."""
        return cpu_of(self._pid)


def cpu_of(pid: int) -> float:
    """Return the CPU time of a process in s, in steps of a tick."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _serving(league: Path) -> Iterator[_Server]:
    with closing(socket.socket()) as door:
        door.bind(("127.0.0.1", 0))
        door.listen(512)
        process = subprocess.Popen(
            [*_LEAGUE, "web", str(league), str(door.fileno())],
            stdin=subprocess.PIPE,
            pass_fds=(door.fileno(),),
        )
        try:
            server = _Server(process.pid, door.getsockname()[1])
            server.get("/")
            yield server
        finally:
            process.communicate(timeout=LONGEST_S)


def _to_first_match(league: Path) -> tuple[float, float]:
    """Start a director; return its CPU in s until it begins a match, and its memory in MB."""
    with closing(sqlite3.connect(league / "arena.db")) as db:
        query = "SELECT count(*), total(attempt) FROM begun"
        before = db.execute(query).fetchone()
        process = subprocess.Popen(
            [*_LEAGUE, "director", str(league)], stdin=subprocess.PIPE, start_new_session=True
        )
        while before == db.execute(query).fetchone():
            if process.poll() is not None:
                raise RuntimeError(f"the director has ended with {process.returncode}")
            time.sleep(0.01)
        pid = director_of(process.pid)
        cpu_s, status = cpu_of(pid), Path(f"/proc/{pid}/status").read_text()
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        process.communicate(timeout=LONGEST_S)
    return cpu_s, int(peak.split()[1]) / 1024


def director_of(guard: int) -> int:
    """Return the PID of a director, the child of the process that guards it."""
    children = Path(f"/proc/{guard}/task/{guard}/children").read_text().split()
    return int(children[0])


def _pages(server: _Server, facts: Mapping[str, Any]) -> Iterator[Figure]:
    """Yield the CPU time of each kind of page, one asked after the other."""
    bots = list(facts["tokens"])
    kinds = {
        "table": ["/"],
        "bot": [f"/bots/{bot}" for bot in bots],
        "house bot": [f"/bots/{bot}" for bot in facts["house"]],
        "API": ["/api/table"],
    }
    for kind, paths in kinds.items():
        spent = []
        for path in islice(cycle(paths), LOOKS):
            before = server.cpu_s()
            server.get(path)
            spent.append(1000 * (server.cpu_s() - before))
        most = percentile(spent, 0.95)
        yield Figure(f"large league: {kind}, p95 of CPU", most, "ms", PAGE_MS)


def _opened(server: _Server) -> Iterator[Figure]:
    """Yield what pages cost that many people have open and load again."""

    def look(connections: Sequence[HTTPConnection]) -> None:
        for connection in connections:
            server.get("/", connection)

    with ExitStack() as stack:
        connections = [
            stack.enter_context(
                closing(HTTPConnection("127.0.0.1", server.port, timeout=LONGEST_S))
            )
            for _ in range(PAGES)
        ]
        before = server.cpu_s()
        _at_once([partial(look, connections[at::AT_ONCE]) for at in range(AT_ONCE)])
        each_ms = 1000 * (server.cpu_s() - before) / PAGES
    yield Figure(f"large league: CPU of each of {PAGES} open pages", each_ms, "ms", PAGE_MS)


def _handed_in(server: _Server, tokens: Mapping[str, str]) -> Iterator[Figure]:
    """Yield the slowest receipt of the hand-ins of a minute, each from another person."""
    waits: list[float] = []

    def hand_in(number: int, bot: str) -> None:
        time.sleep(number * MINUTE_S / HAND_INS)
        with closing(HTTPConnection("127.0.0.1", server.port, timeout=LONGEST_S)) as connection:
            headers = {"Authorization": f"Bearer {tokens[bot]}", "X-File-Name": "bot.py"}
            begun_s = time.monotonic()
            connection.request("POST", f"/api/bots/{bot}/hand-ins", _BOT % number, headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status == 201:
                waits.append(time.monotonic() - begun_s)

    before = server.cpu_s()
    chosen = list(enumerate(islice(tokens, HAND_INS)))
    _at_once([partial(hand_in, *each) for each in chosen])
    cpu_ms = 1000 * (server.cpu_s() - before) / HAND_INS
    yield Figure(f"large league: {HAND_INS} hand-ins in a minute kept", len(waits), "", None, 50)
    yield Figure("large league: their slowest receipt", max(waits), "s", RECEIPT_S)
    yield Figure("large league: CPU of each", cpu_ms, "ms")


def _at_once(acts: Sequence[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _worked(league: Path) -> Iterator[Figure]:
    """Yield how many matches workers play in a league, whose bots move at once."""
    from arena.league.folder import new_league

    new_league(league, "matchsticks", "none")
    season = league / "season.yaml"
    more = "".join(f", {{name: more-{number}, bot: random}}" for number in range(WORKERS))
    # a bot plays four pairs at a time at most, so two bots would leave a worker without any
    season.write_text(season.read_text().replace("bots: [random", f"bots: [random{more}"))
    address = f"127.0.0.1:{free_port()}"
    with ExitStack() as stack:
        stack.enter_context(_started(league, f"port: {free_port()}\nworkers: {address}\n"))
        for number in range(WORKERS):
            name = f"worker-{number}"
            command = [*_ARENA, "worker", address, "--slots", "1", "--name", name]
            worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(worker.wait, LONGEST_S)
            stack.callback(worker.terminate)
        _wait_for(league, WARM)
        before, begun_s = _played(league), time.monotonic()
        time.sleep(WORKED_S)
        there, workers = _played(league)
        an_hour = (there - before[0]) * 3600 / (time.monotonic() - begun_s)
        yield Figure("league: workers that have played", workers, "", None, WORKERS)
        yield Figure(f"league: matches an hour on {WORKERS} workers", an_hour, "", None, AN_HOUR)


def _wait_for(league: Path, matches: int) -> None:
    until_s = time.monotonic() + LONGEST_S
    while _played(league)[0] < matches:
        if time.monotonic() > until_s:
            raise RuntimeError("the workers play no matches")
        time.sleep(0.2)


def _played(league: Path) -> tuple[int, int]:
    """Return the number of matches that workers have played and the league has kept, and theirs."""
    if not (league / "arena.db").exists():
        return 0, 0
    with closing(sqlite3.connect(league / "arena.db")) as db:
        try:
            query = "SELECT count(*), count(DISTINCT name) FROM worker"
            matches, workers = db.execute(query).fetchone()
        except sqlite3.OperationalError:  # its tables are being made
            return 0, 0
        return matches, workers
