"""Elo on the scale of a group, of an anchor and of the seats."""

from collections import Counter
from itertools import permutations

import pytest
from counted import results, sat

from arena.ratings.rating import Elo, Rating, Ratings, rate_outcomes
from arena.results.standings import RatedMatch, RatedSeat


def by_player(ratings: Ratings) -> dict[str, Rating]:
    return {each.player: each for each in ratings.players}


def two_groups() -> Counter[RatedMatch]:
    """Return matches among "a", "b" and "c", and among "x" and "y"."""
    outcomes: Counter[RatedMatch] = Counter()
    for one, other, wins in (("a", "b", 6), ("b", "c", 5), ("a", "c", 7), ("x", "y", 7)):
        for pair in ((one, other), (other, one)):
            places = (1, 2) if pair[0] == one else (2, 1)
            outcomes[sat(*pair, places)] += wins
            outcomes[sat(*pair, places[::-1])] += 10 - wins
    return outcomes


def ordered(*players: str) -> RatedMatch:
    """Return a match whose places are in the order of the seats."""
    return RatedMatch(
        tuple(RatedSeat(player, place, fault=False) for place, player in enumerate(players, 1))
    )


def test_three_are_rated_over_their_mean_and_two_over_each_other() -> None:
    ratings = rate_outcomes(two_groups())
    found = by_player(ratings)

    assert sum(found[name].elo.value for name in "abc") == pytest.approx(0, abs=1e-6)
    for one, other in permutations("abc", 2):
        lead = found[one].elo.value - found[other].elo.value
        assert ratings.difference(one, other).elo.value == pytest.approx(lead)
    assert found["x"].elo == pytest.approx(ratings.difference("x", "y").elo)
    assert found["y"].elo.value == pytest.approx(-found["x"].elo.value)
    assert ratings.strengths.elos() == pytest.approx(
        {name: found[name].elo.value * (0.5 if name in "xy" else 1) for name in "abcxy"}
    )


def test_the_probability_of_being_stronger_is_that_over_the_next_of_the_group() -> None:
    ratings = rate_outcomes(two_groups())
    found = by_player(ratings)

    assert found["a"].superiority == ratings.difference("a", "b").superiority
    assert found["b"].superiority == ratings.difference("b", "c").superiority
    assert found["c"].superiority is None
    above, below = ratings.superiority("a", "b"), ratings.superiority("b", "a")
    assert above + below == pytest.approx(1, abs=0.01)
    assert above > 0.5


def test_an_anchor_moves_its_group_alone() -> None:
    ratings = rate_outcomes(two_groups(), {"b": 1500.0, "nobody": 9.0})
    found, plain = by_player(ratings), by_player(rate_outcomes(two_groups()))

    assert ratings.anchor == {"b": 1500.0}
    assert found["b"].elo == (1500, 1500, 1500)
    for name in "ac":
        over = ratings.difference(name, "b").elo
        assert found[name].elo == pytest.approx([1500 + each for each in over])
    assert [found[name].elo for name in "xy"] == [plain[name].elo for name in "xy"]


def test_every_pair_of_a_group_has_a_difference_and_no_pair_of_two_groups() -> None:
    found = rate_outcomes(two_groups()).differences()

    assert [(each.player, each.other) for each in found] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
        ("x", "y"),
    ]
    assert all(each.elo.value > 0 for each in found)


def test_equals_are_ranked_by_name() -> None:
    equal = Counter({sat(*pair, (1, 1)): 3 for pair in permutations("dacb", 2)})

    assert [player for player, _ in rate_outcomes(equal).ranked] == list("abcd")


@pytest.mark.parametrize(("won", "lost"), [(14, 6), (6, 14)])
def test_the_score_of_equals_is_that_of_the_first_seat(won: int, lost: int) -> None:
    outcomes: Counter[RatedMatch] = Counter()
    for pair in permutations("ab", 2):
        outcomes[sat(*pair, (1, 2))] += won
        outcomes[sat(*pair, (2, 1))] += lost
    ratings = rate_outcomes(outcomes)

    for pair in permutations("ab", 2):
        score = ratings.strengths.expected_score(*pair)
        assert score == pytest.approx(won / (won + lost), abs=0.01)
    (seat,) = ratings.seats
    assert (seat.seats, seat.seat, seat.elo) == (2, 0, ratings.first_move)
    assert (seat.elo.value > 0) is (won > lost)
    assert seat.is_clear


