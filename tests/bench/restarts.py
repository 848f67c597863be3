"""What a new process costs: matches a second with new bots, and the start of a Python bot."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from protocol.vocabulary import Seat
from referee.job import Job
from referee.sandbox import Groups, Limits, Tier, become_subreaper, refusal
from referee.sandbox.launcher import Launcher
from referee.seats.bot import Bot
from referee.seats.clock import WallClock
from referee.seats.hellos import wait_for_hellos
from tests.bench.figures import Figure, percentile
from tests.bench.programs import build, job
from tests.bench.throughput import rate

SHORT_PLIES = 20
STARTS = 15
JOINING_S = 0.05
"""Time in seconds for a standby process to join its groups."""
LEAST: dict[tuple[str, Tier], int] = {
    ("c", "none"): 80,
    ("c", "namespaces"): 45,
    ("python", "none"): 11,
}
"""Wanted matches a second by language and tier, on one slot."""


def restarts(folder: Path) -> Iterator[Figure]:
    """Yield matches a second with `restart: match`, and a Python bot's time from exec to hello."""
    commands = build(folder)
    folder.chmod(0o755)
    for (language, tier), least in LEAST.items():
        if tier != "none" and refusal(tier) is not None:
            continue
        short = _job(commands[language], folder, tier)
        for slots, bound in ((1, least), (2, None)):
            name = f"matches/s, new {language} bots, {tier}, {slots} slot{'s' * (slots > 1)}"
            yield Figure(name, rate([short] * slots), "/s", least=bound)
    plain, bot = _starts(_job(commands["python"], folder, "none"))
    yield Figure("start of `python -c pass`, p50", plain, "ms")
    yield Figure("start of a Python bot until its hello, p50", bot, "ms")
    yield Figure("start of a Python bot / `python -c pass`", bot / plain, "x", most=3)


def _job(argv: tuple[str, ...], folder: Path, tier: Tier) -> Job:
    made = job(argv, folder, tier, "match")
    players = tuple(replace(player, tier=tier) for player in made.players)
    return replace(made, players=players, max_plies=SHORT_PLIES, limits=Limits())


def _starts(task: Job) -> tuple[float, float]:
    """Return the medians of both starts in ms, measured in turns on one core.

    The bot is started by a standby process, as in an event with new bots for each match.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    become_subreaper()
    if (groups := Groups.probe()) is not None:
        groups.launcher = Launcher.probe()
    plain, hello = list[float](), list[float]()
    try:
        for _ in range(STARTS):
            begun_ns = time.perf_counter_ns()
            subprocess.run([sys.executable, "-c", "pass"], check=True)
            plain.append((time.perf_counter_ns() - begun_ns) / 1e6)
            if groups is not None:
                groups.stand_by(1)
                time.sleep(JOINING_S)
            begun_ns = time.perf_counter_ns()
            bot = Bot(task.player(Seat(0)), task, groups)
            bot.confirm()
            absent = wait_for_hellos({Seat(0): bot}, task.time.start_ns, WallClock())
            hello.append((time.perf_counter_ns() - begun_ns) / 1e6)
            bot.stop()
            if absent:
                raise RuntimeError(str(absent[0]))
    finally:
        if groups is not None:
            groups.close()
        os.sched_setaffinity(0, before)
    return percentile(plain, 0.5), percentile(hello, 0.5)
