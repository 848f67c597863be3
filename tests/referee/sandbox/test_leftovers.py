"""Leftovers of killed processes are removed; files of running ones stay.

Running ones may be in a container with shared folders and groups, or of another user.
"""

import ast
import contextlib
import ctypes
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest
from programs import all_end
from waiting import PATIENCE_S

from referee.sandbox.cgroup import Groups
from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.leftovers import remove_leftovers
from referee.sandbox.locked import make_locked, take_lock
from referee.sandbox.unprivileged import NOBODY

CLONE_NEWPID, CLONE_NEWUSER = 1 << 29, 1 << 28
IDLE = ["/bin/sleep", "86399"]
IS_ROOT = os.geteuid() == 0
ROOT = Path(__file__).parents[3]


@dataclass
class Arena:
    """A process with a sandbox directory, a group if it can make one, and a bot in both."""

    pid: int
    room: Path
    group: Path | None
    bot: int
    """A pidfd. The pid is another one where the bot is."""

    def kill(self) -> None:
        """Kill the process, but not its bot, and reap it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def is_untouched(self) -> bool:
        has_group = self.group is None or self.group.exists()
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.bot, 0)
            return has_group and (self.room / "note").read_text() == "learnt something"
        return False


Starter = Callable[..., Arena]


@pytest.fixture
def temp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a world-writable folder for temporary files."""
    with tempfile.TemporaryDirectory(prefix="shared-", dir="/tmp") as name:
        Path(name).chmod(0o1777)
        monkeypatch.setattr(tempfile, "tempdir", name)
        yield Path(name)


@pytest.fixture
def start(temp: Path) -> Iterator[Starter]:
    """Start arenas, of which nothing is left when the test is over."""
    del temp
    started: list[Arena] = []

    def starter(
        settle: Callable[[], None] = lambda: None,
        over: str = "ipc://{}/s",
        *,
        has_group: bool = True,
    ) -> Arena:
        started.append(start_arena(settle, over, has_group=has_group))
        return started[-1]

    yield starter
    for arena in started:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(arena.bot, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            arena.kill()
        assert all_end([arena.bot])
    remove_leftovers()


def start_arena(settle: Callable[[], None], over: str, *, has_group: bool) -> Arena:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            settle()
            act(writer, over, has_group=has_group)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader) as told:
        room, group, _ = told.readline().split("\t")
    (bot,) = (pid for pid in everyone() if room in environment_of(pid))
    return Arena(pid, Path(room), Path(group) if group else None, os.pidfd_open(bot))


def act(writer: int, over: str, *, has_group: bool) -> NoReturn:
    """Act as an arena: create its files, start a bot, print their names and stay."""
    room = SandboxDirectory()
    (room.path / "note").write_text("learnt something")
    groups = Groups.probe() if has_group else None
    group = groups.take() if groups else None
    env = {"ARENA_ENDPOINT": over.format(room.path), "TMPDIR": str(room.path)}
    subprocess.Popen(
        IDLE,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: [os.write(each, b"0") for each in group.all_procs] if group else None,  # noqa: PLW1509 - one thread
    )
    os.write(writer, f"{room.path}\t{group.path if group else ''}\t\n".encode())
    while True:
        signal.pause()


def everyone() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*")]


def environment_of(pid: int) -> str:
    try:
        return os.fsdecode(Path(f"/proc/{pid}/environ").read_bytes())
    except OSError:
        return ""


def enter_container() -> None:
    """Become the first process of a pid namespace; all else stays shared."""
    libc = ctypes.CDLL(None, use_errno=True)
    user = os.geteuid()
    if libc.unshare(CLONE_NEWPID | (0 if IS_ROOT else CLONE_NEWUSER)) != 0:
        raise OSError(ctypes.get_errno(), "no pid namespace")
    if not IS_ROOT:
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    if child := os.fork():
        os.waitpid(child, 0)
        os._exit(0)
    libc.prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    assert os.getpid() == 1


def become_another_user() -> None:
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def can_enter_container() -> bool:
    pid = os.fork()
    if pid == 0:
        try:
            enter_container()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


in_container = pytest.mark.skipif(not can_enter_container(), reason="no pid namespace here")


def test_files_of_a_running_arena_stay(start: Starter) -> None:
    arenas = [start(), start()]

    remove_leftovers()

    assert all(arena.is_untouched() for arena in arenas)


@in_container
def test_files_of_an_arena_in_a_container_stay(start: Starter) -> None:
    arena = start(enter_container)
    assert arena.room.parent.name.startswith("arena-1-"), "its pid says nothing here"

    remove_leftovers()

    assert arena.is_untouched()


@in_container
def test_files_of_an_arena_on_the_host_stay_when_one_starts_in_a_container(
    start: Starter,
) -> None:
    arena = start()
    child = os.fork()
    if child == 0:
        try:
            enter_container()
            remove_leftovers()
            os._exit(0)
        finally:
            os._exit(1)

    os.waitpid(child, 0)

    assert arena.is_untouched()


@pytest.mark.skipif(not IS_ROOT, reason="only root can start an arena of another user")
@pytest.mark.parametrize("fate", ["runs", "is killed"])
def test_files_of_an_arena_of_another_user_stay(start: Starter, fate: str) -> None:
    arena = start(become_another_user)
    if fate == "is killed":
        arena.kill()

    remove_leftovers()

    assert arena.is_untouched()


