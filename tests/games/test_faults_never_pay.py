"""A fault never pays, in no game and by no score rule: matches of bots that fail at random."""

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from every_game import CASES, Case
from fakes import (
    DONE,
    FIRST,
    GARBAGE,
    RESIGN,
    Fail,
    FailedBot,
    FakeBot,
    Hang,
    Played,
    Say,
    Step,
    play_match,
)
from verifying import verify

from protocol.link import ClosedError
from referee.job import MILLISECOND_NS, ScoreRule, TimeControl
from referee.options import game_options

LIMIT_MS = 100
TIME = TimeControl(
    clock="wall",
    init_ns=LIMIT_MS * MILLISECOND_NS,
    per_move_ns=LIMIT_MS * MILLISECOND_NS,
    term_ns=LIMIT_MS * MILLISECOND_NS,
    grace_ns=0,
)
RULES = {
    "points alone": ScoreRule(),
    "a point a second": ScoreRule(per_second=Decimal(1)),
    "ten points a millisecond": ScoreRule(per_second=Decimal(10_000)),
    "1 % a millisecond": ScoreRule(percent_per_ms=Decimal(1), floor=Decimal(0)),
    "0.01 % a millisecond": ScoreRule(percent_per_ms=Decimal("0.01")),
    "all of it": ScoreRule(percent_per_ms=Decimal("0.1"), per_second=Decimal(3), floor=Decimal(-2)),
}
GONE = Fail(ClosedError("gone"), ended="exit code 1", wall_ms=0)
FAULTS: tuple[Step, ...] = (
    GONE,
    Hang(),
    Say(GARBAGE, wall_ms=0),
    Say({"type": "play", "move": {"of no": "game"}}, wall_ms=0),
    Say(FIRST, wall_ms=LIMIT_MS + 1),
)
PLAYED = [case for case in CASES if not case.game.is_display_due(case.game.start(case.seats, 1))]
Bot = FakeBot | FailedBot
Make = Callable[[], Bot]


def quick(chance: random.Random) -> Say:
    return Say(FIRST, wall_ms=chance.choice([0, 1, LIMIT_MS]))


def some_bot(chance: random.Random, ending: Say) -> tuple[Make, Make]:
    """Return a bot that may fail, and one that ends honestly at that point, as slowly as allowed.

    Both are the same bot if it does not fail.
    """
    opening = [quick(chance) for _ in range(chance.randrange(6))]
    slow_term = Say({"type": "bye"}, wall_ms=LIMIT_MS)
    fault = chance.choice(FAULTS)

    def ends() -> Bot:
        return FakeBot(*opening, ending, term=slow_term)

    def ends_at_once() -> Bot:
        return FakeBot(ending, init=Say({"type": "ready"}, wall_ms=LIMIT_MS), term=slow_term)

    kinds: list[tuple[Make, Make]] = [
        (lambda: FakeBot(*opening, term=Hang()),) * 2,
        (ends, ends),
        (lambda: FakeBot(*opening, fault), ends),
        (lambda: FakeBot(*opening, fault), ends),
        (lambda: FakeBot(init=GONE), ends_at_once),
        (lambda: FakeBot(ping=Hang()), ends_at_once),
        (FailedBot, ends_at_once),
    ]
    return chance.choice(kinds)


def match_of(case: Case, bots: list[Make], rule: ScoreRule) -> Played:
    game: dict[str, Any] = {"game": case.game.name, "options": game_options(case.game)}
    return play_match(*(make() for make in bots), time=TIME, score=rule, **game)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("case", PLAYED, ids=str)
def test_a_seat_at_fault_scores_less_than_the_others_and_than_an_honest_end(
    case: Case, rule: str
) -> None:
    chance = random.Random(f"{case} {rule}")
    ending = Say(DONE if case.seats == 1 else RESIGN, wall_ms=LIMIT_MS)
    for _ in range(4):
        pairs = [some_bot(chance, ending) for _ in range(case.seats)]
        bots = [failing for failing, _ in pairs]
        match = match_of(case, bots, RULES[rule])
        verify(match.record)
        check_offenders_are_last(match)
        for seat in match.verdict.offenders:
            honest = match_of(case, [*bots[:seat], pairs[seat][1], *bots[seat + 1 :]], RULES[rule])
            assert seat not in honest.verdict.offenders
            assert score_of(honest, seat) >= score_of(match, seat)


def check_offenders_are_last(match: Played) -> None:
    verdict = match.verdict
    honest = [seat for seat in match.job.seats() if seat not in verdict.offenders]
    for offender in verdict.offenders:
        assert verdict.places[offender] == 1 + len(honest)
        for seat in honest:
            assert verdict.places[offender] > verdict.places[seat]
            assert verdict.points[offender] <= verdict.points[seat]
            assert score_of(match, offender) <= score_of(match, seat) - 1


def score_of(match: Played, seat: int) -> Decimal:
    return Decimal(match.verdict.scores[seat])


def test_an_illegal_move_that_stops_the_clock_is_worth_less_than_losing_on_it() -> None:
    star = {"game": "chinese_checkers", "options": {"game_size": 3, "max_rounds": 4}}
    rule = ScoreRule(per_second=Decimal(1))
    slow = [Say(FIRST, wall_ms=2000) for _ in range(4)]

    match = play_match(
        FakeBot(*slow),
        FakeBot({"type": "play", "move": {"from": [0, 0], "to": [0, 0]}}),
        FakeBot(*slow),
        time=TimeControl(clock="wall"),
        score=rule,
        **star,
    )

    assert match.verdict.places == (1, 3, 1)
    assert match.verdict.scores == ("-8.002", "-9.002", "-8.002")


def test_a_fault_at_once_is_charged_as_a_bot_that_hangs() -> None:
    alone = {"game": "down_n_out", "options": {"rows": 4, "cols": 5, "colors": 2}}
    rule = ScoreRule(percent_per_ms=Decimal("0.01"))

    def play(step: Step) -> Played:
        return play_match(FakeBot(FIRST, step), time=TIME, score=rule, **alone)

    fails, is_done = play(GONE), play(DONE)

    assert fails.verdict.points == is_done.verdict.points  # they stand
    assert fails.verdict.places == (1,)
    points = fails.verdict.points[0]
    assert score_of(fails, 0) == points * (1 - Decimal("0.0001") * (2 + 2 * LIMIT_MS))
    assert score_of(is_done, 0) == points * (1 - Decimal("0.0001") * 4)
