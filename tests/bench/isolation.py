"""What shutting bots in costs: a start until hello and a round trip, by tier, in turns."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from protocol.vocabulary import Seat
from referee.job import Job
from referee.sandbox import TIERS, Groups, Tier, become_subreaper, refusal
from referee.seats.bot import Bot
from referee.seats.clock import WallClock
from referee.seats.hellos import wait_for_hellos
from referee.service.slot import Slot
from tests.bench.figures import Figure, percentile
from tests.bench.programs import build, job

STARTS = 40
MATCHES = 15
PART = 0.25
"""Lower quartiles are compared, since other load only adds time."""
START_MS = 20
"""Limit of the time added to a start by the sandbox."""
NOISE = 1.1
"""Limit of the difference of round trips: the difference between two runs of one tier."""


def isolation(folder: Path) -> Iterator[Figure]:
    """Yield start and round trip in each available tier, relative to tier none."""
    commands = build(folder)
    folder.chmod(0o755)
    tiers: list[Tier] = [
        "none",
        *(tier for tier in TIERS if tier != "none" and refusal(tier) is None),
    ]
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    become_subreaper()
    groups = Groups.probe()
    slot = Slot(groups)
    try:
        for language in ("c", "python"):
            jobs = {tier: _job(commands[language], folder, tier) for tier in tiers}
            yield from _compared(f"start, {language}", "ms", _starts(jobs, groups), START_MS)
        jobs = {tier: _job(commands["c"], folder, tier) for tier in tiers}
        yield from _compared("round trip, c", "us", _round_trips(jobs, slot), None)
    finally:
        slot.close()
        if groups is not None:
            groups.close()
        os.sched_setaffinity(0, before)


def _job(argv: tuple[str, ...], folder: Path, tier: Tier) -> Job:
    """Return a match of two bots in a tier, with programs in a world-readable folder."""
    made = job(argv, folder, tier)
    program = str(folder / argv[0]) if argv[0].startswith("./") else argv[0]
    players = tuple(
        replace(player, argv=(program, *argv[1:]), tier=tier, content=f"{player.content} {tier}")
        for player in made.players
    )
    return replace(made, players=players)


def _starts(jobs: dict[Tier, Job], groups: Groups | None) -> dict[Tier, list[float]]:
    """Return the times from before a start to the accepted hello, in ms."""
    times: dict[Tier, list[float]] = {tier: [] for tier in jobs}
    for _ in range(STARTS):
        for tier, task in jobs.items():
            begun = time.perf_counter_ns()
            bot = Bot(task.player(Seat(0)), task, groups)
            bot.confirm()
            absent = wait_for_hellos({Seat(0): bot}, task.time.start_ns, WallClock())
            times[tier].append((time.perf_counter_ns() - begun) / 1e6)
            bot.stop()
            if absent:
                raise RuntimeError(str(absent[0]))
    return times


def _round_trips(jobs: dict[Tier, Job], slot: Slot) -> dict[Tier, list[float]]:
    """Return the times from send to receive of moves, in us."""
    times: dict[Tier, list[float]] = {tier: [] for tier in jobs}
    for _ in range(MATCHES):
        for tier, task in jobs.items():
            calls = slot.play(task).calls
            times[tier] += [call.wall_ns / 1e3 for call in calls if call.call == "move"]
    return times


def _compared(
    what: str, unit: str, times: dict[Tier, list[float]], most: float | None
) -> Iterator[Figure]:
    plain = percentile(times["none"], PART)
    yield Figure(f"isolation: {what}, in tier none", plain, unit)
    for tier, all_times in times.items():
        if tier == "none":
            continue
        here = percentile(all_times, PART)
        yield Figure(f"isolation: {what}, in tier {tier}", here, unit)
        if most is not None:
            yield Figure(f"isolation: {what}, {tier} - none", here - plain, unit, most=most)
        else:
            yield Figure(f"isolation: {what}, {tier} / none", here / plain, "x", most=NOISE)
