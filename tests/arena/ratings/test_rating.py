"""Ratings compared with choix and with the formulas of other programs."""

import importlib
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations
from types import ModuleType

import pytest

from arena.ratings.rating import ELO, PRIOR_ELO, Ratings, rate
from arena.ratings.text import elo_cells, ratings_text
from arena.results.store import EventRow
from referee.records.result import SeatRow

Match = tuple[SeatRow, ...]

PENALTY = (ELO / PRIOR_ELO) ** 2 / 2
"""The prior as a factor for choix: -log of its density is this times the square."""


@pytest.fixture
def choix() -> ModuleType:
    """Import choix for the tests that use it: it needs SciPy, a second of CPU time."""
    return importlib.import_module("choix")


def seat(player: str, place: int, fault: str | None = None) -> SeatRow:
    return SeatRow(player, 0, place, "0", fault, 0, 0, 0, 0)


def match(*players: str, places: Sequence[int] = (1, 2, 3, 4, 5, 6)) -> Match:
    """Return a match; players are by seat, without places in the order of their places."""
    return tuple(seat(player, place) for player, place in zip(players, places, strict=False))


def elos(ratings: Ratings) -> dict[str, float]:
    """Return the Elo relative to the mean."""
    return ratings.strengths.elos()


def names(count: int) -> list[str]:
    return [f"p{number:02}" for number in range(count)]


def simulated(
    strengths: dict[str, float], matches: int, seed: int, *, first: float = 0.0, tie: float = 0.0
) -> list[Match]:
    """Simulate matches of two with a first-move advantage; draws leave the expected score."""
    dice = random.Random(seed)
    played = []
    for _ in range(matches):
        one, other = dice.sample(sorted(strengths), 2)
        score = 1 / (1 + math.exp(strengths[other] - first - strengths[one]))
        draw = tie * min(score, 1 - score)
        weights = [score - draw / 2, 1 - score - draw / 2, draw]
        places = dice.choices([(1, 2), (2, 1), (1, 1)], weights)[0]
        played.append(match(one, other, places=places))
    return played


def both_ways(matches: Sequence[Match]) -> list[Match]:
    """Return every match twice, with swapped seats, so that moving first has no value."""
    return [swapped for each in matches for swapped in (each, each[::-1])]


def test_two_seats_without_ties_agree_with_choix_to_three_decimals(choix: ModuleType) -> None:
    players = names(8)
    dice = random.Random(1)
    strengths = {player: dice.gauss(0, 1) for player in players}
    matches = both_ways(simulated(strengths, 300, 2))
    in_order = (sorted(one, key=lambda each: each.place) for one in matches)
    pairs = [
        (players.index(first.player), players.index(second.player)) for first, second in in_order
    ]

    expected = choix.opt_pairwise(len(players), pairs, alpha=PENALTY, tol=1e-10)

    found = elos(rate(matches))
    assert [found[player] / ELO for player in players] == pytest.approx(list(expected), abs=5e-4)


def test_four_seats_agree_with_choix_on_all_their_comparisons_to_three_decimals(
    choix: ModuleType,
) -> None:
    players = names(6)
    dice = random.Random(3)
    tables = [dice.sample(players, 4) for _ in range(60)]
    # Each player sits first once in every order, so the first seat has no value.
    matches = [
        tuple(seat(order[number], number + 1) for number in seating)
        for order in tables
        for seating in ((0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2))
    ]
    pairs = [
        (players.index(one), players.index(other))
        for order in tables
        for one, other in combinations(order, 2)
    ] * 4

    expected = choix.opt_pairwise(len(players), pairs, alpha=PENALTY, tol=1e-10)

    ratings = rate(matches)
    found = elos(ratings)
    assert [each.elo.value for each in ratings.seats] == pytest.approx([0] * 4, abs=1e-3)
    assert [found[player] / ELO for player in players] == pytest.approx(list(expected), abs=5e-4)


def test_strengths_first_move_and_ties_are_recovered_from_a_simulation() -> None:
    strengths = dict(zip("abcde", [-1.0, -0.5, 0.0, 0.5, 1.0], strict=True))

    ratings = rate(simulated(strengths, 20_000, 4, first=0.3, tie=0.5))

    assert elos(ratings) == pytest.approx(
        {player: ELO * strength for player, strength in strengths.items()}, abs=15
    )
    assert ratings.first_move is not None
    assert ratings.first_move.value == pytest.approx(0.3 * ELO, abs=10)


