"""The matches that a gate names at its end: the first loss of NEW, and its first fault."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from outcomes import drawn, sat, won

from arena.formats.format import Results
from arena.gate.schedule import gate_pairs, matches_of
from arena.gate.tally import Pair
from arena.gate.verdict import Finder, MatchRef
from referee.records.result import SeatRow

EVENT = 7
PAIRS = gate_pairs("new", "base", pairs=3, variants=[""])
ALONE = gate_pairs("new", "base", pairs=3, variants=[""], is_alone=True)
FIELD = gate_pairs("new", "base", pairs=6, variants=[""], field=["x", "y"])


class Kept:
    """A database with the matches of these pairs, numbered in the order of the schedule."""

    def __init__(self, pairs: tuple[Pair, ...]) -> None:
        self.keys = [pairing.key for pairing in matches_of(pairs)]

    def match_number(self, event: int, key: str) -> int | None:
        return self.keys.index(key) + 1 if event == EVENT and key in self.keys else None

    def match(self, number: int) -> Any:
        return SimpleNamespace(id=number, key=self.keys[number - 1], reason=f"reason {number}")


def finder(pairs: tuple[Pair, ...], results: Results) -> Finder:
    return Finder(Kept(pairs), EVENT, "new", results)  # type: ignore[arg-type]


def met(*outcomes: str) -> dict[str, Sequence[SeatRow]]:
    """Return the results of the first matches in which NEW meets BASE: a winner, `draw` or none."""
    results: dict[str, Sequence[SeatRow]] = {}
    for pairing, outcome in zip(matches_of(PAIRS), outcomes, strict=True):
        ended = drawn(pairing) if outcome == "draw" else won(pairing, outcome)
        results[pairing.key] = ended if outcome else ()
    return results


@pytest.mark.parametrize(
    ("outcomes", "number"),
    [
        (("new", "base", "base", "base", "new", "new"), 2),
        (("base", "new", "new", "new", "new", "new"), 1),
        (("new", "draw", "", "", "draw", "base"), 6),
        (("new", "draw", "", "", "draw", "new"), None),
    ],
)
def test_the_first_loss_is_the_first_match_that_base_won(
    outcomes: tuple[str, ...], number: int | None
) -> None:
    found = finder(PAIRS, met(*outcomes)).loss(PAIRS)

    key = None if number is None else matches_of(PAIRS)[number - 1].key
    assert found == (None if key is None else MatchRef(number or 0, key, f"reason {number}"))


@pytest.mark.parametrize(
    ("mine", "others", "lost"),
    [
        (("5", "9", "7"), ("5", "10", "8"), 1),
        (("5", "9.5", "7"), ("4", "10", "8"), 1),
        (("10", "11", ""), ("9", "11", "12"), None),  # as numbers, not as texts
        (("", "11", "7"), ("9", "", "8"), 2),
    ],
)
def test_with_one_seat_a_lower_score_than_that_of_base_is_a_loss(
    mine: tuple[str, ...], others: tuple[str, ...], lost: int | None
) -> None:
    results: dict[str, Sequence[SeatRow]] = {}
    for pair, one, other in zip(ALONE, mine, others, strict=True):
        for pairing, name, score in zip(pair, ("new", "base"), (one, other), strict=True):
            results[pairing.key] = (sat(name, 1, score),) if score else ()

    found = finder(ALONE, results).loss(ALONE)

    assert (found and found.key) == (None if lost is None else ALONE[lost][0].key)


@pytest.mark.parametrize(
    ("places", "lost"),
    [
        ([(1, 2), (2, 2), (3, 2), (3, 1), (1, 1), (2, 3)], 2),
        ([(1, 2), (2, 2), (0, 1), (2, 0), (1, 1), (2, 1)], 5),
        ([(1, 2), (2, 2), (2, 3), (3, 3), (1, 1), (2, 3)], None),
    ],
)
def test_against_a_field_a_lower_place_than_that_of_base_is_a_loss(
    places: list[tuple[int, int]], lost: int | None
) -> None:
    results: dict[str, Sequence[SeatRow]] = {}
    for pair, (one, other) in zip(FIELD, places, strict=True):
        for pairing, name, place in zip(pair, ("new", "base"), (one, other), strict=True):
            # The score says the opposite of the place: it decides nothing here.
            rows = {
                "x": sat("x", 1, "9"),
                "y": sat("y", 3, "0"),
                name: sat(name, place, str(place)),
            }
            results[pairing.key] = [rows[player] for player in pairing.players] if place else ()

    found = finder(FIELD, results).loss(FIELD)

    assert (found and found.key) == (None if lost is None else FIELD[lost][0].key)


def test_the_first_fault_is_that_of_new_alone() -> None:
    first, second, third = matches_of(PAIRS)[:3]
    results = met(*["draw"] * 6)
    results[first.key] = (sat("new"), sat("base", fault="crash"))
    assert finder(PAIRS, results).fault(PAIRS) is None

    results[third.key] = (sat("base"), sat("new", fault="timeout"))
    results[second.key] = (sat("base", fault="crash"), sat("new"))

    assert finder(PAIRS, results).fault(PAIRS) == MatchRef(3, third.key, "reason 3")
    assert finder(PAIRS, results).fault(PAIRS[:1]) is None


def test_a_match_that_is_not_in_the_database_is_not_named() -> None:
    results = met("base", *["new"] * 5)

    assert finder(PAIRS[1:], results).loss(PAIRS) is None
