"""Ratings of a season, with the ratings of an event and simulated results as oracles."""

import math
import random
from collections import Counter

import pytest

from arena.league.ladder.places import mean_score, table, undecided
from arena.league.ladder.profiles import FARTHEST, ends
from arena.league.ladder.ratings import fit
from arena.league.ladder.season import Entrant
from arena.league.ladder.tally import Tally
from arena.ratings.rating import rate_outcomes
from arena.results.standings import RatedMatch, RatedSeat


def played(*seats: tuple[str, int]) -> RatedMatch:
    return RatedMatch(tuple(RatedSeat(player, place, fault=False) for player, place in seats))


def pair(one: str, other: str, wins: int) -> list[RatedMatch]:
    """Return a mirrored pair, of which the first player wins some matches."""
    results = [(1, 2)] * wins + [(2, 1)] * (2 - wins)
    return [
        played((one, results[0][0]), (other, results[0][1])),
        played((other, results[1][1]), (one, results[1][0])),
    ]


def test_ratings_are_the_elo_of_the_expected_score() -> None:
    tally = Tally()
    tally.add_pairing("a", "house", times=100_000, score=75_000)

    rated = fit([Entrant("house", is_house=True), Entrant("a")], tally)

    assert rated.elos["house"].value == pytest.approx(1500)
    # the pairing's own effect leaves the prior a say: one opponent shows little about a field
    assert 1500 < rated.elos["a"].value < 1500 + 400 * math.log10(3) + 1


def test_a_unit_counts_as_its_matches() -> None:
    tally, counts = Tally(), Tally()
    for wins in (2, 1, 1, 0):
        tally.add(pair("a", "b", wins))
    counts.add_pairing("b", "a", times=8, score=4)

    assert list(tally.pairings()) == list(counts.pairings())
    assert tally.matches == Counter(a=8, b=8)


def test_a_removed_unit_leaves_no_trace() -> None:
    tally = Tally()
    tally.add(pair("a", "b", 1))
    tally.remove(pair("a", "b", 1))

    assert list(tally.pairings()) == []
    assert not tally.recent
    assert +tally.matches == Counter()


def test_a_match_of_several_seats_compares_every_two() -> None:
    tally = Tally()
    tally.add([played(("a", 1), ("b", 2), ("c", 3))])

    assert tally.between("c", "a") == (1, 0)
    assert tally.between("b", "c") == (1, 1)
    assert tally.between("a", "d") == (0, 0)


def simulated(number: int, units: int, seed: int) -> tuple[dict[str, float], list[RatedMatch]]:
    dice = random.Random(seed)
    true = {f"v{at:02}": dice.gauss(1500, 200) for at in range(number)}
    matches = []
    for _ in range(units):
        one, other = dice.sample(sorted(true), 2)
        for first, second in ((one, other), (other, one)):
            p = 1 / (1 + 10 ** ((true[second] - true[first]) / 400))
            matches.append(
                played((first, 1), (second, 2))
                if dice.random() < p
                else played((first, 2), (second, 1))
            )
    return true, matches


def test_ratings_agree_with_those_of_an_event() -> None:
    _, matches = simulated(12, 2000, seed=1)
    tally = Tally()
    for one, other in zip(matches[::2], matches[1::2], strict=True):
        tally.add([one, other])

    event = {each.player: each.elo for each in rate_outcomes(Counter(matches)).players}
    season = fit([Entrant(name) for name in sorted(event)], tally)

    for name, elo in event.items():
        assert season.elos[name].value - 1500 == pytest.approx(elo.value, abs=10)
        width = season.elos[name].high - season.elos[name].low
        assert width == pytest.approx(elo.high - elo.low, rel=0.35)


def test_a_new_version_is_rated_as_its_predecessor_with_a_wide_error() -> None:
    tally = Tally()
    for rival in ("b", "c", "d"):
        tally.add_pairing("a1", rival, times=200, score=150)
        tally.add_pairing("house", rival, times=200, score=100)

    rated = fit(
        [
            Entrant("house", is_house=True),
            *map(Entrant, "bcd"),
            Entrant("a1", is_active=False),
            Entrant("a2", "a1"),
        ],
        tally,
    )

    assert "a1" not in rated.elos
    assert rated.elos["a2"].value == pytest.approx(rated.strengths["a1"])
    assert 100 < rated.error("a2") < 400
    assert rated.matches["a2"] == 0


def test_a_fit_from_an_earlier_one_is_the_same() -> None:
    _, matches = simulated(8, 400, seed=2)
    entrants = [Entrant(f"v{at:02}") for at in range(8)]
    tally = Tally()
    for one, other in zip(matches[:400:2], matches[1:400:2], strict=True):
        tally.add([one, other])
    before = fit(entrants, tally)
    for one, other in zip(matches[400::2], matches[401::2], strict=True):
        tally.add([one, other])

    after, cold = fit(entrants, tally, before=before), fit(entrants, tally)

    for name, elo in cold.elos.items():
        assert after.elos[name] == pytest.approx(elo, abs=2)


def test_an_interval_has_ends_where_the_likelihood_is_flat() -> None:
    less, more = ends(-1.96, (-2.5, 0.1), [(-0.8, 40, 0)], 4.0)

    assert 0 < more < less < FARTHEST


def test_one_rival_carries_nobody() -> None:
    """A bot that wins thousands of matches against one rival, and half of those with all others."""
    tally = Tally()
    others = [f"v{at:02}" for at in range(12)]
    for at, one in enumerate(others):
        for other in others[:at]:
            tally.add_pairing(one, other, times=200, score=100)
        tally.add_pairing("farmer", one, times=200, score=100)
    tally.add_pairing("farmer", "v00", times=20_000, score=19_800)

    rated = fit([*map(Entrant, others), Entrant("farmer")], tally)

    assert rated.elos["farmer"].value - rated.elos["v01"].value < 60


def test_versions_share_a_place_where_their_difference_is_not_sure() -> None:
    tally = Tally()
    names = ["a", "b", "c"]
    tally.add_pairing("a", "b", times=20, score=11)
    for name in ("a", "b"):
        tally.add_pairing(name, "c", times=400, score=320)

    rated = fit([Entrant(name) for name in names], tally)
    rows = table(rated, tally, names)

    assert [(row.place, row.version) for row in rows] == [(1, "a"), (1, "b"), (3, "c")]
    assert undecided(rated, names) == [("a", "b")]


def test_the_mean_score_counts_each_rival_once() -> None:
    tally = Tally()
    tally.add_pairing("a", "weak", times=10_000, score=10_000)
    tally.add_pairing("a", "strong", times=100, score=0)

    rated = fit([*map(Entrant, ("a", "weak", "strong"))], tally)
    mean = mean_score(rated, tally, "a", ["a", "weak", "strong"])

    assert mean == pytest.approx(0.5, abs=0.02)


def test_nothing_is_played_yet() -> None:
    rated = fit([Entrant("house", is_house=True), Entrant("a")], Tally())

    assert rated.elos["a"].value == pytest.approx(1500)
    assert [point.version for point in rated.points(5.0)] == ["a", "house"]
    assert fit([], Tally()).points(5.0) == []
