"""The warden: parent of a process with bots, to kill the processes it leaves behind.

The kernel ends a bot with its referee once the bot's process has called prctl. Before that call, in
the first milliseconds of a start and in bubblewrap's inner process, the bot survives a killed
referee. Orphans move to their nearest ancestor with the subreaper flag before the end of their
parent is reported, so a warden without children has left nothing.
"""

import os
import resource
import signal
import time
from types import FrameType
from typing import NoReturn

from referee.sandbox.cgroup import remove_abandoned_groups
from referee.sandbox.leftovers import remove_leftovers
from referee.sandbox.orphans import become_subreaper, sweep
from referee.sandbox.proctree import live_children
from referee.sandbox.steps import end_with_parent

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_WAITED_FOR = (*_PASSED_ON, signal.SIGCHLD)
_FROM_A_PROCESS = 0
"""Highest `si_code` of a signal sent by a process; a terminal signals the child directly."""
_MAX_DESCRIPTOR = 1024
END_S = 10.0
"""Seconds for a child to end after SIGTERM."""


def start_warden(how: signal.Signals) -> None:
    """Continue in a child; this process stays as its warden and ends in the same way.

    The warden passes signals to end on to the child. The child gets the signal `how` if the
    warden is killed.
    """
    warden = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED_FOR)
    if child := os.fork():
        _guard(child)
    end_with_parent(how)
    if os.getppid() != warden:
        os._exit(1)  # the warden ended before prctl took effect
    become_subreaper()
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def guard_command() -> None:
    """Start a warden for a command that hosts bots in its own process.

    SIGTERM then ends the command and its bots. The end of the warden sends SIGTERM, too.
    """
    start_warden(signal.SIGTERM)
    signal.signal(signal.SIGTERM, _end_all)


def ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing about a signal.

    With SIG_IGN, Python prints a traceback if a signal comes just before it is set.
    """


def _end_all(number: int, frame: FrameType | None) -> NoReturn:
    """End all processes below this one, remove their files, and end without an exception.

    An exception raised here may get lost in a callback.
    """
    del frame
    signal.signal(number, ignore)
    try:
        sweep(set())
        _close_all()  # releases the locks of files in use
        remove_leftovers()
    finally:
        os._exit(128 + number)


def _guard(child: int) -> NoReturn:
    """Wait for the end of the child, kill its leftovers, and end in the same way."""
    code = 1
    try:
        become_subreaper()
        _close_all()  # readers of the child's output must see its end
        code = _wait_for_end(child)
        remove_abandoned_groups()
        while live_children(os.getpid()):
            sweep(set())
        remove_leftovers()
        if code < 0:
            _end_by(-code)
    finally:
        os._exit(code if code >= 0 else 128 - code)


def _close_all() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.closerange(3, _MAX_DESCRIPTOR)


def _wait_for_end(child: int) -> int:
    """Pass signals on until the child ends; return its exit code, or minus its signal.

    A child still running `END_S` after SIGTERM is killed: foreign rules of a game may catch the
    exception at its end, or run in native code.
    """
    limit_s: float | None = None
    while True:
        received = _next_signal(limit_s)
        if received is None:
            os.kill(child, signal.SIGKILL)
            limit_s = None
            continue
        if received.si_signo != signal.SIGCHLD:
            if received.si_signo == signal.SIGTERM and limit_s is None:
                limit_s = time.monotonic() + END_S
            if received.si_code <= _FROM_A_PROCESS:
                os.kill(child, received.si_signo)
            continue
        pid, state = os.waitpid(child, os.WNOHANG)
        if pid == child:
            return os.waitstatus_to_exitcode(state)


def _next_signal(limit_s: float | None) -> signal.struct_siginfo | None:
    """Wait for a signal; return None at this time of the monotonic clock."""
    if limit_s is None:
        return signal.sigwaitinfo(_WAITED_FOR)
    return signal.sigtimedwait(_WAITED_FOR, max(limit_s - time.monotonic(), 0))


def _end_by(number: int) -> None:
    """End by the child's signal; the first process of a container cannot."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
