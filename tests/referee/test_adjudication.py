"""Ends of matches by the scores of both bots, and their check in the record."""

from collections.abc import Iterable
from typing import Any

import pytest
from fakes import FIRST, FakeBot, Played, Step, play_match
from verifying import verify

from protocol.vocabulary import Termination
from referee.job import Adjudication, DrawRule, ResignRule
from referee.records.checking import check_record
from referee.records.record import Record
from referee.records.replay import ReplayError

DRAW = Adjudication(draw=DrawRule(after=8, score=20, moves=3))
RESIGN = Adjudication(resign=ResignRule(score=600, moves=3))


def cp(score: int) -> dict[str, Any]:
    return {**FIRST, "data": {"cp": score}}


def bot(*scores: int | None) -> FakeBot:
    """A bot whose moves have these scores; None is a move without one."""
    steps: list[Step] = [FIRST if score is None else cp(score) for score in scores]
    return FakeBot(*steps)


def chess(
    white: Iterable[int | None], black: Iterable[int | None], terms: Adjudication, **job: Any
) -> Played:
    return play_match(bot(*white), bot(*black), game="chess", adjudicate=terms, **job)


def moves(match: Played) -> int:
    return match.calls.moves


def test_a_match_is_drawn_when_both_scores_have_been_even_long_enough() -> None:
    match = chess([20] * 9, [-20] * 9, DRAW)

    assert match.verdict.termination is Termination.ADJUDICATION
    assert match.verdict.reason == "draw by score"
    assert match.verdict.places == (1, 1)
    assert moves(match) == 8  # not before the number of moves of the rule
    verify(match.record)


def test_a_run_of_even_scores_may_begin_before_the_rule_applies_and_lasts_for_each_bot() -> None:
    late = chess([99] * 5 + [0] * 9, [0] * 14, DRAW)

    assert moves(late) == 15  # the third even score of White is that of its eighth move
    assert late.verdict.reason == "draw by score"


def test_a_match_is_lost_when_one_score_is_low_and_the_other_high() -> None:
    match = chess([-600, -700, -800], [600, 601, 900], RESIGN)

    assert match.verdict.termination is Termination.ADJUDICATION
    assert match.verdict.reason == "resign by score"
    assert match.verdict.points == (0, 2)
    assert moves(match) == 6
    verify(match.record)


def test_one_bot_alone_decides_nothing() -> None:
    pessimist = chess([-900] * 6, [10] * 6, RESIGN, max_plies=12)
    optimist = chess([900] * 6, [-10] * 6, RESIGN, max_plies=12)
    drawer = chess([0] * 8, [200] * 8, DRAW, max_plies=16)

    for match in (pessimist, optimist, drawer):
        assert match.verdict.reason == "stopped by max_plies"
        verify(match.record)


def test_a_move_without_a_score_ends_a_run() -> None:
    match = chess([-900, -900, None, -900, -900, -900], [900] * 6, RESIGN)

    assert moves(match) == 11  # White's sixth


@pytest.mark.parametrize(("mates", "reason"), [((-2, 3), "resign"), ((0, 1), "resign")])
def test_a_mate_is_the_highest_score(mates: tuple[int, int], reason: str) -> None:
    white, black = (FakeBot(*[{**FIRST, "data": {"mate": mate}}] * 9) for mate in mates)

    match = play_match(white, black, game="chess", adjudicate=RESIGN)

    assert match.verdict.reason == f"{reason} by score"
    assert match.verdict.points == (0, 2)


def test_a_bot_of_any_game_may_give_its_score_as_a_value() -> None:
    good, bad = (FakeBot(*[{**FIRST, "value": value}] * 9) for value in (950, -950))

    match = play_match(good, bad, game="pente", adjudicate=RESIGN)

    assert match.verdict.reason == "resign by score"
    assert match.verdict.places == (1, 2)
    verify(match.record)


def test_no_draw_by_score_where_a_stopped_match_has_a_winner() -> None:
    match = play_match(
        bot(*[0] * 9), bot(*[0] * 9), game="go", adjudicate=DRAW, max_plies=12, options={"size": 9}
    )

    assert match.verdict.reason == "stopped by max_plies"
    assert sorted(match.verdict.places) == [1, 2]


def test_without_the_rules_no_score_of_a_stranger_ends_a_match() -> None:
    forged = play_match(bot(*[0] * 9), bot(*[0] * 9), game="chess", max_plies=20)
    boasting = play_match(bot(*[9999] * 9), bot(*[-9999] * 9), game="chess", max_plies=20)

    assert moves(forged) == moves(boasting) == 20


def test_the_rules_of_the_game_come_first() -> None:
    mate = {"from": "g6", "to": "g7", "promote": ""}
    white = FakeBot({"type": "play", "move": mate, "data": {"cp": -900}})
    fen = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"
    terms = Adjudication(draw=DrawRule(after=0, score=9999, moves=1))

    match = play_match(white, bot(), game="chess", options={"fen": fen}, adjudicate=terms)

    assert match.verdict.reason == "checkmate"
    assert match.verdict.termination is Termination.NORMAL
    verify(match.record)


def ended(match: Played, **changes: Any) -> Record:
    """The record of a match with another end or other terms."""
    stored = dict(match.stored)
    verdict = {**stored["verdict"], **changes.pop("verdict", {})}
    return Record.from_json({**stored, "verdict": verdict, **changes})


RESIGNED = {"termination": "adjudication", "reason": "resign by score", "places": [1, 2]}
DRAWN = {"termination": "adjudication", "reason": "draw by score", "points": [1, 1]}


@pytest.mark.parametrize(
    ("scores", "terms", "verdict"),
    [
        (([0] * 9, [0] * 9), DRAW, {**RESIGNED, "points": [2, 0]}),
        (([0] * 9, [0] * 9), DRAW, {"termination": "normal", "reason": "third repetition"}),
        (([-700] * 3, [700] * 3), RESIGN, {**DRAWN, "places": [1, 1]}),
        (([-700] * 3, [700] * 3), RESIGN, {**RESIGNED, "points": [2, 0]}),
        (([-700] * 3, [700] * 3), RESIGN, {"reason": "tablebase win"}),
        (([700] * 3, [-10] * 3), RESIGN, {**RESIGNED, "points": [2, 0]}),
    ],
)
def test_a_forged_adjudication_is_found(
    scores: tuple[list[int | None], list[int | None]],
    terms: Adjudication,
    verdict: dict[str, Any],
) -> None:
    match = chess(*scores, terms, max_plies=20)
    verify(match.record)

    with pytest.raises(ReplayError):
        check_record(ended(match, verdict=verdict))


def test_an_adjudication_without_its_rules_or_its_scores_is_found() -> None:
    match = chess([0] * 9, [0] * 9, DRAW)
    calls = dict(match.stored["calls"])
    data = [each and {"cp": 500} for each in calls["data"]]
    stricter = {**match.stored["adjudicate"], "draw": {"after": 8, "score": 20, "moves": 2}}

    for forged in (
        ended(match, adjudicate=None),
        ended(match, calls={**calls, "data": data}),
        ended(match, adjudicate={**stricter, "draw": {**stricter["draw"], "after": 6}}),
    ):
        with pytest.raises(ReplayError):
            check_record(forged)


def test_a_record_without_adjudication_is_written_as_before() -> None:
    assert "adjudicate" not in play_match(bot(), bot(), max_plies=2).stored
