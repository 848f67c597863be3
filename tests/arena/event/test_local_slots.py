"""Slots with pipes instead of referees: answers, and missing answers."""

import json
import os
import select
import subprocess
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from events import job_of
from one_slot import JOB, MATCH, NEXT, PLAYED, begin, result
from referees import REFEREES, Referee
from waiting import PATIENCE_S

from arena.errors import MachineError
from arena.event.slots import local_slots
from arena.event.slots.batching import LOOK_S, LOOKS, MOST, MatchPace
from arena.event.slots.local_slots import LocalSlots
from protocol.vocabulary import Termination
from referee.job import Absence
from referee.records.match_end import MatchEnd
from referee.service.pipe import GO_ON_LINE, end_bytes

pytestmark = pytest.mark.usefixtures("referees")


def lines_of(referee: Referee, number: int) -> list[Any]:
    return [json.loads(referee.heard.readline()) for _ in range(number)]


def test_a_referee_receives_its_cores_and_the_pid_of_its_director(referees: list[Referee]) -> None:
    opened = LocalSlots([(0,), (2, 3), ()])

    first = ["-P", "-m", "referee", "--director", str(os.getpid())]
    assert [referee.command[1:8] for referee in referees] == [
        [*first, "--cores", cores] for cores in ("0", "2,3", "")
    ]
    opened.close()


def test_a_match_goes_out_whole_and_its_record_comes_back(one: LocalSlots) -> None:
    referee = begin(one)

    assert (one.free(), one.running()) == ([], [JOB])
    assert referee.heard.readline() == GO_ON_LINE
    told = json.loads(referee.heard.readline())
    assert [entry["name"] for entry in told["players"]] == ["ann", "bob"]
    referee.says(PLAYED)
    assert result(one) == MatchEnd(JOB, MATCH)
    assert len(one.free()) == 1


def test_a_record_may_come_in_pieces(one: LocalSlots) -> None:
    referee = begin(one)
    whole = end_bytes(PLAYED)

    for byte in whole[:-1]:
        referee.said.write(bytes((byte,)))
        assert one.wait(PATIENCE_S) == []
    referee.said.write(whole[-1:])

    assert one.wait(PATIENCE_S) == [MatchEnd(JOB, MATCH)]


def test_the_answer_of_a_referee_before_its_death_counts(
    one: LocalSlots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_slots, "_CHUNK", 1000)
    referee = begin(one)

    referee.says(PLAYED)
    referee.dies(-9)

    assert result(one) == MatchEnd(JOB, MATCH)
    assert len(REFEREES) == 1
    assert one.wait(PATIENCE_S) == []
    assert len(REFEREES) == 2
    assert len(one.free()) == 1


def test_a_void_match_comes_with_its_reason_and_the_suspect(one: LocalSlots) -> None:
    referee = begin(one)

    absence = Absence(seat=1, termination=Termination.MALFORMED, detail="a storm")
    referee.says(MatchEnd(JOB, void="it was stopped", suspect=absence))

    assert result(one) == MatchEnd(JOB, None, "it was stopped", absence)
    assert len(REFEREES) == 1


@pytest.mark.parametrize(
    ("code", "how"),
    [(-9, "signal SIGKILL"), (1, "exit code 1"), (0, "exit code 0"), (-35, "signal 35")],
)
def test_a_referee_that_dies_costs_its_match_and_is_replaced(
    one: LocalSlots, code: int, how: str
) -> None:
    begin(one).dies(code)

    assert result(one) == MatchEnd(JOB, None, f"the referee ended: {how}")
    assert len(REFEREES) == 2
    referee = begin(one)
    referee.says(PLAYED)
    assert result(one) == MatchEnd(JOB, MATCH)


def test_a_referee_that_dies_without_a_match_is_replaced_without_a_message(one: LocalSlots) -> None:
    REFEREES[0].dies(-9)

    assert one.wait(PATIENCE_S) == []
    assert len(REFEREES) == 2
    assert len(one.free()) == 1


def test_a_match_given_to_a_referee_that_has_just_died_is_void(one: LocalSlots) -> None:
    (slot,) = one.free()
    REFEREES[0].dies(-11)

    slot.submit(JOB)

    assert result(one) == MatchEnd(JOB, None, "the referee ended: signal SIGSEGV")


