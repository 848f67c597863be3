"""What pages cost: a large event in a browser, its list and its search, and many spectators."""

import os
import re
import select
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import combinations, cycle, islice
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from arena.formats.event_results import table_of
from arena.pages.report_file import report_html
from arena.reports.report import PlayedEvent
from arena.results.store import Store
from protocol.vocabulary import Termination
from referee.job import Job, Player
from referee.records.calls import Call, Calls
from referee.records.record import Record, SeatReport, Verdict
from tests.arena.browsers import CHROMIUM
from tests.bench.figures import Figure
from tests.bench.programs import build, long_game

MATCHES = 10_000
REPORTED = 2_000
BOTS = 12
PLIES = 12
SPECTATORS = 200
WATCHED_S = 20.0
WORD = "bot 7 bot"
"""Typed into the search, key by key."""
KEY = """(text) => {
  const field = document.querySelector("input[type=search]");
  field.value = text;
  field.dispatchEvent(new Event("input"));
  document.body.getBoundingClientRect();
}"""
SCROLLS = 40


def pages(folder: Path) -> Iterator[Figure]:
    """Yield the cost of a large event on a page and in a report, and of many spectators."""
    if CHROMIUM is None:
        raise RuntimeError("no Chromium is installed to open the pages")
    _write_event(folder / "large.db", MATCHES)
    _write_event(folder / "reported.db", REPORTED)
    with sync_playwright() as playwright, ExitStack() as stack:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        stack.callback(browser.close)
        with _serving(folder / "large.db") as server:
            yield from _large(browser.new_page(), server)
        yield from _reported(browser.new_page(), folder)
    yield from _watched(folder)


def _large(page: Page, server: "_Server") -> Iterator[Figure]:
    name = f"{MATCHES:,} matches"
    page.goto("about:blank")
    _opened(page, f"{server.link}#e=1")  # the first opening also reads the database
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    before = _metrics(session)
    _opened(page, f"{server.link}?again#e=1")
    after = _metrics(session)
    spent = after["ProcessTime"] - before["ProcessTime"]
    yield Figure(f"{name}: CPU of opening the page", spent, "s", most=1.0)
    yield Figure(f"{name}: nodes of the page", after["Nodes"], "", most=10_000)
    spent, nodes = _scrolled(page, session)
    yield Figure(f"{name}: CPU of a screen while scrolling", 1000 * spent, "ms")
    yield Figure(f"{name}: nodes after {SCROLLS} screens", nodes, "")
    yield from _found(page, name)


def _scrolled(page: Page, session: CDPSession) -> tuple[float, float]:
    """Return the CPU time of a screen of scrolling down, and the nodes at the end."""
    before = _metrics(session)
    page.locator("[aria-labelledby=matches]").scroll_into_view_if_needed()
    for _ in range(SCROLLS):
        page.mouse.wheel(0, 700)
        page.wait_for_timeout(50)
    after = _metrics(session)
    return (after["ProcessTime"] - before["ProcessTime"]) / SCROLLS, after["Nodes"]


def _reported(page: Page, folder: Path) -> Iterator[Figure]:
    file = folder / "report.html"
    with closing(Store(folder / "reported.db")) as store:
        event = store.event(1)
        assert event is not None
        played = PlayedEvent.read(store, event, table_of(store, event))
        file.write_text(report_html(store, played, 5_000_000))
    _opened(page, file.as_uri())
    yield from _found(page, f"report of {REPORTED:,}")


def _found(page: Page, name: str) -> Iterator[Figure]:
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    page.evaluate(KEY, "")
    times = []
    for end in range(1, len(WORD) + 1):
        before = _metrics(session)
        page.evaluate(KEY, WORD[:end])
        times.append(1000 * (_metrics(session)["ProcessTime"] - before["ProcessTime"]))
    yield Figure(f"{name}: find, CPU of the slowest key", max(times), "ms", most=100)
    yield Figure(f"{name}: find, CPU of a key, p50", statistics.median(times), "ms")


def _opened(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("[aria-labelledby=matches] tbody tr").first.wait_for()


def _metrics(session: CDPSession) -> dict[str, float]:
    found = session.send("Performance.getMetrics")["metrics"]
    return {metric["name"]: metric["value"] for metric in found}


def _watched(folder: Path) -> Iterator[Figure]:
    """Yield what many pages cost the server of a running event."""
    build(folder)
    (folder / "bot.yaml").write_text("name: scripted\nrun: [./scripted, moves]\n")
    (folder / "slow.py").write_text(_SLOW)
    (folder / "slow.yaml").write_text(f"name: slow\nrun: [{sys.executable}, slow.py]\n")
    bots = ", ".join(f"{{name: bot {number}, bot: ./slow.yaml}}" for number in range(4))
    (folder / "long.yaml").write_text(
        f"name: long\ngame: {{name: pente}}\nbots: [{bots}]\nmax_plies: 60\nrepeat: 100\n"
        "slots: 2\nisolation: none\nseed: 1\ntime: {per_move: 10s, clock: wall}\n"
    )
    command = [sys.executable, "-m", "arena", "tournament", "long.yaml", "--db", "long.db"]
    silent = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, stdout=silent, stderr=silent) as event:
        try:
            while not _has_matches(folder / "long.db"):
                time.sleep(0.1)
            with _serving(folder / "long.db") as server, ExitStack() as stack:
                for _ in range(SPECTATORS):
                    stack.enter_context(closing(server.stream(1)))
                readers = stack.enter_context(_reading(server))
                time.sleep(2)
                before_s, before_bytes, begun = server.cpu_s(), readers.total, time.monotonic()
                time.sleep(WATCHED_S)
                spent_s = time.monotonic() - begun
                share = 100 * (server.cpu_s() - before_s) / spent_s
                sent = (readers.total - before_bytes) / spent_s / SPECTATORS
                memory = server.megabytes()
        finally:
            event.terminate()
    name = f"{SPECTATORS} spectators"
    yield Figure(f"{name}: CPU of the server", share, "% of a core", most=5)
    yield Figure(f"{name}: memory of the server", memory, "MB", most=100)
    yield Figure(f"{name}: sent to each", sent, "B/s")


