"""Remarks of bots as text: plans are followed as far as they are legal."""

from typing import Any

import pytest
from fakes import FIRST, FakeBot, play_match

from arena.results.remarks import data_text, plan_of, remarks_of, values_text
from referee.options import make_game
from referee.records.calls import Call
from referee.rules import Game

PENTE: Game[Any, Any] = make_game("pente", {})
STEPS: Game[Any, Any] = make_game("damspel", {})
CENTRE = {"v": 0, "h": 0}
FAR = {"v": 2**53, "h": -3}


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        ([CENTRE], "0,0"),
        ([CENTRE, {"v": 0, "h": 4}, {"v": -8, "h": 1}], "0,0 0,4 -8,1"),
        ([CENTRE, CENTRE, {"v": 0, "h": 4}], "0,0 (not legal: v 0 h 0, v 0 h 4)"),
        ([FAR], f"(not legal: v {2**53} h -3)"),
        ([{"v": 0}], "(not legal: v 0)"),
        ([{"\x1b[2J": "\u202e"}], r"(not legal: \x1b[2J \u202e)"),
        ([], ""),
    ],
)
def test_a_plan_is_shown_in_notation_as_far_as_it_is_legal(plan: list[Any], text: str) -> None:
    assert plan_of(PENTE, PENTE.start(2, 1), plan).text == text


def test_a_plan_from_a_record_may_have_lists_and_go_beyond_the_end() -> None:
    state = STEPS.start(2, 1)
    move = next(iter(STEPS.legal(state)))
    wire = {"from": list(move.from_), "to": list(move.to)}

    assert plan_of(STEPS, state, [wire]).notations == (STEPS.notation(move),)
    over = STEPS.retire(state, 0)
    assert plan_of(STEPS, over, [wire]).rest == (wire,)


def test_a_game_that_fails_at_a_plan_only_ends_it() -> None:
    class Fragile(type(PENTE)):  # type: ignore[misc]  # a class found by name
        def apply(self, *position: Any) -> Any:
            raise ZeroDivisionError(position)

    assert plan_of(Fragile(), PENTE.start(2, 1), [CENTRE]).rest == (CENTRE,)


def test_figures_are_named() -> None:
    assert data_text({"depth": 7, "seen_nodes": -1}) == "depth 7, seen_nodes -1"


def test_all_remarks_of_a_reply_are_shown_in_one_order() -> None:
    data = {"depth": 2}
    plan: list[dict[str, Any]] = [CENTRE]
    call = Call(seat=0, call="move", ply=0, value=7, plan=plan, data=data, note="good\n")

    told = remarks_of(PENTE, PENTE.start(2, 1), call)

    assert told == ["value +7", "plan 0,0", "depth 2", r"note: good\n"]
    assert remarks_of(PENTE, None, Call(seat=0, call="move", ply=0)) == []


def test_the_values_of_a_match_in_short() -> None:
    said = [{**FIRST, "value": value} for value in (5, -1000, 40)]
    match = play_match(FakeBot(*said), FakeBot(), max_plies=6)

    assert values_text(match.calls, 0) == "first +5, lowest -1000, highest +40, last +40"
    assert values_text(match.calls, 1) == ""
