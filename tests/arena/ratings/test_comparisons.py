"""Which seats of a match are compared, and how comparisons are counted."""

import pytest
from counted import sat

from arena.ratings.comparisons import Cluster, compare, compared_seats
from arena.ratings.likelihood import Cell
from arena.results.standings import RatedMatch, RatedSeat

ALL = ((0, 1), (0, 2), (1, 2))


def seats(places: str, faults: str = "", players: str = "abcdef") -> tuple[RatedSeat, ...]:
    """Return seats by their places; `faults` has an x for each seat at fault."""
    return tuple(
        RatedSeat(player, int(place), fault=fault == "x")
        for player, place, fault in zip(players, places, faults.ljust(len(places)), strict=False)
    )


def match(places: str, *board: int, faults: str = "", players: str = "abcdef") -> RatedMatch:
    return RatedMatch(seats(places, faults, players), board)


@pytest.mark.parametrize(
    ("places", "faults", "scores"),
    [
        ("12", "", {(0, 1): 1}),
        ("21", "", {(0, 1): 0}),
        ("11", "", {(0, 1): 0.5}),
        ("123", "", dict.fromkeys(ALL, 1)),
        ("321", "", dict.fromkeys(ALL, 0)),
        ("111", "", dict.fromkeys(ALL, 0.5)),
        ("113", "", {(0, 1): 0.5, (0, 2): 1, (1, 2): 1}),
        ("122", "", {(0, 1): 1, (0, 2): 1}),  # the last place tells nothing of those who share it
        ("212", "", {(0, 1): 0, (1, 2): 1}),
        ("12", "x", {(0, 1): 0}),  # a seat at fault is behind, whatever its place
        ("12", " x", {(0, 1): 1}),
        ("123", " xx", {(0, 1): 1, (0, 2): 1}),
        ("321", "x", {(0, 1): 0, (0, 2): 0, (1, 2): 0}),
        ("12", "xx", {}),
        ("1", "", {}),
    ],
)
def test_seats_are_compared_by_their_places(
    places: str, faults: str, scores: dict[tuple[int, int], float]
) -> None:
    found = {(one, other): score for one, other, score in compared_seats(seats(places, faults))}

    assert found == scores


def test_matches_are_counted_by_what_they_say() -> None:
    unplayed = match("12", faults="x")._replace(is_unplayed=True)
    found = compare(
        {
            unplayed: 4,
            unplayed._replace(board=(1,)): 2,
            match("1"): 3,
            match("12", players="aa"): 5,
            match("12", faults="xx"): 7,
            match("12"): 11,
            match("21", 2, players="ac"): 13,
            match("12", 3, faults="x", players="ca"): 17,
            match("12", 3, faults=" x", players="ca"): 19,
        }
    )

    assert (found.unplayed, found.ignored, found.faulty) == (6, 15, 36)
    assert found.matches == {"a": 60, "b": 11, "c": 49}
    assert found.players == ("a", "b", "c")
    assert found.boards == 2


def test_no_match_of_a_kind_counts_as_none() -> None:
    found = compare({match("12"): 1})

    assert (found.unplayed, found.ignored, found.faulty, found.boards) == (0, 0, 0, 0)
    assert compare({}).players == ()


def test_players_are_in_groups_by_their_matches_the_largest_first() -> None:
    pairs = ("xy", "ab", "de", "yz")
    found = compare({match("12", players=pair): 1 for pair in pairs})

    assert found.groups() == [["x", "y", "z"], ["a", "b"], ["d", "e"]]


def test_the_values_of_seats_follow_the_players_by_the_number_of_seats() -> None:
    found = compare({match("123"): 1, sat("c", "a", (1, 2)): 1})

    assert found.seatings == ((2, 1), (3, 1), (3, 2))
    first = 6  # the first seat of any number: its value is fixed
    assert found.counts() == {
        Cell(2, 0, first, 3): (1, 1),
        Cell(0, 1, first, 4): (1, 1),
        Cell(0, 2, first, 5): (1, 1),
        Cell(1, 2, 4, 5): (1, 1),
    }


def test_matches_on_a_board_are_one_cluster_and_those_without_one_stand_alone() -> None:
    won, lost = ((1, 2), (2, 1))
    found = compare(
        {
            sat("a", "b", won): 3,
            sat("a", "b", lost): 2,
            sat("a", "b", won, 7): 4,
            sat("a", "b", lost, 7): 1,
            sat("b", "a", won, 7): 6,
            sat("b", "a", won, 8): 9,
        }
    )
    there, back = Cell(0, 1, 3, 2), Cell(1, 0, 3, 2)

    assert sorted(found.by_board, key=repr) == sorted(
        [
            Cluster(3, {there: (1, 1)}),
            Cluster(2, {there: (1, 0)}),
            Cluster(1, {there: (5, 4), back: (6, 6)}),
            Cluster(1, {back: (9, 9)}),
        ],
        key=repr,
    )
    assert sorted(found.by_match, key=repr) == sorted(
        [
            Cluster(7, {there: (1, 1)}),
            Cluster(3, {there: (1, 0)}),
            Cluster(15, {back: (1, 1)}),
        ],
        key=repr,
    )
    assert found.counts() == {there: (10, 7), back: (15, 15)}
    assert found.boards == 2
