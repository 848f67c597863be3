"""A whole event from the command line, against a bare ping-pong in the same run."""

import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from arena.text import plural
from tests.bench.figures import Figure
from tests.bench.programs import PLIES, build
from tests.bench.wire import floor_us

MATCHES = {"short": 100, "long": 1_500}
"""Matches of two events with the same start and end: their difference is what matches cost."""
STARTER_MATCHES = 500
LOOK_S = 0.05
PASSES, ROUNDS = 100_000, 9
BOUNDS = {1: 1.2, 2: 0.65}
"""Wall time a ply of an event, as a multiple of the floor, by slots."""
FLOOR_US = 30.0
"""The floor of the machine for which the bounds of CPU time were set, in us."""
CPU_US = {"director": 3.0, "referee": 22.0, "bot": None}


def event(folder: Path) -> Iterator[Figure]:
    """Yield wall and CPU time a ply of whole events, from the start of the command to its end."""
    bots = folder / "bot"
    bots.mkdir()
    build(bots)
    root = Path(__file__).parent.parent.parent
    command = ["cc", "-O2", "-I.", "-o", "starter", str(root / "bots/starter/c/main.c")]
    subprocess.run([*command, "arena_bot.c"], cwd=bots, check=True)
    before_us = floor_us()
    short = _run(folder, "scripted, moves", MATCHES["short"], 1)
    runs = {slots: _run(folder, "scripted, moves", MATCHES["long"], slots) for slots in BOUNDS}
    starters = _run(folder, "starter", STARTER_MATCHES, 1)
    after_us = floor_us()
    floor = min(before_us, after_us)
    for slots, spent in runs.items():
        yield from _of_event(f"event, {plural(slots, 'slot')}", spent, BOUNDS[slots], floor)
    rate = starters.plies / starters.wall_s
    yield Figure("event, 1 slot: plies/s of C starters", rate, "/s", least=10_000)
    yield from _growth(short, runs[1])
    yield Figure("the floor: a bare ROUTER-DEALER round trip", floor, "us")
    yield Figure("the floor before / after", before_us / after_us, "x")
    yield Figure(f"a loop of {PASSES:,} passes in this Python", _loop_ms(), "ms")
    yield from system_calls(folder)


def _of_event(what: str, spent: "_Spent", bound: float, floor: float) -> Iterator[Figure]:
    wall_us = spent.wall_s * 1e6 / spent.plies
    yield Figure(f"{what}: wall a ply", wall_us, "us", most=bound * floor, floor=floor, of=floor)
    yield Figure(f"{what}: wall a ply / the floor", wall_us / floor, "x")
    all_us = sum(spent.cpu_s.values()) * 1e6 / spent.plies
    yield Figure(f"{what}: CPU of all a ply", all_us, "us", most=35, floor=floor, of=FLOOR_US)
    for role, most in CPU_US.items():
        cpu_us = spent.cpu_s[role] * 1e6 / spent.plies
        yield Figure(
            f"{what}: CPU of the {role} a ply", cpu_us, "us", most=most, floor=floor, of=FLOOR_US
        )


def _loop_ms() -> float:
    """Return the CPU time of a plain loop in ms, the lowest of several runs.

    It depends on how Python was built: a third more without profile-guided optimization.
    """
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        kept: dict[int, tuple[int, int]] = {}
        for number in range(PASSES):
            kept[number & 63] = number, len(kept)
        times.append(time.process_time() - begun)
    return min(times) * 1e3


def _growth(short: "_Spent", long: "_Spent") -> Iterator[Figure]:
    """Yield what an event costs once, and what each of its matches adds."""
    added = MATCHES["long"] - MATCHES["short"]
    pairs = {role: (short.cpu_s[role], long.cpu_s[role]) for role in ("director", "referee")}
    for what, (few, many) in {"wall": (short.wall_s, long.wall_s), **pairs}.items():
        each = (many - few) / added
        yield Figure(f"event, {what}: start and end", few - each * MATCHES["short"], "s")
        yield Figure(f"event, {what}: each match adds", each * 1e3, "ms")


def system_calls(folder: Path) -> Iterator[Figure]:
    """Yield the system calls of a referee a ply, as strace counts them in two short events."""
    counts = [_traced(folder, matches) for matches in (4, 24)]
    if not all(counts):
        print("system calls are not counted: strace is not installed or not allowed")
        return
    for name in ("sendto", "recvfrom", "epoll_wait", "poll", "clock_gettime", "pread64"):
        made = (counts[1][name] - counts[0][name]) / (20 * PLIES)
        yield Figure(f"system calls of the referee a ply: {name}", made, "")


def _traced(folder: Path, matches: int) -> Counter[str]:
    log = folder / "strace"
    _write(folder, "scripted, moves", matches, 1)
    command = ["strace", "-f", "-c", "-o", str(log), "-e", "trace=!wait4", *_command(folder)]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return Counter()
    lines = [line.split() for line in log.read_text().splitlines()]
    return Counter(
        {line[-1]: int(line[3]) for line in lines if len(line) > 4 and line[3].isdigit()}
    )


@dataclass(frozen=True)
class _Spent:
    """What an event took."""

    plies: int
    wall_s: float
    cpu_s: dict[str, float]
    """CPU time in s, by role of the process."""


def _run(folder: Path, bot: str, matches: int, slots: int) -> _Spent:
    _write(folder, bot, matches, slots)
    begun = time.monotonic()
    command = subprocess.Popen(
        _command(folder), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    spent_ns: dict[int, tuple[str, int]] = {}
    while command.poll() is None:
        for pid in _tree(command.pid):
            role = _role(pid, command.pid) or spent_ns.get(pid, ("bot", 0))[0]
            # of a process that has just ended, the last figure stays
            spent_ns[pid] = role, max(_cpu_ns(pid), spent_ns.get(pid, ("", 0))[1])
        time.sleep(LOOK_S)
    wall_s = time.monotonic() - begun
    if command.returncode:
        raise RuntimeError("the event of the bench did not end well")
    with closing(sqlite3.connect(folder / "arena.db")) as db:
        plies = db.execute("SELECT sum(plies) FROM match").fetchone()[0]
    cpu_s = dict.fromkeys(CPU_US, 0.0)
    for role, ns in spent_ns.values():
        cpu_s[role] += ns / 1e9
    return _Spent(plies, wall_s, cpu_s)


def _write(folder: Path, bot: str, matches: int, slots: int) -> None:
    for old in folder.glob("arena.db*"):
        old.unlink()
    (folder / "bot/bot.yaml").write_text(f"name: bench\nrun: [./{bot}]\n")
    (folder / "event.yaml").write_text(
        "name: bench\ngame: {name: pente}\n"
        "bots: [{name: a, bot: ./bot}, {name: b, bot: ./bot}]\n"
        f"repeat: {matches}\nmax_plies: {PLIES}\nrestart: never\nseed: 1\n"
        f"isolation: none\nslots: {slots}\n"
    )


def _command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "arena", "tournament", str(folder / "event.yaml")]


def _tree(pid: int) -> list[int]:
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(each for child in below for each in _tree(int(child)))]


def _role(pid: int, director: int) -> str | None:
    """Return the role of a process by its arguments; None once it has ended and has none."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    if not arguments[0]:
        return None
    return "director" if pid == director else "referee" if b"referee" in arguments else "bot"


def _cpu_ns(pid: int) -> int:
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return 0
