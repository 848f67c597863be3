"""The referee's process: jobs in, results out."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes import next_end
from referee_process import Referee, job
from verifying import verify

from referee.records.record import JOBS, Record
from referee.sandbox.proctree import live_children
from referee.service.pipe import job_line


def test_after_a_fault_jobs_come_back_until_the_director_knows_of_it(referee: Referee) -> None:
    referee.send(*map(job, ("first", "second", "third")), "null", job("fourth"))

    ends = [referee.answer() for _ in range(4)]

    assert [end.job.key for end in ends] == ["first", "second", "third", "fourth"]
    assert [end.is_returned for end in ends] == [False, True, True, False]


def test_a_job_comes_out_as_a_record(referee: Referee) -> None:
    referee.send(job("first"))
    match = referee.answer().match

    assert match is not None
    record = Record.from_bytes(match.body)
    assert match.key == record.job.key == "first"
    assert match.termination == record.verdict.termination == "no_show"
    verify(record)


def test_one_job_comes_after_another(referee: Referee) -> None:
    for key in ("first", "second", "third"):
        referee.send(job(key))

    assert [referee.answer().job.key for _ in range(3)] == ["first", "second", "third"]


UNPLAYABLE: list[dict[str, Any]] = [
    {"game": "nosuch"},
    {"options": {"rows": -1}},
    {"options": {"depth": 3}},
    {"history": [{"seat": 0, "move": {"row": 99, "col": 0}}]},
    {"history": [{"seat": 0}]},
]


def test_a_job_that_cannot_be_played_is_void_and_the_next_is_played(referee: Referee) -> None:
    for broken in UNPLAYABLE:
        referee.send(job("broken", **broken), "null", job("next"), "null")
        void, played = referee.answer(), referee.answer()

        assert void.job.key == "broken"
        assert void.void
        assert (played.job.key, played.void) == ("next", None)


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("loop", "the game stuck took more than 60 s between two calls (stuck.py, line"),
        ("memory", "MemoryError: no memory is left (stuck.py, line"),
    ],
)
def test_the_match_is_void_if_its_game_does_not_return_or_takes_too_much_memory(
    small_games: Path, referee: Referee, deed: str, reason: str
) -> None:
    del small_games
    for _ in range(2):  # the second attempt has the same time
        stuck = job("stuck", game="stuck", options={"deed": deed})
        referee.send(stuck, "null", job("next"), "null")
        void, played = referee.answer(), referee.answer()

        assert (void.void or "").startswith(reason)
        assert void.suspect is None
        assert played.match is not None


def test_the_referee_ends_if_its_game_catches_the_error_of_its_time_limit(
    small_games: Path, referee: Referee
) -> None:
    del small_games
    referee.send(job("stuck", game="stuck", options={"deed": "stubborn"}))

    assert referee.ended() == (-signal.SIGVTALRM, "")


def test_a_job_is_given_back_unless_it_has_begun(referee: Referee) -> None:
    bot = referee.seat_silent_bot()
    referee.send("null", job("second"), "null", job("third"), json.dumps("third"))
    signal.pidfd_send_signal(bot, signal.SIGKILL)

    ends = [referee.answer() for _ in range(3)]

    assert [end.job.key for end in ends] == ["waiting", "second", "third"]
    assert [end.is_returned for end in ends] == [False, False, True]
    referee.send("null", job("third"))
    assert referee.answer().match is not None


def test_the_referee_ends_with_its_jobs(referee: Referee) -> None:
    referee.send(job("last"))

    assert referee.ended() == (0, "")


@pytest.mark.parametrize("line", ["{", job("x", claims="sometimes")])
def test_an_invalid_job_ends_the_referee_with_an_error(referee: Referee, line: str) -> None:
    referee.send(line)

    code, said = referee.ended()
    assert code == 1
    assert "ValidationError" in said


def test_a_referee_ignores_interrupts(referee: Referee) -> None:
    referee.send(job("before"))
    referee.answer()

    referee.process.send_signal(signal.SIGINT)
    referee.send(job("after"))

    assert referee.answer().job.key == "after"


def test_a_referee_stays_on_its_cores() -> None:
    core = min(os.sched_getaffinity(0))
    command = [sys.executable, "-m", "referee", "--cores", str(core)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        one = JOBS.validate_json(job("one"))
        process.stdin.write(job_line(one))
        process.stdin.flush()
        assert next_end(process.stdout, one).job.key == "one"

        (referee,) = live_children(process.pid)
        assert os.sched_getaffinity(referee) == {core}
        process.stdin.close()
