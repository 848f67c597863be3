"""A bot without a control group: one process with an exact clock, unless it asks for more."""

import json

import pytest
from programs import Running, end_of, line_of
from sandboxed import Starter, of_tiers

from referee.sandbox.limits import Tier

pytestmark = [
    of_tiers("namespaces", "landlock"),
    pytest.mark.parametrize("groups", ["tree"], indirect=True),
]

FORKS = """
import ctypes, errno, json, os, signal, threading
libc = ctypes.PyDLL(None, use_errno=True)
libc.syscall.argtypes = [ctypes.c_long] * 6
x86 = os.uname().machine == "x86_64"
THREAD, SIGHAND, VM, VFORK = 0x10000, 0x800, 0x100, 0x4000

def made(number, *values):
    pid = libc.syscall(number, *values, *[0] * (5 - len(values)))
    if pid == 0:
        os._exit(0)
    return "made" if pid > 0 else errno.errorcode[ctypes.get_errno()]

clone = 56 if x86 else 220
told = {
    "clone": made(clone, signal.SIGCHLD),
    "clone without a signal": made(clone, 0),
    "clone3": made(435, 0, 0),
}
if x86:
    told |= {"fork": made(57), "vfork": made(58)}
try:
    os.posix_spawn("/bin/true", ["true"], {})
    told["posix_spawn"] = "made"
except OSError as error:
    told["posix_spawn"] = errno.errorcode[error.errno]
seen = []
thread = threading.Thread(target=seen.append, args=["thread"])
thread.start()
thread.join()
print(json.dumps([told, seen]))
"""

BURNS = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
burnt = 0
for _ in range(20):
    reader, writer = os.pipe()
    if os.fork() == 0:
        while time.process_time() < 0.03:
            pass
        os.write(writer, b"%d" % time.process_time_ns())
        os._exit(0)
    burnt += int(os.read(reader, 20))
    os.close(reader)
    os.close(writer)
    try:
        os.wait()
    except ChildProcessError:
        pass
print(burnt, flush=True)
signal.pause()
"""
"""Uses CPU time in children that are over before anybody looks."""

WAKES = """
import ctypes, errno, fcntl, json, os, signal
libc = ctypes.CDLL(None, use_errno=True)

def told(what):
    try:
        what()
        return "allowed"
    except OSError as error:
        return errno.errorcode[error.errno]

def timer():
    kind = (ctypes.c_char * 64)()
    ctypes.c_int.from_buffer(kind, 8).value = signal.SIGCONT
    if libc.timer_create(1, kind, ctypes.byref(ctypes.c_void_p())) < 0:
        raise OSError(ctypes.get_errno(), "timer_create")

def at_the_end_of_its_parent():
    number = ctypes.c_int()
    libc.prctl(1, signal.SIGCONT, 0, 0, 0)
    if libc.prctl(2, ctypes.byref(number), 0, 0, 0) or number.value != signal.SIGCONT:
        raise OSError(errno.EPERM, "kept")

print(json.dumps({
    "timer_create": told(timer),
    "F_SETSIG": told(lambda: fcntl.fcntl(1, 10, signal.SIGCONT)),
    "PDEATHSIG": told(at_the_end_of_its_parent),
}))
"""


def test_a_bot_that_does_not_ask_starts_no_process(start_in: Starter, tier: Tier) -> None:
    process = start_in(tier, "-c", FORKS, processes=False)

    told, threads = json.loads(line_of(process))

    assert told.pop("clone3") == "ENOSYS"
    assert set(told.values()) == {"EPERM"}
    assert threads == ["thread"]


def test_its_clock_is_exact(start_in: Starter, tier: Tier) -> None:
    alone = start_in(tier, "-c", "", processes=False)
    asking = start_in(tier, "-c", "", processes=True)

    assert (alone.has_exact_clock, asking.has_exact_clock) == (True, False)
    assert alone.in_force["clock"] == "its only process"
    assert asking.in_force["clock"] == "its processes, approximate"


def test_a_bot_that_asks_is_charged_for_children_that_it_ignores(
    start_in: Starter, tier: Tier
) -> None:
    process = start_in(tier, "-c", BURNS)
    before_ns = process.cpu_ns()

    burnt_ns = int(line_of(process))

    assert burnt_ns >= 20 * 30_000_000
    assert _later_cpu_ns(process) - before_ns > 0.9 * burnt_ns


def _later_cpu_ns(process: Running) -> int:
    """Return the CPU time, with the children's read again."""
    process._looked_ns = 0
    return process.cpu_ns()


def test_a_bot_cannot_resume_itself(start_in: Starter, tier: Tier) -> None:
    told = json.loads(line_of(start_in(tier, "-c", WAKES)))

    assert set(told.values()) == {"EPERM"}


def test_programs_that_set_the_action_of_ended_children_still_see_their_end(
    start_in: Starter, tier: Tier
) -> None:
    script = 'trap "" CHLD; /bin/true && (exit 3); echo "$?"; x=$(echo out); echo "$x"'
    run = f"""
import subprocess, sys
print(*subprocess.run(["/bin/sh", "-c", {script!r}], capture_output=True, text=True).stdout.split())
"""
    assert line_of(start_in(tier, "-c", run)) == "3 out"


def test_no_pipe_is_made_larger(start_in: Starter, tier: Tier) -> None:
    enlarge = "import fcntl, os; fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)"
    process = start_in(tier, "-c", f"try:\n {enlarge}\nexcept OSError as e: print(e.errno)")

    assert line_of(process) == "1"


@pytest.mark.parametrize(
    "start",
    ["import subprocess; subprocess.run(['/bin/true'])", "import os; os.execv('/bin/sh', SCRIPT)"],
)
def test_a_bot_that_ends_for_lack_of_processes_is_told_how_to_ask(
    start_in: Starter, tier: Tier, start: str
) -> None:
    code = f"SCRIPT = ['sh', '-c', '/bin/true; /bin/true']; {start}"

    assert "`processes: true`" in end_of(start_in(tier, "-c", code, processes=False))
    assert end_of(start_in(tier, "-c", code)) == "exit code 0"
