"""Bots that wait in their sandboxes: they begin with their match, or end without having begun."""

import os
import select
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock
from hosting import Bots, job, termination
from programs import Program, line_of
from sandboxed import LIMITS, check_allowed
from verifying import verify
from waiting import becomes

from protocol.vocabulary import Seat, Termination
from referee import ahead
from referee.ahead import LONGEST_NS, LOOK_NS, Ahead
from referee.errors import BrokenMatchError
from referee.host import Host
from referee.job import Job, Player
from referee.sandbox.cgroup import Groups
from referee.sandbox.isolation import Access
from referee.sandbox.process import environment
from referee.sandbox.proctree import live_children

CORES = tuple(os.sched_getaffinity(0))
SPEAKING = "import os, signal; print(os.sched_getaffinity(0), flush=True); signal.pause()"


class FakeBot:
    """A bot that waits, and counts its ends."""

    process: Any = None
    ends = 0

    def stop(self) -> None:
        self.ends += 1


def task(*players: Player, **others: Any) -> Job:
    inside = [replace(player, tier="namespaces") for player in players]
    return job(*inside, restart="match", **others)


def pair(**others: Any) -> Job:
    one, other = (Player(name=name, argv=("x",), folder="/", content="") for name in "ab")
    return task(one, other, **others)


@pytest.fixture
def started() -> list[Any]:
    return []


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def waiting(started: list[Any], clock: FakeClock) -> Ahead:
    def start(_job: Job, _seat: Seat) -> Any:
        started.append(FakeBot())
        return started[-1]

    return Ahead(start, clock.now_ns)


def test_bots_wait_for_their_own_match_alone(waiting: Ahead, started: list[Any]) -> None:
    expected, other = pair(), pair()
    waiting.prepare(expected)
    assert list(waiting.take(expected).values()) == started
    assert waiting.take(expected) == {}

    waiting.prepare(expected)
    assert waiting.take(other) == {}
    assert [bot.ends for bot in started] == [0, 0, 1, 1]


def test_the_next_match_is_looked_for_until_it_is_known(
    waiting: Ahead, started: list[Any], clock: FakeClock
) -> None:
    expected = pair()
    known: list[Job | None] = [None, expected]
    looks: list[Job | None] = []

    def following() -> Job | None:
        looks.append(known[len(looks)])
        return looks[-1]

    waiting.look(following)
    waiting.look(following)
    assert looks == [None], "a look was just before"
    clock.advance(LOOK_NS)
    waiting.look(following)
    clock.advance(LOOK_NS)
    waiting.look(following)
    assert looks == known
    assert list(waiting.take(expected).values()) == started


def test_a_new_match_looks_at_once(waiting: Ahead, started: list[Any]) -> None:
    first, second = pair(), pair()
    waiting.look(lambda: first)
    waiting.take(first)
    waiting.look(lambda: second)

    assert list(waiting.take(second).values()) == started[2:]


def test_sandboxes_do_not_get_old(waiting: Ahead, started: list[Any], clock: FakeClock) -> None:
    expected = pair()
    waiting.prepare(expected)
    clock.advance(LONGEST_NS + 1)

    assert waiting.take(expected) == {}
    assert [bot.ends for bot in started] == [1, 1]


@pytest.mark.parametrize(
    ("change", "is_of_job"),
    [({"restart": "never"}, True), ({"tier": "limits"}, False), ({"scratch": "/kept"}, False)],
)
def test_a_bot_that_cannot_begin_later_is_not_started_ahead(
    waiting: Ahead, started: list[Any], change: dict[str, Any], *, is_of_job: bool
) -> None:
    expected = pair()
    first, second = expected.players
    own = change if is_of_job else {"players": (first, replace(second, **change))}
    expected = replace(expected, **own)

    waiting.prepare(expected)

    assert waiting.take(expected) == {}
    assert not started


@pytest.mark.parametrize("error", [OSError, BrokenMatchError])
def test_without_one_bot_none_waits(error: type[Exception], clock: FakeClock) -> None:
    started = list[FakeBot]()

    def start(_job: Job, seat: Seat) -> Any:
        if seat:
            raise error
        started.append(FakeBot())
        return started[-1]

    broken, expected = Ahead(start, clock.now_ns), pair()
    broken.look(lambda: expected)
    clock.advance(LOOK_NS)
    broken.look(lambda: expected)

    assert broken.take(expected) == {}
    assert [bot.ends for bot in started] == [1], "it is not tried again"


def test_a_bot_begins_on_the_cores_of_its_match_and_pays_for_no_sandbox(
    new_groups: Groups, subreaper: None, folder: Path, room: Path
) -> None:
    del subreaper
    check_allowed("namespaces")
    argv = (sys.executable, "-I", "-S", "-c", SPEAKING)
    player = Player(name="bot", argv=argv, folder=str(folder), content="", tier="namespaces")
    group = new_groups.take()
    access = Access(directory=room, idle_cores=CORES[-1:])
    program = Program(player, LIMITS, environment("", "", player, access), group, access)
    assert os.sched_getaffinity(program.pid) == {CORES[-1]}
    assert becomes(lambda: bool(live_children(program.pid)))
    made_ns, made_at_ns = group.cpu_ns(), program.started_ns
    assert program.bot_pid == program.pid
    assert not select.select([program.output], [], [], 0)[0]

    program.begin()
    said = line_of(program)
    own_ns = program.cpu_ns()

    assert said == str(set(CORES))
    assert own_ns <= group.cpu_ns() - made_ns
    assert program.started_ns > made_at_ns
    program.stop()
    new_groups.give_back(group)


@pytest.fixture
def host(new_groups: Groups, subreaper: None, rooms: Path) -> Iterator[Host]:
    """Give a host that makes sandboxes ahead."""
    del subreaper, rooms
    check_allowed("namespaces")
    made = Host(new_groups, idle_cores=CORES[-1:])
    yield made
    made.close()


def test_matches_follow_each_other_with_bots_that_waited(
    host: Host, folder: Path, rooms: Path
) -> None:
    bots, before = Bots(folder), set(live_children(os.getpid()))
    players = bots.polite("one"), bots.polite("other")
    tasks = [task(*players, key=str(number)) for number in range(4)]

    for each, following in zip(tasks, [*tasks[1:], None], strict=True):
        record = host.play(each, following=partial(lambda known: known, following))
        assert termination(record) is Termination.NORMAL
        verify(record)

    assert set(live_children(os.getpid())) <= before
    assert len(list(rooms.glob("*/*"))) == 1, "only the directory of the host itself is left"


@pytest.mark.parametrize("known_from", [1, 2])
def test_bots_that_wait_end_without_their_match(
    host: Host, folder: Path, monkeypatch: pytest.MonkeyPatch, known_from: int
) -> None:
    """The next match is known at the first look, when this one begins, or during this one."""
    monkeypatch.setattr(ahead, "LOOK_NS", 0)
    bots, before = Bots(folder), set(live_children(os.getpid()))
    players = bots.polite("one"), bots.polite("other")
    following, look = task(*players, key="2"), count(1)
    host.play(
        task(*players, key="1"),
        following=lambda: following if next(look) >= known_from else None,
    )
    assert len(set(live_children(os.getpid())) - before) >= 2

    host.rest()

    assert set(live_children(os.getpid())) <= before
    assert termination(host.play(following)) is Termination.NORMAL
