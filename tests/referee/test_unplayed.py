"""Matches decided by absences: points by the rules, without calls."""

import json
from typing import Any

import pytest
from verifying import verify

from protocol.vocabulary import Termination
from referee.job import Absence, Job, Player
from referee.play.unplayed import unplayed
from referee.records.record import Record

ONE_SEAT = {"game": "down_n_out", "options": {"rows": 4, "cols": 5, "colors": 2}}


def job_of(seats: int, *lost: int, **fields: Any) -> Job:
    players = tuple(
        Player(name=f"bot{seat}", argv=("bot",), folder=".", content=str(seat))
        for seat in range(seats)
    )
    absences = tuple(
        Absence(seat=seat, termination=Termination.NO_SHOW, detail="withdrawn") for seat in lost
    )
    given = {"game": "pente", "seed": 1, "board_seed": 1, **fields}
    return Job(key="test", players=players, absences=absences, **given)


@pytest.mark.parametrize("game", ["pente", "damspel", "matchsticks", "chinese_checkers"])
@pytest.mark.parametrize("lost", [0, 1])
def test_the_opponent_of_an_absent_seat_scores_as_after_a_retirement_at_the_start(
    game: str, lost: int
) -> None:
    record = unplayed(job_of(2, lost, game=game))

    assert record is not None
    verdict = record.verdict
    assert verdict is not None
    assert verdict.termination is Termination.NO_SHOW
    assert verdict.reason == f"bot{lost}: withdrawn"
    assert verdict.offenders == (lost,)
    assert verdict.places[1 - lost] == 1 < verdict.places[lost]
    assert [seat.wall_ns for seat in record.seats] == [0, 0]
    verify(Record.from_json(json.loads(json.dumps(record.to_json()))))


def test_without_any_present_seat_no_seat_wins() -> None:
    record = unplayed(job_of(2, 0, 1))

    assert record is not None
    assert (record.verdict.points, record.verdict.places) == ((0, 0), (1, 1))
    verify(Record.from_json(json.loads(json.dumps(record.to_json()))))


def test_a_game_for_one_ends_with_its_only_player() -> None:
    record = unplayed(job_of(1, 0, **ONE_SEAT))

    assert record is not None
    assert record.verdict.offenders == (0,)
    verify(Record.from_json(json.loads(json.dumps(record.to_json()))))


def test_a_resumed_position_is_that_of_the_retirement() -> None:
    history = ({"seat": 0, "move": {"v": 0, "h": 0}}, {"seat": 1, "move": {"v": 1, "h": 1}})

    record = unplayed(job_of(2, 0, history=history))

    assert record is not None
    verify(Record.from_json(json.loads(json.dumps(record.to_json()))))


@pytest.mark.parametrize(("seats", "lost"), [(2, ()), (3, ()), (3, (1,)), (6, (0, 1, 2, 3))])
def test_several_present_seats_have_to_play(seats: int, lost: tuple[int, ...]) -> None:
    assert unplayed(job_of(seats, *lost, game="chinese_checkers")) is None


def test_of_three_the_last_one_wins_alone() -> None:
    record = unplayed(job_of(3, 0, 2, game="chinese_checkers"))

    assert record is not None
    assert record.verdict.places[1] == 1
    assert record.verdict.offenders == (0, 2)
    verify(Record.from_json(json.loads(json.dumps(record.to_json()))))
