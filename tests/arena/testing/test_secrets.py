"""The contract test finds leaks, impossible draws and rounds that are not closed."""

# mypy: disable-error-code="misc"
# the games of tests are found at run time

import sys
from collections.abc import Iterator
from importlib import import_module
from random import Random
from typing import Any

import pytest

from arena.testing import BrokenRuleError, check_game
from referee.rules import move_fields


@pytest.fixture(autouse=True)
def _found(small_games: Any) -> None:
    del small_games


def broken(name: str, **methods: Any) -> type[Any]:
    """Return a game of tests with other methods."""
    module = import_module(name)
    base = getattr(module, name.capitalize())
    made = type(f"Broken{base.__name__}", (base,), methods)
    made.__module__ = module.__name__
    return made


def phantom(name: str) -> Any:
    return getattr(sys.modules["phantom"], name)


@pytest.mark.parametrize("name", ["liars", "phantom", "pig", "roshambo", "ships"])
def test_the_games_of_tests_pass(name: str) -> None:
    check_game(name)


def diagram_of_all(self: Any, state: Any, seat: int | None = None) -> str:
    del seat
    return str(import_module("phantom").Phantom.diagram(self, state, None))


def caption_of_all(self: Any, state: Any, seat: int | None = None) -> str:
    del self, seat
    return f"marks {state.marks}"


def pieces_of_all(self: Any, state: Any, seat: int | None) -> Any:
    del seat
    return import_module("phantom").Phantom.pieces(self, state, None)


def legal_of_all(self: Any, state: Any) -> Iterator[Any]:
    for move in import_module("phantom").Phantom.legal(self, state):
        if state.marks[move.cell] == -1:
            yield move


def view_of_all(self: Any, state: Any, seat: int) -> Any:
    found = import_module("roshambo").Roshambo.view(self, state, seat)
    return {**found, "hands": list(state.hands)}


def unclean(self: Any, before: Any, move: Any, after: Any, seat: int) -> Any:
    del self, before, after, seat
    return {"cell": move.cell / 2}


@pytest.mark.parametrize(
    ("name", "method", "detail"),
    [
        ("phantom", {"diagram": diagram_of_all}, "sees which it was by its diagram"),
        ("phantom", {"caption": caption_of_all}, "sees which it was by its caption"),
        ("phantom", {"pieces": pieces_of_all}, "sees which it was by its pieces"),
        ("phantom", {"legal": legal_of_all}, "sees which it was by its legal moves"),
        ("phantom", {"seen": unclean}, "`seen` by seat .: cell: .* is neither None"),
        (
            "roshambo",
            {"view": view_of_all},
            r"by its view\[\"hands\"\]: .*; show the same until the round is closed",
        ),
    ],
    ids=["diagram", "caption", "pieces", "legal", "seen", "view"],
)
def test_a_leak_is_named(name: str, method: dict[str, Any], detail: str) -> None:
    with pytest.raises(BrokenRuleError, match=detail):
        check_game(broken(name, **method))


def test_a_move_shown_in_full_is_no_leak() -> None:
    """What `seen` tells may show: the rules compare moves that a seat cannot tell apart."""

    def seen(self: Any, before: Any, move: Any, after: Any, seat: int) -> Any:
        del self, before, after, seat
        return move_fields(move)

    def view(self: Any, state: Any, seat: int) -> Any:
        del self, seat
        return {"turn": state.turn, "ply": state.ply, "marks": list(state.marks)}

    check_game(broken("phantom", seen=seen, view=view, diagram=diagram_of_all))


def draw_rarely(self: Any, state: Any, stream: Random) -> Any:
    return import_module("pig").Pig.draw(self, state, stream) if stream.random() < 0.5 else None


def draw_of_the_world(self: Any, state: Any, stream: Random) -> Any:
    del self, stream
    return import_module("pig").Die(Random().randrange(10**9)) if state.rolling else None


def draw_number(self: Any, state: Any, stream: Random) -> Any:
    del self, stream
    return 3 if state.rolling else None


def apply_always(self: Any, state: Any, move: Any) -> Any:
    pig = import_module("pig")
    if isinstance(move, pig.Die) and not state.rolling and self.outcome(state) is None:
        return state
    return pig.Pig.apply(self, state, move)


def legal_always(self: Any, state: Any) -> Iterator[Any]:
    yield from import_module("pig").Pig.legal(self, state._replace(rolling=0))


@pytest.mark.parametrize(
    ("method", "detail"),
    [
        ({"draw": draw_rarely}, "`draw` returns None for some random numbers|no move is legal"),
        ({"draw": draw_of_the_world}, "something else for the same random numbers|no side with"),
        ({"draw": draw_number}, "a draw must be of `chance_type`, not 3|raises"),
        ({"apply": apply_always}, "`apply` makes a draw that is not due"),
        ({"legal": legal_always}, "legal moves, and the outcome is None, and the draw"),
    ],
    ids=["rarely", "world", "number", "apply", "legal"],
)
def test_a_wrong_draw_is_named(method: dict[str, Any], detail: str) -> None:
    with pytest.raises(BrokenRuleError, match=detail):
        check_game(broken("pig", **method))
