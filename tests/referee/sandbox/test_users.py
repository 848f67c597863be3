"""User ids of the bots of a referee that is root, and the resources they keep apart."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import Running, line_of
from sandboxed import LIMITS, check_allowed

from referee.sandbox import users as module
from referee.sandbox.cgroup import Group
from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.isolation import MAX_TIMERS, Access
from referee.sandbox.limits import Tier
from referee.sandbox.program import Program
from referee.sandbox.unprivileged import NOBODY, is_mapped
from referee.sandbox.users import BLOCK, BLOCKS, FIRST, Users

IS_ROOT = os.geteuid() == 0
UNUSED = range(1_879_048_192, 2_147_352_576)
"""Ranges listed by systemd as unused: https://systemd.io/UIDS-GIDS."""
SSSD_END = 2_000_200_000

QUEUES = """
import ctypes, os, signal
sigqueue = ctypes.CDLL(None).sigqueue
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
made = 0
while sigqueue(os.getpid(), signal.SIGRTMIN, None) == 0:
    made += 1
print(made, flush=True)
signal.pause()
"""
"""Has signals wait until no more are allowed; timers have the same limit."""
FILLS = """
import array, signal, socket
pairs = [socket.socketpair() for _ in range(4)]
files = array.array("i", [0] * 20)
passing = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)]
sent = 0
try:
    for own, _ in pairs:
        own.sendmsg([b"x"], passing)
        sent += len(files)
except OSError as error:
    print(sent, error.errno, flush=True)
print(sent, flush=True)
signal.pause()
"""
PASSES = """
import array, errno, socket
own, other = socket.socketpair()
try:
    own.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
    print("passed", flush=True)
except OSError as error:
    print(errno.errorcode[error.errno], flush=True)
"""


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


class Bots:
    """Starts programs in parallel, each as a separate bot."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[tuple[Running, SandboxDirectory]] = []

    def start(self, tier: Tier, user: int, program: str, group: Group | None = None) -> Running:
        check_allowed(tier)
        room = SandboxDirectory()
        argv = (sys.executable, "-I", "-c", program)
        player = Program(name="bot", argv=argv, folder=str(self._folder), tier=tier)
        access = Access(directory=room.path, user=user)
        process = Running(player, LIMITS, {"PATH": os.defpath}, group, access)
        self._running.append((process, room))
        return process

    def close(self) -> None:
        while self._running:
            process, room = self._running.pop()
            process.stop()
            room.remove()


@pytest.fixture
def bots(subreaper: None, tmp_path: Path) -> Iterator[Bots]:
    del subreaper
    folder = tmp_path / "bot"
    folder.mkdir(mode=0o755)
    made = Bots(folder)
    yield made
    made.close()


@pytest.fixture(params=["namespaces", "landlock", "limits"])
def tier(request: pytest.FixtureRequest) -> Tier:
    asked: Tier = request.param
    check_allowed(asked)
    return asked


@pytest.mark.skipif(not IS_ROOT, reason="only root can change the user")
def test_descriptors_in_flight_of_one_bot_do_not_block_those_of_a_rival(
    bots: Bots, tier: Tier, locks: Path
) -> None:
    users = Users(locks)

    assert line_of(bots.start(tier, users.take(), FILLS)) == "60 109"  # ETOOMANYREFS: its own
    rival = bots.start(tier, users.take(), PASSES)

    assert line_of(rival) == "passed"
    assert rival.in_force["user"] == "its own"
    users.close()


def test_bots_of_one_user_cannot_exhaust_limits_per_user(bots: Bots, tier: Tier) -> None:
    if tier == "limits":
        pytest.skip("nothing refuses calls in this tier")
    assert line_of(bots.start(tier, NOBODY, FILLS)) == "0 1"


def test_a_bot_in_namespaces_takes_no_timers_of_a_rival_with_its_user(bots: Bots) -> None:
    check_allowed("namespaces")

    first, second = (int(line_of(bots.start("namespaces", NOBODY, QUEUES))) for _ in range(2))

    assert MAX_TIMERS // 2 < first == second <= MAX_TIMERS


@pytest.mark.skipif(not IS_ROOT, reason="only root can change the user")
def test_a_bot_in_namespaces_sees_its_user_as_nobody(bots: Bots, locks: Path) -> None:
    check_allowed("namespaces")
    users = Users(locks)
    told = bots.start("namespaces", users.take(), "import os; print(*os.getresuid(), os.getgid())")

    assert line_of(told) == " ".join([str(NOBODY)] * 4)
    users.close()


@pytest.mark.skipif(not IS_ROOT, reason="only root can change the user")
def test_a_bot_with_limits_only_cannot_harm_a_rival_of_another_user(
    bots: Bots, locks: Path
) -> None:
    users = Users(locks)
    rival = bots.start("limits", users.take(), "import signal; print(flush=True); signal.pause()")
    line_of(rival)
    enemy = f"""
