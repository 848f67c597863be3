"""Machines of a league: canaries, pairs on one machine, workers and schedulers that come and go."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from events import FakeSlots, crashed, first_wins, job_of
from links import FakeLink, Sent
from on_workers import ADDRESS, ended

from arena.errors import UsageError
from arena.league.folder import League
from arena.league.slots.canaries import AGAIN_S, EVERY_S, Canaries, is_canary
from arena.league.slots.machines import Machines, require_workers
from arena.league.slots.workers import RECONNECT_S, SlotsOfWorkers, Workers
from referee.job import Job
from referee.records.match_end import MatchEnd

CANARY = replace(job_of("ann", "bob"), key="ann,bob/b0/0")


class OwnSlots(FakeSlots):
    """Slots of this machine, which begin matches by themselves."""

    def wait(self, seconds: float) -> list[MatchEnd]:
        self.running()
        return super().wait(max(seconds, 1e-9))


class Place:
    """Machines whose own slots are fakes, and a link to workers that a test moves."""

    def __init__(self, league: League, script: Callable[[Job], MatchEnd], slots: int = 1) -> None:
        self.now_s = 1000.0
        self.links = [FakeLink()]
        self.workers = Workers(
            ADDRESS,
            None,
            league.season(),
            connect=self.connect,  # type: ignore[arg-type] # a fake
            now_s=lambda: self.now_s,
        )
        self.canaries = Canaries(lambda: CANARY, lambda: self.now_s)
        self.there = SlotsOfWorkers(self.workers)
        self.here = OwnSlots(script, slots, [])
        self.machines = Machines(self.here, self.there, self.canaries)

    def connect(self, *_: object) -> FakeLink:
        if self.links[-1].is_connected:
            return self.links[-1]
        raise UsageError("there is no scheduler")

    @property
    def link(self) -> FakeLink:
        return self.links[-1]

    def settle(self, turns: int = 6) -> list[MatchEnd]:
        """Let everything happen that needs no more than a few turns, and no time."""
        ends: list[MatchEnd] = []
        for _ in range(turns):
            self.machines.free()
            ends += self.machines.wait(0)
            time.sleep(0.01)  # the connection is made by a thread
        return ends

    def open_canaries(self) -> list[Sent]:
        return [s for s in self.link.sent if s.keys[0].startswith("canary/") and not s.is_forgotten]

    def pass_canaries(self) -> None:
        self.settle()
        for sent in self.open_canaries():
            self.link.end(sent, ended(sent.orders[0].job))
        self.settle()


@pytest.fixture
def place(league: League) -> Iterator[Place]:
    found = Place(league, first_wins)
    yield found
    found.machines.close()
    found.workers.close()


def test_a_worker_adds_its_slots_after_a_canary(place: Place) -> None:
    place.settle()
    assert place.machines.notices() == [], "nobody has to know that this machine plays"
    assert len(place.machines.free()) == 1

    place.link.join("pc-1", slots=2)
    place.settle()
    assert len(place.machines.free()) == 1
    assert [sent.worker for sent in place.open_canaries()] == ["pc-1"]

    place.pass_canaries()

    assert len(place.machines.free()) == 3
    assert place.machines.slots == 3
    assert any("pc-1" in notice for notice in place.machines.notices())


def test_a_worker_with_a_bad_canary_gets_no_match_until_a_good_one(place: Place) -> None:
    place.link.join("pc-1", slots=2)
    place.settle()
    (sent,) = place.open_canaries()
    place.link.end(sent, MatchEnd(sent.orders[0].job, crashed(sent.orders[0].job, 0).finished()))
    place.settle()

    assert len(place.machines.free()) == 1
    assert any("plays no match" in notice for notice in place.machines.notices())
    assert place.open_canaries() == []

    place.now_s += AGAIN_S
    place.pass_canaries()
    assert len(place.machines.free()) == 3


def test_each_machine_plays_a_canary_every_hour(place: Place) -> None:
    place.link.join("pc-1")
    place.pass_canaries()
    place.settle()
    assert place.open_canaries() == []

    place.now_s += EVERY_S
    place.settle()

    assert [sent.worker for sent in place.open_canaries()] == ["pc-1"]
    assert len(place.machines.free()) >= 1  # the others of its slots play meanwhile


def test_this_machine_plays_nothing_after_a_bad_canary(league: League) -> None:
    fault = Place(league, lambda job: MatchEnd(job, crashed(job, 0).finished()))
    fault.settle()

    assert fault.machines.free() == []
    assert ["plays no match" in notice for notice in fault.machines.notices()] == [True]
    fault.here._script = first_wins
    fault.now_s += AGAIN_S
    fault.settle()
    assert fault.machines.notices() == ["this machine plays"]
    fault.machines.close()
    fault.workers.close()


def test_both_matches_of_a_pair_are_played_on_one_machine(place: Place) -> None:
    place.link.join("pc-1", slots=3)
    place.pass_canaries()
    jobs = {
        pair: [replace(job_of(*names), key=f"{','.join(names)}/b{pair}/0") for names in both]
        for pair in range(1, 3)
        for both in [(("ann", "bob"), ("bob", "ann"))]
    }

    for pair in (1, 2):  # the slot here is taken by the first
        place.machines.free()[0].submit(jobs[pair][0])
    for pair in (2, 1):
        place.machines.free()[0].submit(jobs[pair][1])
    here = [end.job.key for end in place.settle()]

    there = {key for sent in place.link.sent for key in sent.keys if not key.startswith("canary")}
    assert here == [job.key for job in jobs[1]]
    assert there == {job.key for job in jobs[2]}


def test_the_match_of_a_lost_worker_is_void_and_its_slots_are_gone(place: Place) -> None:
    place.link.join("pc-1", slots=2)
    place.pass_canaries()
    job = replace(job_of("ann", "bob"), key="ann,bob/b5/0")
    place.there.submit(job)

    place.link.lose("pc-1")
    ends = place.settle()

    assert [(end.job.key, end.is_lost) for end in ends] == [(job.key, True)]
    assert len(place.machines.free()) == 1


def test_a_lost_scheduler_stops_nothing_and_is_reached_again(place: Place) -> None:
    place.link.join("pc-1", slots=2)
    place.pass_canaries()
    job = replace(job_of("ann", "bob"), key="ann,bob/b5/0")
    place.there.submit(job)

    place.link.is_connected = False
    ends = place.settle()

    assert [(end.job.key, end.is_returned) for end in ends] == [(job.key, True)]
    assert len(place.machines.free()) == 1

    place.links.append(FakeLink())
    place.link.join("pc-1", slots=2)
    place.now_s += RECONNECT_S
    place.settle()
    place.pass_canaries()
    assert len(place.machines.free()) == 3


def test_a_match_that_no_worker_can_play_is_played_here(place: Place) -> None:
    place.link.join("pc-1", slots=2)
    place.pass_canaries()
    job = replace(job_of("ann", "bob"), key="ann,bob/b5/0")
    for member in place.there.members().values():
        member.is_reserved = True  # as for a match that has ended workers
    place.there.submit(job)
    (end,) = place.settle()
    assert end.is_returned

    place.machines.submit(job)

    assert [each.job.key for each in place.settle()] == [job.key]
    assert not is_canary(job)


def test_a_league_without_workers_needs_none_of_their_packages(league: League) -> None:
    import subprocess
    import sys

    code = (
        "import sys; sys.modules.update(distributed=None, dask=None, cryptography=None)\n"
        "from pathlib import Path\n"
        "from arena.league.folder import open_league\n"
        "from arena.league.settings import open_site\n"
        f"open_site(open_league(Path({str(league.folder)!r})))\n"
        "import arena.league.directing.director"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


@pytest.mark.parametrize(
    ("address", "refusal"),
    [
        ("192.0.2.7:8786", r"has no keys; run: arena cluster keys .*/keys/cluster league MACHINE"),
        ("192.0.2.7", "is not the address of a scheduler"),
        ("127.0.0.1:8786", None),
        (None, None),
    ],
)
def test_a_league_without_keys_has_workers_on_the_loopback_alone(
    league: League, address: str | None, refusal: str | None
) -> None:
    site = league.site.model_copy(update={"workers": address})
    if refusal is None:
        require_workers(League(league.folder, site))
        return
    with pytest.raises(UsageError, match=refusal):
        require_workers(League(league.folder, site))


def test_a_league_with_keys_has_workers_on_other_machines(league: League) -> None:
    league.worker_keys_folder.mkdir(parents=True)

    require_workers(League(league.folder, league.site.model_copy(update={"workers": "10.0.0.5:1"})))
