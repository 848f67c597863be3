"""Matches whose seats have different limits of time."""

from dataclasses import replace
from typing import Any

import pytest
from fakes import FIRST, MS, FakeBot, Hang, Played, Say, play_match
from verifying import verify

from arena.cluster.scaling import scaled
from protocol.messages import Init, Move
from protocol.vocabulary import Termination
from referee.job import Player, TimeControl, essence
from referee.records.record import Record

LONG = TimeControl(clock="wall", bank_ns=9000 * MS, increment_ns=20 * MS, per_move_ns=9000 * MS)
SHORT = replace(LONG, bank_ns=1000 * MS, increment_ns=None, per_move_ns=1000 * MS)


def odds(one: FakeBot, two: FakeBot, **job: Any) -> Played:
    """A match in which seat 1 has less time."""
    players = (
        Player(name="bot0", argv=("bot",), folder=".", content="0" * 64),
        Player(name="bot1", argv=("bot",), folder=".", content="1" * 64, time=SHORT),
    )
    return play_match(one, two, players=players, time=LONG, **job)


def late(ms: int) -> Say:
    return Say(FIRST, wall_ms=ms)


def test_each_seat_is_told_its_own_time_and_has_its_own_bank() -> None:
    match = odds(FakeBot(late(500)), FakeBot(late(300)), max_plies=4)

    assert [match.told(seat, Init)[0].time.bank_ms for seat in (0, 1)] == [9000, 1000]
    assert [match.told(seat, Init)[0].time.increment_ms for seat in (0, 1)] == [20, None]
    assert [[call.left_ms for call in match.told(seat, Move)] for seat in (0, 1)] == [
        [9000, 8520],
        [1000, 700],
    ]
    verify(match.record)


def test_only_the_seat_with_less_time_is_late() -> None:
    slow = odds(FakeBot(late(1500)), FakeBot(), max_plies=2)
    too_slow = odds(FakeBot(), FakeBot(late(1500)), max_plies=2)

    assert slow.verdict.termination is Termination.ADJUDICATION
    assert too_slow.verdict.termination is Termination.TIMEOUT
    assert too_slow.verdict.offenders == (1,)
    assert "is 1000 ms + 50 ms grace" in too_slow.verdict.reason


def test_a_bot_that_wants_the_clocks_knows_those_of_all() -> None:
    match = odds(FakeBot(late(500), wants=("legal", "clocks")), FakeBot(late(300)), max_plies=3)

    clocks = [call.clocks for call in match.told(0, Move)]
    assert [[clock.model_dump(exclude_none=True) for clock in each or ()] for each in clocks] == [
        [{"seat": 0, "left_ms": 9000, "increment_ms": 20}, {"seat": 1, "left_ms": 1000}],
        [{"seat": 0, "left_ms": 8520, "increment_ms": 20}, {"seat": 1, "left_ms": 700}],
    ]
    assert {call.clocks for call in match.told(1, Move)} == {None}


@pytest.mark.parametrize(
    ("game", "time"), [("pente", TimeControl()), ("phantom", TimeControl(bank_ns=9000 * MS))]
)
@pytest.mark.usefixtures("small_games")
def test_no_clocks_without_a_bank_or_in_a_game_with_secrets(game: str, time: TimeControl) -> None:
    bots = [FakeBot(wants=("legal", "clocks")) for _ in range(2)]
    match = play_match(*bots, game=game, time=time, max_plies=2)

    assert [call.clocks for call in match.told(0, Move)] == [None]


def test_the_record_has_the_time_of_a_seat_only_where_it_differs() -> None:
    match = odds(FakeBot(), FakeBot(), max_plies=2)

    one, two = match.stored["players"]
    assert "time" not in one
    assert two["time"]["bank_ns"] == 1000 * MS
    assert "increment_ns" not in two["time"]
    assert Record.from_json(match.stored).job.time_of(1) == SHORT


def test_other_odds_make_another_match_and_no_odds_the_same_as_before() -> None:
    match = odds(FakeBot(), FakeBot(), max_plies=2)
    plain = replace(match.job, players=tuple(replace(p, time=None) for p in match.job.players))
    shorter = replace(SHORT, bank_ns=500 * MS)
    others = (match.job.players[0], replace(match.job.players[1], time=shorter))

    assert len({essence(job) for job in (match.job, plain, replace(plain, players=others))}) == 3
    assert essence(plain) == essence(replace(plain, time=SHORT))


def test_a_hang_is_charged_the_whole_limit_of_its_own_seat() -> None:
    hung = odds(FakeBot(), FakeBot(Hang()))

    assert hung.verdict.termination is Termination.TIMEOUT
    assert hung.calls[-1].charged_ns < 2000 * MS
    verify(hung.record)


def test_a_machine_of_half_the_speed_doubles_the_time_of_each_seat() -> None:
    match = odds(FakeBot(), FakeBot(), max_plies=2)

    job = scaled(match.job, 0.5)

    assert (job.time_of(0).bank_ns, job.time_of(1).bank_ns) == (18_000 * MS, 2000 * MS)