def test_the_others_play_on_when_one_dies(referees: list[Referee]) -> None:
    opened = LocalSlots([(0,), (1,)])
    jobs = [job_of("ann", "bob", key=f"ann,bob/b0/{number}") for number in range(2)]
    for slot, job in zip(opened.free(), jobs, strict=True):
        slot.submit(job)

    referees[0].dies(-9)
    assert result(opened).job == jobs[0]
    match = replace(MATCH, key=jobs[1].key)
    referees[1].says(MatchEnd(jobs[1], match))
    assert result(opened) == MatchEnd(jobs[1], match)
    assert referees[2].command[:7] == referees[0].command[:7]
    opened.close()


def test_the_next_match_waits_behind_the_running_one(one: LocalSlots) -> None:
    referee = begin(one)
    (slot,) = one.ahead()
    slot.submit(NEXT)

    assert (one.free(), one.ahead(), one.queues()) == ([], [], [slot])
    assert one.running() == [JOB]
    assert [job and job["key"] for job in lines_of(referee, 3)] == [None, JOB.key, NEXT.key]
    referee.says(PLAYED)
    assert result(one) == MatchEnd(JOB, MATCH)
    assert (one.running(), set(one.ahead())) == ([NEXT], {slot})


def test_two_results_may_come_at_once(one: LocalSlots) -> None:
    referee = begin(one)
    one.ahead()[0].submit(NEXT)

    referee.says(PLAYED, MatchEnd(NEXT, void="why"))

    assert one.wait(PATIENCE_S) == [MatchEnd(JOB, MATCH), MatchEnd(NEXT, None, "why")]


