"""Real engines beside the programs that their authors use: fastchess and c-gomoku-cli.

These are not part of Arena. They are found on the PATH, or by the variables FASTCHESS and
C_GOMOKU_CLI; what is missing is said and left out. Both sides play in turns, and the figure is the
median of their ratios: of CPU times of all processes, which hold on a busy machine, and of wall
times, which do not.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.exit_codes import ExitCode
from referee.games.chess import Chess
from referee.sandbox.controllers import own_group
from tests.bench.figures import Figure
from tests.bench.programs import build

GAMES, ROUNDS = 100, 3
POSITIONS, PLIES = 60, 8
SHORT_GAMES = 300
GATE_GAMES = 40
SPRT = ("0", "2")
"""Hypotheses of a gate in Elo, so close that no test ends within GATE_GAMES: both sides play as
many, while their smallest number of games differs."""
ENGINE = "uci:stockfish?Hash=16&nodes={}"
GROUP = "arena-bench-engines"


@dataclass(frozen=True)
class _Spent:
    wall_s: float
    cpu_s: float


def engines(folder: Path) -> Iterator[Figure]:
    """Yield times of Arena beside those of other programs."""
    (folder / "book.epd").write_text("".join(f"{fen}\n" for fen in _book()))
    fastchess, gomoku = _found("FASTCHESS", "fastchess"), _found("C_GOMOKU_CLI", "c-gomoku-cli")
    if fastchess and _found("STOCKFISH", "stockfish"):
        yield from _chess(folder, fastchess)
    if gomoku:
        yield from _gomoku(folder, gomoku)


def _found(variable: str, name: str) -> str | None:
    """Return the path of a program; say if there is none."""
    path = os.environ.get(variable) or shutil.which(name, path=f"{os.environ['PATH']}:/usr/games")
    if path is None:
        print(f"{name} is not installed: set {variable} to its path")
    return path


def _book() -> Iterator[str]:
    """Yield positions after some random moves of chess."""
    game = Chess()
    for seed in range(POSITIONS):
        chance, state = random.Random(seed), game.start(2, 0)
        for _ in range(PLIES):
            state = game.apply(state, chance.choice(list(game.legal(state))))
        yield str(game.view(state, 0)["fen"])


def _chess(folder: Path, fastchess: str) -> Iterator[Figure]:
    rounds = ("-rounds", str(GAMES // 2), "-repeat")
    match = ("match", "--games", str(GAMES), *_of_chess(1000, 1000))
    for what, restart, most in (("kept", "never", 1.0), ("restarted", "match", 1.0)):
        ours = _arena(folder, *match, "-c", f"restart={restart}")
        mode = "on" if restart == "match" else "off"
        theirs = _fastchess(folder, fastchess, 1000, 1000, *rounds, f"restart={mode}")
        name = f"{GAMES} games of Stockfish, 1000 nodes, {what}"
        yield from _beside(f"{name}: Arena / fastchess", ours, theirs, most)
    elo = ("--elo0", SPRT[0], "--elo1", SPRT[1])
    gate = ("gate", *elo, "--cap", str(GATE_GAMES), *_of_chess(1000, 900))
    sprt = ("-sprt", f"elo0={SPRT[0]}", f"elo1={SPRT[1]}", "alpha=0.05", "beta=0.05")
    rounds = ("-rounds", str(GATE_GAMES // 2), "-repeat")
    theirs = _fastchess(folder, fastchess, 1000, 900, *rounds, *sprt, "model=logistic")
    name = f"{GATE_GAMES} games of a gate by its default: Arena / fastchess"
    yield from _beside(name, _arena(folder, *gate), theirs, 1.05)


def _of_chess(one: int, other: int) -> tuple[str, ...]:
    bots = tuple(ENGINE.format(nodes) for nodes in (one, other))
    if one == other:  # equal engines need two names
        bots = bots[0], bots[1].replace("Hash=16", "Hash=17")
    return (*bots, *("--game", "chess", "--openings", "book.epd", "--seed", "1", "-c", "slots=2"))


def _fastchess(
    folder: Path, program: str, one: int, other: int, *more: str
) -> Callable[[], _Spent]:
    stockfish = shutil.which("stockfish", path=f"{os.environ['PATH']}:/usr/games") or "stockfish"
    engine = ("-engine", f"cmd={stockfish}", "proto=uci", "option.Hash=16", "tc=inf")
    restart = [word for word in more if word.startswith("restart=")]
    rest = [word for word in more if not word.startswith("restart=")]
    command = [
        program,
        *(*engine, "name=a", f"nodes={one}", *restart),
        *(*engine, "name=b", f"nodes={other}", *restart),
        *("-openings", "file=book.epd", "format=epd", "order=sequential"),
        *("-concurrency", "2", "-pgnout", "file=games.pgn", *rest),
    ]
    return lambda: _run(command, folder)


def _arena(folder: Path, *words: str) -> Callable[[], _Spent]:
    command = [sys.executable, "-m", "arena", *words]

    def run() -> _Spent:
        for old in folder.glob("arena.db*"):
            old.unlink()
        return _run(command, folder)

    return run


def _gomoku(folder: Path, program: str) -> Iterator[Figure]:
    """Play a fixed game without thinking: only the programs around it take time."""
    build(folder)
    bot = folder / "instant"
    bot.mkdir()
    for name in ("engine", "moves"):
        shutil.copy(folder / name, bot)
    (bot / "bot.yaml").write_text(
        "protocol: gomocup\ngames: [gomoku]\nrun: [./engine, gomocup, moves]\n"
    )
    (folder / "event.yaml").write_text(
        "name: instant\ngame: {name: gomoku, size: 19, rule: exact}\n"
        "bots: [{name: a, bot: ./instant}, {name: b, bot: ./instant}]\n"
        f"repeat: {SHORT_GAMES}\nmax_plies: 200\nseed: 1\nslots: 2\n"
    )
    script = bot / "engine.sh"  # c-gomoku-cli starts a program without arguments
    script.write_text(f"#!/bin/sh\nexec {bot / 'engine'} gomocup {bot / 'moves'}\n")
    script.chmod(0o755)
    engine = f"cmd={script}"
    command = [
        *(program, "-engine", engine, "name=a", "-engine", engine, "name=b"),
        *("-each", "tc=1000/1000", "-boardsize", "19", "-rule", "1", "-drawafter", "200"),
        *("-concurrency", "2", "-games", str(SHORT_GAMES), "-rounds", "1"),
    ]
    ours = _arena(folder, "tournament", "event.yaml")
    name = f"{SHORT_GAMES} games of instant Gomocup engines: c-gomoku-cli / Arena, speed"
    yield from _beside(name, ours, lambda: _run(command, folder), 2.0)


def _beside(
    name: str, ours: Callable[[], _Spent], theirs: Callable[[], _Spent], most: float
) -> Iterator[Figure]:
    """Yield the medians of the ratios, after one run of each that is not counted."""
    ours(), theirs()
    pairs = [(ours(), theirs()) for _ in range(ROUNDS)]
    cpu = statistics.median(one.cpu_s / other.cpu_s for one, other in pairs)
    wall = statistics.median(one.wall_s / other.wall_s for one, other in pairs)
    yield Figure(f"{name}, CPU", cpu, "x")
    yield Figure(f"{name}, wall", wall, "x", most=most)
    for whose, runs in (("Arena", [one for one, _ in pairs]), ("other", [two for _, two in pairs])):
        yield Figure(f"{name}: {whose}", statistics.median(run.wall_s for run in runs), "s")


def _run(command: Sequence[str], folder: Path) -> _Spent:
    """Run a command; count the CPU time of its whole tree by a control group, if possible."""
    group = _group()
    begun, begun_cpu = time.monotonic(), _cpu_s(group)
    if group is not None:  # joined first: processes started before would stay outside
        join = 'echo 0 > "$0" && exec "$@"'
        command = ["/bin/sh", "-c", join, str(group / "cgroup.procs"), *command]
    done = subprocess.run(
        command,
        cwd=folder,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode not in (ExitCode.DONE, ExitCode.FAILED, ExitCode.UNDECIDED):
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stdout[-500:]}")
    return _Spent(time.monotonic() - begun, _cpu_s(group) - begun_cpu)


def _group() -> Path | None:
    home = own_group()
    if home is None:
        return None
    with suppress(OSError):
        (home / GROUP).mkdir(exist_ok=True)
        return home / GROUP
    return None


def _cpu_s(group: Path | None) -> float:
    if group is None:
        times = os.times()
        return times.children_user + times.children_system
    return int((group / "cpu.stat").read_text().split()[1]) / 1e6