def test_strengths_are_recovered_from_matches_of_six_with_shared_places() -> None:
    """Places of six by exponential clocks (Plackett-Luce); then the last three share place 4."""
    strengths = dict(zip("abcdef", [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0], strict=True))
    dice = random.Random(5)
    matches = []
    for _ in range(800):
        clocks = {each: dice.expovariate(math.exp(by)) for each, by in strengths.items()}
        order = sorted(clocks, key=clocks.__getitem__)
        places = {each: min(place, 4) for place, each in enumerate(order, start=1)}
        seats = dice.sample("abcdef", 6)
        matches.append(match(*seats, places=[places[each] for each in seats]))

    ratings = rate(matches)

    assert [each.player for each in ratings.players] == list("fedcba")
    assert elos(ratings) == pytest.approx(
        {player: ELO * strength for player, strength in strengths.items()}, abs=45
    )


def test_a_shared_last_place_compares_no_players() -> None:
    duels = both_ways([match("b", "c")] * 6)
    seatings = [
        tuple(seat(player, 1 if player == "a" else 2) for player in order)
        for order in permutations("abc")
    ]

    alone, among = elos(rate(duels)), elos(rate([*duels, *seatings * 20]))

    assert among["b"] - among["c"] > 0.6 * (alone["b"] - alone["c"])


def test_a_place_shared_ahead_of_others_is_a_tie() -> None:
    duels = both_ways([match("b", "c")] * 6)
    seatings = [
        tuple(seat(player, {"a": 1, "b": 2, "c": 2, "d": 4}[player]) for player in order)
        for order in permutations("abcd")
    ]

    alone, among = elos(rate(duels)), elos(rate([*duels, *seatings * 5]))

    assert among["b"] - among["c"] < 0.5 * (alone["b"] - alone["c"])
    assert among["a"] > among["b"] > among["c"] > among["d"]


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_a_draw_of_all_seats_counts(seats: int) -> None:
    players = names(seats)
    wins = [match(*players), match(*players[:1], *players[:0:-1])] * 10
    draws = [match(*players, places=(1,) * seats)] * 10

    before, after = rate(wins), rate(wins + draws)

    assert 0 < after.players[0].elo.value < before.players[0].elo.value
    assert after.comparisons.ignored == 0


def test_honest_losers_who_share_a_place_are_not_tied_by_an_offender_behind_them() -> None:
    duels = both_ways([match("b", "c")] * 6)
    places = {"a": 1, "b": 2, "c": 2, "d": 4}
    seatings = [
        tuple(seat(player, places[player], "crash" if player == "d" else None) for player in order)
        for order in permutations("abcd")
    ]

    alone, among = elos(rate(duels)), elos(rate([*duels, *seatings * 5]))

    assert among["b"] - among["c"] > 0.6 * (alone["b"] - alone["c"])


def test_the_order_of_the_matches_has_no_effect() -> None:
    matches = simulated(dict(zip("abcd", [-1, 0, 0, 1], strict=True)), 200, 6, first=0.1, tie=0.3)
    mixed = random.Random(7).sample(matches, len(matches))

    assert rate(mixed).players == rate(matches).players


def test_other_names_change_only_the_names() -> None:
    matches = simulated(dict(zip("abc", [-1.0, 0.0, 0.7], strict=True)), 100, 8)
    renamed = [
        tuple(seat({"a": "z", "b": "m", "c": "k"}[each.player], each.place) for each in one)
        for one in matches
    ]

    before, after = elos(rate(matches)), elos(rate(renamed))

    assert [after[name] for name in "zmk"] == pytest.approx([before[name] for name in "abc"])


def test_ten_wins_to_none_stay_finite() -> None:
    ratings = rate(both_ways([match("a", "b")] * 5))

    best, worst = ratings.players
    assert (best.player, worst.player) == ("a", "b")
    assert 600 < best.elo.value < 800
    assert worst.elo == pytest.approx([-best.elo.value, -best.elo.high, -best.elo.low])
    assert best.superiority is not None
    assert 0.999 < best.superiority < 1


def test_draws_alone_give_equal_ratings() -> None:
    ratings = rate([match("a", "b", places=(1, 1))] * 4)

    assert elos(ratings) == pytest.approx({"a": 0, "b": 0})
    assert ratings.players[0].superiority == pytest.approx(0.5)


def test_a_draw_reduces_the_difference_of_two_ratings() -> None:
    wins = both_ways([match("a", "b")] * 3)
    draws = both_ways([match("a", "b", places=(1, 1))] * 3)

    assert elos(rate(wins))["a"] > elos(rate(wins + draws))["a"] > 0


