"""Bots without cost of their own, and their moves: the rest is the cost of the arena."""

import random
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Literal

from arena.bots.compiled_bridges import compile_words
from referee.games.chess import Chess
from referee.games.pente import Pente
from referee.job import Job, Player

PLIES = 200
BRIDGE = "jsonl_bridge.py"
_SETTINGS = '{"dialect": "uci", "options": {}, "go": ""}'
_HERE = Path(__file__).parent
_ROOT = _HERE.parent.parent


def build(folder: Path) -> dict[str, tuple[str, ...]]:
    """Put the bench bots into a folder and return the command of each by its language."""
    sources = [*(_ROOT / "bots/sdk/c").glob("arena_bot.*"), *(_HERE / "bots").iterdir()]
    bridges = (_ROOT / "bots/sdk/bridges").glob("*.py")
    kits = [_ROOT / "bots/sdk/python/arena_bot.py", *bridges]
    for source in [*sources, *kits]:
        shutil.copy(source, folder)
    for name in ("lines", "engine", "chess_engine", "bare"):
        subprocess.run(["cc", "-O2", "-o", name, f"{name}.c"], cwd=folder, check=True)
    for name in ("uci_bridge", "gomocup_bridge"):
        command = ["cc", "-O2", "-o", name, *compile_words(f"{name}.py")]
        subprocess.run(command, cwd=folder, check=True)
    for name in ("scripted", "burner"):
        command = ["cc", "-O2", "-o", name, f"{name}.c", "arena_bot.c"]
        subprocess.run(command, cwd=folder, check=True)
    (folder / "chess").write_text("\n".join(long_chess()))
    (folder / "moves").write_text("".join(f"{v} {h}\n" for v, h in long_game()))
    return {
        "c": ("./scripted", "moves"),
        "python": (sys.executable, "scripted.py", "moves"),
        "jsonl": (sys.executable, BRIDGE, "./lines", "moves"),
        "gtp": (sys.executable, "gtp_bridge.py", "./engine", "gtp", "moves"),
        "gomocup": ("./gomocup_bridge", "gomocup_bridge.py", "./engine", "gomocup", "moves"),
        "uci": ("./uci_bridge", "uci_bridge.py", _SETTINGS, "./chess_engine", "chess"),
        "burner": ("./burner", "moves", "burns"),
    }


def long_game(seed: int = 1) -> list[tuple[int, int]]:
    """Return points of a game of Pente that is still undecided, nothing captured, after PLIES."""
    game = Pente()
    while True:
        chance = random.Random(seed)
        seed += 1
        state, points = game.start(2, 0), list[tuple[int, int]]()
        while len(points) < PLIES:
            moves = list(game.legal(state))
            chance.shuffle(moves)
            for move in moves[:30]:
                after = game.apply(state, move)
                if after.ended is None and not after.taken:
                    break
            else:
                break
            state = after
            points.append((move.v, move.h))
        if len(points) == PLIES:
            return points


def long_chess() -> list[str]:
    """Return random moves of a game of chess that is still undecided after PLIES."""
    game = Chess()
    for seed in count():
        chance = random.Random(seed)
        state, moves = game.start(2, 0), list[str]()
        while state.ended is None and len(moves) < PLIES:
            move = chance.choice(list(game.legal(state)))
            moves.append(game.notation(move))
            state = game.apply(state, move)
        if state.ended is None:
            return moves
    raise AssertionError


LongGame = Literal["pente", "gomoku", "chess"]
"""A game that the bench bots play to the end of a list of moves."""

GOMOKU = {"size": 19, "rule": "exact"}
"""A game in which no move of `long_game` ends it, for the engines of GTP and Gomocup."""


def job(
    argv: tuple[str, ...],
    folder: Path,
    key: str,
    restart: str = "never",
    game: LongGame = "pente",
) -> Job:
    """Return a match of a bench bot against itself."""
    players = tuple(
        Player(name=name, argv=argv, folder=str(folder), content=name) for name in ("a", "b")
    )
    return Job(
        key=key,
        game=game,
        options=GOMOKU if game == "gomoku" else {},
        players=players,
        seed=1,
        board_seed=1,
        max_plies=PLIES,
        restart="match" if restart == "match" else "never",
    )
