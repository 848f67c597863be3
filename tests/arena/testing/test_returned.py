"""A method that returns something else than it promises is named with what it returned."""

# mypy: disable-error-code="misc"
# the base class of the broken games is read from a page, so mypy does not know it

from collections.abc import Callable
from typing import Any

import pytest
from first_game import Bachet, Move

from arena.testing import RULES, BrokenRuleError, check_game, check_rule, title
from arena.testing.cases import cases_of
from arena.testing.examination import PROMISED
from referee.rules import Outcome
from referee.rules.layout import Layout, Piece

BOARD = Layout(kind="cells", rows=1, cols=2, names=("a", "b"))
BROKEN: list[tuple[str, Any, str]] = [
    ("start", None, "`start` returns None; return the position"),
    ("apply", None, "`apply` returns None; return the position"),
    ("legal", None, "`legal` returns None; `yield` each move, or return a list"),
    ("legal", [1], "`legal` must yield a Move, not 1"),
    ("legal", [{"take": 1}], "`legal` must yield a Move, not {'take': 1}"),
    ("outcome", (1, 0), "`outcome` is (1, 0), not an Outcome"),
    ("outcome", Outcome((1, 0), (1, 2), ""), "`outcome` needs whole points within ±2^53, a place"),
    ("view", None, "`view` for seat 0 returns None, not a map like {'turn': 0, 'ply': 0}"),
    ("notation", None, "`notation` returns None, not a text"),
    ("diagram", None, "`diagram` returns None, not a text"),
    ("caption", 5, "`caption` returns 5, not a text"),
    ("meaning", 5, "`meaning` returns 5, not a text"),
    ("gesture", 1, "`gesture_in` returns 1, not a sequence"),
    ("layout", "cells", "`layout` returns 'cells', not a Layout or None"),
    ("pieces", [1], "`pieces` returns [1], not a map"),
    ("pieces", {"a": Piece(0)}, "`pieces` has 'a': Piece(seat=0, "),
    ("pieces", {0: 1}, "`pieces` has 0: 1, not a place: Piece"),
]


def returning(method: str, value: Any) -> Any:
    """Return a game of which a method returns this value."""
    answers: dict[str, Callable[..., Any]] = {method: lambda *_: value}
    if method in ("pieces", "gesture"):
        answers["layout"] = lambda *_: BOARD
    return type("Broken", (Bachet,), answers)()


@pytest.mark.parametrize(
    ("method", "value", "says"), BROKEN, ids=[f"{name}-{value!r:.20}" for name, value, _ in BROKEN]
)
def test_a_wrong_result_is_named_with_its_method(method: str, value: Any, says: str) -> None:
    with pytest.raises(BrokenRuleError) as caught:
        check_game(returning(method, value))

    rule, detail, *_ = str(caught.value).splitlines()
    assert rule == f"bachet breaks a rule: {PROMISED}"
    assert detail.startswith(f"  {says}")


def test_the_rule_is_the_first_and_has_the_title_of_what_play_finds() -> None:
    assert title(RULES[0]) == PROMISED


@pytest.mark.parametrize("rule", RULES, ids=title)
def test_every_rule_says_that_legal_returns_nothing_or_does_not_ask_it(rule: Any) -> None:
    (case,) = cases_of(returning("legal", None))
    try:
        check_rule(rule, case)
    except BrokenRuleError as error:
        assert "`legal` returns None; `yield` each move" in str(error)  # noqa: PT017 - may pass


def test_moves_without_end_are_named() -> None:
    def legal(*_: Any) -> Any:
        while True:
            yield Move(1)

    with pytest.raises(BrokenRuleError, match="`legal` yields 32768 moves or more"):
        check_game(type("Broken", (Bachet,), {"legal": legal})())


def test_an_error_in_the_rules_is_named_with_its_file_and_line() -> None:
    class Broken(Bachet):
        def turn(self, state: Any) -> int:
            raise KeyError(state.sticks)

    with pytest.raises(
        BrokenRuleError, match=r"raises KeyError: 21 \(test_returned.py, line \d+\)"
    ):
        check_game(Broken())