def test_after_quick_matches_more_of_them_wait_and_a_result_waits_for_others(
    one: LocalSlots, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s, rests = [0.0], list[float]()
    monkeypatch.setattr(local_slots, "MatchPace", lambda: MatchPace(lambda: now_s[0]))
    REFEREES[0].dies(0)
    assert one.wait(PATIENCE_S) == []  # the next slot has a tempo of that clock
    referee = begin(one)
    now_s[0] = 0.01
    referee.says(PLAYED)
    result(one)
    jobs = [job_of("ann", "bob", key=f"ann,bob/b0/{number}") for number in range(MOST)]
    for place, job in zip([*one.free(), *one.ahead()], jobs, strict=True):
        place.submit(job)
    ends = [MatchEnd(job, replace(MATCH, key=job.key)) for job in jobs]

    def rest(seconds: float) -> None:
        rests.append(seconds)
        now_s[0] += 0.01
        referee.says(*ends[len(rests) : len(rests) + 1])

    monkeypatch.setattr(local_slots, "sleep", rest)
    referee.says(ends[0])

    assert [found.job for found in one.wait(PATIENCE_S)] == jobs[: LOOKS + 1]
    assert rests == [LOOK_S] * LOOKS


def test_a_result_does_not_wait_where_a_referee_has_no_next_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = [0.0]
    monkeypatch.setattr(local_slots, "MatchPace", lambda: MatchPace(lambda: now_s[0]))
    monkeypatch.setattr(local_slots, "sleep", lambda seconds: pytest.fail(f"{seconds} s of rest"))
    opened = LocalSlots([(0,), (1,)])
    for number, slot in enumerate(opened.free()):
        slot.submit(job_of("ann", "bob", key=f"ann,bob/b0/{number}"))
    opened.ahead()[0].submit(job_of("ann", "bob", key="ann,bob/b0/2"))
    now_s[0] = 0.01
    for job in (job_of("ann", "bob", key=f"ann,bob/b0/{number}") for number in (0, 2)):
        REFEREES[0].says(MatchEnd(job, replace(MATCH, key=job.key)))
        assert result(opened).job == job

    opened.close()


FAULT = replace(MATCH, seats=tuple(seat._replace(fault="crash") for seat in MATCH.seats))


@pytest.mark.parametrize(
    "end", [replace(PLAYED, match=FAULT), MatchEnd(JOB, void="why")], ids=["fault", "void"]
)
def test_a_fault_or_a_void_match_does_not_wait_for_other_results(
    one: LocalSlots, monkeypatch: pytest.MonkeyPatch, end: MatchEnd
) -> None:
    monkeypatch.setattr(local_slots, "sleep", lambda seconds: pytest.fail(f"{seconds} s of rest"))
    monkeypatch.setattr(MatchPace, "rest_s", lambda *_: 1.0)
    begin(one).says(end)

    assert not result(one).is_played


def test_a_referee_hears_that_all_ends_are_known_before_a_match_that_begins_at_once(
    one: LocalSlots,
) -> None:
    referee = begin(one)
    (slot,) = one.ahead()
    slot.submit(NEXT)
    referee.says(MatchEnd(JOB, void="why"))
    assert len(one.wait(PATIENCE_S)) == 1
    slot.submit(JOB)  # behind one that comes back
    referee.says(*(MatchEnd(job, is_returned=True) for job in (NEXT, JOB)))
    assert len(one.wait(PATIENCE_S)) == 2

    slot.submit(NEXT)
    slot.submit(JOB)

    keys = [job and job["key"] for job in lines_of(referee, 7)]
    assert keys == [None, JOB.key, NEXT.key, JOB.key, None, NEXT.key, JOB.key]


def test_a_large_match_is_sent_when_the_referee_reads(one: LocalSlots) -> None:
    """A bot.yaml may have 800 KB of arguments: a full pipe would stop the event."""
    referee = begin(one)
    (slot,) = one.ahead()
    large = [
        job_of("ann", "bob", key=f"ann,bob/b0/{number}", options={"text": "x" * 40_000})
        for number in (1, 2)
    ]
    for job in large:
        slot.submit(job)

    heard = os.read(referee.heard.fileno(), 1 << 20).splitlines()
    referee.says(PLAYED)
    assert result(one) == MatchEnd(JOB, MATCH)
    heard += os.read(referee.heard.fileno(), 1 << 20).splitlines()

    jobs = list(filter(None, map(json.loads, heard)))
    assert [job["key"] for job in jobs] == [JOB.key, large[0].key]
    assert slot.jobs == deque(large)


def test_a_match_that_has_not_begun_is_taken_back_once(one: LocalSlots) -> None:
    referee = begin(one)
    (slot,) = one.ahead()
    slot.submit(NEXT)

    slot.take_back()
    slot.take_back()

    assert lines_of(referee, 4)[3] == NEXT.key
    referee.says(PLAYED, MatchEnd(NEXT, is_returned=True))
    assert one.wait(PATIENCE_S) == [MatchEnd(JOB, MATCH), MatchEnd(NEXT, None, is_returned=True)]
    assert not select.select([referee.heard], [], [], 0)[0]


def test_a_match_behind_that_of_a_dead_referee_is_not_void(one: LocalSlots) -> None:
    referee = begin(one)
    one.ahead()[0].submit(NEXT)

    referee.dies(-9)

    void = MatchEnd(JOB, None, "the referee ended: signal SIGKILL")
    assert one.wait(PATIENCE_S) == [void, MatchEnd(NEXT, None, is_returned=True)]


def test_closing_asks_all_referees_to_end_and_kills_the_rest(referees: list[Referee]) -> None:
    opened = LocalSlots([(), ()])
    referees[1].is_deaf = True

    opened.close()

    assert [(referee.code, referee.killed) for referee in referees] == [(0, False), (-9, True)]


def test_a_referee_that_ignores_its_end_after_invalid_output_is_killed(one: LocalSlots) -> None:
    referee = begin(one)
    referee.is_deaf = True
    referee.said.write(b"nonsense\n")

    assert result(one).match is None
    assert referee.killed


def test_a_machine_without_resources_for_a_referee_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = [Referee]

    def popen(command: Sequence[str], **options: Any) -> Referee:
        if not first:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return first.pop()(command, **options)

    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(
        MachineError, match="a referee cannot be started: Resource temporarily"
    ) as no:
        LocalSlots([(), ()])

    assert no.value.exit_code == 5
    assert [referee.code for referee in REFEREES] == [0]
