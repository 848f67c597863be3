"""Memory that is short around the bots: which limit was reached, on both versions of groups."""

import errno
import os
import select
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import Running, end_of, line_of, python
from waiting import PATIENCE_S

from referee.sandbox.cgroup import Group, Groups
from referee.sandbox.controllers import Controller, version_1_home
from referee.sandbox.limits import Limits
from referee.sandbox.surroundings import Surroundings

MB = 1 << 20
LIMITS = Limits(memory_bytes=400 * MB)
EATER = "kept = b'x' * (200 << 20)"
WAITER = """
import time
print("here", flush=True)
time.sleep(3600)
"""


class FakeGroup:
    """The files of a group of version 2 with a limit of memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(exist_ok=True)
        for name in ("memory.max", "memory.swap.max", "memory.oom.group", "memory.peak"):
            (path / name).write_text("0")
        (path / "memory.current").write_text("0")
        self.tell(limit=0, shortages=0, kills=0)

    def tell(self, *, limit: int, shortages: int, kills: int) -> None:
        lines = ("low 0", "high 0", f"max {limit}", f"oom {shortages}", f"oom_kill {kills}")
        (self.path / "memory.events").write_text("\n".join(lines) + "\n")


@pytest.fixture
def fake(tmp_path: Path) -> FakeGroup:
    return FakeGroup(tmp_path / "bot")


@pytest.fixture
def controller(fake: FakeGroup) -> Iterator[Controller]:
    made = Controller("memory", fake.path, None)
    yield made
    made.remove()


def test_in_version_2_a_kill_at_the_own_limit_is_told_from_one_above(
    fake: FakeGroup, controller: Controller
) -> None:
    fake.tell(limit=3, shortages=4, kills=5)
    controller.begin()
    before = controller.has_killed(), controller.has_reached_limit()
    fake.tell(limit=7, shortages=4, kills=6)
    above = controller.has_killed(), controller.has_reached_limit()
    fake.tell(limit=9, shortages=5, kills=7)

    assert before == (False, False)
    assert above == (True, False)
    assert (controller.has_killed(), controller.has_reached_limit()) == (True, True)


def refuse(*_: object) -> int:
    raise OSError(errno.EINVAL, "Invalid argument")


def test_the_peak_of_an_earlier_bot_does_not_count(
    fake: FakeGroup, controller: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    (fake.path / "memory.current").write_text(str(3 * MB))
    controller.begin()
    (fake.path / "memory.peak").write_text(str(90 * MB))
    first = controller.peak()
    monkeypatch.setattr(os, "pwrite", refuse)  # an older kernel
    controller.begin()

    assert first == 90 * MB
    assert controller.peak() == 3 * MB


def test_the_smallest_limit_above_is_named(tmp_path: Path) -> None:
    inner = tmp_path / "pod" / "service"
    inner.mkdir(parents=True)
    (inner / "memory.max").write_text("max\n")
    (inner.parent / "memory.max").write_text(f"{300 * MB}\n")

    room = Surroundings(inner, is_version_2=True).room()

    assert str(room) == f"the control group {inner.parent} has 300 MB in all"


def test_without_a_limit_above_the_machine_is_named(tmp_path: Path) -> None:
    room = Surroundings(tmp_path, is_version_2=True).room()

    assert room.owner == "this machine"
    assert room.total_bytes == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.fixture
def crowded(groups: Groups) -> Iterator[Group]:
    """A bot's group with more memory than the group around it."""
    if (home := version_1_home("memory")) is None:
        pytest.skip("no memory controller of version 1")
    around = home / f"around-{os.getpid()}"
    around.mkdir()
    (around / "memory.limit_in_bytes").write_text(str(100 * MB))
    surroundings = Surroundings(around, is_version_2=False)
    group = Group(groups._home, surroundings)
    group.add("memory", around)
    group.hold(LIMITS.memory_bytes, None)
    yield group
    group.remove()
    surroundings.close()
    around.rmdir()


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize("groups", ["memory"], indirect=True)
def test_a_kill_for_the_group_around_is_a_shortage_and_not_the_limit(crowded: Group) -> None:
    process = Running(python(EATER), LIMITS, {}, crowded)

    ended = end_of(process)

    assert ended == "signal SIGKILL, out of memory"
    assert not process.has_hit_memory_limit
    assert process.shortage is not None
    assert "of its limit of 400 MB; the control group" in process.shortage
    assert process.shortage.endswith("has 100 MB in all")
    process.stop()


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize("groups", ["memory"], indirect=True)
def test_an_alarm_of_the_group_around_ends_no_other_bot(crowded: Group) -> None:
    alarm = crowded.memory_alarm
    if alarm is None:
        pytest.skip("this kernel has no memory alarm")
    waiter = Running(python(WAITER), LIMITS, {}, crowded)
    line_of(waiter)
    eater = Running(python(EATER), LIMITS, {}, crowded)
    end_of(eater)

    rang = select.select([alarm], [], [], PATIENCE_S)[0]
    was_ended = waiter.end_for_memory()
    waiter.silence()

    assert rang
    assert not was_ended
    assert not select.select([alarm], [], [], 0)[0]
    assert waiter.wait_end(0) is None
    eater.stop()
    waiter.stop()
