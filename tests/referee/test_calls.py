"""Calls in columns: what goes in comes out, one call or one field at a time."""

import json

import pytest

from protocol.vocabulary import Termination
from referee.records.calls import Call, Calls, Spent

CALLS = [
    Call(seat=0, call="init", ply=0, wall_ns=5, cpu_ns=4, charged_ns=3, grace_ns=2),
    Call(seat=1, call="move", ply=0, wall_ns=7, move={"v": 0}, notation="0", left_ms=0),
    Call(seat=0, call="move", ply=1, wall_ns=1, note="", resign=True),
    Call(seat=1, call="display", ply=1, picture=["1"], fault=Termination.FALSE_CLAIM),
]


def test_calls_are_read_as_they_were_added() -> None:
    calls = Calls(CALLS)

    assert list(calls) == CALLS
    assert calls[-1] == CALLS[-1]
    assert calls[1:3] == CALLS[1:3]
    assert (len(calls), calls.moves) == (4, 1)
    assert calls != Calls(CALLS[1:])
    with pytest.raises(IndexError):
        calls[4]


def test_a_column_has_a_value_or_none_for_each_call() -> None:
    calls = Calls(CALLS)

    assert calls.column("wall_ns") == [5, 7, 1, 0]
    assert calls.column("left_ms") == [None, 0, None, None]
    assert calls.column("claims") == [None] * 4


def test_the_cost_of_a_seat_is_that_of_its_calls() -> None:
    calls = Calls(CALLS)

    assert calls.spent(0) == Spent(6, 4, 3, 2)
    assert calls.spent(2) == Spent()


def test_stored_columns_have_no_column_without_values() -> None:
    columns = Calls(CALLS).columns()

    assert "claims" not in columns
    assert {len(column) for column in columns.values()} == {4}
    assert list(Calls.from_columns(json.loads(json.dumps(columns)))) == CALLS
    assert list(Calls.from_columns(Calls().columns())) == []


@pytest.mark.parametrize(
    ("name", "column"),
    [("seat", [0]), ("note", ["a"]), ("cpu_ns", ["x"] * 4), ("fault", ["odd"] * 4), ("move", 1)],
)
def test_columns_that_are_no_calls_are_refused(name: str, column: object) -> None:
    with pytest.raises(ValueError, match=r"length|validation"):
        Calls.from_columns({**Calls(CALLS).columns(), name: column})


def test_a_cost_may_not_be_missing() -> None:
    columns = Calls(CALLS).columns()
    del columns["cpu_ns"]

    with pytest.raises(LookupError):
        Calls.from_columns(columns)