def test_no_advantage_is_clear_of_seats_that_win_alike() -> None:
    (seat,) = rate_outcomes(results(20, 0, 20)).seats

    assert not seat.is_clear
    assert seat.elo.low < 0 < seat.elo.high


def test_the_seats_of_three_are_rated_over_their_mean() -> None:
    """Six of seven matches end in the order of the seats, the others in the opposite one."""
    outcomes: Counter[RatedMatch] = Counter()
    for players in permutations("abc"):
        outcomes[ordered(*players)] += 6
        seats = ordered(*players).seats
        outcomes[RatedMatch(tuple(each._replace(place=4 - each.place) for each in seats))] += 1
    outcomes += Counter({sat(*pair, (1, 1)): 2 for pair in permutations("abc", 2)})

    ratings = rate_outcomes(outcomes)

    assert [(each.seats, each.seat) for each in ratings.seats] == [(2, 0), (3, 0), (3, 1), (3, 2)]
    two, *three = ratings.seats
    assert two.elo == ratings.first_move
    assert two.elo.value == pytest.approx(0, abs=1e-3)
    assert sum(each.elo.value for each in three) == pytest.approx(0, abs=1e-3)
    assert three[0].elo.value > three[1].elo.value > three[2].elo.value
    assert [each.is_clear for each in three] == [True, False, True]
    first, last = three[0].elo, three[2].elo
    assert first == pytest.approx([-last.value, -last.high, -last.low], rel=0.01)


def test_matches_of_more_than_two_alone_have_no_first_move() -> None:
    ratings = rate_outcomes(Counter({ordered(*players): 1 for players in permutations("abc")}))

    assert ratings.first_move is None
    assert [each.seat for each in ratings.seats] == [0, 1, 2]


def test_a_score_is_expected_of_strengths_alone_without_matches_of_two() -> None:
    outcomes: Counter[RatedMatch] = Counter()
    for players in permutations("abc"):
        for order, times in (("abc", 4), ("cba", 1)):
            places = {player: place for place, player in enumerate(order, 1)}
            seats = (RatedSeat(player, places[player], fault=False) for player in players)
            outcomes[RatedMatch(tuple(seats))] += times
    strengths = rate_outcomes(outcomes).strengths
    elos = strengths.elos()

    assert elos["a"] > elos["b"] + 50
    for one, other in permutations("abc", 2):
        score = 1 / (1 + 10 ** ((elos[other] - elos[one]) / 400))
        assert strengths.expected_score(one, other) == pytest.approx(score)


@pytest.mark.parametrize("draws", [0, 20, 100])
def test_results_spread_less_with_draws(draws: int) -> None:
    """Of equals a win is 1/2 from the expected score, and a draw nothing; one match is assumed."""
    strengths = rate_outcomes(results(20, draws, 20)).strengths

    found, assumed = 1 + 40 / 4, 1 + (40 + draws) / 4
    assert strengths.spread == pytest.approx(found / assumed)


def test_matches_of_three_have_no_part_in_the_spread_of_two() -> None:
    both = results(20, 20, 20)
    both += Counter({ordered(*players): 5 for players in permutations("abc")})

    spread = rate_outcomes(both).strengths.spread

    assert spread == pytest.approx(rate_outcomes(results(20, 20, 20)).strengths.spread, rel=0.01)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-3, 4, "±4"),  # at most 1 apart
        (-3, 5, "-3 +5"),
        (-100, 110, "±105"),  # 10 apart, of 210: less than one in twenty
        (-100, 112, "-100 +112"),
        (-112, 100, "-112 +100"),
        (0, 5, "-0 +5"),
        (-5, 0, "-5 +0"),
    ],
)
def test_ends_are_printed_as_one_where_they_hardly_differ(low: int, high: int, text: str) -> None:
    assert Elo(1000, 1000 + low, 1000 + high).errors() == text
