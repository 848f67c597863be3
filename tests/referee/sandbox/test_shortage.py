"""Processes that are refused to a bot: by its own limit, or by one around it."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import Running, end_of, line_of, python

from referee.sandbox import surrounding_tasks
from referee.sandbox.cgroup import Group, Groups
from referee.sandbox.controllers import LOCAL_EVENTS, Controller, version_1_home
from referee.sandbox.limits import Limits
from referee.sandbox.shortage import REFUSED, Lack, Use, filler, shortage_text
from referee.sandbox.surrounding_tasks import SurroundingTasks, TaskRoom

LIMIT = 20
LIMITS = Limits(processes=LIMIT)
AROUND = 8
"""Limit of the group around."""
STARTER = """
import os, sys
reader, writer = os.pipe()
for number in range(int(sys.argv[1])):
    if os.fork() == 0:
        os.close(writer)
        os.read(reader, 1)
        os._exit(0)
print("started", flush=True)
os.read(reader, 1)
"""
"""Starts processes that end with it."""


class FakeGroup:
    """The files of a group with a limit of processes; `local` is those of Linux 6.11."""

    def __init__(self, path: Path, *, is_local: bool, has_peak: bool = True) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.tell(refused=3, peak=9 if has_peak else None)
        (path / "pids.max").write_text("max")
        if is_local:
            self.tell_local(0)

    def tell(self, *, refused: int, peak: int | None = None, current: int = 0) -> None:
        (self.path / "pids.events").write_text(f"max {refused}\n")
        (self.path / "pids.current").write_text(f"{current}\n")
        if peak is not None:
            (self.path / "pids.peak").write_text(f"{peak}\n")

    def tell_local(self, refused: int) -> None:
        (self.path / LOCAL_EVENTS).write_text(f"max {refused}\n")


def refused_by(fake: FakeGroup, left: int = 100, **told: int) -> str:
    """Return which limit has refused, after these counts beside a limit of LIMIT."""
    controller = Controller("pids", fake.path, None)
    try:
        controller.limit(LIMIT)
        controller.begin()
        assert controller.refused_by(lambda: left) == ""
        fake.tell(**told)
        return controller.refused_by(lambda: left)
    finally:
        controller.remove()


@pytest.mark.parametrize(
    ("refused", "peak", "by"), [(3, 11, ""), (4, 11, "around"), (4, LIMIT, "its limit")]
)
def test_below_its_peak_a_refusal_is_not_that_of_the_own_limit(
    tmp_path: Path, refused: int, peak: int, by: str
) -> None:
    fake = FakeGroup(tmp_path, is_local=False)

    assert refused_by(fake, refused=refused, peak=peak) == by


def test_newer_kernels_count_here_what_the_own_limit_refuses(tmp_path: Path) -> None:
    fake = FakeGroup(tmp_path, is_local=True)

    assert refused_by(fake, refused=4, peak=11) == "its limit"


@pytest.mark.parametrize(("left", "by"), [(5, "around"), (LIMIT, "its limit")])
def test_without_a_peak_a_limit_out_of_reach_was_not_reached(
    tmp_path: Path, left: int, by: str
) -> None:
    fake = FakeGroup(tmp_path, is_local=False, has_peak=False)

    assert refused_by(fake, left, refused=4, current=3) == by


@pytest.mark.parametrize(("left", "by"), [(5, "around"), (LIMIT, "its limit")])
def test_the_peak_of_an_earlier_bot_with_a_higher_limit_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int, by: str
) -> None:
    def read_only(controller: Controller, name: str) -> int | None:
        return controller._open(name, os.O_RDONLY)  # no kernel resets this peak

    monkeypatch.setattr(Controller, "_open_peak", read_only)
    fake = FakeGroup(tmp_path, is_local=False)
    fake.tell(refused=3, peak=LIMIT + 2)

    assert refused_by(fake, left, refused=4, peak=LIMIT + 2, current=3) == by


def test_newer_kernels_count_above_what_a_limit_there_refuses(tmp_path: Path) -> None:
    pod, home = FakeGroup(tmp_path, is_local=True), FakeGroup(tmp_path / "in", is_local=True)
    (pod.path / "pids.max").write_text("30\n")
    (pod.path / "pids.current").write_text("30\n")
    tasks = SurroundingTasks(home.path)
    before = tasks.refusals()
    pod.tell_local(2)

    assert (before, tasks.refusals()) == (0, 2)
    assert tasks.room() == TaskRoom(f"the control group {pod.path}", 30, 30)
    tasks.close()


def test_the_limit_of_the_user_is_compared_with_all_its_tasks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 4242)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (7, 7))
    monkeypatch.setattr(surrounding_tasks, "_tasks_of_user", lambda _: 6)

    assert str(surrounding_tasks.task_room_here()) == (
        "user 4242 may have 7 processes and threads, and has 6"
    )


def test_the_threads_of_a_user_are_counted() -> None:
    mine = Path("/proc/self").stat().st_uid

    assert surrounding_tasks._tasks_of_user(mine) >= len(list(Path("/proc/self/task").iterdir()))


@pytest.fixture
def around(groups: Groups) -> Iterator[Group]:
    """A bot's group with more processes than the group around it."""
    del groups  # only where they can be made
    if (home := version_1_home("pids")) is None:
        pytest.skip("no controller of processes of version 1")
    place = home / f"around-{os.getpid()}"
    place.mkdir()
    (place / "pids.max").write_text(str(AROUND))
    tasks = SurroundingTasks(place)
    found = Groups.probe()
    assert found is not None
    group = Group(found._home, None, tasks)
    group.add("pids", place)
    group.hold(None, LIMIT)
    yield group
    group.remove()
    found.close()
    tasks.close()
    place.rmdir()


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize("groups", ["memory"], indirect=True)
def test_a_refusal_by_the_group_around_is_a_shortage(around: Group) -> None:
    process = Running(python(STARTER, "15"), LIMITS, {}, around)

    ended = end_of(process)

    assert ended == "exit code 1"
    assert process.lack == "pids"
    assert process.shortage is not None
    assert process.shortage.startswith("too few processes: bot was refused a process or thread")
    assert f" asked for {AROUND + 1} of its {LIMIT}; the control group " in process.shortage
    assert f" may have {AROUND} processes and threads, and has " in process.shortage
    process.stop()


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize("groups", ["memory"], indirect=True)
def test_a_refusal_at_the_own_limit_is_none(around: Group) -> None:
    around.hold(None, AROUND - 3)
    process = Running(python(STARTER, "15"), LIMITS, {}, around)

    ended = end_of(process)

    assert ended == "exit code 1"
    assert process.shortage is None
    assert not around.is_reusable  # its peak would hide a shortage of the next bot
    process.stop()


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize("groups", ["memory"], indirect=True)
def test_the_bot_that_has_taken_the_processes_of_all_is_named(around: Group) -> None:
    greedy = Running(python(STARTER, str(AROUND - 3)), LIMITS, {}, around)
    line_of(greedy)

    use = around.use("pids")

    assert use == Use(AROUND - 2, LIMIT, AROUND)
    assert filler({0: use, 1: Use(1, LIMIT, AROUND)}) == 0
    greedy.stop()


