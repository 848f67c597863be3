"""Hostile to others: tries all that is forbidden, and prints what could be done.

`strangers.json` in its own folder names what is there to be pried into.
"""

import contextlib
import ctypes
import json
import os
import resource
import signal
import socket
from pathlib import Path

from wire import at_move

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
_libc = ctypes.CDLL(None, use_errno=True)


def pries():
    seat, call = at_move()
    own = Path(__file__).parent
    strangers = json.loads((own / "strangers.json").read_text())
    strangers["own"] = str(own)
    done = [does for does, attempt in ATTEMPTS.items() if _works(attempt, strangers)]
    print(f"could: {', '.join(done) or 'nothing'}", flush=True)
    seat.answer(call)
    seat.play_on()


def makes_itself_wait():
    """Try to have a core later than others, so that deadlines are put off."""
    seat, call = at_move()
    done = [does for does, attempt in WAITS.items() if _works(attempt, None)]
    print(f"did: {', '.join(done) or 'nothing'}", flush=True)
    seat.answer(call)
    seat.play_on()


def _works(attempt, strangers):
    try:
        return bool(attempt(strangers))
    except OSError:
        return False


def _read_files(strangers):
    return Path(strangers["rival"], "plan.txt").read_text()


def _change_files(strangers):
    return _change(Path(strangers["rival"], "plan.txt"))


def _change(path):
    """Write what stands there over itself: whoever reads it at the same time reads no less."""
    with path.open("r+b") as file:
        data = file.read()
        file.seek(0)
        return file.write(data)


def _change_itself(strangers):
    """Write into the folder of its own program."""
    planted = Path(strangers["own"], "planted")
    planted.write_text("x")
    planted.unlink()
    return True


def _see_rooms(_):
    """See the sandbox directory of the other seat beside its own."""
    own = Path(os.environ["ARENA_ENDPOINT"].removeprefix("ipc://")).parent
    return len(list(own.parent.iterdir())) > 1


def _change_shared_memory(strangers):
    return _change(Path(strangers["shared"]))


def _connect_by_tcp(strangers):
    socket.create_connection(("127.0.0.1", strangers["tcp"]), timeout=10).close()
    return True


def _send_by_udp(strangers):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return sender.sendto(b"?", ("127.0.0.1", strangers["tcp"]))


def _connect_by_name(strangers):
    """Reach a socket of no path."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(10)
        caller.connect("\0" + strangers["abstract"])
    return True


def _rival(strangers):
    """Return the pid of the program in the other seat; raises OSError if it is not in sight.

    Other matches with the same program are played at the same time. A rival from one of them may
    end at any moment, so the child of our own referee is preferred.
    """
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (path / "cmdline").read_bytes().startswith(strangers["rival"].encode()):
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
                found.append((parent != os.getppid(), int(path.name)))
    if not found:
        raise ProcessLookupError
    return min(found)[1]


def _see_command_lines(strangers):
    return _rival(strangers)


def _see_tokens(strangers):
    data = Path(f"/proc/{_rival(strangers)}/environ").read_bytes()
    return b"ARENA_TOKEN=" in data


def _open_memory(strangers):
    with Path(f"/proc/{_rival(strangers)}/mem").open("r+b"):
        return True


def _signal_rival(strangers):
    os.kill(_rival(strangers), signal.SIGCONT)
    return True


def _trace_rival(strangers):
    pid = _rival(strangers)
    if _libc.ptrace(PTRACE_SEIZE, pid, None, None) < 0:
        return False
    _libc.ptrace(PTRACE_INTERRUPT, pid, None, None)
    os.waitpid(pid, 0)
    _libc.ptrace(PTRACE_DETACH, pid, None, None)
    return True


def _limit_rival(strangers):
    """Change another's limits: too few of anything would end it."""
    resource.prlimit(_rival(strangers), resource.RLIMIT_CORE, (0, 0))
    return True


def _slow_rival(strangers):
    pid = _rival(strangers)
    os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid))
    return True


def _schedule_by(policy):
    os.sched_setscheduler(0, policy, os.sched_param(0))
    return True


def _be_nice(_):
    os.setpriority(os.PRIO_PROCESS, 0, 5)
    return True


def _be_nice_as_a_group(_):
    os.setpriority(os.PRIO_PGRP, 0, 5)
    return True


def _be_nice_as_a_session(_):
    return Path("/proc/self/autogroup").write_text("5")


WAITS = {
    "be nice": _be_nice,
    "be nice as a group": _be_nice_as_a_group,
    "be nice as a session": _be_nice_as_a_session,
    "be scheduled as a batch": lambda _: _schedule_by(os.SCHED_BATCH),
    "be scheduled when idle": lambda _: _schedule_by(os.SCHED_IDLE),
}
ATTEMPTS = {
    "read files": _read_files,
    "change files": _change_files,
    "change its own program": _change_itself,
    "see rooms": _see_rooms,
    "change shared memory": _change_shared_memory,
    "connect by TCP": _connect_by_tcp,
    "send by UDP": _send_by_udp,
    "connect by name": _connect_by_name,
    "see command lines": _see_command_lines,
    "see tokens": _see_tokens,
    "open memory": _open_memory,
    "signal": _signal_rival,
    "trace": _trace_rival,
    "limit": _limit_rival,
    "slow down": _slow_rival,
}
