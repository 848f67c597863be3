"""A value that no message may have is named with its place."""

from enum import IntEnum
from typing import Any

import pytest

from referee.rules.values import value_fault, view_fault


class Side(IntEnum):
    LEFT = 1


@pytest.mark.parametrize(
    "value", [None, True, 2**53, -(2**53), "ü", [], (1, "a"), {"a": [None, {"b": (False,)}]}]
)
def test_what_a_message_may_have_is_fine(value: Any) -> None:
    assert value_fault(value, "here") is None


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (0.5, "here: 0.5 is neither None, bool, int, text, list nor map"),
        (b"x", "here: b'x' is neither None, bool, int, text, list nor map"),
        (2**53 + 1, "here: 9007199254740993 is beyond ±2^53"),
        ([1, {2}], "here[1]: {2} is neither None, bool, int, text, list nor map"),
        ({"a": (1, 0.5)}, "here: a[1]: 0.5 is neither None, bool, int, text, list nor map"),
        ({}, "here: a map needs text keys, and one at least: {}"),
        ({1: 2}, "here: a map needs text keys, and one at least: {1: 2}"),
        (Side.LEFT, "here: <Side.LEFT: 1> is neither None, bool, int, text, list nor map"),
    ],
)
def test_the_first_wrong_part_is_named(value: Any, fault: str) -> None:
    assert value_fault(value, "here") == fault


def test_a_view_is_a_map() -> None:
    assert view_fault({"turn": 0, "ply": 0}) is None
    assert view_fault(None) == "returns None, not a map like {'turn': 0, 'ply': 0}"
    fault = view_fault({"turn": 0.0})
    assert fault is not None
    assert fault.startswith("returns what no message may have: view: turn: 0.0 is neither ")
