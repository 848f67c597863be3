"""Limits for the rules of a game in the referee: time between two calls, and memory.

A game may come from another package. Without these limits, one endless loop would stop an event,
and if a game took the memory of the machine, the kernel would end innocent bots.
"""

import os
import resource
import signal
from pathlib import Path
from types import FrameType

from referee.errors import BrokenMatchError
from referee.seats.bot_seat import BotSeat
from referee.seats.hellos import wait_for_hellos
from referee.service.foreign_run import run_foreign
from referee.service.slot import Slot

BETWEEN_LOOKS_S = 5
LIMIT_S = 60
"""Limit in seconds for the work of a referee between two calls."""
MOST_MEMORY_BYTES = 4 << 30
"""Limit of a referee's memory, in bytes; at most half of the machine's."""

_BOUNDED = frozenset({BotSeat.ask.__code__, wait_for_hellos.__code__, run_foreign.__code__})
"""Functions to wait for bots or programs, with limits of their own."""


class Watchdog:
    """Checks every BETWEEN_LOOKS_S seconds that the running match has made progress.

    Ticks are counted, not seconds: a stopped referee has none. A tick is a signal, so endless loops
    are interrupted, too; native code ends with the process, by SIGVTALRM.
    """

    def __init__(self) -> None:
        self._seen: tuple[FrameType, int] | None = None
        self._ticks = 0

    def start(self) -> None:
        """Start the checks, unless this process is ending: its end uses the timer."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        if signal.getsignal(signal.SIGALRM) is signal.SIG_DFL:
            signal.signal(signal.SIGALRM, self._look)
            signal.setitimer(signal.ITIMER_REAL, BETWEEN_LOOKS_S, BETWEEN_LOOKS_S)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _look(self, number: int, frame: FrameType | None) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 2 * LIMIT_S)
        where = _where(frame)
        if where is None or where != self._seen:
            self._seen, self._ticks = where, 0
            return
        self._ticks += 1
        if self._ticks == LIMIT_S // BETWEEN_LOOKS_S:
            raise BrokenMatchError(_explained(frame))
        if self._ticks > LIMIT_S // BETWEEN_LOOKS_S:  # the game has caught the exception
            signal.raise_signal(signal.SIGVTALRM)


def limit_memory() -> None:
    """Limit the memory of this process; bots get limits of their own."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = min(MOST_MEMORY_BYTES, machine // 2)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _where(frame: FrameType | None) -> tuple[FrameType, int] | None:
    """Return the running match and its number of calls; None in a bounded function."""
    while frame is not None and frame.f_code not in _BOUNDED:
        if frame.f_code is Slot.play.__code__:
            match = frame.f_locals.get("match")
            return frame, len(match.recorder.calls) if match else 0
        frame = frame.f_back
    return None


def _explained(frame: FrameType | None) -> str:
    """Return the reason of a void match without progress, with the place in the code."""
    name, place = "its game", ""
    while frame is not None:
        code = frame.f_code
        if code is Slot.play.__code__:
            name = f"the game {frame.f_locals['job'].game}"
            break
        if not place:
            place = f" ({Path(code.co_filename).name}, line {frame.f_lineno}, in {code.co_name})"
        frame = frame.f_back
    return f"{name} took more than {LIMIT_S} s between two calls{place}"
