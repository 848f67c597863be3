"""What processes hold, read from files of a test: the exact bounds, and the words about each."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.sandbox import uncounted
from referee.sandbox.uncounted import MAX_FILES, Bounds, Watch

MB_OF_KB = 1024
GONE = 10**9
"""A PID that no process has: the system has at most four million."""


class Processes:
    """Directories of processes as in /proc."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, pid: int) -> str:
        return str(self.folder / str(pid))

    def add(self, pid: int, *, own: int, shares: int | None = None, files: int = 0) -> None:
        """Add a process whose own memory has `own` kB, and which has this number of open files.

        Of its memory, 3 kB are in page tables and 2 kB are swapped out. With `shares`, the kernel
        also says how many kB remain if memory shared by processes is divided among them.
        """
        place = self.folder / str(pid)
        (place / "fd").mkdir(parents=True)
        for number in range(files):
            (place / "fd" / str(number)).touch()
        (place / "status").write_text(
            f"Name:\tRssAnon: 9 kB\nVmRSS:\t  999 kB\nRssAnon:\t{own - 5:8} kB\n"
            "RssFile:\t  999 kB\nVmPTE:\t       3 kB\nVmSwap:\t       2 kB\nThreads:\t999\n"
        )
        if shares is not None:
            (place / "smaps_rollup").write_text(
                f"Rss:  999 kB\nPss:  999 kB\nPss_Anon: {shares - 2:10} kB\n"
                "Pss_File:         999 kB\nSwapPss:            2 kB\n"
            )


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Processes:
    found = Processes(tmp_path)
    monkeypatch.setattr(uncounted, "live_place", found.place)
    return found


def excess(pids: list[int], **bounds: Any) -> str:
    watch = Watch(Bounds(**bounds))
    was_found = watch.look(Watch.LOOK_NS, lambda: Path("/"), lambda: pids)
    assert was_found is bool(watch.excess)
    found = watch.excess
    assert not watch.look(9 * Watch.LOOK_NS, lambda: Path("/"), lambda: pids), "only once"
    return found


def test_the_memory_of_all_processes_is_compared_with_its_bound(processes: Processes) -> None:
    processes.add(1, own=300 * MB_OF_KB)
    processes.add(2, own=100)
    bytes_of_both = (300 * MB_OF_KB + 100) << 10

    assert excess([1, 2, GONE], memory_bytes=bytes_of_both) == ""
    assert excess([1, 2, GONE], memory_bytes=bytes_of_both - 1) == (
        "300 MB in all its processes; 300 MB are allowed"
    )
    assert excess([1, 2], memory_bytes=1 << 20) == "300 MB in all its processes; 1 MB are allowed"
    assert excess([1, 2]) == ""


def test_memory_that_processes_share_is_divided_among_them(processes: Processes) -> None:
    """The page tables are those of each: 3 kB beside its part."""
    for pid in (1, 2):
        processes.add(pid, own=2000, shares=1500)
    of_both = 2 * (1500 + 3) << 10

    assert excess([1, 2], memory_bytes=of_both) == ""
    assert excess([1, 2], memory_bytes=of_both - 1) != ""


def test_the_parts_are_read_only_where_the_memory_of_each_is_too_much(
    processes: Processes,
) -> None:
    processes.add(1, own=2000, shares=9000)

    assert excess([1], memory_bytes=2000 << 10) == ""
    assert excess([1], memory_bytes=(2000 << 10) - 1) != ""


def shows_size(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Show this size of every directory that is there: 0 before Linux 6.2."""

    def status(path: str) -> Any:
        return SimpleNamespace(st_size=size if Path(path).exists() else path_error(path))

    monkeypatch.setattr(uncounted, "os", SimpleNamespace(stat=status, listdir=os.listdir))


def path_error(path: str) -> int:
    raise FileNotFoundError(path)


@pytest.mark.parametrize(("size", "each"), [(0, 5), (6, 6)])
def test_open_files_are_those_of_all_processes(
    processes: Processes, monkeypatch: pytest.MonkeyPatch, size: int, each: int
) -> None:
    for pid in (1, 2):
        processes.add(pid, own=100, files=5)
    shows_size(monkeypatch, size)

    assert excess([1, 2, GONE], descriptors=2 * each) == ""
    assert excess([1, 2, GONE], descriptors=2 * each - 1) == (
        f"{2 * each} open files of all its processes; {2 * each - 1} are allowed"
    )


def test_threads_are_counted_until_their_process_ends() -> None:
    is_over = threading.Event()
    others = [threading.Thread(target=is_over.wait) for _ in range(3)]
    for thread in others:
        thread.start()
    try:
        tasks = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - as the watch does

        assert tasks > len(others)
        assert excess([os.getpid(), GONE], tasks=tasks) == ""
        assert excess([os.getpid(), GONE], tasks=tasks - 1) == (
            f"{tasks} processes and threads; without a control group {tasks - 1} are allowed"
        )
    finally:
        is_over.set()
        for thread in others:
            thread.join()


def test_files_in_memory_are_looked_for_below_the_root_of_the_bot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[str, Callable[[], Any]] = {
        "/proc/7/root/tmp": lambda: SimpleNamespace(f_files=MAX_FILES + 500, f_ffree=500),
        "/proc/7/root/home": lambda: path_error("home"),
        "/proc/7/root/shm": lambda: SimpleNamespace(f_files=MAX_FILES + 501, f_ffree=500),
    }
    monkeypatch.setattr(uncounted, "os", SimpleNamespace(statvfs=lambda place: seen[str(place)]()))

    def found(*places: str) -> str:
        watch = Watch(Bounds(places=tuple(map(Path, places))))
        watch.look(Watch.LOOK_NS, lambda: Path("/proc/7/root"), no_processes)
        return watch.excess

    assert found("/tmp", "/home") == ""  # noqa: S108 - a name of a test
    assert found("/tmp", "/shm") == (  # noqa: S108 - a name of a test
        f"{MAX_FILES + 1} files in /shm; without a control group {MAX_FILES} are allowed"
    )


def no_processes() -> list[int]:
    raise AssertionError("the list of processes takes time, and nothing of them is bounded")


def test_a_bot_without_bounds_is_not_looked_at_and_others_not_between_looks() -> None:
    looks: list[str] = []

    def root() -> None:
        looks.append("root")

    def pids() -> list[int]:
        looks.append("pids")
        return []

    idle, watch = Watch(Bounds()), Watch(Bounds(places=(Path("/x"),), tasks=5))
    for now_ns in range(0, 3 * Watch.LOOK_NS, Watch.LOOK_NS // 2):
        assert not idle.look(now_ns, root, pids)
        assert not watch.look(now_ns, root, pids)

    assert looks == ["root", "pids"] * 2
    assert (idle.excess, watch.excess) == ("", "")