def test_always_winning_in_the_first_seat_is_the_first_move_not_strength() -> None:
    ratings = rate([match("a", "b"), match("b", "a")] * 20)

    assert elos(ratings) == pytest.approx({"a": 0, "b": 0})
    assert ratings.first_move is not None
    assert ratings.first_move.low > 0


def test_a_seat_with_a_fault_loses_in_any_place() -> None:
    at_fault = [(seat("a", 1, "crash"), seat("b", 2))] * 4

    assert elos(rate(at_fault)) == elos(rate([match("a", "b", places=(2, 1))] * 4))
    assert "faults count as losses: 4" in ratings_text(rate(at_fault))


def test_a_match_in_which_all_are_at_fault_is_ignored() -> None:
    ratings = rate([match("a", "b"), (seat("a", 1, "crash"), seat("b", 1, "crash"))])

    assert ratings.comparisons.ignored == 1
    assert [each.matches for each in ratings.players] == [1, 1]


def test_two_offenders_of_three_are_not_compared() -> None:
    ratings = rate([(seat("a", 2, "crash"), seat("b", 3, "timeout"), seat("c", 1))] * 3)

    found = elos(ratings)
    assert found["c"] > 0
    # The first move explains the remaining difference.
    assert abs(found["a"] - found["b"]) < found["c"] / 3


def test_groups_without_connecting_matches_are_separate() -> None:
    ratings = rate([match("a", "b"), match("c", "d"), match("d", "e")])

    assert ratings.groups == 2
    assert {each.player: each.group for each in ratings.players} == dict(
        zip("abcde", [1, 1, 0, 0, 0], strict=True)
    )
    assert [each.player for each in ratings.players if each.superiority is None] == ["e", "b"]
    text = ratings_text(ratings)
    assert text.startswith("2 groups of players without a match between them")
    assert "\nElo over the mean of each group; a draw is half a win" in text
    assert elo_cells(EventRow(1, "e", 1, {}, "", {}), ratings) == {}


@pytest.mark.parametrize("pair", ["ac", "ax", "xa", "aa"])
def test_no_score_is_expected_of_players_without_a_connecting_match(pair: str) -> None:
    strengths = rate([match("a", "b"), match("c", "d")]).strengths

    assert strengths.expected_score(*pair) is None
    assert (strengths.expected_score("a", "b") or 0) > 0.5


def test_a_gate_has_no_second_rating_beside_its_verdict() -> None:
    ratings = rate([match("a", "b")] * 4)
    event = EventRow(1, "e", 1, {}, "", {})

    assert set(elo_cells(event, ratings)) == {"a", "b"}
    assert elo_cells(replace(event, config={"format": "gate"}), ratings) == {}


def test_matches_for_one_are_no_ratings() -> None:
    ratings = rate([match("a"), match("b")])

    assert ratings.players == ()
    assert ratings_text(ratings) == ("left out: 2 of one player, or with all at fault")


def test_no_matches_are_no_ratings() -> None:
    assert ratings_text(rate([])) == "no matches yet"


def test_the_ratings_in_text() -> None:
    matches = both_ways([match("ann", "bob")] * 5 + [match("ann", "cat", places=(1, 1))])
    both_at_fault = (seat("ann", 1, "crash"), seat("bob", 1, "crash"))

    ratings = rate([*matches, both_at_fault])

    assert ratings_text(ratings).splitlines() == [
        "#  bot   Elo       95 %  stronger than the next  matches",
        "-  ---  ----  ---------  ----------------------  -------",
        "1  ann  +234  -239 +385                  57.1 %       12",
        "2  cat  +200       ±402                  96.2 %        2",
        "3  bob  -434  -672 +346                               10",
        "",
        "Elo over the bots' mean; a draw is half a win; 95 % intervals;",
        "with few matches, Elos stay close together (prior: normal, deviation 600);",
        "left out: 1 of one player, or with all at fault",
        "advantage of the first move: not clear (+0 ±375 Elo)",
    ]


def test_a_chain_of_wins_is_ranked_transitively() -> None:
    ratings = rate(both_ways([match(one, other) for one, other in zip("abc", "bcd", strict=True)]))

    assert [each.player for each in ratings.players] == list("abcd")


def test_every_seating_of_equals_gives_equal_ratings() -> None:
    matches = [
        match(*order, places=places)
        for order in permutations("abc")
        for places in permutations((1, 2, 3))
    ]

    assert elos(rate(matches)) == pytest.approx({"a": 0, "b": 0, "c": 0}, abs=1e-6)