_SLOW = '''"""Waits for a while before each move."""
import time
from arena_bot import Bot, play, run

class Slow(Bot):
    name, version, wants = "slow", "1", ("legal",)

    def on_move(self, call):
        time.sleep(0.3)
        return play(call["legal"][call["ply"] * 7 % len(call["legal"])])

run(Slow())
'''


def _has_matches(db: Path) -> bool:
    if not db.exists():
        return False
    with closing(Store(db)) as store:
        return bool(store.events()) and store.count(1) > 0


@dataclass
class _Server:
    link: str
    pid: int
    streams: list[socket.socket]

    def stream(self, event: int) -> socket.socket:
        """Open the stream of changes of an event."""
        found = re.search(r"//([^:]+):(\d+)/", self.link)
        assert found
        door = socket.create_connection((found[1], int(found[2])))
        head = f"GET /api/changes?event={event} HTTP/1.1\r\nHost: {found[1]}:{found[2]}\r\n\r\n"
        door.sendall(head.encode())
        self.streams.append(door)
        return door

    def cpu_s(self) -> float:
        """Return the CPU time of the server so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """Return the resident memory of the server."""
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.pid}/status").read_text())
        assert found
        return int(found[1]) / 1024


@contextmanager
def _serving(db: Path) -> Iterator[_Server]:
    command = [sys.executable, "-m", "arena", "serve", "--public", "--db", db.name]
    with subprocess.Popen(command, cwd=db.parent, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        try:
            yield _Server(found[0], process.pid, [])
        finally:
            process.terminate()


class _Readers:
    """Read all streams and count their bytes."""

    def __init__(self, server: _Server) -> None:
        self.total = 0
        self.is_over = False
        self._streams = list(server.streams)
        self.thread = threading.Thread(target=self._read)

    def _read(self) -> None:
        poller = select.epoll()
        by_number = {stream.fileno(): stream for stream in self._streams}
        for number in by_number:
            poller.register(number, select.EPOLLIN)
        while not self.is_over:
            for number, _ in poller.poll(0.2):
                self.total += len(by_number[number].recv(1 << 16))
        poller.close()


@contextmanager
def _reading(server: _Server) -> Iterator[_Readers]:
    readers = _Readers(server)
    readers.thread.start()
    try:
        yield readers
    finally:
        readers.is_over = True
        readers.thread.join()


def _write_event(db: Path, count: int) -> None:
    """Write an event of short matches; every bot meets every other one as often."""
    names = [f"bot {number}" for number in range(BOTS)]
    contents = {name: f"content of {name}" for name in names}
    with closing(Store(db, is_new_allowed=True)) as store, store.database.transaction():
        event = store.add_event("large", 1, {"game": {"name": "pente"}}, contents)
        store.set_total(event, count)
        pairs = islice(cycle(combinations(names, 2)), count)
        for number, pair in enumerate(pairs):
            seated = pair if number % 2 else pair[::-1]
            record = _record(f"{','.join(seated)}/b0/{number}", seated)
            store.add_match(event, board=0, variant="", attempt=1, match=record.finished())


def _record(key: str, names: tuple[str, ...]) -> Record:
    """Return a match that the stronger bot wins three times of four."""
    players = tuple(
        Player(name=name, argv=(), folder="", content=f"content of {name}") for name in names
    )
    job = Job(key=key, game="pente", players=players, seed=1, board_seed=1)
    stronger = int(names[0].split()[1] > names[1].split()[1])
    winner = stronger if _number(key) % 4 else 1 - stronger
    verdict = Verdict(
        termination=Termination.RESIGNATION,
        reason="the other side resigned",
        points=tuple(2 * (seat == winner) for seat in (0, 1)),
        places=tuple(1 + (seat != winner) for seat in (0, 1)),
        scores=tuple(str(2 * (seat == winner)) for seat in (0, 1)),
    )
    reports = [SeatReport(name=each.name, content=each.content) for each in players]
    return Record(job=job, calls=_calls(), seats=reports, verdict=verdict)


def _number(key: str) -> int:
    """Return a number that is the same in each run."""
    return sum(map(ord, key)) // 3


@cache
def _calls() -> Calls:
    return Calls(
        [
            Call(
                seat=ply % 2,
                call="move",
                ply=ply,
                move={"v": v, "h": h},
                notation=f"{v},{h}",
                charged_ns=1_000_000,
                wall_ns=2_000_000,
            )
            for ply, (v, h) in enumerate(long_game()[:PLIES])
        ]
    )
