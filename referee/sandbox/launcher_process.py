"""The process of the launcher (`launcher.py`): it starts a standby process for each order."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # `signal` and `socket` import `enum`
import _socket as socket
import ctypes
import gc
import os

from referee.sandbox.new_process import close_others, receive, stand_by
from referee.sandbox.steps import end_with_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

CLONE = {"x86_64": 56, "aarch64": 220}
"""Number of the system call `clone` by processor."""
_CLONE_PARENT = 0x8000
_MAX_PASSED = 8
_MAX_DESCRIPTOR = 1024


def serve(descriptor: int, referee: int) -> NoReturn:
    """Start a process for each order from a socket with this descriptor, until the referee ends."""
    try:
        end_with_parent()
        for number in (signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):  # the director waits for the end of its pipes
            os.dup2(nothing, standard)
        close_others({descriptor}, _MAX_DESCRIPTOR)
        orders = socket.socket(fileno=descriptor)
        gc.disable()  # a collection would copy the memory that a fork shares
        clone = ctypes.PyDLL(
            None
        ).syscall  # keeps the lock of the interpreter, which no fork resets
        call = ctypes.c_long(CLONE[os.uname().machine])
        flags = ctypes.c_long(_CLONE_PARENT | signal.SIGCHLD)
        zeros = [ctypes.c_long(0)] * 4
        while os.getppid() == referee and (passed := receive(orders, 1, _MAX_PASSED)[1]):
            pid = clone(call, flags, *zeros)
            if pid == 0:
                orders.close()
                _wait(passed, referee)
            for each in passed:
                os.close(each)
            orders.send(str(pid).encode())
    finally:
        os._exit(0)


def _wait(passed: Sequence[int], referee: int) -> NoReturn:
    """Stand by in this new process, a child of the referee."""
    try:
        end_with_parent()
        if os.getppid() == referee:
            channel, *groups = passed
            stand_by(socket.socket(fileno=channel), groups)
    finally:
        os._exit(1)
