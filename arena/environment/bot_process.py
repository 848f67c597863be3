"""The referee of an environment: `python -m arena.environment.bot_process PID`.

The learner's process, PID, starts one for the bots it plays against. Lines of JSON come from stdin:
a job to play, then a reply for each turn of the learner's seat. To stdout go the moves of the other
seats as they are made, and the end of the match:

    {"seat": 1, "move": {...}}        {"seat": 1, "resign": true}
    {"end": {"termination": "normal", "reason": "five in a row", "faults": []}}
    {"void": "the reason"}

The process and its bots end with stdin and with the learner's process.
"""

import json
import os
import select
import signal
import sys
from collections.abc import Collection
from dataclasses import asdict
from typing import Any, TypeVar

from pydantic import TypeAdapter

from protocol.messages import Message
from protocol.vocabulary import Seat
from referee.catalog import AnyGame
from referee.errors import Forfeit
from referee.job import Job
from referee.play.reporter import Reporter
from referee.records.calls import Calls
from referee.records.replay import game_of
from referee.sandbox import guard_command
from referee.seats.seat import FREE, Answer, OpenCall
from referee.service.host import Host, hosting

R = TypeVar("R", bound=Message)

REST_S = 0.05
"""Seconds without a next match before the kept bots are suspended."""
_CHUNK = 1 << 16
_REPLY = b'{"type"'
_RESIGNS = {"type": "play", "id": 0, "resign": True}


class LearnerLeft(Exception):  # noqa: N818 - a request of the learner, not an error
    """The learner has left the match."""


class InputLines:
    """Lines from stdin, until the end of stdin or of the learner's process."""

    def __init__(self, descriptor: int, learner: int) -> None:
        """`learner` is a descriptor, readable once the learner's process has ended."""
        self._descriptor, self._learner = descriptor, learner
        self._buffer = b""

    def has_more(self, seconds: float | None) -> bool:
        """Wait for input; return whether any arrived, the end included."""
        watched = [self._descriptor, self._learner]
        return bool(self._buffer or select.select(watched, [], [], seconds)[0])

    def next(self) -> bytes:
        """Wait for the next line; raises SystemExit at the end of the learner."""
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._descriptor, self._learner], [], [])
            data = os.read(self._descriptor, _CHUNK) if self._descriptor in ready else b""
            if not data:
                raise SystemExit(0)
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line


class Relay(Reporter):
    """Reports each move of the others to the learner, up to the first fault."""

    def __init__(self) -> None:
        super().__init__((1,), len)
        self._seat: Seat | None = None
        self._reported = 0
        self.has_fault = False

    def begin(self, seat: Seat) -> None:
        """Begin a match with the learner in a seat."""
        self._seat, self._reported, self.has_fault = seat, 0, False

    def report(self, key: str, calls: Calls) -> None:
        """Report the calls since the last report."""
        for call in calls[self._reported :]:
            self.has_fault = self.has_fault or call.fault is not None
            if self.has_fault or call.seat in (None, self._seat):
                continue
            if call.move is not None:
                send({"seat": call.seat, "move": call.move})
            elif call.resign:
                send({"seat": call.seat, "resign": True})
        self._reported = len(calls)


class Learner:
    """The learner in its seat, without limits of time."""

    wants: Collection[str] = ()

    def __init__(self, job: Job, game: AnyGame, lines: InputLines, relay: Relay) -> None:
        self._seats = len(job.players)
        self._game = game
        self._lines = lines
        self._relay = relay

    def ask(self, call: OpenCall[R]) -> Answer[R]:
        """Answer a call of the referee; raises LearnerLeft."""
        if call.name == "move":
            return call.model.model_validate_json(self._move()), FREE
        reply: dict[str, Any] = {"id": 0}
        if call.name == "display":
            reply["board"] = tuple(self._game.picture(call.state))
        return call.model.model_validate(reply), FREE

    def tell_fault(self, forfeit: Forfeit) -> None:
        """Do nothing: the end of the match reports the fault."""

    def _move(self) -> bytes:
        if self._relay.has_fault:
            return json.dumps(_RESIGNS).encode()
        line = self._lines.next()
        if json.loads(line) == _RESIGNS and self._seats > 2:
            raise LearnerLeft  # otherwise the others would play on for nobody
        return line


def main() -> None:
    """Play the matches of the learner."""
    end = _end_of(int(sys.argv[1]))
    guard_command()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the learner handles Ctrl-C
    lines, relay = InputLines(sys.stdin.fileno(), end), Relay()
    jobs = TypeAdapter(Job)
    with hosting(relay) as host:
        while True:
            if not lines.has_more(REST_S):
                host.rest()
            line = lines.next()
            if not line.startswith(_REPLY):  # one that came after the end of its match
                send(_play(host, jobs.validate_json(line), lines, relay))


def send(message: dict[str, Any]) -> None:
    """Write one message to the learner; end without a learner."""
    line = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
    try:
        while line:
            line = line[os.write(sys.stdout.fileno(), line) :]
    except BrokenPipeError:
        raise SystemExit(0) from None


def _end_of(learner: int) -> int:
    """Return a descriptor, readable once the learner has ended.

    No death signal is used: it would come when the thread ends that began the match.
    """
    try:
        end = os.pidfd_open(learner)
    except ProcessLookupError:
        raise SystemExit(0) from None
    if os.getppid() != learner:
        raise SystemExit(0)  # the learner had ended, and another process has its PID
    return end


def _play(host: Host, job: Job, lines: InputLines, relay: Relay) -> dict[str, Any]:
    seat = next(seat for seat in job.seats() if job.player(seat).kind == "person")
    relay.begin(seat)
    try:
        record = host.play(job, {seat: Learner(job, game_of(job), lines, relay)})
    except LearnerLeft:
        return {"void": "the learner has left"}
    except Exception as error:  # noqa: BLE001 - whatever it is, the learner must learn of it
        return {"void": f"{type(error).__name__}: {error}"}
    verdict = record.verdict
    faults = [asdict(fault) for fault in verdict.faults]
    end = {"termination": verdict.termination, "reason": verdict.reason, "faults": faults}
    return {"end": end}


if __name__ == "__main__":
    main()
