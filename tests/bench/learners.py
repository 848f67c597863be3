"""Steps of learners: our environments beside OpenSpiel's and PettingZoo's, and against a bot.

All rates are steps per second of CPU time, of random moves, the best of a few rounds in turns:
other programs on the machine disturb all of them alike.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

from arena.environment import Bots, Environment, SeatEnvironment
from arena.environment.encoding import Encoder
from referee.sandbox import descendants
from tests.bench.figures import Figure

ROUNDS, STEPS = 5, 5_000
BOT, BOT_STEPS = "starter/c", 3_000
GAMES = {"tic_tac_toe": "tictactoe_v3", "connect_four": "connect_four_v3"}
"""Names in OpenSpiel, and the modules of PettingZoo."""
SLOWEST = 2.0
"""Limit of our time as a multiple of OpenSpiel's."""
BOT_STEP_US = 300.0
"""Limit of the CPU time of all processes in a step against a bot."""

Play = Callable[[int], None]
"""Plays some steps."""


def learners(_: Path) -> Iterator[Figure]:
    """Yield the rates of all three for each game, their ratios, and the cost of a bot's step."""
    for game, module in GAMES.items():
        plays = {"ours": _ours(game), "ours, encoded": _ours(game, is_encoded=True)}
        plays["OpenSpiel"] = _open_spiel(game)
        if (zoo := _pettingzoo(module)) is not None:
            plays["PettingZoo"] = zoo
        rates = _rates(plays)
        for name, rate in rates.items():
            yield Figure(f"{game}, {name}", rate, "steps/CPU s")
        ratio = rates["OpenSpiel"] / rates["ours"]
        yield Figure(f"{game}, OpenSpiel / ours", ratio, "", most=SLOWEST)
        if zoo is not None:
            ratio = rates["ours, encoded"] / rates["PettingZoo"]
            yield Figure(f"{game}, ours, encoded / PettingZoo", ratio, "", least=1.0)
    yield Figure(f"step against {BOT}, all processes", _bot_step_us(), "us", most=BOT_STEP_US)


def _rates(plays: dict[str, Play]) -> dict[str, float]:
    best = dict.fromkeys(plays, 0.0)
    for _ in range(ROUNDS):
        for name, play in plays.items():
            begun = time.process_time()
            play(STEPS)
            best[name] = max(best[name], STEPS / (time.process_time() - begun))
    return best


def _ours(game: str, *, is_encoded: bool = False) -> Play:
    table, chance = Environment(f"open_spiel/{game}"), random.Random(1)
    encode = Encoder(table)
    table.reset(seed=1)

    def play(steps: int) -> None:
        for _ in range(steps):
            seen, _, is_over, _, _ = table.last()
            if is_encoded:
                encode(seen)
            if is_over:
                table.reset()
                seen, *_ = table.last()
            table.step(chance.choice(seen.legal))

    return play


def _open_spiel(game: str) -> Play:
    table = import_module("open_spiel.python.rl_environment").Environment(game)
    chance, at = random.Random(1), [table.reset()]

    def play(steps: int) -> None:
        now = at[0]
        for _ in range(steps):
            if now.last():
                now = table.reset()
            seen = now.observations
            now = table.step([chance.choice(seen["legal_actions"][seen["current_player"]])])
        at[0] = now

    return play


def _pettingzoo(module: str) -> Play | None:
    """Return PettingZoo's game, or None without `pip install pygame`, which it needs."""
    try:
        table: Any = import_module(f"pettingzoo.classic.{module}").env()
    except ImportError:
        return None
    chance = random.Random(1)
    table.reset(seed=1)

    def play(steps: int) -> None:
        for _ in range(steps):
            seen, _, is_over, is_cut, _ = table.last()
            if is_over or is_cut:
                table.reset()
                seen, *_ = table.last()
            table.step(chance.choice(seen["action_mask"].nonzero()[0]))

    return play


def _bot_step_us() -> float:
    """Return the CPU time of a step of connect four, of the learner, referee and bot together."""
    chance, least = random.Random(1), float("inf")
    table = Environment("open_spiel/connect_four")
    with closing(SeatEnvironment(table, others=Bots(BOT))) as match:
        seen, _ = match.reset(seed=1)
        for _ in range(ROUNDS):
            processes = [Path("/proc/self"), *(Path(f"/proc/{pid}") for pid in _started())]
            before = sum(map(_cpu_ns, processes))
            for _ in range(BOT_STEPS):
                seen, _, is_over, is_cut, _ = match.step(chance.choice(seen.legal))
                if is_over or is_cut:
                    seen, _ = match.reset()
            spent_ns = sum(map(_cpu_ns, processes)) - before
            least = min(least, spent_ns / BOT_STEPS / 1000)
    return least


def _started() -> list[int]:
    return list(descendants(int(Path("/proc/self").readlink().name)))


def _cpu_ns(process: Path) -> int:
    return sum(int(task.read_text().split()[0]) for task in process.glob("task/*/schedstat"))
