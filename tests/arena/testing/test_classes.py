"""The contract test says what is wrong with a game's class, its values and its length."""

# mypy: disable-error-code="misc"
# the base class of the broken games is read from a page, so mypy does not know it

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import pytest
from first_game import Bachet, Move, State

from arena.testing import BrokenRuleError, GameWarning, cases_of, check_game, check_rule
from arena.testing.ending import games_end
from arena.testing.frozen import values_are_frozen
from referee.rules import Game

FROZEN = "write `@dataclass(frozen=True, kw_only=True)` above the class"


@dataclass
class Loose:
    take: int


class NoGame:
    name = "no_game"


@dataclass(frozen=True)
class NoMethods(Game[Any, Any]):
    """A game without rules."""

    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move


@dataclass(frozen=True)
class NoSeats(Game[Any, Any]):
    """A game for nobody."""


WHOLE: dict[str, Any] = {
    "__doc__": "A game.",
    "seats": range(2, 3),
    "move_type": Move,
    **dict.fromkeys(("start", "turn", "legal", "apply", "outcome", "retire"), Game.completed),
}
PLAIN: Any = type("Plain", (Game,), WHOLE)
UNFROZEN: Any = dataclass(type("Unfrozen", (Game,), WHOLE))
NO_SUMMARY: Any = dataclass(frozen=True)(type("NoSummary", (Game,), {**WHOLE, "__doc__": None}))


class Undecorated(Bachet):
    more: int = 3


@dataclass(frozen=True, kw_only=True)
class NoDefault(Bachet):
    more: int


def bachet(**attributes: Any) -> Any:
    return type("Changed", (Bachet,), attributes)


@pytest.mark.parametrize(
    ("game", "fault"),
    [
        (NoGame, "does not inherit from `Game` of `referee.rules`"),
        (3, "does not inherit from `Game` of `referee.rules`"),
        (NoSeats, "does not define `seats`"),
        (NoMethods, "does not define the method `apply`"),
        (UNFROZEN, f"its options can change, since the class is not frozen; {FROZEN}"),
        (PLAIN, f"is no dataclass; {FROZEN}"),
        (NO_SUMMARY, "has no `summary`; write a docstring or `summary: ClassVar[str] = ...`"),
        (Undecorated, f"`more` is no option, since the class itself is no dataclass; {FROZEN}"),
        (NoDefault, "the option `more` has no default; give it one"),
        (bachet(seats=2), "`seats` must be a range of numbers from 1 to 6, like range(2, 3) for"),
        (bachet(seats=(2, 3)), "`seats` must be a range of numbers"),
        (bachet(seats=range(2)), "`seats` must be a range of numbers"),
        (bachet(seats=range(3, 3)), "`seats` must be a range of numbers"),
        (bachet(name=3), "`name` must be a text in one line, not 3"),
        (bachet(name="two words"), "`name` must be one word, not 'two words'"),
        (bachet(summary="two\nlines"), "`summary` must be a text in one line, not 'two\\nlines'"),
        (bachet(move_type=int), "`move_type` must be a frozen dataclass, not int, which is none"),
        (bachet(move_type=Loose), "must be a frozen dataclass, not Loose, which is not frozen"),
        (bachet(move_type=Move(1)), "`move_type` must be a frozen dataclass, not Move(take=1)"),
        (bachet(chance_type=Loose), "`chance_type` must be a frozen dataclass, not Loose"),
        (bachet(claims_type="x"), "`claims_type` must be a frozen dataclass, not 'x'"),
        (bachet(seat_names=["a"]), "`seat_names` must be a tuple of texts, not ['a']"),
        (bachet(seat_marks="XO"), "`seat_marks` must be a tuple of texts, not 'XO'"),
        (bachet(asked_options=("heep",)), "`asked_options` has 'heep', which is no option"),
        (bachet(margins=(0, 1, 0)), "`margins` must be Margins(...), not (0, 1, 0)"),
        (bachet(is_known_by_view=1), "`is_known_by_view` must be True or False, not 1"),
    ],
)
def test_a_fault_of_a_class_is_said_in_one_sentence(game: Any, fault: str) -> None:
    with pytest.raises(BrokenRuleError, match=re.escape(fault)) as caught:
        check_game(game)

    assert "is no complete game: " in str(caught.value)
    assert "\n" not in str(caught.value)


class Heaps(NamedTuple):
    sticks: int
    ply: int = 0
    loser: int | None = None
    taken: Any = ()


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([1], "state.taken is a list, which can change; use a tuple"),
        (({1},), "state.taken[0] is a set, which can change; use a frozenset"),
        (bytearray(b"1"), "state.taken is a bytearray, which can change; use a bytes"),
        (((0, {}),), "state.taken[0][1] is a dict, which can change; use a tuple of pairs"),
        (Loose(1), "state.taken is a Loose, which is not frozen; use @dataclass(frozen=True)"),
    ],
)
def test_a_state_that_can_change_is_named(value: Any, says: str) -> None:
    game = bachet(start=lambda self, seats, seed: Heaps(self.heap, taken=value))  # noqa: ARG005

    with pytest.raises(BrokenRuleError, match=re.escape(says)):
        check_rule(values_are_frozen, next(cases_of(game)))


class OtherList(Bachet):
    def choices(self, state: Any) -> Any:
        is_over = self.outcome(state) is not None
        flags = bytes(take <= state.sticks and not is_over for take in (1, 2, 3))
        return [Move(1), Move(2), Move(3)], flags


def test_choices_that_are_made_anew_are_named() -> None:
    says = "`choices` returns another sequence of moves than before; make it once"
    with pytest.raises(BrokenRuleError, match=says):
        check_game(OtherList)


@pytest.mark.parametrize("method", ["randint", "shuffle", "choice", "getrandbits", "seed"])
def test_another_method_of_a_stream_is_named(method: str, small_games: Any) -> None:
    del small_games
    pig = import_module("pig")

    def draw(self: Any, state: Any, stream: Any) -> Any:
        del self
        return pig.Die(getattr(stream, method)(1, 6)) if state.rolling else None

    made = type("Loaded", (pig.Pig,), {"draw": draw, "__module__": "pig"})
    with pytest.raises(BrokenRuleError) as caught:
        check_game(made)

    rule, detail, *_ = str(caught.value).splitlines()
    assert rule.endswith(
        "A draw uses only the method `random` of its stream, whose numbers never change"
    )
    assert f"`draw` uses stream.{method}; write it with stream.random()" in detail


class Refilled(Bachet):
    """A heap that is filled again before it is empty."""

    def apply(self, state: Any, move: Any) -> Any:
        after = super().apply(state, move)
        return after._replace(sticks=self.heap) if after.sticks < self.most else after


class Wandering(Bachet):
    """A random walk that hardly ever ends by chance, and can end in any tenth position."""

    def legal(self, state: Any) -> Iterator[Any]:
        if self.outcome(state) is None:
            yield from map(Move, range(1, 1000 if state.ply % 10 == 0 else 3))

    def apply(self, state: Any, move: Any) -> Any:
        is_end = state.ply % 10 == 0 and move.take == 999
        return State(0 if is_end else state.sticks, state.ply + 1)


def test_a_game_that_never_ends_is_warned_of() -> None:
    with pytest.warns(GameWarning, match="bachet may never end with 2 seats: in 2 random games"):
        check_game(Refilled)


def test_a_game_that_players_can_end_is_not_warned_of() -> None:
    check_rule(games_end, next(cases_of(Wandering)))
