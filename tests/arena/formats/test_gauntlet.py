"""The gauntlet: the challengers against all others, with the keys of a round robin."""

from collections import Counter

import pytest
from outcomes import keys, names

from arena.schedule.pairing import ScheduleError, gauntlet, round_robin


def test_one_challenger_plays_everybody_and_nobody_else_plays() -> None:
    schedule = gauntlet(names(5), ["bot00"], seats=(2,))

    opponents = Counter(
        player for match in schedule.pairings for player in match.players if player != "bot00"
    )
    assert opponents == dict.fromkeys(names(5)[1:], 2)
    assert len(schedule.pairings) == 8
    assert schedule.imbalance == ()


def test_challengers_do_not_meet_each_other() -> None:
    schedule = gauntlet(names(5), ["bot03", "bot01"], seats=(2,), repeat=4)

    met = {frozenset(match.players) for match in schedule.pairings}
    assert met == {
        frozenset((challenger, other))
        for challenger in ("bot01", "bot03")
        for other in ("bot00", "bot02", "bot04")
    }
    assert len(schedule.pairings) == 24


@pytest.mark.parametrize(("seats", "repeat"), [(2, 1), (2, 2), (3, 3), (4, 2)])
def test_every_match_is_one_of_the_round_robin(seats: int, repeat: int) -> None:
    everything = round_robin(names(6), seats=(seats,), repeat=repeat, boards=2)

    schedule = gauntlet(names(6), ["bot02"], seats=(seats,), repeat=repeat, boards=2)

    wanted = [key for key in keys(everything.pairings) if "bot02" in key]
    assert sorted(keys(schedule.pairings)) == sorted(wanted)


@pytest.mark.parametrize("seats", [2, 3])
def test_bots_that_are_added_leave_the_keys_of_the_others(seats: int) -> None:
    few = gauntlet(names(5), ["bot00"], seats=(seats,))
    many = gauntlet(names(8), ["bot00"], seats=(seats,), repeat=2 * seats, boards=2)

    assert set(keys(few.pairings)) < set(keys(many.pairings))
    assert len(set(keys(many.pairings))) == len(many.pairings)


@pytest.mark.parametrize("count", [2, 5, 8, 9])
def test_a_challenger_sits_in_each_seat_equally_often(count: int) -> None:
    schedule = gauntlet(names(count), ["bot00"], seats=(2,), repeat=1)

    firsts = sum(match.players[0] == "bot00" for match in schedule.pairings)
    assert firsts in (len(schedule.pairings) // 2, (len(schedule.pairings) + 1) // 2)


def test_inequality_is_reported_of_challengers_and_opponents() -> None:
    schedule = gauntlet(names(4), ["bot00"], seats=(2,), repeat=1)

    assert schedule.imbalance == (
        "bot00 sits 1 to 2 times in a seat",
        "opponents sit 0 to 1 times in a seat",
    )


def test_a_gauntlet_of_many_bots_costs_no_round_robin() -> None:
    schedule = gauntlet(names(90), ["bot00"], seats=(2,), repeat=1000)

    assert len(schedule.pairings) == 89_000


def test_too_many_challengers_for_the_seats_are_refused() -> None:
    with pytest.raises(ScheduleError, match="a match of 3 seats needs 3 bots"):
        gauntlet(names(4), names(3), seats=(3,))
