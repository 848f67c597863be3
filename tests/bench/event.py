"""A whole event from the command line, against a bare ping-pong in the same run."""

import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.programs import PLIES, build
from tests.bench.wire import floor_us

MATCHES = {"starter": 100, "scripted": 500}
LOOK_S = 0.05


def event(folder: Path) -> Iterator[Figure]:
    """Yield wall and CPU time a ply of whole events, from the start of the command to its end."""
    bots = folder / "bot"
    bots.mkdir()
    build(bots)
    root = Path(__file__).parent.parent.parent
    command = ["cc", "-O2", "-I.", "-o", "starter", str(root / "bots/starter/c/main.c")]
    subprocess.run([*command, "arena_bot.c"], cwd=bots, check=True)
    before_us = floor_us()
    runs = [_run(folder, "scripted, moves", MATCHES["scripted"], slots) for slots in (1, 2)]
    starter_us, _ = _run(folder, "starter", MATCHES["starter"], 1)
    after_us = floor_us()
    floor = min(before_us, after_us)
    for (wall_us, cpu_us), what, most in zip(
        runs, ("event, 1 slot", "event, 2 slots"), (1.2, 0.65), strict=True
    ):
        yield Figure(f"{what}: wall a ply", wall_us, "us")
        yield Figure(f"{what}: wall a ply / the floor", wall_us / floor, "x", most=most)
        all_us = sum(cpu_us.values())
        yield Figure(f"{what}: CPU of all processes a ply", all_us, "us", most=35)
        yield Figure(f"{what}: that CPU / the floor", all_us / floor, "x")
        for role, bound in (("director", 3), ("referee", 22), ("bot", None)):
            yield Figure(f"{what}: CPU of the {role} a ply", cpu_us[role], "us", most=bound)
    yield Figure("event, 1 slot: plies/s of C starters", 1e6 / starter_us, "/s", least=10_000)
    yield Figure("the floor: a bare ROUTER-DEALER round trip", floor, "us")
    yield Figure("the floor before / after", before_us / after_us, "x")
    yield from system_calls(folder)


def system_calls(folder: Path) -> Iterator[Figure]:
    """Yield the system calls of a referee a ply, as strace counts them in two short events."""
    counts = [_traced(folder, matches) for matches in (4, 24)]
    if not all(counts):
        print("system calls are not counted: strace is not installed or not allowed")
        return
    for name in ("sendto", "recvfrom", "poll", "clock_gettime", "pread64"):
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


def _run(folder: Path, bot: str, matches: int, slots: int) -> tuple[float, Counter[str]]:
    """Return wall time and CPU time by process in µs a ply."""
    _write(folder, bot, matches, slots)
    begun_ns = time.monotonic_ns()
    command = subprocess.Popen(
        _command(folder), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    spent_ns: dict[int, tuple[str, int]] = {}
    while command.poll() is None:
        for pid in _tree(command.pid):
            role = _role(pid, command.pid) or spent_ns.get(pid, ("bot", 0))[0]
            spent_ns[pid] = role, _cpu_ns(pid)
        time.sleep(LOOK_S)
    wall_ns = time.monotonic_ns() - begun_ns
    if command.returncode:
        raise RuntimeError("the event of the bench did not end well")
    with closing(sqlite3.connect(folder / "arena.db")) as db:
        plies = db.execute("SELECT sum(plies) FROM match").fetchone()[0]
    cpu_us: Counter[str] = Counter()
    for role, ns in spent_ns.values():
        cpu_us[role] += ns / 1e3 / plies
    return wall_ns / 1e3 / plies, cpu_us


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
