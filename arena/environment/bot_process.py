"""The referee of an environment: `python -m arena.environment.bot_process PID`.

The learner's process, PID, starts one for the bots it plays against. Lines of JSON come from stdin:
a job to play, then a reply for each turn of the learner's seat. To stdout go the moves of the other
seats as they are made, and the end of the match:

    {"seat": 1, "move": {...}}        {"seat": 1, "resign": true}
    {"end": {"termination": "normal", "reason": "five in a row", "faults": []}}
    {"void": "the reason"}

The process and its bots end with stdin and with the learner's process.
"""

import contextlib
import gc
import json
import os
import select
import signal
import sys
from collections.abc import Collection
from dataclasses import asdict
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import TypeAdapter
from pydantic_core import to_json

from arena.environment.lines import MAX_KNOWN, RESIGNS
from protocol.messages import Fields, Message
from protocol.vocabulary import Seat
from referee.catalog import AnyGame
from referee.errors import Forfeit
from referee.job import Job
from referee.move_codec import MoveReply, codec_of
from referee.options import make_game
from referee.play.reporter import Reporter
from referee.records.calls import Calls
from referee.rules import IllegalMoveError
from referee.sandbox import guard_command
from referee.seats.seat import FREE, Answer, OpenCall
from referee.service.slot import Slot, open_slot

R = TypeVar("R", bound=Message)

STDOUT = 1
REST_S = 0.05
"""Seconds without a next match before the kept bots are suspended."""
_CHUNK = 1 << 16
_REPLY = b'{"type"'


class LearnerLeft(Exception):  # noqa: N818 - a request of the learner, not an error
    """The learner has left the match."""


class InputLines:
    """Lines from stdin, until the end of stdin or of the learner's process."""

    def __init__(self, descriptor: int, learner: int) -> None:
        """`learner` is a descriptor, readable once the learner's process has ended."""
        self._descriptor = descriptor
        self._input = select.poll()
        for watched in (descriptor, learner):
            self._input.register(watched, select.POLLIN)
        self._buffer = b""

    def has_more(self, seconds: float) -> bool:
        """Wait for input; return whether any arrived, the end included."""
        return bool(self._buffer or self._input.poll(seconds * 1000))

    def next(self) -> bytes:
        """Wait for the next line; raises SystemExit at the end of the learner."""
        while b"\n" not in self._buffer:
            ready = [descriptor for descriptor, _ in self._input.poll()]
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
        self._lines: dict[int, tuple[Fields, bytes]] = {}
        """Moves and their lines by the identity of the move, since equal ones are one object."""
        self._seat: Seat | None = None
        self._reported = 0
        self.has_fault = False

    def begin(self, seat: Seat) -> None:
        """Begin a match with the learner in a seat."""
        self._seat, self._reported, self.has_fault = seat, 0, False

    def report(self, key: str, calls: Calls) -> None:
        """Report the calls since the last report."""
        for seat, move, is_resigned, is_faulty in calls.replies(self._reported):
            self.has_fault = self.has_fault or is_faulty
            if self.has_fault or seat in (None, self._seat):
                continue
            if move is not None:
                write(self._line(seat, move))
            elif is_resigned:
                send({"seat": seat, "resign": True})
        self._reported = len(calls)

    def _line(self, seat: Seat, move: Fields) -> bytes:
        known = self._lines.get(id(move))
        if known is None:
            if len(self._lines) >= MAX_KNOWN:
                self._lines.clear()
            known = self._lines[id(move)] = (move, to_json(move))
        return b'{"seat":%d,"move":%s}\n' % (seat, known[1])