SAYS_REFUSED = "import sys; sys.exit('OSError: [Errno 11] Resource temporarily unavailable')"


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize("groups", ["tree"], indirect=True)
@pytest.mark.parametrize(("left", "lack"), [(LIMIT - 1, "pids"), (LIMIT, None)])
def test_what_no_kernel_counts_is_judged_by_its_message_and_the_room(
    groups: None, monkeypatch: pytest.MonkeyPatch, left: int, lack: str | None
) -> None:
    del groups
    room = TaskRoom("user 4242", 100, 100 - left)
    monkeypatch.setattr("referee.sandbox.process.task_room_here", lambda: room)
    process = Running(python(SAYS_REFUSED), LIMITS, {}, None)

    end_of(process)

    assert process.lack == lack
    assert (process.shortage or "").endswith(str(room) if lack else "")
    process.stop()


@pytest.mark.parametrize(
    ("amounts", "total", "guilty"),
    [
        ((461, 10), 4000, 0),  # nearly all of its own
        ((456, 456), 4000, None),  # other programs have the rest
        ((456, 30), 600, 0),  # far above its part of a small machine
        ((300, 40), 900, 0),  # above half of its part, and much more than its rival
        ((150, 40), 900, None),  # other programs have most of it
        ((200, 180), 600, None),  # as large as its rival
        ((20, 20, 230), 600, 2),
        ((0, 0), 600, None),
    ],
)
def test_a_bot_is_suspected_by_its_share_of_the_room(
    amounts: tuple[int, ...], total: int, guilty: int | None
) -> None:
    uses = {seat: Use(amount, 512, total) for seat, amount in enumerate(amounts)}

    assert filler(uses) == guilty