import os
def could(what):
    try:
        what()
        return "could"
    except PermissionError:
        return "refused"
print(could(lambda: os.kill({rival.pid}, 9)), could(lambda: open("/proc/{rival.pid}/environ")))
"""

    assert line_of(bots.start("limits", users.take(), enemy)) == "refused refused"
    users.close()


def test_every_id_is_in_a_range_that_belongs_to_nobody() -> None:
    ids = range(FIRST, FIRST + BLOCK * BLOCKS)

    assert ids[0] in UNUSED
    assert ids[-1] in UNUSED
    assert ids[0] >= SSSD_END
    assert ids[-1] < 2**31


def test_two_referees_never_have_the_same_id(locks: Path) -> None:
    one, another = Users(locks), Users(locks)

    taken = [users.take() for users in (one, another, one, another)]

    assert len(set(taken)) == 4
    assert all(user in range(FIRST, FIRST + BLOCK * BLOCKS) for user in taken)
    one.close()
    assert another.take() in (taken[0], taken[2]) or another.take() not in taken
    another.close()


def test_referees_without_shared_locks_use_different_ids(tmp_path: Path) -> None:
    apart = [Users(tmp_path / name) for name in "ab"]

    first, second = (users.take() // BLOCK for users in apart)

    assert first != second
    for users in apart:
        users.close()


def test_an_id_that_was_used_is_the_last_to_be_used_again(locks: Path) -> None:
    users = Users(locks)
    first, second = users.take(), users.take()

    users.give_back(second)
    users.give_back(first)

    assert [users.take(), users.take()] == [second, first]
    users.close()


@pytest.mark.parametrize("count", [1, BLOCK])
def test_closed_ids_are_released_without_affecting_others(locks: Path, count: int) -> None:
    users = Users(locks)
    for user in [users.take() for _ in range(count)]:
        users.give_back(user)
    users.close()
    others = os.open(os.devnull, os.O_RDONLY)  # the lowest free number: that of the locks

    users.close()

    os.fstat(others)
    os.close(others)
    with pytest.raises(ValueError, match="closed"):
        users.take()


def test_without_a_free_id_a_bot_runs_as_nobody(locks: Path) -> None:
    users = Users(locks)
    taken = [users.take() for _ in range(BLOCK)]

    assert len(set(taken)) == BLOCK
    assert users.take() == NOBODY
    users.give_back(NOBODY)
    assert users.take() == NOBODY
    users.close()


@pytest.mark.skipif(not IS_ROOT, reason="only root can assign user ids")
def test_unmapped_or_unlockable_ids_are_not_used(
    locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Users.probe(locks)
    assert found is not None
    found.close()
    assert Users.probe(locks / "in" / "no" / "folder") is None
    monkeypatch.setattr(module, "is_mapped", lambda name, _: name == "uid_map")
    assert Users.probe(locks) is None


def test_whether_an_id_is_mapped_is_read_from_the_kernel() -> None:
    assert is_mapped("uid_map", os.geteuid())
    assert not is_mapped("uid_map", 2**32)
