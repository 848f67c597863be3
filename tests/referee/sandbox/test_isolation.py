"""The promises of each tier, tested by a hostile bot."""

import contextlib
import errno
import json
import os
import shutil
import signal
import socket
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from programs import FAMILY, ON_OTHERS, Running, end_of, line_of
from sandboxed import IS_ROOT, LIMITS, Starter, of_tiers
from strangers import Strangers
from waiting import becomes

from protocol.wording import visible
from referee.sandbox import landlock
from referee.sandbox.cgroup import Groups
from referee.sandbox.errors import NoStartError
from referee.sandbox.isolation import Access, max_core
from referee.sandbox.limits import Limits, Tier
from referee.sandbox.orphans import sweep
from referee.sandbox.proctree import descendants, live_children
from referee.sandbox.program import Program
from referee.sandbox.tiers import TIERS, process_limit
from referee.sandbox.unprivileged import NOBODY


@pytest.fixture
def strangers() -> Iterator[Strangers]:
    """Yield strangers with world-accessible files, so that only the tier hides them."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    there = Strangers(folder)
    yield there
    there.close()
    shutil.rmtree(folder)


Intrude = Callable[..., dict[str, Any]]


@pytest.fixture
def intrude(start_in: Starter, strangers: Strangers, groups: Groups | None) -> Intrude:
    """Return a function that runs the intruder in a tier and returns its results."""

    def intruded(tier: Tier, **options: Any) -> dict[str, Any]:
        # a control group would kill it; see another test
        is_counted = groups is not None and "memory" in groups.controllers
        memory = None if is_counted else 2 * (LIMITS.memory_bytes or 0)
        told = strangers.told(forks=tier != "limits", memory=memory)
        process = start_in(tier, "main.py", told, **options)
        said = line_of(process)
        assert said.startswith("{"), (end_of(process), process.tail())
        results: dict[str, Any] = json.loads(said)
        return results

    return intruded


ALLOWED = {"read its own file", "write its home"}
SAME_FOR_ALL = {"write its own folder", "write /", "write /usr", "become root"}


def attempts(results: dict[str, Any]) -> dict[str, str]:
    """Return what was tried and may be refused as a whole."""
    names = list(results)
    return {name: results[name] for name in names[: names.index("uid")]}


@of_tiers("namespaces")
def test_in_namespaces_foreign_resources_are_inaccessible(intrude: Intrude, tier: Tier) -> None:
    results = intrude(tier)

    allowed = {name for name, outcome in attempts(results).items() if outcome == "ok"}
    assert allowed == ALLOWED | {"write /dev/shm"}  # its own, of bounded size
    assert results["processes in sight"] <= 3
    assert results["privileges"][0] == "0" * 16


@of_tiers("landlock")
def test_with_landlock_foreign_resources_are_refused_except_sockets_by_path(
    intrude: Intrude, tier: Tier
) -> None:
    results = intrude(tier)

    allowed = {name for name, outcome in attempts(results).items() if outcome == "ok"}
    open_here = {"connect to a stranger's path"}
    if landlock.landlock_version() < 6:
        open_here |= {"connect to an abstract socket", "signal the referee"}
    assert allowed - open_here == ALLOWED


@pytest.mark.skipif(not IS_ROOT, reason="only root can change the user")
def test_a_bot_of_root_is_nobody(intrude: Intrude, tier: Tier) -> None:
    results = intrude(tier)

    assert results["uid"] == NOBODY
    assert results["privileges"][0] == "0" * 16
    assert {results[name] for name in SAME_FOR_ALL} <= {"EACCES", "EPERM", "EROFS", "EINVAL"}


def test_in_every_tier_the_limits_hold(intrude: Intrude, tier: Tier, groups: Groups | None) -> None:
    results = intrude(tier)

    is_counted = groups is not None and "memory" in groups.controllers
    assert results["memory"] == (None if is_counted else "MemoryError")
    assert 0 <= LIMITS.files - 3 - results["files"] <= 1  # a ring of io_uring is a file too
    assert (results["core"], results["killed first"]) == ([max_core()] * 2, "1000")
    assert results["descriptors"] == [0, 1, 2]
    assert results["privileges"][2] == "1"
    assert results["MB in one file"] <= 8
    if tier == "namespaces":
        assert 6 <= results["MB in files"] <= 8
    if tier == "namespaces" or (groups and "pids" in groups.controllers and tier == "landlock"):
        assert 1 < results["forks"] < LIMITS.processes


def test_a_bot_is_started_in_its_own_folder_at_its_own_path(
    intrude: Intrude, tier: Tier, folder: Path
) -> None:
    assert intrude(tier)["folder"] == str(folder)


REFUSED = "except OSError as error: import errno; print(errno.errorcode[error.errno])"


@of_tiers("namespaces", "landlock")
@pytest.mark.skipif(not landlock.is_network_closed(), reason="this kernel cannot close the network")
def test_with_tcp_one_port_is_open_and_no_other(
    start_in: Starter, strangers: Strangers, tier: Tier
) -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        port = door.getsockname()[1]
        process = start_in(tier, "main.py", strangers.told(forks=False), port=port)
        others = json.loads(line_of(process))
        connect = f"import socket; socket.create_connection(('127.0.0.1', {port})); print('in')"
        own = line_of(start_in(tier, "-c", connect, port=port))
    # the kernel chooses a port for a socket without one, and Landlock allows it
    listen = f"import socket\ntry: socket.socket().listen()\n{REFUSED}"
    opened = line_of(start_in(tier, "-c", listen, port=port))

    assert others["connect by TCP"] in ("EACCES", "EPERM")
    assert others["connect by MPTCP"] == "EPERM"
    assert others["connect by fast open"] == "EPERM"
    assert others["send by UDP"] == "EPERM"
    assert own == "in"
    assert opened == "EPERM"
    assert process.in_force["network"] == "one port"


@of_tiers("landlock")
def test_with_landlock_nothing_can_be_done_to_processes_and_modes_of_its_own_user(
    start_in: Starter, tier: Tier
) -> None:
    stranger = start_in(tier, "-c", "import signal; print(flush=True); signal.pause()")
    line_of(stranger)

    assert line_of(start_in(tier, "-c", ON_OTHERS, str(stranger.pid))) == "did:"


@of_tiers("namespaces", "landlock")
def test_a_bot_leaves_no_message_in_the_times_of_shared_files(
    start_in: Starter, tier: Tier
) -> None:
    device = Path("/dev/full")
    before = device.stat().st_mtime_ns
    touch = f"import os; os.utime({str(device)!r}); print('touched')"

    assert line_of(start_in(tier, "-c", touch)) == "touched"
    assert device.stat().st_mtime_ns == before


@of_tiers("landlock")
def test_a_bot_leaves_no_message_in_the_flags_of_files(start_in: Starter, tier: Tier) -> None:
    change = """