class Replies:
    """The learner's moves in a game, each read and encoded once."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._moves: dict[bytes, Any] = {}
        """Moves by their lines."""
        self._replies: dict[Any, MoveReply] = {}

    def read(self, state: Any, line: bytes) -> MoveReply:
        """Return the reply of a line, with the move in the form that the record has."""
        if len(self._moves) >= MAX_KNOWN or len(self._replies) >= MAX_KNOWN:
            self._moves.clear()
            self._replies.clear()
        move = self._moves.get(line)
        if move is None:
            move = self._moves[line] = codec_of(self._game).read_move(json.loads(line)["move"])
        with contextlib.suppress(IllegalMoveError):  # the match makes a fault of it
            move = self._game.completed(state, move)
        reply = self._replies.get(move)
        if reply is None:
            reply = self._replies[move] = MoveReply(move)
        return reply


@lru_cache(maxsize=8)
def replies_of(game: AnyGame) -> Replies:
    """Return the learner's replies in a game, the same ones in each of its matches."""
    return Replies(game)


class Learner:
    """The learner in its seat, without limits of time."""

    wants: Collection[str] = ()

    def __init__(self, job: Job, game: AnyGame, lines: InputLines, relay: Relay) -> None:
        self._seats = len(job.players)
        self._game = game
        self._replies = replies_of(game)
        self._lines = lines
        self._relay = relay

    def ask(self, call: OpenCall[R]) -> Answer[R]:
        """Answer a call of the referee; raises LearnerLeft."""
        if call.name == "move":
            return self._move(call.state), FREE  # type: ignore[return-value]  # see MoveCalls.reply
        reply: dict[str, Any] = {"id": 0}
        if call.name == "display":
            reply["board"] = tuple(self._game.picture(call.state))
        return call.model.model_validate(reply), FREE

    def tell_fault(self, forfeit: Forfeit) -> None:
        """Do nothing: the end of the match reports the fault."""

    def _move(self, state: Any) -> MoveReply:
        """Return the learner's reply, which its own process has checked."""
        if self._relay.has_fault:
            return MoveReply(None, resign=True)
        line = self._lines.next() + b"\n"
        if line == RESIGNS:
            if self._seats > 2:
                raise LearnerLeft  # otherwise the others would play on for nobody
            return MoveReply(None, resign=True)
        return self._replies.read(state, line)


def main() -> None:
    """Play the matches of the learner."""
    end = _end_of(int(sys.argv[1]))
    guard_command()
    gc.freeze()  # loaded modules stay: skip them in collections during a match
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the learner handles Ctrl-C
    lines, relay = InputLines(sys.stdin.fileno(), end), Relay()
    jobs = TypeAdapter(Job)
    with open_slot(relay) as slot:
        while True:
            if not lines.has_more(REST_S):
                slot.rest()
            line = lines.next()
            if not line.startswith(_REPLY):  # one that came after the end of its match
                send(_play(slot, jobs.validate_json(line), lines, relay))


def send(message: dict[str, Any]) -> None:
    """Write one message to the learner; end without a learner."""
    write(to_json(message) + b"\n")


def write(line: bytes) -> None:
    """Write one line to the learner; end without a learner."""
    left = memoryview(line)
    try:
        while left:
            left = left[os.write(STDOUT, left) :]
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


def _play(slot: Slot, job: Job, lines: InputLines, relay: Relay) -> dict[str, Any]:
    seat = next(seat for seat in job.seats() if job.player(seat).kind == "person")
    relay.begin(seat)
    try:
        game = _game(job.game, json.dumps(job.options, sort_keys=True))
        record = slot.play(job, {seat: Learner(job, game, lines, relay)})
    except LearnerLeft:
        return {"void": "the learner has left"}
    except Exception as error:  # noqa: BLE001 - whatever it is, the learner must learn of it
        return {"void": f"{type(error).__name__}: {error}"}
    verdict = record.verdict
    faults = [asdict(fault) for fault in verdict.faults]
    end = {"termination": verdict.termination, "reason": verdict.reason, "faults": faults}
    return {"end": end}


@lru_cache(maxsize=8)
def _game(name: str, options: str) -> AnyGame:
    return make_game(name, json.loads(options))


if __name__ == "__main__":
    main()
