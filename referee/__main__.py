"""The referee's process: a job a line on stdin, a result a line on stdout, until stdin ends.

    {"key": ..., "game": "pente", ...}  ->  {"key": ..., "record": {...}}
                                        or  {"key": ..., "void": "what went wrong", ...}

With `void` come `suspect`, whose bot seems to have caused it, and `is_exhausted`, whether the
machine had nothing left to start a bot with.

Started by the director, one a slot. Everything it starts ends with it: the process that is started
becomes its warden (`sandbox/warden.py`), and the referee is the child of that.
"""

import argparse
import gc
import json
import os
import resource
import signal
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from referee.errors import BrokenMatchError, ExhaustedError
from referee.sandbox.process import end_with_parent
from referee.sandbox.warden import start_warden

if TYPE_CHECKING:
    from referee.host import Host

MIN_FILES = 1024
"""Descriptors a referee needs: more than its bots can make it open."""
AGAIN_S = 0.5
"""How soon a referee that is to end and goes on all the same is told again."""


def main() -> None:
    """Play what comes in, on the given cores."""
    parser = argparse.ArgumentParser(prog="python -m referee", description=__doc__)
    parser.add_argument("--cores", default="", help="cores to stay on, like 0 or 2,3")
    parser.add_argument(
        "--director", type=int, help="pid of whom to end with; the parent if absent"
    )
    arguments = parser.parse_args()
    _settle(arguments.cores, arguments.director)
    # loading this takes long, and until it is settled a referee would outlive its director
    from referee.host import hosting

    with hosting() as host:
        try:
            _serve(host)
        finally:
            _stay()


def _settle(cores: str, director: int | None) -> None:
    end_with_parent(signal.SIGTERM)
    if director not in (None, os.getppid()):
        raise SystemExit(0)  # it ended before the line above took hold
    start_warden(signal.SIGTERM)
    os.setsid()  # who kills a session is not to take the warden with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the director hears Ctrl-C and decides
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGALRM, _leave)
    if cores:
        os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < MIN_FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(MIN_FILES, hard), hard))


def _leave(number: int, frame: FrameType | None) -> None:
    """End what is going on; once more if that gets lost, as exceptions do in some callbacks."""
    del number, frame
    signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
    raise SystemExit(0)


def _stay() -> None:
    """Let nothing interrupt the clearing up."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _serve(host: "Host") -> None:
    from pydantic import TypeAdapter

    from referee.job import Job

    jobs = TypeAdapter(Job)
    gc.collect()
    gc.freeze()  # what is loaded by now stays: no collection in mid-match need look at it again
    for line in sys.stdin:
        job = jobs.validate_json(line)
        answer: dict[str, object] = {"key": job.key}
        try:
            answer["record"] = host.play(job).to_json()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is ours: the match is void
            answer["void"] = _explained(error)
            answer["is_exhausted"] = isinstance(error, ExhaustedError)
            answer["suspect"] = asdict(host.suspect) if host.suspect else None
        _tell(json.dumps(answer, default=str))


def _tell(line: str) -> None:
    """Write a line to the director; leave if there is none any more."""
    left = memoryview(line.encode() + b"\n")
    try:
        while left:
            left = left[os.write(sys.stdout.fileno(), left) :]
    except BrokenPipeError:
        raise SystemExit(0) from None


def _explained(error: Exception) -> str:
    """Say what went wrong, and where unless that is clear."""
    if isinstance(error, BrokenMatchError):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})"


if __name__ == "__main__":
    main()
