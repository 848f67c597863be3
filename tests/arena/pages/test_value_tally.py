"""Values against results: where each value falls, and what was won from it."""

from dataclasses import replace

from random_matches import random_record

from arena.pages.value_tally import ValueTally
from referee.records.calls import Calls


def test_values_are_counted_with_the_shares_of_their_seats() -> None:
    tally = ValueTally()
    for values, places in (
        ((-1000, 1000, -1, 999), (1, 2)),
        ((-1000, None, 0, 800), (2, 1)),
        ((-801, None, None, None), (1, 1)),
    ):
        record = random_record("pente", plies=4)
        calls = zip(record.calls, values, strict=True)
        record.calls = Calls([replace(call, value=value) for call, value in calls])
        record.verdict = replace(record.verdict, places=places)
        tally.add(record)

    assert tally.to_json() == {
        "positions": 8,
        "won": {
            "a": [50.0, None, None, None, 100.0, 0.0, None, None, None, None],
            "b": [None, None, None, None, None, None, None, None, None, 33.3],
        },
    }


def test_a_match_of_one_and_one_without_values_count_nothing() -> None:
    tally = ValueTally()
    tally.add(random_record("down_n_out", value=3))
    tally.add(random_record("pente"))

    assert tally.to_json() == {"positions": 0, "won": {}}


def test_a_seat_among_three_wins_the_part_that_it_is_ahead_of() -> None:
    tally = ValueTally()
    record = random_record("chinese_checkers", plies=3, value=0)
    record.verdict = replace(record.verdict, places=(1, 2, 2))
    tally.add(record)

    won = tally.to_json()["won"]
    assert [won[name][5] for name in "abc"] == [100.0, 25.0, 25.0]
