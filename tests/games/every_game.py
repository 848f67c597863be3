"""Every game with its options and seats, and random play of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from arena.testing import Case, cases_of
from arena.testing.examination import LONGEST, SEEDS, Examination
from referee.catalog import game_names
from referee.options import make_game

__all__ = [
    "CASES",
    "LONGEST",
    "SEEDS",
    "Case",
    "every_game",
    "playout",
    "positions",
    "some_positions",
    "steps",
]

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "pente": [{}, {"second_stone": "both", "fours": "windows"}, {"fours": "exact"}],
    "matchsticks": [
        {"dimension": 1, "hole_fraction": 0.0},
        {"dimension": 4, "hole_fraction": 0.2},
        {"dimension": 3, "board": ["110", "011", "111"], "objectives": "misere"},
    ],
    "chinese_checkers": [
        {"game_size": 3, "max_rounds": 5},
        {"game_size": 3, "max_rounds": 6, "neutral_end": "allow", "anti_block": True},
        {"game_size": 4, "max_rounds": 3, "positions": [1, 5, 2]},
    ],
    "down_n_out": [
        {"rows": 4, "cols": 5, "colors": 2},
        {"rows": 1, "cols": 6, "colors": 2},
        {"rows": 6, "cols": 4, "display": "check"},
    ],
    "damspel": [
        {"rows": 6, "cols": 7, "men_rows": 2},
        {"rows": 2, "cols": 2, "men_rows": 1},
        {"rows": 4, "cols": 17, "men_rows": 1},
    ],
    "go": [
        {"size": 5, "suicide": True},
        {"size": 6, "ko": "simple", "komi": -1.0, "scoring": "territory"},
        {"size": 9, "ko": "situational", "handicap": 9},
    ],
    "gomoku": [
        {"size": 7},
        {"size": 5, "rule": "exact", "opening": "swap2"},
        {"size": 9, "rule": "renju", "opening": "swap2"},
    ],
    "rendezvous": [
        {"plies": 3},
        {"scenario": "moon", "plies": 2},
        {"scenario": "phobos", "plies": 2},
    ],
    "chess": [
        {},
        {"chess960": True},
        {"fen": "r3k2r/P5p1/8/4Pp2/8/8/p5P1/R3K2R w KQkq f6 0 9"},
    ],
}


def _cases() -> Iterator[Case]:
    for name in game_names():
        for number, options in enumerate(OPTIONS.get(name, [{}])):
            chosen = options.get("positions")
            seats = None if chosen is None else len(chosen)
            yield from cases_of(make_game(name, options), seats=seats, label=f"{name}-{number}")


CASES = list(_cases())
every_game = pytest.mark.parametrize("case", CASES, ids=str)


def playout(case: Case, seed: int) -> Iterator[tuple[Any, Any]]:
    """Yield each position of a random game with the move made there; the last with None."""
    return Examination(case).playout(seed)


def positions(case: Case) -> Iterator[Any]:
    return Examination(case).positions()


def some_positions(case: Case) -> Iterator[Any]:
    """Yield the first, the last and some of the other positions."""
    return Examination(case).some_positions()


def steps(case: Case, *seeds: int) -> Iterator[tuple[Any, Any, Any]]:
    """Yield positions of random games, the move made and the position after it."""
    return Examination(case).steps(*seeds)