import array, errno, fcntl, os
flags = array.array("l", [0x40])  # not to be dumped
with open(os.path.join(os.environ["HOME"], "own"), "w") as own:
    for command in (0x40086602, 0x401C5820, 0x40806685, 0x66FF):  # the last but one: for ever
        try:
            fcntl.ioctl(own, command, flags)
        except OSError as error:
            print(errno.errorcode[error.errno], end=" ")
fcntl.ioctl(os.pipe()[0], 0x541B, flags)  # the number of bytes to read
os.isatty(0)
print("others are allowed")
"""
    assert line_of(start_in(tier, "-c", change)) == "EPERM " * 4 + "others are allowed"


def test_a_referee_with_many_open_files_can_still_sandbox_a_bot(
    start_in: Starter, tier: Tier
) -> None:
    with contextlib.ExitStack() as many:
        for _ in range(2 * LIMITS.files):
            many.enter_context(open(os.devnull))  # noqa: PTH123 - many open files are needed
        process = start_in(tier, "-c", "print(open('own.txt').read())")

    assert line_of(process) == "mine"


def test_the_limits_in_force_are_reported(
    start_in: Starter, tier: Tier, groups: Groups | None
) -> None:
    process = start_in(tier, "-c", "pass")
    told = process.in_force
    held = groups.controllers if groups else frozenset()

    assert told["tier"] == tier
    assert told["user"] == ("nobody" if IS_ROOT else "that of the referee")
    by_rlimit = "each process by RLIMIT_DATA"
    assert told["memory"] == ("control group" if "memory" in held else by_rlimit)
    assert told["files"] == "each process by RLIMIT_NOFILE"
    assert told["network"] == ("open" if tier == "limits" else "none")
    if "pids" in held:
        assert told["processes"] == "control group"
    end_of(process)


@pytest.mark.parametrize(
    ("program", "ended"),
    [
        ("raise SystemExit(7)", "exit code 7"),
        ("import os; os.kill(os.getpid(), 11)", "signal SIGSEGV"),
        ("import os; os.kill(os.getpid(), 9)", "signal SIGKILL"),
        ("import os; os.abort()", "signal SIGABRT"),
    ],
)
def test_the_end_of_a_sandboxed_bot_is_reported_like_any_other(
    start_in: Starter, tier: Tier, program: str, ended: str
) -> None:
    assert end_of(start_in(tier, "-c", program)) == ended


@pytest.mark.parametrize("groups", ["memory"], indirect=True)
def test_a_bot_over_its_memory_limit_in_many_processes_is_killed(
    start_in: Starter, tier: Tier
) -> None:
    hoard = """
import os
for child in range(8):
    if os.fork() == 0:
        kept = bytearray(b"x") * (100 << 20)
        os.kill(os.getppid(), 0)
        import signal
        signal.pause()
while True:
    if os.waitstatus_to_exitcode(os.wait()[1]) == -9:
        os.kill(os.getpid(), 9)
