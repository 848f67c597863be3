"""Points and places are those of OpenSpiel's returns, in every game with any number of seats."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from referee.catalog import open_spiel_names
from referee.open_spiel.classes import PER_UNIT
from referee.open_spiel.game import MAX_POINTS
from referee.open_spiel.position import State
from referee.options import make_game

PLIES = 400
"""Longest game played to its end; others are stopped there."""


def final_states(game: Any, seats: int, games: int) -> Iterator[State]:
    """Yield the last positions of random games."""
    chance = Random(seats)
    for seed in range(games):
        state = game.start(seats, seed)
        for _ in range(PLIES):
            if game.outcome(state) is not None:
                break
            draw = game.draw(state, chance)
            state = game.apply(state, draw or chance.choice(game.legal(state)))
        yield state


def ranks(values: Any) -> tuple[int, ...]:
    return tuple(1 + sum(other > own for other in values) for own in values)


@pytest.mark.parametrize("name", open_spiel_names())
def test_places_are_by_the_returns_and_points_keep_their_order(name: str) -> None:
    game = make_game(name, {})
    for seats in game.seats:
        for state in final_states(game, seats, 2):
            outcome = game.outcome(state) or game.adjudicate(state, "stopped")
            returns = state.inner.returns() if state.inner.is_terminal() else None
            assert outcome.places == ranks(returns or outcome.points)
            assert ranks(outcome.points) == outcome.places


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        *((name, seats) for name in ("blotto", "go_fish", "goofspiel", "pig") for seats in (4, 6)),
        ("quoridor", 4),
        ("yacht", 1),
        ("yacht", 4),
        ("leduc_poker", 3),
        ("repeated_leduc_poker", 5),
        ("tiny_bridge_2p", 2),
        ("skat", 3),
    ],
)
def test_points_are_the_returns_exactly(name: str, seats: int) -> None:
    game = make_game(f"open_spiel/{name}", {})
    for state in final_states(game, seats, 8):
        if state.inner.is_terminal():
            exact = [value * PER_UNIT[name] for value in state.inner.returns()]
            assert game.adjudicate(state, "stopped").points == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("returns", "unit", "points", "places"),
    [
        ([0.5, -0.5, -0.5, 0.5], 1, (0, 0, 0, 0), (1, 3, 3, 1)),
        ([0.5, -0.25, -0.25, 0.5, -0.25, -0.25], 60, (30, -15, -15, 30, -15, -15), None),
        ([0.1, 0.2, 0.3], 1, (0, 0, 0), (3, 2, 1)),
        ([1e300, 1e299], 1, (MAX_POINTS, MAX_POINTS), (1, 2)),
        ([0.0, -0.0], 1, (0, 0), (1, 1)),
    ],
)
def test_rounding_changes_no_place(
    returns: list[float], unit: int, points: tuple[int, ...], places: tuple[int, ...] | None
) -> None:
    game = make_game("open_spiel/blotto", {"points_per_unit": unit})
    state = State(Ended(returns), 1, seats=len(returns))

    for outcome in (game.outcome(state), game.adjudicate(state, "stopped")):
        assert outcome is not None
        assert outcome.points == points
        assert outcome.places == (places or ranks(points))


class Ended:
    """A finished position of OpenSpiel with these returns."""

    def __init__(self, returns: list[float]) -> None:
        self._returns = returns

    def is_terminal(self) -> bool:
        return True

    def returns(self) -> list[float]:
        return self._returns