def test_nobody_is_suspected_where_nothing_is_known() -> None:
    assert filler({}) is None


@pytest.mark.parametrize(
    ("amounts", "total", "guilty"),
    [
        ((451, 10), 4000, 0),  # above nine tenths of its limit
        ((450, 10), 4000, None),
        ((210, 69), 600, 0),  # in use: above three quarters of all
        ((210, 70), 600, None),
        ((151, 10), 600, 0),  # above half of its part
        ((150, 10), 600, None),
        ((400, 100), 1000, None),  # this machine is large enough for both limits
        ((400, 100), 999, 0),
        ((1, 0), 0, 0),  # nothing was free
    ],
)
def test_a_bot_is_suspected_from_a_bound_on(
    amounts: tuple[int, ...], total: int, guilty: int | None
) -> None:
    assert filler({seat: Use(amount, 500, total) for seat, amount in enumerate(amounts)}) == guilty


def test_the_bot_that_has_used_most_of_its_own_share_is_suspected() -> None:
    assert filler({0: Use(95, 100, 4000), 1: Use(200, 512, 4000)}) == 0


def test_without_limits_the_largest_total_is_shared() -> None:
    assert filler({0: Use(451, None, 1000), 1: Use(452, None, 800)}) == 1
    assert filler({0: Use(400, None, 1000), 1: Use(390, None, 800)}) is None


MB = 1024 * 1024
WORDS: list[tuple[Lack, int | None, str]] = [
    ("memory", 20 * MB, "kernel ended a process of ant, which used 20 MB of its limit of 50 MB; X"),
    ("memory", None, "kernel ended a process of ant, which used 0 MB of its limit of 50 MB; X"),
    ("disk", 3 * MB, "ant ended there below its own limit, with files of 3 MB; X"),
    ("pids", 7, "ant was refused a process or thread, and asked for 7 of its 20; X"),
    ("pids", 0, "ant was refused a process or thread, and may have its 20; X"),
    ("pids", None, "ant was refused a process or thread, and may have its 20; X"),
]


@pytest.mark.parametrize(("lack", "amount", "words"), WORDS)
def test_a_shortage_says_who_lacked_what(lack: Lack, amount: int | None, words: str) -> None:
    limits = Limits(memory_bytes=50 * MB, processes=20)
    use = None if amount is None else Use(amount, None, 0)
    begin = {
        "memory": "too little memory: the ",
        "disk": "too little disk: ",
        "pids": "too few processes: ",
    }

    assert shortage_text(lack, "ant", limits, use, "X") == begin[lack] + words


def test_a_shortage_of_memory_says_no_limit_where_none_is_set() -> None:
    text = shortage_text("memory", "ant", Limits(memory_bytes=None), Use(MB, None, 0), "X")

    assert text == ("too little memory: the kernel ended a process of ant, which used 1 MB; X")


@pytest.mark.parametrize(
    "printed",
    [
        "sh: 1: Cannot fork",
        "BlockingIOError: [Errno 11] Resource temporarily unavailable",
        "RuntimeError: can't start new thread",
        "Error: spawn /bin/true EAGAIN",
        "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory",
        "java.lang.OutOfMemoryError: unable to create new native thread",
        "OpenBLAS blas_thread_init: pthread_create failed for thread 1 of 2",
        "runtime: failed to create new OS thread\nfatal error: newosproc",
    ],
)
def test_a_refused_process_is_known_by_the_words_of_its_language(printed: str) -> None:
    assert REFUSED.search(f"a line before\n{printed}\n")


@pytest.mark.parametrize("printed", ["[Errno 110] Connection timed out", "EAGAINST", "a fork"])
def test_other_words_are_no_refused_process(printed: str) -> None:
    assert not REFUSED.search(printed)
