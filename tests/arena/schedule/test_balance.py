"""Warnings about unequal schedules."""

from itertools import permutations

from arena.schedule.balance import gauntlet_imbalance, imbalance


def test_equal_schedules_have_no_warnings() -> None:
    assert imbalance(permutations("abc", 2), "abc") == ()
    assert imbalance([*permutations("abc", 2), *permutations("abc", 3)], "abc") == ()


def test_rotated_seats_leave_a_bot_behind_the_same_one() -> None:
    assert imbalance([tuple("abc"), tuple("bca"), tuple("cab")], "abc") == (
        "a bot moves right after another one 0 to 3 times",
    )


def test_matches_meetings_and_seats_are_reported() -> None:
    assert imbalance([("a", "b"), ("b", "c"), ("b", "a")], "abc") == (
        "bots play 1 to 3 matches",
        "pairs meet 0 to 2 times",
        "seat 0 (first): 0 to 2 times per bot",
    )


def test_a_bot_that_never_plays_counts() -> None:
    assert imbalance([("a", "b"), ("b", "a")], "abc") == (
        "bots play 0 to 2 matches",
        "pairs meet 0 to 2 times",
        "seat 0 (first): 0 to 1 times per bot",
        "seat 1: 0 to 1 times per bot",
    )


def test_several_sizes_are_reported_separately_and_together() -> None:
    assert imbalance([("a", "b"), ("b", "c"), ("c", "a"), ("a", "c", "b")], "abc") == (
        "3 seats: seat 0 (first): 0 to 1 times per bot",
        "3 seats: seat 1: 0 to 1 times per bot",
        "3 seats: seat 2: 0 to 1 times per bot",
        "overall: seat 0 (first): 1 to 2 times per bot",
    )


def test_the_lines_of_each_size_follow_one_another() -> None:
    tables = [("a", "b"), ("a", "b"), *permutations("abc", 3), ("a", "b", "c")]

    assert imbalance(tables, "abc") == (
        "2 seats: bots play 0 to 2 matches",
        "2 seats: pairs meet 0 to 2 times",
        "2 seats: seat 0 (first): 0 to 2 times per bot",
        "2 seats: seat 1: 0 to 2 times per bot",
        "3 seats: seat 0 (first): 2 to 3 times per bot",
        "3 seats: seat 1: 2 to 3 times per bot",
        "3 seats: seat 2: 2 to 3 times per bot",
        "overall: bots play 7 to 9 matches",
        "overall: pairs meet 7 to 9 times",
        "overall: seat 0 (first): 2 to 5 times per bot",
    )


def test_an_equal_gauntlet_has_no_warnings() -> None:
    """A bot is compared over the seats that it could have, whoever else has more."""
    two = [("x", "a"), ("a", "x")]
    assert gauntlet_imbalance(two, {"x"}) == ()
    assert gauntlet_imbalance([*two, *permutations("xbc", 3)], {"x"}) == (
        "x sits 2 to 3 times in a seat",
    )
    assert gauntlet_imbalance([*permutations("xbc", 3), ("x", "a")], {"a", "x"}) == (
        "x sits 2 to 3 times in a seat",
        "a sits 0 to 1 times in a seat",
    )


def test_each_challenger_has_a_line_and_all_opponents_have_one() -> None:
    tables = [*[("x", "a")] * 4, ("a", "x"), *[("b", "y")] * 2]

    assert gauntlet_imbalance(tables, ["y", "x"]) == (
        "x sits 1 to 4 times in a seat",
        "y sits 0 to 2 times in a seat",
        "opponents sit 0 to 4 times in a seat",
    )
    assert gauntlet_imbalance(tables, "xyab")[2:] == (
        "b sits 0 to 2 times in a seat",
        "y sits 0 to 2 times in a seat",
    )
