"""Elo is that of the expected score, as other programs print it, with errors that fit draws."""

import math
from collections import Counter

import pytest
from counted import results, sat

from arena.ratings.rating import rate_outcomes
from arena.ratings.text import ratings_text, scale_text
from arena.results.standings import RatedMatch, RatedSeat, rated_match
from referee.records.result import SeatRow


def usual(wins: int, draws: int, losses: int) -> tuple[float, float]:
    """Return Elo and 95 % error as cutechess prints them: from mean and variance of the points."""
    number = wins + draws + losses
    mean = (wins + draws / 2) / number
    variance = (wins + draws / 4) / number - mean**2
    slope = 400 / math.log(10) / (mean * (1 - mean))
    return -400 * math.log10(1 / mean - 1), 1.96 * slope * math.sqrt(variance / number)


@pytest.mark.parametrize(
    "counts",
    [(120, 0, 80), (110, 60, 30), (130, 240, 30), (60, 320, 20), (24, 368, 8)],
    ids=str,
)
def test_two_bots_differ_by_the_elo_of_their_score(counts: tuple[int, int, int]) -> None:
    best = rate_outcomes(results(*counts)).players[0]

    elo, error = usual(*counts)
    assert best.elo.value == pytest.approx(elo, abs=1)
    assert (best.elo.high - best.elo.low) / 2 == pytest.approx(error, rel=0.05)


def test_a_table_of_two_prints_their_difference() -> None:
    assert ratings_text(rate_outcomes(results(130, 240, 30))).splitlines() == [
        "#  bot  Elo  95 %  stronger than the next  matches",
        "-  ---  ---  ----  ----------------------  -------",
        "1  a    +89   ±21                 >99.9 %      400",
        "2  b    -89   ±21                              400",
        "",
        "Elo over the other bot; a draw is half a win; 95 % intervals;",
        "with few matches, Elos stay close together (prior: normal, deviation 600)",
        "advantage of the first move: not clear (+0 ±21 Elo)",
    ]


def test_what_a_seat_is_worth_does_not_change_the_elo_of_a_score() -> None:
    """11 of 20 are 35 Elo, also where the first seat wins nearly always."""
    even = results(11, 0, 9)
    first = Counter({sat("a", "b", (1, 2)): 10, sat("b", "a", (1, 2)): 9, sat("b", "a", (2, 1)): 1})

    one, other = (rate_outcomes(each).players[0].elo for each in (even, first))

    assert one.value == pytest.approx(35, abs=1)
    assert other.value == pytest.approx(35, abs=2)
    assert other.high - other.low < 0.8 * (one.high - one.low)


def test_unequal_numbers_of_first_moves_are_no_strength() -> None:
    """Both win 7 of 10 as first; "a" is first in 100 matches, "b" in 10."""
    outcomes = Counter(
        {
            sat("a", "b", (1, 2)): 70,
            sat("a", "b", (2, 1)): 30,
            sat("b", "a", (1, 2)): 7,
            sat("b", "a", (2, 1)): 3,
        }
    )

    ratings = rate_outcomes(outcomes)

    assert ratings.players[0].elo.value == pytest.approx(0, abs=2)
    assert ratings.first_move is not None
    assert ratings.first_move.value == pytest.approx(147, abs=3)


def test_unplayed_matches_are_not_rated_and_the_table_says_so() -> None:
    played = results(3, 0, 5)
    row = SeatRow("a", 0, 2, "0", "crash", 0, 0, 0, 0, is_unplayed=True)
    unplayed = Counter({rated_match((row, SeatRow("b", 1, 1, "1", None, 0, 0, 0, 0))): 40})

    ratings = rate_outcomes(played + unplayed)

    assert ratings.players == rate_outcomes(played).players
    assert "\nleft out: 40 unplayed" in ratings_text(ratings)


def test_draws_alone_leave_an_interval() -> None:
    elo = rate_outcomes(results(0, 100)).players[0].elo

    assert elo.value == pytest.approx(0, abs=1e-6)
    assert 5 < elo.high - elo.low < 40


def test_every_line_under_a_table_fits_a_terminal() -> None:
    """Also with many boards, faults, unplayed matches, and an anchor with the longest name."""
    many = results(3, 1, 2)
    many += Counter({sat("a", "b", (1, 2), board): 1 for board in range(12_345)})
    crash = RatedMatch((RatedSeat("a", 2, fault=True), RatedSeat("b", 1, fault=False)))
    many += Counter({crash: 12_345, crash._replace(is_unplayed=True): 12_345})

    anchors: list[dict[str, float]] = [{}, {"a": 12_345.5}]
    for anchor in anchors:
        lines = scale_text(rate_outcomes(many, anchor)).splitlines()
        assert "95 % intervals from 12345 boards" in " ".join(lines)
        assert "losses: 12345; left out: 12345 unplayed" in " ".join(lines)
        assert max(map(len, lines)) <= 80


def test_the_advantages_of_four_seats_fit_a_terminal() -> None:
    seats = tuple(RatedSeat(name, place, fault=False) for place, name in enumerate("abcd", 1))

    lines = ratings_text(rate_outcomes(Counter({RatedMatch(seats): 2}))).splitlines()

    assert any(line.startswith("advantage of the seats of 4") for line in lines)
    assert max(map(len, lines)) <= 80
