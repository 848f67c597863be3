"""One slot whose referee is a pair of pipes, and its matches."""

from events import job_of
from fakes import RESIGN, FakeBot, played
from referees import REFEREES, Referee
from waiting import PATIENCE_S

from arena.event.slots.local_slots import LocalSlots
from referee.job import Job
from referee.records.match_end import MatchEnd

JOB = job_of("ann", "bob")
MATCH = played(JOB, [FakeBot(), FakeBot(RESIGN)]).record.finished()
PLAYED = MatchEnd(JOB, MATCH)
NEXT = job_of("ann", "bob", key="ann,bob/b0/1")


def begin(opened: LocalSlots, job: Job = JOB) -> Referee:
    (slot,) = opened.free()
    slot.submit(job)
    return REFEREES[-1]


def result(opened: LocalSlots) -> MatchEnd:
    for _ in range(100):
        if found := opened.wait(PATIENCE_S):
            (only,) = found
            return only
    raise AssertionError("there is no result")
