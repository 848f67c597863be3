"""Which matches are worth a look."""

from collections.abc import Sequence

import pytest

from arena.ratings.notable import SEAT_COLUMNS, notable_matches, result_of, seat_cells
from arena.results.store import MatchRow
from referee.records.result import SeatRow


def match_of(number: int, plies: int, margin: int = 1) -> MatchRow:
    """Return a match that ann has won."""
    return match_between(number, seat("ann", 1, margin), seat("bob", 2), plies=plies)


def seat(player: str, place: int, score: float = 0, fault: str | None = None) -> SeatRow:
    return SeatRow(player, 0, place, str(score), fault, 0, 0, 0, 0)


def match_between(number: int, *seats: SeatRow, plies: int = 30) -> MatchRow:
    return MatchRow(number, 1, "", 0, "", "normal", "", plies, "", seats)


def remarks(
    kind: str, matches: Sequence[MatchRow], rated: Sequence[MatchRow] | None = ()
) -> list[tuple[int, str]]:
    """Return number and remark of the notable matches of a kind, in their order."""
    found = dict(notable_matches(matches, rated))
    return [(match.id, remark) for match, remark in found.get(kind, [])]


def many(times: int, winner: str, loser: str) -> list[MatchRow]:
    """Return matches of two, who take turns to begin."""
    seats = (seat(winner, 1), seat(loser, 2))
    return [match_between(0, *seats[:: (1, -1)[number % 2]]) for number in range(times)]


def numbers_of(matches: list[MatchRow]) -> dict[str, list[int]]:
    return {
        title: [match.id for match, _ in noted] for title, noted in notable_matches(matches, [])
    }


def test_no_match_is_both_short_and_long() -> None:
    matches = [match_of(number, plies=10 * number) for number in range(1, 6)]

    assert numbers_of(matches) == {"shortest": [1, 2], "longest": [5, 4]}


def test_many_matches_have_five_of_each_kind() -> None:
    matches = [match_of(number, plies=number, margin=100 - number) for number in range(1, 41)]

    assert numbers_of(matches) == {
        "shortest": [1, 2, 3, 4, 5],
        "longest": [40, 39, 38, 37, 36],
        "narrowest": [40, 39, 38, 37, 36],
    }


def test_nothing_is_notable_where_all_matches_are_alike() -> None:
    assert numbers_of([match_of(number, plies=30) for number in range(1, 21)]) == {}
    assert numbers_of([match_of(1, plies=30)]) == {}
    assert numbers_of([]) == {}


RATED = [
    *many(300, "bob", "ann"),
    *many(100, "ann", "bob"),
    *many(200, "cat", "ann"),
    *many(200, "ann", "cat"),
    *many(400, "eve", "dan"),
    *many(100, "dan", "eve"),
    *many(1009, "gus", "fay"),
    *many(1000, "fay", "gus"),
]
"""Odds of three to one are 191 Elo, of four to one 241, of 1009 to 1000 1.6. No match connects the
three groups."""


def test_upsets_are_wins_against_the_higher_rated_the_largest_first() -> None:
    matches = [
        match_between(1, seat("ann", 1), seat("bob", 2)),
        match_between(2, seat("bob", 1), seat("ann", 2)),  # as expected
        match_between(3, seat("bob", 2), seat("ann", 1)),
        match_between(4, seat("dan", 1), seat("eve", 2)),
        match_between(5, seat("ann", 1), seat("cat", 2)),  # as strong
        match_between(6, seat("bob", 1), seat("ann", 1)),  # drawn
        match_between(7, seat("dan", 1), seat("bob", 2)),  # no match connects them
        match_between(8, seat("new", 1), seat("bob", 2)),  # unrated
        match_between(9, seat("ann", 1), seat("new", 2), seat("bob", 3), seat("cat", 4)),
        match_between(10, seat("ann", 1), seat("bob", 2, fault="crash")),
        match_between(11, seat("fay", 1), seat("gus", 2)),
    ]

    assert remarks("upsets", matches, RATED) == [
        (4, "dan is rated 241 Elo lower"),
        (1, "ann is rated 191 Elo lower"),
        (3, "ann is rated 191 Elo lower"),
        (9, "ann is rated 191 Elo lower"),
        (11, "fay is rated 2 Elo lower"),
    ]


