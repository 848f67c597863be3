"""Tables of every game and several options, at each turn of random matches."""

import random
from collections.abc import Iterator
from typing import Any

from arena.environment import Environment

PLIES = 80
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("chess", {}),
    ("chess", {"chess960": True}),
    ("chess", {"fen": "4k3/P6P/8/2pP4/8/8/p6p/R3K2R w KQ c6 0 1"}),
    ("chess", {"fen": "rk2r3/8/8/8/8/8/8/RK2R3 w KQkq - 0 1", "chess960": True}),
    ("chinese_checkers", {}),
    ("chinese_checkers", {"game_size": 3, "neutral_end": "allow"}),
    ("damspel", {}),
    ("damspel", {"rows": 7, "cols": 2, "men_rows": 3}),
    ("down_n_out", {}),
    ("down_n_out", {"rows": 3, "cols": 7, "colors": 9}),
    ("go", {"size": 5, "suicide": True}),
    ("go", {"size": 9, "handicap": 4, "ko": "simple"}),
    ("gomoku", {"opening": "swap2", "size": 7}),
    ("gomoku", {"rule": "renju"}),
    ("matchsticks", {}),
    ("matchsticks", {"dimension": 3, "objectives": "misere", "hole_fraction": 0}),
    ("pente", {}),
    ("pente", {"half_size": 11, "second_stone": "free"}),
    ("rendezvous", {"scenario": "moon", "plies": 9}),
    ("open_spiel/kuhn_poker", {}),
    ("open_spiel/goofspiel", {}),
    ("open_spiel/breakthrough", {"rows": 6, "columns": 5}),
]
SEATS: dict[str, tuple[int | None, ...]] = {"chinese_checkers": (2, 3, 6)}


def positions(game: str, options: dict[str, Any], seats: int | None) -> Iterator[Environment]:
    """Yield a table at each turn of two random matches."""
    chance = random.Random(1)
    table = Environment(game, options, seats=seats)
    for seed in range(2):
        table.reset(seed=seed)
        while not any(table.terminations.values()) and table.ply < PLIES:
            yield table
            table.step(chance.choice(table.last()[0].legal))
