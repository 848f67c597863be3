"""Control groups: the exact CPU time of whole trees, and their end in one stroke."""

import os
from collections.abc import Iterator

import pytest
from programs import (
    FAMILY,
    RUNNER,
    STAY,
    Running,
    all_end,
    descriptors_of,
    line_of,
    program,
    python,
)
from waiting import becomes

from referee.sandbox.cgroup import Group, Groups, remove_abandoned_groups
from referee.sandbox.controllers import own_group
from referee.sandbox.limits import Limits
from referee.sandbox.orphans import sweep


@pytest.fixture
def group(new_groups: Groups) -> Iterator[Group]:
    taken = new_groups.take()
    yield taken
    taken.remove()


def run(program: str, group: Group) -> Running:
    return Running(python(program), Limits(), {}, group)


@pytest.mark.usefixtures("subreaper")
def test_all_descendants_are_in_the_group_even_orphans(group: Group) -> None:
    process = run(FAMILY + STAY, group)
    family = list(map(int, line_of(process).split()))

    assert sorted(group.pids()) == sorted([process.pid, *family])
    assert not group.is_empty()
    process.stop()


@pytest.mark.usefixtures("subreaper")
def test_killing_the_group_ends_all_its_processes(group: Group) -> None:
    process = run(FAMILY + STAY, group)
    pidfds = descriptors_of([process.pid, *map(int, line_of(process).split())])

    group.kill()

    assert all_end(pidfds)
    assert becomes(group.is_empty)
    process.stop()


BUSY_ORPHAN = """
import os, signal, time
if os.fork() == 0:
    while time.process_time() < 0.1: pass
    if os.fork():
        os._exit(0)
    while time.process_time() < 0.1: pass
    print(flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.usefixtures("subreaper")
def test_the_cpu_time_of_short_lived_processes_counts(group: Group) -> None:
    process = run(BUSY_ORPHAN + STAY, group)
    line_of(process)
    sweep({process.pid})

    assert group.cpu_ns() >= 200_000_000
    assert process.cpu_ns() >= 200_000_000
    process.stop()


@pytest.mark.usefixtures("subreaper")
def test_the_cpu_time_of_the_previous_bot_of_a_group_does_not_count(group: Group) -> None:
    before = run(BUSY_ORPHAN + STAY, group)
    line_of(before)
    before.stop()

    after = run(STAY, group)

    assert group.cpu_ns() >= 200_000_000
    assert after.cpu_ns() < 200_000_000
    after.stop()


@pytest.mark.usefixtures("subreaper")
def test_an_orphan_is_suspended_with_its_group(group: Group) -> None:
    process = run(FAMILY + STAY, group)
    orphan = int(line_of(process).split()[2])

    assert orphan in group.pids()
    process.suspend()
    assert becomes(lambda: process.stands_still(process.pid))
    process.resume()
    assert becomes(lambda: not process.stands_still(process.pid))
    process.stop()


@pytest.mark.usefixtures("subreaper")
def test_a_program_that_keeps_forking_is_suspended_with_its_group(group: Group) -> None:
    process = run(RUNNER, group)
    line_of(process)

    process.suspend()

    assert becomes(lambda: process.stands_still(process.pid))
    process.stop()
    sweep(set())


def test_a_group_is_reusable_after_the_end_of_a_suspended_bot(group: Group) -> None:
    process = run(STAY, group)
    process.suspend()

    process.stop()

    assert "frozen 0" in (group.path / "cgroup.events").read_text()


def test_without_a_group_the_clock_is_not_exact() -> None:
    process = Running(program("/bin/true"), Limits(), {}, None)

    assert not process.has_exact_clock
    process.stop()


def test_an_empty_group_is_used_again(new_groups: Groups) -> None:
    first = new_groups.take()
    second = new_groups.take()
    assert first.path != second.path

    new_groups.give_back(first)

    assert new_groups.take() is first
    new_groups.give_back(first)
    new_groups.give_back(second)


@pytest.mark.usefixtures("subreaper")
def test_a_group_that_is_not_empty_is_killed_and_removed_when_it_comes_back(
    new_groups: Groups,
) -> None:
    group = new_groups.take()
    process = run("import signal\n" + STAY, group)
    pidfds = descriptors_of([process.pid])

    new_groups.give_back(group)

    assert all_end(pidfds)
    assert not group.path.exists()
    process.stop_without_group()


def test_no_group_is_left_when_the_groups_are_closed() -> None:
    groups = Groups.probe()
    if groups is None:
        pytest.skip("this machine lets nobody make a version 2 control group")
    for group in [groups.take() for _ in range(3)]:
        groups.give_back(group)

    groups.close()

    home = own_group()
    assert home is not None
    assert list(home.glob(f"arena-{os.getpid()}-*")) == []


@pytest.mark.usefixtures("subreaper")
def test_only_groups_of_ended_referees_are_removed(group: Group) -> None:
    abandoned = Group(group.path.parent)
    process = run("import signal\n" + STAY, abandoned)
    pidfds = descriptors_of([process.pid])
    os.close(abandoned._lock)

    remove_abandoned_groups()

    assert all_end(pidfds)
    assert not abandoned.path.exists()
    assert group.path.exists()
    process.stop_without_group()
