"""A bot cannot cause work that the kernel charges to its rival."""

import json

from programs import line_of
from sandboxed import Starter, of_tiers

from referee.sandbox.cgroup import Groups
from referee.sandbox.isolation import MAX_TIMERS
from referee.sandbox.limits import Tier


def test_a_bot_has_few_timers(start_in: Starter, tier: Tier, groups: Groups | None) -> None:
    """They go off at the cost of whatever runs then, which may be a rival."""
    make = """
import ctypes, errno
timer_create = ctypes.CDLL(None, use_errno=True).timer_create
made = 0
while made < 1000 and timer_create(1, None, ctypes.byref(ctypes.c_void_p())) == 0:
    made += 1
print(made, errno.errorcode.get(ctypes.get_errno()))
"""
    made, error = line_of(start_in(tier, "-c", make)).split()

    assert int(made) <= MAX_TIMERS
    assert error == ("EAGAIN" if groups or tier == "limits" else "EPERM")


@of_tiers("namespaces", "landlock")
def test_a_bot_makes_no_other_process_pay_for_its_wakeups(start_in: Starter, tier: Tier) -> None:
    """Each of these has work done while others run, or when they open a file of the system."""
    attempt = """
import os
os.chdir(os.environ["HOME"])
import ctypes, errno, fcntl, json
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.argtypes = [ctypes.c_long] * 7
code = os.open(os.path.dirname(os.__file__), os.O_RDONLY)
own = os.open("file", os.O_CREAT | os.O_RDWR)
mask = ctypes.addressof(ctypes.create_string_buffer(8))
x86 = os.uname().machine == "x86_64"
calls = {
    "timerfd_create": (283 if x86 else 85, 1, 0),
    "signalfd4": (289 if x86 else 74, -1, mask, 8, 0),
    "io_setup": (206 if x86 else 0, 1, mask),
    "inotify_init1": (294 if x86 else 26, 0),
    "F_NOTIFY": (72 if x86 else 25, code, fcntl.F_NOTIFY, fcntl.DN_ACCESS),
    "F_SETLEASE": (72 if x86 else 25, own, fcntl.F_SETLEASE, fcntl.F_WRLCK),
    "FADV_DONTNEED": (221 if x86 else 223, code, 0, 0, 4),
}
if x86:
    calls |= {"signalfd": (282, -1, mask, 8), "inotify_init": (253,)}
told = {}
for name, (number, *values) in calls.items():
    ctypes.set_errno(0)
    result = libc.syscall(number, *values, *[0] * (6 - len(values)))
    told[name] = errno.errorcode[ctypes.get_errno()] if result < 0 else "allowed"
fcntl.lockf(own, fcntl.LOCK_EX)
fcntl.flock(own, fcntl.LOCK_EX)
os.posix_fadvise(code, 0, 0, os.POSIX_FADV_SEQUENTIAL)
print(json.dumps(told))
"""
    told = json.loads(line_of(start_in(tier, "-c", attempt)))

    assert set(told.values()) == {"EPERM"}, told


@of_tiers("namespaces", "landlock")
def test_a_bot_makes_no_child_beside_its_own_process(start_in: Starter, tier: Tier) -> None:
    """Without a control group, only the tree below the bot is stopped and charged."""
    attempt = """
import ctypes, errno, os, signal
CLONE_PARENT = 0x8000
libc = ctypes.PyDLL(None, use_errno=True)
libc.syscall.argtypes = [ctypes.c_long] * 6
number = 56 if os.uname().machine == "x86_64" else 220
pid = libc.syscall(number, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
if pid == 0:
    os._exit(0)
refused = errno.errorcode.get(ctypes.get_errno()) if pid < 0 else "allowed"
child = os.fork()
if child == 0:
    os._exit(7)
print(refused, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert line_of(start_in(tier, "-c", attempt)).split() == ["EPERM", "7"]
