"""The contract test finds secrets that a game gives away, and reports what each seat learns."""

import inspect
import re
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from arena.testing import BrokenRuleError, check_game, learned
from referee.rules import move_fields

Make = Callable[..., type[Any]]


@pytest.fixture(autouse=True)
def _found(small_games: Any) -> None:
    del small_games


@pytest.fixture
def liars() -> Any:
    return import_module("liars")


def changed(base: type[Any], **methods: Any) -> type[Any]:
    """Return a game with other methods."""
    made = type(f"Changed{base.__name__}", (base,), methods)
    made.__module__ = base.__module__
    return made


def leaky(base: type[Any], show: Callable[[Any, int], Any]) -> type[Any]:
    """Return a game whose view has one more field."""
    return changed(
        base,
        view=lambda self, state, seat: base.view(self, state, seat) | {"more": show(state, seat)},
    )


def every_die(state: Any, seat: int) -> Any:
    del seat
    return [list(dice) for dice in state.dice]


def sum_of_all(state: Any, seat: int) -> Any:
    del seat
    return sum(map(sum, state.dice))


def sum_for_one_seat(state: Any, seat: int) -> Any:
    return sum(map(sum, state.dice)) if seat == 1 else 0


@pytest.mark.parametrize("show", [every_die, sum_of_all, sum_for_one_seat])
def test_a_view_of_hidden_dice_is_named(show: Any, liars: Any) -> None:
    with pytest.raises(BrokenRuleError) as caught:
        check_game(leaky(liars.Liars, show), seats=2)

    first, detail, *_ = str(caught.value).splitlines()
    assert "Moves and draws of which a seat learns the same look the same to it" in first
    assert re.search(r"learns \{'seat': ., 'count': 3\} of Roll.* and of Roll.* by its", detail)
    assert 'by its view["more"]: ' in detail


def all_at_once(base: type[Any]) -> type[Any]:  # noqa: C901 - four short methods
    """Return liar's dice with one draw of the dice of all seats."""
    module: Any = import_module("liars")

    def draw(self: Any, state: Any, stream: Any) -> Any:
        if any(state.dice) or self.outcome(state) is not None:
            return None
        return module.Roll(0, tuple(1 + int(6 * stream.random()) for _ in range(sum(state.counts))))

    def apply(self: Any, state: Any, move: Any) -> Any:
        if not isinstance(move, module.Roll):
            return base.apply(self, state, move)
        if self.outcome(state) is not None or any(state.dice):
            raise module.IllegalMoveError("no dice are to be rolled")
        if len(move.dice) != sum(state.counts) or move.seat or set(move.dice) - set(range(1, 7)):
            raise module.IllegalMoveError("other dice are to be rolled")
        rest, dice = list(move.dice), []
        for count in state.counts:
            dice.append(tuple(rest[:count]))
            rest = rest[count:]
        return state._replace(dice=tuple(dice), ply=state.ply + 1)

    def seen(self: Any, before: Any, move: Any, after: Any, seat: int) -> Any:
        if isinstance(move, module.Roll):
            return {"own": list(after.dice[seat])}
        return base.seen(self, before, move, after, seat)

    return changed(base, draw=draw, apply=apply, seen=seen)


def test_one_draw_of_all_dice_is_varied_die_by_die(liars: Any) -> None:
    game = all_at_once(liars.Liars)

    check_game(game, seats=2)
    with pytest.raises(BrokenRuleError, match=r'by its view\["more"\]'):
        check_game(leaky(game, sum_of_all), seats=3)
    told = changed(game, seen=lambda *given: move_fields(given[2]))
    with pytest.raises(BrokenRuleError, match=r"`seen` tells seat . whether Roll.* was drawn"):
        check_game(told, seats=3)


def test_a_secret_shown_by_a_later_draw_is_named(liars: Any) -> None:
    def once_all_are_rolled(state: Any, seat: int) -> Any:
        del seat
        return list(state.dice[0]) if all(state.dice) else []

    with pytest.raises(BrokenRuleError, match="seat 1 learns the same of two courses, one with R"):
        check_game(leaky(liars.Liars, once_all_are_rolled), seats=2)


