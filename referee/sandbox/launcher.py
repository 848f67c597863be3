"""The launcher: a small process that starts standby processes, which become bots later.

A process takes about 10 ms to join a control group, nearly all of it asleep, and forking a referee
takes 2 ms more than forking a small process. So the launcher is forked before a referee has loaded
its modules, and starts processes that join the groups of the next match while a match is played.
They have no command yet: a standby process receives it when its bot is to start (`child.py`).
"""

import contextlib
import ctypes
import os
import platform
import signal
import socket
from collections.abc import Sequence
from typing import NoReturn, Self

from referee.sandbox.child import Standby, close_others, stand_by
from referee.sandbox.process import end_with_parent

_CLONE = {"x86_64": 56, "aarch64": 220}
"""Number of the system call `clone` by processor."""
_CLONE_PARENT = 0x8000
_MAX_PASSED = 8
_MAX_DESCRIPTOR = 1024
_PATIENCE_S = 10.0
"""Time in seconds for the launcher to answer; afterwards it is used no more."""


class Launcher:
    """The launcher of this process."""

    def __init__(self) -> None:
        """Fork it; raises OSError."""
        self._orders, orders = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._orders.settimeout(_PATIENCE_S)
        referee = os.getpid()
        with orders:
            self.pid = os.fork()
            if self.pid == 0:
                _serve(orders, referee)

    @classmethod
    def probe(cls) -> Self | None:
        """Return a launcher, or None if this processor is unknown or no process can be started."""
        with contextlib.suppress(OSError):
            return cls() if platform.machine() in _CLONE else None
        return None

    def start(self, groups: Sequence[int]) -> Standby | None:
        """Start a child of this process that joins these groups; None if it cannot be started."""
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


def _serve(orders: socket.socket, referee: int) -> NoReturn:
    """Start a process for each order, until the referee ends."""
    try:
        end_with_parent()
        for number in (signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):  # the director waits for the end of its pipes
            os.dup2(nothing, descriptor)
        close_others({orders.fileno()}, _MAX_DESCRIPTOR)
        clone = ctypes.PyDLL(
            None
        ).syscall  # keeps the lock of the interpreter, which no fork resets
        flags = ctypes.c_long(_CLONE_PARENT | signal.SIGCHLD)
        while os.getppid() == referee and (passed := socket.recv_fds(orders, 1, _MAX_PASSED)[1]):
            pid = clone(_CLONE[platform.machine()], flags, *[ctypes.c_long(0)] * 4)
            if pid == 0:
                orders.close()
                _wait(passed, referee)
            for descriptor in passed:
                os.close(descriptor)
            orders.send(str(pid).encode())
    finally:
        os._exit(0)


def _wait(passed: Sequence[int], referee: int) -> NoReturn:
    """Stand by in this new process, whose parent is the referee."""
    try:
        end_with_parent()
        if os.getppid() == referee:
            channel, *groups = passed
            stand_by(socket.socket(fileno=channel), groups)
    finally:
        os._exit(1)
