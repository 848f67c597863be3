"""Small leagues with known strengths; `python -m tests.bench ladder` plays large ones."""

from dataclasses import replace

import pytest

from tests.bench.ladder import STANDARD, Seen, crashed, watched
from tests.bench.leagues import Kind, League, World

SMALL = replace(STANDARD, bots=10, matches=960)


def seen(kind: Kind, seed: int = 1) -> tuple[League, Seen]:
    league = League(World(kind, seed))
    return league, watched(league)


def test_ratings_are_nearer_to_the_truth_than_those_of_other_ways() -> None:
    _, found = seen(replace(SMALL, gain=5, step=15, matches=1600), seed=2)

    assert found.ratings.rmse < 0.9 * found.unrelated.rmse
    assert found.ratings.rmse < 0.9 * found.elo.rmse
    assert found.ratings.order > 0.88


def test_a_league_is_the_same_for_a_seed() -> None:
    kind = replace(SMALL, matches=240)

    one, other = seen(kind), seen(kind)

    assert one[0].fitted.elos == other[0].fitted.elos


def test_crashers_play_few_matches() -> None:
    league, _ = seen(replace(SMALL, crashers=3))

    theirs = sum(league.tally.matches[bot.id] for bot in league.world.bots.values() if crashed(bot))
    assert theirs < 0.12 * league.tally.matches.total()


def test_slow_bots_have_their_share_of_the_time_and_no_more() -> None:
    league, _ = seen(replace(SMALL, slow=2))

    slow = [bot for bot in league.world.bots.values() if bot.seconds > 1]
    share = sum(league.seconds[bot.id] for bot in slow) / league.seconds.total()
    assert share < 0.5  # with equal numbers of matches, their 2 of 10 would have 0.8


def test_a_friend_gains_little_from_bots_that_lose_on_purpose() -> None:
    _, found = seen(replace(SMALL, bots=14, puppets=3))

    # three of its sixteen rivals lose to it as if they were 1000 Elo weaker
    assert sum(found.friend) / len(found.friend) < 60


@pytest.mark.parametrize("kind", [replace(SMALL, circle=150), replace(SMALL, seats=3)])
def test_ratings_order_the_field_where_strength_is_not_all(kind: Kind) -> None:
    _, found = seen(kind)

    assert found.ratings.order > 0.8


def test_intervals_hold_the_truth_in_a_small_league_where_pairings_differ_much() -> None:
    kind = Kind("pairings differ", 1600, bots=10, effect=300)
    found = [seen(kind, seed)[1] for seed in range(2)]

    missed = sum(each.above + each.below for each in found)
    assert missed < 0.1 * sum(each.intervals for each in found)
