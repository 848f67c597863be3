"""The round trip of a move against a bare ping-pong of pyzmq, all on one core, in turns."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import zmq

from protocol.vocabulary import Seat
from referee.play.match import Match
from referee.sandbox import Groups, become_subreaper
from referee.service.slot import Slot
from tests.bench.figures import Figure, percentile
from tests.bench.programs import LongGame, build, job

ROUNDS = 5
PINGS, WARM_UP = 2000, 300
MATCHES = 8
BRIDGES = {"jsonl": "JSON lines", "gtp": "GTP", "gomocup": "Gomocup", "uci": "UCI"}
"""Titles of the bridges by the names of their programs."""

COMPILED = frozenset({"gomocup", "uci"})
"""Bridges that are programs in C."""
GAMES: dict[str, LongGame] = {
    "gtp": "gomoku",
    "gomocup": "gomoku",
    "uci": "chess",
}

_ECHO = """
import sys, zmq
socket = zmq.Context().socket(zmq.DEALER)
socket.connect(sys.argv[1])
socket.send(b"here")
while (message := socket.recv()) != b"end":
    socket.send(message)
"""


def round_trips(folder: Path) -> Iterator[Figure]:
    """Yield medians and ratios; the whole turn is from building the call to the next turn."""
    become_subreaper()
    commands = build(folder)
    bare: list[int] = []
    turns: dict[str, list[int]] = {name: [] for name in ("c", "python", *BRIDGES)}
    calls: dict[str, list[int]] = {name: [] for name in turns}
    with on_one_core(), closing(_TimedSlot()) as slot:
        for _ in range(ROUNDS):
            bare += ping_pong()
            for language in turns:
                game = GAMES.get(language, "pente")
                turn, call = slot.play(commands[language], folder, game)
                turns[language] += turn
                calls[language] += call
    base = {0.5: percentile(bare, 0.5), 0.99: percentile(bare, 0.99)}
    yield Figure("bare ROUTER-DEALER ping-pong, p50", base[0.5] / 1e3, "us")
    yield Figure("bare ROUTER-DEALER ping-pong, p99", base[0.99] / 1e3, "us")
    for bridge, title in BRIDGES.items():
        added = percentile(calls.pop(bridge), 0.5) - percentile(calls["c"], 0.5)
        most = 25 if bridge in COMPILED else 100
        yield Figure(f"move: added by the bridge of {title}, p50", added / 1e3, "us", most=most)
    for language in calls:
        for name, values in (("round trip", calls), ("whole turn", turns)):
            for part, bound in ((0.5, 1.25), (0.99, 1.5)):
                value = percentile(values[language], part)
                label = f"move, {language} kit: {name}, p{part * 100:g}"
                yield Figure(label, value / 1e3, "us")
                yield Figure(f"{label} / bare", value / base[part], "x", most=bound)


def floor_us() -> float:
    """Return the median of a bare round trip on one core in µs: the lowest of several short runs.

    Unpinned, the kernel may put the two processes on different cores, which takes four times as
    long; other load only adds time.
    """
    with on_one_core():
        return min(percentile(ping_pong(), 0.5) for _ in range(ROUNDS)) / 1e3


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keep this process and those it starts on one core until the context ends."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def ping_pong() -> list[int]:
    """Return the times of 60 bytes there and back between two Python processes, in ns."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        endpoint = f"ipc://{folder}/s"
        context = zmq.Context()
        router = context.socket(zmq.ROUTER)
        router.bind(endpoint)
        echo = subprocess.Popen([sys.executable, "-c", _ECHO, endpoint])
        peer, _ = router.recv_multipart()
        times = []
        message = bytes(60)
        for _ in range(PINGS):
            begun = time.perf_counter_ns()
            router.send_multipart([peer, message])
            router.recv_multipart()
            times.append(time.perf_counter_ns() - begun)
        router.send_multipart([peer, b"end"])
        echo.wait()
        context.destroy(linger=0)
    return times[WARM_UP:]


class _TimedMatch(Match):
    """A match that notes how long each turn takes, rules and records included."""

    turns: list[int]

    def _turn(self, seat: Seat) -> None:
        begun = time.perf_counter_ns()
        super()._turn(seat)
        self.turns.append(time.perf_counter_ns() - begun)


class _TimedSlot:
    """Plays matches on this core and returns the times of their turns and calls."""

    def __init__(self) -> None:
        self._groups = Groups.probe()
        self._host = Slot(self._groups)

    def play(
        self,
        argv: tuple[str, ...],
        folder: Path,
        game: LongGame = "pente",
    ) -> tuple[list[int], list[int]]:
        """Return the times of all turns, and of send to receive in them, in ns."""
        turns: list[int] = []
        calls: list[int] = []
        module: Any = sys.modules["referee.service.slot"]
        module.Match, _TimedMatch.turns = _TimedMatch, turns
        try:
            for number in range(MATCHES):
                record = self._host.play(job(argv, folder, str(number), game=game))
                calls += [call.wall_ns for call in record.calls if call.call == "move"]
        finally:
            module.Match = Match
        return turns, calls

    def close(self) -> None:
        """End the bots."""
        self._host.close()
        if self._groups is not None:
            self._groups.close()
