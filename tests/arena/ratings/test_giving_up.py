"""Matches given up to one opponent: found where bots help another one, and nowhere else."""

import math
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path
from random import Random

import pytest
from events import crashed, job_of, keep, new_event, new_store, rekeyed, won_by

from arena.ratings.giving_up import MatchResult, Tally, _chance, giving_up_text, marks
from arena.ratings.rating import ELO, rate_outcomes
from arena.ratings.student import NORMAL
from arena.reports.notes import notes_of
from referee.job import PERSON

NAMES = [f"bot{number}" for number in range(8)]
"""The bots of a simulated event, strongest first."""
HELPED = "bot3"
HELPERS = ("bot0", "bot1", "bot2", "bot4")
Habit = Callable[[str, str], float]
"""Probability that a loss of a player to an opponent is given up."""


def never(player: str, opponent: str) -> float:
    del player, opponent
    return 0.0


def like_to_all(player: str, opponent: str) -> float:
    del opponent
    return NAMES.index(player) / len(NAMES)


def to_the_strongest(player: str, opponent: str) -> float:
    """Return the habit of engines that resign to a strong opponent only."""
    del player
    return float(opponent == NAMES[0])


def simulated(
    seed: int,
    habit: Habit = never,
    *,
    helpers: tuple[str, ...] = (),
    crashing: tuple[str, ...] = (),
    repeat: int = 40,
) -> Counter[MatchResult]:
    """Return the results of a round robin of bots with random strengths.

    The helpers give up all their matches against HELPED. Crashing bots crash in one of ten matches.
    """
    chance = Random(seed)
    strengths = sorted((chance.gauss(0, 150) for _ in NAMES), reverse=True)
    elo = dict(zip(NAMES, strengths, strict=True))
    results: Counter[MatchResult] = Counter()
    for pair in permutations(NAMES, 2):
        one, other = pair
        for _ in range(repeat // 2):
            winner = int(chance.random() > 1 / (1 + math.exp((elo[other] - elo[one]) / 174)))
            is_given_up = chance.random() < habit(pair[1 - winner], pair[winner])
            for seat, name in enumerate(pair):
                if name in crashing and chance.random() < 0.1:
                    winner, is_given_up = 1 - seat, True
            if HELPED in pair and not set(helpers).isdisjoint(pair):
                winner, is_given_up = pair.index(HELPED), True
            results[MatchResult(one, other, 1 - 2 * winner, is_given_up)] += 1
    return results


@pytest.mark.simulation
@pytest.mark.parametrize("habit", [never, like_to_all, to_the_strongest])
def test_no_honest_bot_is_marked(habit: Habit) -> None:
    assert [mark for seed in range(40) for mark in marks(simulated(seed, habit))] == []


@pytest.mark.parametrize("repeat", [10, 40])
def test_a_bot_that_crashes_now_and_then_is_not_marked(repeat: int) -> None:
    events = [simulated(seed, crashing=("bot0", "bot5"), repeat=repeat) for seed in range(40)]

    assert [mark for results in events for mark in marks(results)] == []


@pytest.mark.parametrize("helpers", [HELPERS, HELPERS[:1]])
def test_helpers_that_resign_to_one_bot_are_marked(helpers: tuple[str, ...]) -> None:
    for seed in range(10):
        found = marks(simulated(seed, helpers=helpers))

        assert [(mark.player, mark.opponent) for mark in found] == [
            (helper, HELPED) for helper in helpers
        ]
        assert all(mark.here.given_up == mark.here.losses == 40 for mark in found)


@pytest.mark.parametrize(("known", "marked"), [(1, set()), (40, {"ann", "bob", "cat"})])
def test_an_opponent_of_unknown_strength_marks_nobody(known: int, marked: set[str]) -> None:
    helpers, honest = ("ann", "bob", "cat"), ("dan", "eve")
    results: Counter[MatchResult] = Counter()
    for helper in helpers:
        results[MatchResult(helper, "rival", -1, is_given_up=True)] += 24
    pairs = [(helper, other, 16) for helper in helpers for other in honest]
    for one, other, count in [*pairs, (*honest, 16), *(("rival", each, known) for each in honest)]:
        for won in (1, -1):
            results[MatchResult(one, other, won, is_given_up=False)] += count

    assert {mark.player for mark in marks(results)} == marked


def test_draws_and_a_pair_alone_mark_nobody() -> None:
    draws = {
        MatchResult(one, other, 0, is_given_up=False): 9 for one, other in permutations(NAMES, 2)
    }
    alone = {MatchResult("ann", "bob", 1, is_given_up=True): 100}

    assert marks({}) == marks(draws) == marks(alone) == []


def test_the_note_names_the_losses_and_how_to_see_them(tmp_path: Path) -> None:
    ahead = [crashed(job_of("ann", "cat"), 1)]
    ahead += [
        won_by(job_of(*names), winner)
        for pair in (("ann", "bob"), ("bob", "cat"))
        for names in permutations(pair)
        for winner in (0, 1)
    ]
    with closing(new_store(tmp_path)) as store:
        event = new_event(store, ["ann", "bob", "cat"])
        for number, record in enumerate(ahead[:1] * 24 + ahead * 8):
            keep(store, event, rekeyed(record, str(number)))
        with store.database.transaction() as db:
            db.execute("UPDATE match SET termination = 'normal' WHERE termination = 'resignation'")
        row = store.event(event)
        assert row is not None

        lines = dict(notes_of(store, row))["matches given up to one opponent"].splitlines()
        of_person = giving_up_text(store, replace(row, entrants={**row.entrants, "bob": PERSON}))

    assert of_person == ""
    assert lines == [
        "bot  opponent  losses given up  to all others  score against expectation",
        "---  --------  ---------------  -------------  -------------------------",
        "cat       ann         32 of 32        0 of 16       -3.8 standard errors",
        "Given up by resignations or faults: these bots fail against this opponent, or help it.",
        "Look at their matches: arena show 1 --bot NAME",
    ]


def test_an_event_without_any_match_given_up_has_no_marks(tmp_path: Path) -> None:
    with closing(new_store(tmp_path)) as store:
        number = new_event(store, ["ann", "bob"])
        record = won_by(job_of("ann", "bob"), 0)
        for match in range(32):
            keep(store, number, rekeyed(record, str(match)))
        event = store.event(number)
        assert event is not None

        assert giving_up_text(store, event) == ""


def test_the_chance_of_a_mark_is_that_of_a_draw_without_replacement() -> None:
    """Matches of `here` and elsewhere, of which as many as were given up are drawn."""
    for here, elsewhere in product(range(7), repeat=2):
        for ups in range(here + elsewhere + 1):
            ways = [math.comb(here, k) * math.comb(elsewhere, ups - k) for k in range(ups + 1)]
            for found in range(max(0, ups - elsewhere), min(here, ups) + 1):
                expected = sum(ways[found:]) / sum(ways)
                assert _chance(found, ups - found, here, elsewhere) == pytest.approx(expected)


@pytest.mark.parametrize("draws", [0, 20])
@pytest.mark.parametrize("helpers", [("ann",), ("ann", "bob")])
def test_the_deviation_has_the_errors_of_matches_and_of_ratings(
    helpers: tuple[str, ...], draws: int
) -> None:
    """All are as strong as dan, so that a helper is expected to win 12 of 24 matches."""
    trusted: Counter[MatchResult] = Counter()
    for one in (*helpers, "rival"):
        for first, second in permutations((one, "dan")):
            for won, count in ((1, 20), (-1, 20), (0, draws)):
                trusted[MatchResult(first, second, won, is_given_up=False)] += count
    given_up: Counter[MatchResult] = Counter()
    for helper in helpers:
        given_up[MatchResult(helper, "rival", -1, is_given_up=True)] = 8
        given_up[MatchResult("rival", helper, 1, is_given_up=True)] = 16

    found = marks(trusted + given_up)

    ratings = rate_outcomes({result.outcome: count for result, count in trusted.items()})
    errors = {
        each.player: (each.elo.high - each.elo.low) / 2 / NORMAL / ELO for each in ratings.players
    }
    matches = 80 * (1 + len(helpers))
    spread = (1 + matches / 4) / (1 + (matches + 2 * draws * (1 + len(helpers))) / 4)
    variance = len(helpers) * (6 * spread + (6 * errors["ann"]) ** 2)
    variance += (6 * len(helpers) * errors["rival"]) ** 2
    deviation = -12 * len(helpers) / math.sqrt(variance)
    elsewhere = Tally(0, 40, 80 + 2 * draws)
    assert [mark[:4] for mark in found] == [
        (helper, "rival", Tally(24, 24, 24), elsewhere) for helper in helpers
    ]
    assert [mark.deviation for mark in found] == pytest.approx([deviation] * len(helpers))
