"""What an outcome must be: whole points and a place for each seat, and a reason."""

from typing import Any

from protocol.vocabulary import MAX_INTEGER
from referee.rules.game import Outcome


def outcome_fault(outcome: Any, seats: int) -> str | None:
    """Return what is wrong with an outcome of the rules, as the end of a sentence; None if fine."""
    if not isinstance(outcome, Outcome):
        return f"is {outcome!r}, not an Outcome"
    if _is_whole(outcome, seats):
        return None
    each = f"each of {seats} seats" if seats > 1 else "the seat"
    wanted = f"whole points within ±2^53, a place from 1 for {each} and a reason"
    return f"needs {wanted}, not {_short(outcome)}"


def _is_whole(outcome: Any, seats: int) -> bool:
    points, places, reason = outcome.points, outcome.places, outcome.reason
    is_complete = all(
        isinstance(each, tuple | list)
        and len(each) == seats
        and all(type(number) is int for number in each)
        for each in (points, places)
    )
    return (
        is_complete
        and all(abs(number) <= MAX_INTEGER for number in points)
        and min(places) == 1
        and max(places) <= seats
        and isinstance(reason, str)
        and bool(reason)
    )


def _short(outcome: Outcome) -> str:
    text = repr(outcome)
    return text if len(text) <= 300 else f"{text[:300]}... ({len(text)} characters)"
