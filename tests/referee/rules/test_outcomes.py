"""What is wrong with an outcome is said as the end of a sentence."""

from typing import Any

import pytest

from referee.rules import Outcome
from referee.rules.outcomes import outcome_fault


@pytest.mark.parametrize(
    ("outcome", "seats"),
    [
        (Outcome((2**53, -(2**53)), (1, 2), "over"), 2),
        (Outcome((3,), (1,), "over"), 1),
        (Outcome((0, 0, 0), (1, 1, 3), "over"), 3),
    ],
)
def test_a_whole_outcome_is_fine(outcome: Outcome, seats: int) -> None:
    assert outcome_fault(outcome, seats) is None


@pytest.mark.parametrize(
    ("points", "places", "reason"),
    [
        ((float("nan"), 0), (1, 2), "over"),
        ((True, False), (1, 2), "over"),
        ((2**53 + 1, 0), (1, 2), "over"),
        ((1, 0, 0), (1, 2), "over"),
        (7, (1, 2), "over"),
        ((1, 0), (2, 2), "over"),
        ((1, 0), (1, 3), "over"),
        ((1, 0), (1, 2), None),
    ],
)
def test_any_other_outcome_is_named(points: Any, places: Any, reason: Any) -> None:
    fault = outcome_fault(Outcome(points, places, reason), 2)

    assert fault is not None
    wanted = "whole points within ±2^53, a place from 1 for each of 2 seats and a reason"
    assert fault.startswith(f"needs {wanted}, not Outcome(points=")


def test_a_huge_outcome_is_cut() -> None:
    fault = outcome_fault(Outcome((10**4000, 0), (1, 2), "over"), 2)

    assert fault is not None
    assert fault.endswith(" characters)")
    assert len(fault) < 500


def test_another_value_is_no_outcome() -> None:
    assert outcome_fault((1, 0), 2) == "is (1, 0), not an Outcome"
