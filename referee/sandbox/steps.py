"""The preparations of a new process before it executes a program, as a list of plain values.

A step is the name of a function here, followed by its arguments. The referee writes the list
(`isolation.py`); the new process takes the steps in order. A standby process is a fork of the
launcher, which has loaded these modules and no others: each megabyte makes a start slower. So they
import little, and no step looks for anything known to the referee before.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # `signal` imports `enum`: slow
import ctypes
import os
import resource

from referee.sandbox import landlock, mounting, root, unprivileged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

Step = tuple["Any", ...]

_OOM_SCORE = "/proc/self/oom_score_adj"
_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_void_p))


def take(steps: Iterable[Step]) -> None:
    """Take the steps in order; raises what a step raises."""
    for name, *arguments in steps:
        _STEPS[name](*arguments)


def end_with_parent(how: int = signal.SIGKILL) -> None:
    """Have the kernel send `how` to this process when its parent ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, how, 0, 0, 0)


def _end_with(referee: int) -> None:
    """Have the kernel kill this process when the referee ends."""
    end_with_parent()
    if os.getppid() != referee:
        os._exit(1)  # the referee ended before prctl took effect


def _end_first_without_memory() -> None:
    """Have the kernel end this process before the referee when no memory is left."""
    try:
        score = os.open(_OOM_SCORE, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(score, b"1000")
    except OSError:
        pass
    finally:
        os.close(score)


def _limit(kind: int, bound: int) -> None:
    resource.setrlimit(kind, (bound, bound))


def _limit_later(kind: int, bound: int) -> None:
    """Limit to what a process may raise this limit, and not the present one."""
    soft, hard = (bound if it == resource.RLIM_INFINITY else it for it in resource.getrlimit(kind))
    resource.setrlimit(kind, (min(soft, bound), min(hard, bound)))


def _enter(descriptor: int, kind: str, make: Step) -> None:
    """Enter a kept namespace; where the machine forbids this, make another one."""
    if not mounting.enter(descriptor, kind):
        take([make])


def _refuse_new_privileges() -> None:
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _filter(program: bytes) -> None:
    """Install a seccomp filter for this process and its children, permanently."""
    filled = ctypes.create_string_buffer(program, len(program))
    argument = _Program(len(program) // 8, ctypes.cast(filled, ctypes.c_void_p))
    if _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(argument)):
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


_STEPS: Mapping[str, Callable[..., object]] = {
    "umask": os.umask,
    "end first without memory": _end_first_without_memory,
    "limit": _limit,
    "limit later": _limit_later,
    "give up capabilities": unprivileged.give_up_capabilities,
    "make root": root.make_root,
    "make terminals": root.make_terminals,
    "make network": mounting.separate_network,
    "enter": _enter,
    "become": unprivileged.become,
    "end with": _end_with,
    "refuse new privileges": _refuse_new_privileges,
    "restrict files": landlock.restrict_files,
    "restrict network": landlock.restrict_network,
    "filter": _filter,
}