def test_a_draw_told_to_a_seat_whose_view_hides_it_is_named(liars: Any) -> None:
    game = changed(liars.Liars, seen=lambda *given: move_fields(given[2]))

    with pytest.raises(BrokenRuleError, match=r"its view hides it, and that of seat . shows it"):
        check_game(game)


def rounds_removed() -> ModuleType:
    """Return the module of roshambo without a word of rounds that are withheld."""
    text = inspect.getsource(import_module("roshambo"))
    cut = re.sub(r"    def is_round_open.*?\n\n", "", text, flags=re.DOTALL)
    module = ModuleType("unrounded")
    sys.modules["unrounded"] = module  # dataclasses look it up
    cut = cut.replace("self.is_round_open(state)", "any(state.hands)")
    exec(compile(cut, "unrounded", "exec"), vars(module))  # noqa: S102 - our own text
    return module


@pytest.mark.parametrize("is_removed", [True, False])
def test_a_round_that_is_told_move_by_move_is_named(is_removed: bool) -> None:  # noqa: FBT001
    base = import_module("roshambo").Roshambo
    never = changed(base, is_round_open=lambda self, state: False)  # noqa: ARG005

    with pytest.raises(BrokenRuleError) as caught:
        check_game(rounds_removed().Roshambo if is_removed else never)

    assert "seat 1 learns each move of seat 0 at once, and its view hides it" in str(caught.value)
    assert "define `is_round_open` to withhold it" in str(caught.value)


def test_a_view_that_forgets_moves_is_no_leak() -> None:
    """The bot must keep the moves in its own memory, since no later view repeats them."""
    base = import_module("roshambo").Roshambo

    def bare(self: Any, state: Any, seat: int) -> Any:
        del seat
        return {"turn": self.turn(state), "ply": state.ply}

    check_game(changed(base, view=bare, is_round_open=lambda self, state: False))  # noqa: ARG005


def test_the_report_says_what_each_seat_learns(liars: Any) -> None:
    lines = [line.strip() for line in learned(liars.Liars, seats=2).splitlines()]

    assert lines[0] == "What the seats of liars with 2 seats learn in 2 random games:"
    found = [line for line in lines if line.startswith("Seat 1 learns of a draw Roll(seat, dice):")]
    (rolls,) = [re.sub("[0-9]+ of [0-9]+", "N of N", line) for line in found]
    assert rolls.endswith(": all, N of N times; only seat, count, N of N times.")
    assert "Each seat learns of another's move Move(count, face): all." in lines
    assert "No seats move at once: each learns of a move before the next one is made." in lines


def test_the_report_names_what_moves_uncover(liars: Any) -> None:
    """Nobody but the author knows whether a bid should uncover dice."""

    def after_a_bid(state: Any, seat: int) -> Any:
        del seat
        return list(state.dice[0]) if state.bid.count else []

    line = 'Seat 1 sees of hidden things after another\'s move: diagram, view["shown"].'
    assert line in learned(liars.Liars, seats=2)
    more = line.replace("shown", "more")
    assert more in learned(leaky(liars.Liars, after_a_bid), seats=2)


def test_the_report_of_rounds_and_of_games_without_secrets() -> None:
    assert "of 12 moves are withheld until their round is closed" in learned("roshambo", seats=2)
    public = learned("pente")
    assert "Each seat learns of another's move Move(v, h): all." in public
    assert "Nothing is drawn." in public
    first = learned("rendezvous", seats=2)
    assert "Seat 0 sees of the first position's random part: caption, diagram, pieces" in first


def test_the_report_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    check_game("pig")

    assert "Each seat learns of a draw Die(pips): all." in capsys.readouterr().out


def test_a_hit_is_no_leak_and_a_part_of_the_place_is_one() -> None:
    ships = import_module("ships").Ships

    def parity(state: Any, seat: int) -> Any:
        return state.ships[1 - seat] % 2

    assert 'Seat 0 sees of hidden things after its own move: diagram, view["hits"]' in learned(
        ships
    )
    with pytest.raises(BrokenRuleError, match="seat 1 learns nothing of Move"):
        check_game(leaky(ships, parity))
