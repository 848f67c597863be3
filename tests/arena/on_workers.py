"""Slots on workers that exist in a test only."""

from dataclasses import replace

from events import job_of
from fakes import RESIGN, FakeBot, played
from links import FakeLink

from arena.cluster.cluster_slots import ClusterSlots, WorkerMachines
from arena.config.cluster import Address
from arena.event.slots.contract import Slots
from referee.job import Job
from referee.records.match_end import MatchEnd

ADDRESS = Address("127.0.0.1", 8786)
JOB = replace(job_of("ann", "bob"), key="ann,bob/b0/0", board_seed=1)
BACK = replace(job_of("bob", "ann"), key="bob,ann/b0/0", board_seed=1)
OTHER = replace(job_of("ann", "cid"), key="ann,cid/b0/0", board_seed=1)
MATCH = played(JOB, [FakeBot(), FakeBot(RESIGN)]).record.finished()


def ended(job: Job) -> MatchEnd:
    rows = zip(MATCH.seats, job.names(), strict=True)
    seats = tuple(row._replace(player=name) for row, name in rows)
    contents = tuple(player.content for player in job.players)
    return MatchEnd(job, replace(MATCH, key=job.key, seats=seats, contents=contents))


def new_cluster(link: FakeLink) -> WorkerMachines:
    return WorkerMachines(ADDRESS, None, connect=lambda *_: link)  # type: ignore[arg-type]


def two_workers(**slots: int) -> tuple[FakeLink, ClusterSlots]:
    link = FakeLink()
    for name, count in (slots or {"one": 1, "two": 1}).items():
        link.join(name, count)
    return link, ClusterSlots(new_cluster(link))


def results(slots: Slots, count: int) -> list[MatchEnd]:
    found: list[MatchEnd] = []
    for _ in range(200):
        found += slots.wait(0.05)
        if len(found) >= count:
            break
    return found


def settle(slots: Slots) -> None:
    for _ in range(4):
        assert slots.wait(0.01) == []