@pytest.mark.parametrize("over", ["ipc://{}/s", "tcp://127.0.0.1:5555"])
@pytest.mark.parametrize("tier", ["with a group", "without"])
def test_nothing_of_a_killed_arena_is_left(
    start: Starter, temp: Path, over: str, tier: str
) -> None:
    arena, other = start(over=over, has_group=tier == "with a group"), start()
    arena.kill()
    bot = os.dup(arena.bot)

    remove_leftovers()

    assert all_end([bot])
    assert list(temp.iterdir()) == [other.room.parent]
    assert arena.group is None or not arena.group.exists()
    assert other.is_untouched()


def test_processes_outside_sandbox_directories_survive(start: Starter) -> None:
    arena = start()
    with subprocess.Popen(IDLE, env={"TMPDIR": str(arena.room)}) as process:
        arena.kill()

        remove_leftovers()

        assert process.poll() is None
        process.kill()


def test_folders_with_other_names_stay(temp: Path) -> None:
    names = [
        "arena-of-somebody",
        "arena-2026-backups01",
        "arena-12-0123456",
        "arena-1-base-01234567",
    ]
    for name in names:
        (temp / name).mkdir()

    remove_leftovers()

    assert sorted(path.name for path in temp.iterdir()) == sorted(names)


def abandoned(temp: Path) -> Path:
    room, lock = make_locked(temp)
    os.close(lock)
    return room


def test_a_link_in_place_of_a_sandbox_directory_is_not_followed(temp: Path) -> None:
    precious = temp / "precious"
    precious.mkdir()
    (precious / "thesis").write_text("the only copy")
    room = abandoned(temp)
    room.rmdir()
    room.symlink_to(precious)

    remove_leftovers()

    assert (precious / "thesis").read_text() == "the only copy"


def test_links_in_a_sandbox_directory_are_removed_but_not_their_targets(temp: Path) -> None:
    precious = temp / "precious"
    precious.mkdir()
    (precious / "thesis").write_text("the only copy")
    (abandoned(temp) / "link").symlink_to(precious)

    remove_leftovers()

    assert [path.name for path in temp.rglob("*")] == ["precious", "thesis"]


def test_an_unreadable_file_or_folder_does_not_stop_the_cleanup(temp: Path) -> None:
    room = abandoned(temp)
    room.rmdir()
    room.write_text("")
    closed = abandoned(temp)
    closed.chmod(0)
    other = abandoned(temp)

    remove_leftovers()

    assert not other.exists()
    assert room.exists()


def test_a_lock_is_held_by_one_at_a_time(temp: Path) -> None:
    folder, lock = make_locked(temp)
    assert take_lock(folder) is None

    os.close(lock)
    again = take_lock(folder)

    assert again is not None
    os.close(again)


def test_a_recreated_folder_is_not_locked_by_the_lock_of_the_old_one(temp: Path) -> None:
    folder, lock = make_locked(temp)
    folder.rmdir()
    folder.mkdir()

    again = take_lock(folder)

    assert again is not None
    os.close(again)
    os.close(lock)


def test_a_started_program_does_not_inherit_the_lock(temp: Path) -> None:
    folder, lock = make_locked(temp)
    command = ["/bin/sh", "-c", "echo; exec sleep 86399"]
    with subprocess.Popen(command, close_fds=False, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.close(lock)
        again = take_lock(folder)
        process.kill()
        process.wait(PATIENCE_S)

    assert again is not None
    os.close(again)


@pytest.mark.skipif(not IS_ROOT, reason="only of root are the bots another user")
def test_a_bot_of_another_user_cannot_hold_the_lock_of_its_directory(temp: Path) -> None:
    room = SandboxDirectory()
    child = os.fork()
    if child == 0:
        become_another_user()
        try:
            os.open(room.path.parent, os.O_RDONLY)
        except PermissionError:
            os._exit(0)
        os._exit(1)

    assert os.waitpid(child, 0)[1] == 0
    room.remove()
    assert list(temp.iterdir()) == []


MAKERS = ("mkdtemp", "mkstemp", "NamedTemporaryFile", "TemporaryDirectory")
SWEPT = {
    "arena/aside.py": ("mkdtemp",),  # by the next in the same place
    "arena/bots/archives.py": ("mkdtemp",),  # in the cache, by `arena.bots.unused`
    "arena/bots/compiled_bridges.py": ("TemporaryDirectory", "mkstemp"),  # as are these
    "arena/bots/prepare.py": ("mkdtemp",),
    "arena/bots/unused.py": ("mkdtemp",),
    "arena/cluster/bot_cache.py": ("mkdtemp",),
    "arena/league/files.py": ("mkstemp",),  # among the files of a league, by `sweep_parts`
    "arena/league/web/people_games.py": ("mkdtemp",),  # in the inbox of a league, at its start
    "arena/results/moved.py": ("mkstemp",),  # a result, which stays
}
"""Modules that make temporary files or folders elsewhere, and what sweeps those after a kill."""


def test_whatever_is_temporary_is_swept_after_a_kill() -> None:
    """Others are made by `private_directory`, or by `made_aside` in a folder of the user."""
    made = {
        (str(file.relative_to(ROOT)), maker, "dir" in {word.arg for word in node.keywords})
        for top in ("arena", "referee", "protocol")
        for file in (ROOT / top).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and (maker := ast.unparse(node.func).rpartition(".")[2]) in MAKERS
    }

    assert made == {(file, maker, True) for file, makers in SWEPT.items() for maker in makers}