def test_the_matches_themselves_are_rated_by_default() -> None:
    matches = [*many(30, "bob", "ann"), match_between(9, seat("ann", 1), seat("bob", 2))]

    ((number, remark),) = remarks("upsets", matches, None)

    assert (number, remark.split()[:3]) == (9, ["ann", "is", "rated"])
    assert remarks("upsets", matches, []) == []


def test_the_shortest_and_longest_are_named_with_their_plies_the_earliest_first() -> None:
    matches = [match_of(number, plies) for number, plies in ((4, 9), (3, 9), (2, 20), (1, 20))]

    assert remarks("shortest", matches) == [(3, "9 plies"), (4, "9 plies")]
    assert remarks("longest", matches) == [(1, "20 plies"), (2, "20 plies")]


def test_the_narrowest_are_named_with_the_lead_over_the_second() -> None:
    matches = [
        match_between(1, seat("ann", 1, 9), seat("bob", 2, 5)),
        match_between(2, seat("bob", 2, 3), seat("ann", 1, 4.5), seat("cat", 3, 1)),
        match_between(3, seat("ann", 2, 1), seat("bob", 1, 2.5)),
        match_between(4, seat("ann", 1, 5), seat("bob", 2, 1)),
        match_between(5, seat("ann", 1, 3), seat("bob", 1, 3)),
    ]

    assert remarks("narrowest", matches) == [(2, "by 1.5"), (3, "by 1.5")]


def test_matches_with_a_fault_are_of_no_other_kind() -> None:
    crash = match_between(1, seat("ann", 1, 5), seat("bob", 2, fault="crash"), plies=1)
    withdrawn = seat("bob", 2, fault="withdrawn")._replace(is_unplayed=True)
    unplayed = match_between(2, seat("ann", 1), withdrawn, plies=0)
    both = match_between(3, seat("ann", 1, fault="timeout"), seat("bob", 1, fault="illegal"))

    assert notable_matches([crash, unplayed, both], None) == [
        ("faults", [(crash, "bob: crash"), (both, "ann: timeout, bob: illegal")])
    ]


@pytest.mark.parametrize(
    ("seats", "results"),
    [
        ([seat("ann", 1), seat("bob", 2)], ["won", "lost"]),
        ([seat("ann", 1), seat("bob", 1), seat("cat", 3)], ["drawn", "drawn", "lost"]),
        ([seat("ann", 1), seat("bob", 2, fault="crash")], ["won", "crash"]),
        ([seat("ann", 1)], ["played"]),
        ([seat("ann", 1, fault="timeout")], ["timeout"]),
        ([seat("ann", 1, fault="withdrawn")._replace(is_unplayed=True)], ["unplayed"]),
    ],
)
def test_the_result_of_a_seat_is_one_word(seats: list[SeatRow], results: list[str]) -> None:
    match = match_between(1, *seats)

    assert [result_of(match, each) for each in seats] == results


def test_a_match_as_one_of_its_seats_sees_it() -> None:
    bob = seat("bob", 2, -1.5)._replace(cpu_ns=2_500_000_000, is_clock_exact=False)
    match = match_between(1, seat("ann", 1, 3), bob, seat("cat", 3, -3), plies=17)

    assert dict(zip(SEAT_COLUMNS, seat_cells(match, bob), strict=True)) == {
        "against": "ann, cat",
        "seat": "2",
        "result": "lost",
        "score": "-1.5",
        "plies": "17",
        "CPU": "~2.50 s",
    }
    assert seat_cells(match, match.seats[0])[5] == "0 µs"
