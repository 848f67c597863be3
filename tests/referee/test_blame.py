"""An error is one of a game's rules if it passed a method of a game."""

from pathlib import Path
from typing import Any

import pytest

from referee.blame import RulesFault, placed, rules_error, rules_traceback
from referee.games.damspel import Damspel


class Faulty(Damspel):
    """Damspel whose summary of a role fails."""

    def role(self, seat: int) -> str:
        return _divided(seat)


def _divided(seat: int) -> str:
    return str(1 // seat)


def error_of(seat: int, game: Damspel) -> Exception:
    with pytest.raises(ZeroDivisionError) as caught:
        game.role(seat)
    return caught.value


def test_an_error_of_a_method_is_one_of_the_rules_where_it_was_raised() -> None:
    error = error_of(0, Faulty())

    (line,) = [
        number
        for number, text in enumerate(Path(__file__).read_text().splitlines(), 1)
        if text == "    return str(1 // seat)"
    ]
    text = f"ZeroDivisionError: integer division or modulo by zero (test_blame.py, line {line})"
    assert rules_error(error) == RulesFault("damspel", text)


def test_the_traceback_begins_at_the_first_method_of_a_game() -> None:
    lines = rules_traceback(error_of(0, Faulty())).splitlines()

    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].endswith(", in role")
    assert lines[-1] == "ZeroDivisionError: integer division or modulo by zero"
    assert "error_of" not in "".join(lines)


def test_another_error_is_not_one_of_the_rules() -> None:
    with pytest.raises(ValueError, match="no") as caught:
        raise ValueError("no")

    assert rules_error(caught.value) is None
    assert rules_traceback(caught.value) == ""
    assert rules_error(KeyError("never raised")) is None


def test_an_error_without_a_text_or_a_traceback_is_named_by_its_type() -> None:
    assert placed(MemoryError()) == "MemoryError"
    assert placed(KeyError("x")) == "KeyError: 'x'"


@pytest.mark.parametrize(
    ("module", "blamed"),
    [
        ("arena.terminal.board", ""),
        ("referee.play.match", ""),
        ("referee.games.damspel", "damspel"),
        ("referee.open_spiel.game", "damspel"),
        ("arena_bachet", "damspel"),
    ],
)
def test_functions_of_arena_take_games_and_are_no_rules(module: str, blamed: str) -> None:
    names: dict[str, Any] = {"__name__": module}
    exec("def drawn(game): return game.absent", names)  # noqa: S102 - our own text

    with pytest.raises(AttributeError) as caught:
        names["drawn"](Damspel())

    found = rules_error(caught.value)
    assert (found.game if found else "") == blamed
