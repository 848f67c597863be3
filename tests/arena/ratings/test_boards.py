"""Matches on the same board belong together in the errors of ratings."""

import math
import random
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from counted import sat
from events import job_of, keep, new_event, new_store, won_by

from arena.formats.event_results import table_of
from arena.ratings.pairs import elo_of
from arena.ratings.pool import pooled
from arena.ratings.rating import rate_outcomes
from arena.ratings.text import rate_text
from arena.results.standings import RatedMatch


def widths(outcomes: Counter[RatedMatch]) -> list[float]:
    return [each.elo.high - each.elo.low for each in rate_outcomes(outcomes).players]


def without_boards(outcomes: Counter[RatedMatch]) -> Counter[RatedMatch]:
    alone: Counter[RatedMatch] = Counter()
    for outcome, times in outcomes.items():
        alone[outcome._replace(board=())] += times
    return alone


def swept(boards: int, seed: int) -> Counter[RatedMatch]:
    """Return boards which the same bot of two wins from both seats."""
    dice = random.Random(seed)
    outcomes: Counter[RatedMatch] = Counter()
    for board in range(boards):
        places = dice.choice([(1, 2), (2, 1)])
        outcomes[sat("a", "b", places, board)] += 1
        outcomes[sat("b", "a", places[::-1], board)] += 1
    return outcomes


def test_boards_that_suit_a_bot_count_once() -> None:
    """Two matches with one result are one: the error grows by the root of 2."""
    outcomes = swept(60, 1)

    together, alone = widths(outcomes)[0], widths(without_boards(outcomes))[0]

    assert together == pytest.approx(math.sqrt(2) * alone, rel=0.06)


def test_boards_won_by_the_first_seat_say_that_two_bots_are_equal() -> None:
    outcomes: Counter[RatedMatch] = Counter()
    for board in range(60):
        places = (1, 2) if board % 2 else (2, 1)
        outcomes[sat("a", "b", places, board)] += 1
        outcomes[sat("b", "a", places, board)] += 1

    together, alone = widths(outcomes)[0], widths(without_boards(outcomes))[0]

    assert together < alone / 4


def test_errors_of_two_bots_are_those_of_pairs_of_matches() -> None:
    dice = random.Random(3)
    outcomes: Counter[RatedMatch] = Counter()
    bins = [0] * 5
    for board in range(100):
        suits = dice.gauss(0.1, 0.3)
        points = 0.0
        for seats in (("a", "b"), ("b", "a")):
            is_won = dice.random() < 0.5 + suits
            points += is_won
            places = (1, 2) if is_won == (seats[0] == "a") else (2, 1)
            outcomes[sat(*seats, places, board)] += 1
        bins[round(2 * points)] += 1
    elo, error = elo_of(bins)

    rated = next(each for each in rate_outcomes(outcomes).players if each.player == "a")

    assert rated.elo.value == pytest.approx(elo, abs=3)
    assert (rated.elo.high - rated.elo.low) / 2 == pytest.approx(error, rel=0.05)


def test_errors_of_many_bots_grow_with_boards_that_suit_one_of_them() -> None:
    """On each board one bot beats everybody: its matches there are one result, not four."""
    dice = random.Random(4)
    outcomes: Counter[RatedMatch] = Counter()
    for board in range(40):
        strong = dice.choice("abc")
        for one in "abc":
            for other in "abc":
                if one != other:
                    is_won = one == strong if strong in (one, other) else dice.random() < 0.5
                    outcomes[sat(one, other, (1, 2) if is_won else (2, 1), board)] += 1

    together, alone = widths(outcomes), widths(without_boards(outcomes))

    assert all(1.2 < one / other < 2.2 for one, other in zip(together, alone, strict=True))


def test_one_board_alone_says_nothing_about_boards() -> None:
    outcomes: Counter[RatedMatch] = Counter()
    for number in range(40):
        outcomes[sat("a", "b", (1, 2) if number % 3 else (2, 1), 0)] += 1

    assert widths(outcomes) == pytest.approx(widths(without_boards(outcomes)), rel=0.03)


def test_boards_with_the_same_opening_count_once(tmp_path: Path) -> None:
    """Each of eight openings is won by the same bot on ten boards, from both seats."""
    rated = {}
    with closing(new_store(tmp_path)) as store:
        for lines in (8, 80):
            openings = [str(number) for number in range(lines)]
            number = new_event(store, ["ann", "bob"], opening_lines=openings)
            for board in range(80):
                for names, winner in ((("ann", "bob"), board % 2), (("bob", "ann"), 1 - board % 2)):
                    job = job_of(*names, key=f"{board} {names[0]}")
                    keep(store, number, won_by(job, winner), board)
            event = store.event(number)
            assert event is not None
            assert f"95 % intervals from {lines} boards;" in rate_text(store, event)
            pool = pooled([(store, event)])
            assert widths(pool.outcomes) == widths(table_of(store, event).outcomes)
            rated[lines] = widths(pool.outcomes)[0]

    # Student's factors of eight clusters and of many are 2.36 and 1.96
    assert rated[8] == pytest.approx(math.sqrt(10) * rated[80], rel=0.3)