"""
    process = start_in(tier, "-c", hoard)

    assert end_of(process) == "signal SIGKILL, out of memory"
    assert process.has_hit_memory_limit


def test_a_bot_limited_to_one_process_can_run(start_in: Starter, tier: Tier) -> None:
    limits = Limits(processes=1)

    assert line_of(start_in(tier, "-c", "print('here')", limits=limits)) == "here"


def test_a_bot_limited_to_one_process_gets_no_second_one(start_in: Starter, tier: Tier) -> None:
    fork = """
import os, threading
try:
    os.fork() or os._exit(0)
    print("forked")
except OSError:
    print("refused")
"""
    process = start_in(tier, "-c", fork, limits=Limits(processes=1))

    is_counted = process.in_force["processes"] != "none"
    assert line_of(process) == ("refused" if is_counted else "forked")


def test_the_cpu_time_excludes_the_sandbox_wrapper(start_in: Starter, tier: Tier) -> None:
    burn = """
import signal, time
while time.process_time() < 0.2: pass
print(flush=True)
signal.pause()
"""
    process = start_in(tier, "-c", burn)
    line_of(process)

    assert process.bot_pid in (process.pid, *descendants(process.pid))
    assert Path(f"/proc/{process.bot_pid}/cmdline").read_bytes().startswith(sys.executable.encode())
    assert 200_000_000 <= process.cpu_ns() < 5_000_000_000


@of_tiers("namespaces")
def test_no_path_leads_through_the_wrapper_of_an_ended_bot(start_in: Starter, tier: Tier) -> None:
    """The bot ended right after its hello; bubblewrap, which still runs, sees the machine."""
    process = start_in(tier, "-c", "print(flush=True); import time; time.sleep(0.1)")
    line_of(process)
    os.kill(process.pid, signal.SIGSTOP)

    assert becomes(lambda: len(descendants(process.pid)) < 2)
    assert process.seen_from_inside(Path("/scratch")) is None


def marked(room: Path) -> list[int]:
    """Return the processes with this sandbox directory in their environment: those of its bot."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if bytes(room) in (process / "environ").read_bytes():
                found.append(int(process.name))
    return found


@pytest.mark.parametrize("parent", ["stays", "ends"])
def test_no_process_of_a_family_is_left(
    start_in: Starter, tier: Tier, parent: str, room: Path
) -> None:
    others = set(live_children(os.getpid()))
    program = FAMILY + ("\nwhile True: signal.pause()" if parent == "stays" else "")
    process = start_in(tier, "-c", program)
    line_of(process)
    assert parent == "ends" or len(marked(room)) >= 6

    process.stop()
    sweep(others)

    assert becomes(lambda: marked(room) == [])


@of_tiers("landlock", "limits")
@pytest.mark.usefixtures("subreaper")
def test_a_bot_outside_namespaces_that_cannot_be_executed_has_not_started(
    tier: Tier, folder: Path
) -> None:
    player = Program(name="bot", argv=("./own.txt",), folder=str(folder), tier=tier)

    with pytest.raises(NoStartError, match="Permission denied"):
        Running(player, LIMITS, {}, None)


@of_tiers("namespaces")
@pytest.mark.parametrize("name", [f"./{os.strerror(errno.ENOMEM)}", "./a\n\x1b[2J\t"])
def test_in_namespaces_a_program_that_cannot_be_executed_is_the_fault_of_its_bot(
    tier: Tier, folder: Path, groups: Groups | None, name: str
) -> None:
    """It is not a machine without memory, whatever the program's name."""
    (folder / name).touch()
    player = Program(name="bot", argv=(name,), folder=str(folder), tier=tier)
    group = groups.take(None, process_limit(player, LIMITS)) if groups else None
    process = Running(player, LIMITS, {"PATH": os.defpath}, group)

    said = f"its program cannot be executed: bwrap: execvp {visible(name)}: Permission denied"
    assert end_of(process) in (said, "exit code 126")  # of bubblewrap, of prlimit
    process.stop()
    if groups and group:
        groups.give_back(group)


@of_tiers("namespaces")
def test_in_namespaces_a_missing_program_is_named_in_the_output(tier: Tier, folder: Path) -> None:
    player = Program(name="bot", argv=("./gone",), folder=str(folder), tier=tier)
    process = Running(player, LIMITS, {"PATH": os.defpath}, None)

    assert end_of(process) in ("exit code 1", "exit code 127")  # of bubblewrap, of prlimit
    assert process.tail().endswith("./gone: No such file or directory\n")
    process.stop()


def test_the_sandbox_directory_of_a_bot_is_private(room: Path, folder: Path, tier: Tier) -> None:
    player = Program(name="bot", argv=("x",), folder=str(folder), tier=tier)
    (room / "s").write_text("")

    isolation = TIERS[player.tier](player, LIMITS, None, Access(directory=room))
    isolation.hand_over()
    isolation.close()
    if isolation.status is not None:
        isolation.status.close()

    owner = NOBODY if IS_ROOT else os.geteuid()
    assert {path.stat().st_uid for path in (room, room / "s")} == {owner}
    assert stat.S_IMODE(room.stat().st_mode) == 0o700
