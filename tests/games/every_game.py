"""Every game with its options and seats, and random play of it."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from referee.catalog import game_names
from referee.options import make_game
from referee.rules import Game

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
}
LONGEST = 40
"""Number of plies examined in a random game."""
SEEDS = (1, 1997)


@dataclass(frozen=True)
class Case:
    """A game with its options and how many play it."""

    game: Game[Any, Any]
    seats: int
    label: str

    def __str__(self) -> str:
        return self.label


def _cases() -> Iterator[Case]:
    for name in game_names():
        for number, options in enumerate(OPTIONS.get(name, [{}])):
            base = make_game(name, options)
            chosen = options.get("positions")
            for seats in base.seats if chosen is None else [len(chosen)]:
                for label, game in base.variants():
                    yield Case(game, seats, f"{name}-{number}-{seats}{label and '-'}{label}")


CASES = list(_cases())
every_game = pytest.mark.parametrize("case", CASES, ids=str)


def playout(case: Case, seed: int) -> Iterator[tuple[Any, Any]]:
    """Yield each position of a random game with the move made there; the last with None."""
    chance = random.Random(seed)
    state = case.game.start(case.seats, seed)
    for _ in range(LONGEST):
        if case.game.outcome(state) is not None:
            break
        move = chance.choice(list(case.game.legal(state)))
        yield state, move
        state = case.game.apply(state, move)
    yield state, None


def positions(case: Case) -> Iterator[Any]:
    for seed in SEEDS:
        yield from (state for state, _ in playout(case, seed))


def some_positions(case: Case) -> Iterator[Any]:
    """Yield the first, the last and some of the other positions."""
    for number, state in enumerate(found := list(positions(case))):
        if number in (0, 1, len(found) - 1) or number % 9 == 0:
            yield state


def steps(case: Case, *seeds: int) -> Iterator[tuple[Any, Any, Any]]:
    """Yield positions of random games, the move made and the position after it."""
    for seed in seeds or SEEDS:
        for before, move in playout(case, seed):
            if move is not None:
                yield before, move, case.game.apply(before, move)
