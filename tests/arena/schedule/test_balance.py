"""Warnings about unequal schedules."""

from itertools import permutations

from arena.schedule.balance import imbalance


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
