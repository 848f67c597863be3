"""The launcher: a small process to start standby processes, the later bots.

A process takes about 10 ms to join a control group, nearly all of it asleep, and a fork costs the
more, the larger the process is. So the launcher is a small program (`launcher_process.py`). While a
match is played, its processes join the groups of the next match. A standby process receives its
task when its bot is to start (`child.py`).

Where the referee forks its bots, matches of instant C bots take 33 % more CPU time.
"""

import contextlib
import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, Self

from referee.sandbox.child import Standby
from referee.sandbox.launcher_process import CLONE

_PATIENCE_S = 10.0
"""Time in seconds for the launcher to answer; a late launcher is not used again."""
_CODE = """
import sys
sys.path.append(sys.argv[1])
from referee.sandbox.launcher_process import serve
serve(int(sys.argv[2]), int(sys.argv[3]))
"""
_HERE = Path(__file__).parent.parent.parent


class Launcher:
    """The launcher of this process."""

    def __init__(self) -> None:
        """Start it; raises OSError."""
        self._orders, orders = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._orders.settimeout(_PATIENCE_S)
        referee = os.getpid()
        with orders:
            self.pid = os.fork()
            if self.pid == 0:
                _execute(orders, referee)

    @classmethod
    def probe(cls) -> Self | None:
        """Return a launcher, or None if this processor is unknown or no process can be started."""
        with contextlib.suppress(OSError):
            return cls() if os.uname().machine in CLONE else None
        return None

    def start(self, groups: Sequence[int]) -> Standby | None:
        """Start a child of this process in these groups; None on failure."""
        try:
            ours, theirs = socket.socketpair()
        except OSError:
            return None
        with theirs:
            try:
                socket.send_fds(self._orders, [b"."], [theirs.fileno(), *groups])
                pid = int(self._orders.recv(16) or b"-1")
            except OSError:
                self._orders.close()  # a late answer would be taken for the next one
                pid = -1
        if pid > 0:
            return Standby(pid, ours)
        ours.close()
        return None

    def close(self) -> None:
        """End it."""
        self._orders.close()
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def _execute(orders: socket.socket, referee: int) -> NoReturn:
    """Execute the launcher in this new process, without site-packages: they make it larger."""
    try:
        orders.set_inheritable(True)
        words = (str(_HERE), str(orders.fileno()), str(referee))
        os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", _CODE, *words])  # noqa: S606
    finally:
        os._exit(1)
