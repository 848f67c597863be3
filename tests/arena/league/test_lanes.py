from collections import Counter

from arena.league.ladder.lanes import PARTS, Lane, next_lane


def test_lanes_that_always_wait_have_their_parts() -> None:
    spent: Counter[Lane] = Counter()
    for _ in range(1000):
        lane = next_lane(PARTS, spent)
        assert lane is not None
        spent[lane] += 1

    assert {lane: round(spent[lane] / 1000, 2) for lane in PARTS} == PARTS


def test_a_lane_alone_takes_every_slot() -> None:
    assert next_lane([Lane.OLD], {Lane.OLD: 500.0, Lane.LADDER: 0.0}) is Lane.OLD


def test_nothing_waits() -> None:
    assert next_lane([], {}) is None
