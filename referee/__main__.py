"""The referee's process: read jobs from stdin, write the end of each to stdout (`pipe.py`).

The director starts one referee per slot. All processes of a referee end with it: the started
process becomes its warden (`sandbox/warden.py`), and the referee is the warden's child.
"""

import argparse
import contextlib
import gc
import os
import resource
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

from referee.sandbox.launcher import Launcher
from referee.sandbox.steps import end_with_parent
from referee.sandbox.warden import ignore, start_warden

if TYPE_CHECKING:
    from referee.service.slot import Slot

MIN_FILES = 1024
"""Limit of open files of a referee, above the number its bots can use up."""
SIGNAL_AGAIN_S = 0.5
"""Seconds between two signals to a referee until it ends."""


def main() -> None:
    """Play the jobs from stdin, on the given cores."""
    parser = argparse.ArgumentParser(prog="python -m referee", description=__doc__)
    parser.add_argument("--cores", default="", help="cores to run on, like 0 or 2,3")
    parser.add_argument(
        "--director", type=int, help="pid of the director; default: the parent process"
    )
    parser.add_argument("--reports", help="descriptors for reports of running matches, like 5,6")
    arguments = parser.parse_args()
    _settle(arguments.cores, arguments.director)
    with leaving_quietly():
        _run(arguments.reports)


@contextlib.contextmanager
def leaving_quietly() -> Iterator[None]:
    """Exit without a traceback once the referee must end.

    An interrupted library may raise an error of its own, like pydantic during its import.
    """
    try:
        yield
    except Exception:
        if signal.getsignal(signal.SIGALRM) is not _leave:
            raise
        raise SystemExit(0) from None


def _run(reports: str | None) -> None:
    launcher = Launcher.probe()
    gc.disable()  # there is nothing to collect until all is loaded
    # a slow import: before `_settle` a referee would outlive its director
    from referee.play.reporter import UNWATCHED, Reporter
    from referee.service.slot import open_slot

    reporter = UNWATCHED
    if reports:
        reporter = Reporter.from_descriptors(*map(int, reports.split(",")))
    with open_slot(reporter, launcher) as slot:
        try:
            _serve(slot)
        finally:
            _stay()


def _settle(cores: str, director: int | None) -> None:
    end_with_parent(signal.SIGTERM)
    if director not in (None, os.getppid()):
        raise SystemExit(0)  # the director ended before the line above took effect
    start_warden(signal.SIGTERM)
    os.setsid()  # the end of the session must not end the warden
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the director handles Ctrl-C
    signal.signal(signal.SIGTERM, _leave)
    if cores:
        os.sched_setaffinity(0, _cores(cores))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < MIN_FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(MIN_FILES, hard), hard))


def _cores(text: str) -> set[int]:
    return {int(core) for core in text.split(",") if core}


def _leave(_number: int, _frame: FrameType | None) -> None:
    """End the running match; signal again later, since some callbacks lose exceptions."""
    signal.signal(signal.SIGALRM, _leave)
    signal.setitimer(signal.ITIMER_REAL, SIGNAL_AGAIN_S)
    raise SystemExit(0)


def _stay() -> None:
    """Ignore signals during the cleanup, even one that comes now and has `_leave` run here."""
    while signal.getsignal(signal.SIGTERM) is not ignore or any(
        signal.getitimer(signal.ITIMER_REAL)
    ):
        with contextlib.suppress(SystemExit):
            signal.signal(signal.SIGTERM, ignore)
            signal.setitimer(signal.ITIMER_REAL, 0)


def _serve(slot: "Slot") -> None:
    from referee.records.match_end import MatchEnd
    from referee.service.ends import played
    from referee.service.pipe import JobReader, end_bytes
    from referee.service.watchdog import Watchdog, limit_memory

    limit_memory()
    Watchdog().start()
    gc.freeze()  # loaded modules stay: skip them in collections during a match
    gc.enable()
    jobs = JobReader(sys.stdin.fileno(), slot.rest)
    for job, is_wanted_back in jobs:
        if is_wanted_back:
            end = MatchEnd(job, is_returned=True)
        else:
            end = played(slot, job, jobs.following)
        _tell(end_bytes(end))
        if end.stops:
            jobs.stop()


def _tell(said: bytes) -> None:
    """Write to the director; exit if the director is gone."""
    left = memoryview(said)
    try:
        while left:
            left = left[os.write(sys.stdout.fileno(), left) :]
    except BrokenPipeError:
        raise SystemExit(0) from None


if __name__ == "__main__":
    main()
