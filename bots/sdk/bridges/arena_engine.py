"""The bridge to an engine with a dialogue of lines: UCI, GTP, Gomocup and similar ones."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Callable
from typing import ClassVar, NoReturn, TypeVar

from arena_bot import Fields, Wire
from arena_bridge import ANSWERED, MAX_LINE_BYTES, SHOWN, Bridge, LineError, Program, say

T = TypeVar("T")
MAX_DECLARED = 1 << 20  # characters of all options and features of an engine
SHOWN_LINES = 20  # lines of each kind from an engine that are written to the bot's output


CP_SCALE = 0.00368208  # of lichess: 100 centipawns are a chance of 59 %


def value_of(data: Fields) -> int:
    """Return the score of an engine's figures as a remark: -1000 is a certain loss, 1000 a win."""
    if "mate" in data:
        return 1000 if data["mate"] > 0 else -1000
    scaled = max(-30.0, min(30.0, CP_SCALE * data["cp"]))
    return round(2000 / (1 + math.exp(-scaled)) - 1000)


class EngineBridge(Bridge):
    """A bridge to an engine with a dialogue of lines.

    A subclass defines `greet`, `begin` and `play`. They may `write` lines and `wait` for a matching
    one.
    An engine may print more than it was asked for, at any time: before a question whose answer
    looks like any other, a subclass asks one whose answer cannot be mistaken.
    """

    REMARKS: ClassVar[tuple[bytes, ...]] = ()
    """Beginnings of lines that answer nothing: a long one is cut, not refused."""

    def __init__(self, wire: Wire, program: Program, token: str) -> None:
        super().__init__(wire, program, token)
        self._calls: deque[Fields] = deque()
        self._lines: deque[bytes] = deque()
        self._has_ended = False
        self._shown: Counter[str] = Counter()  # lines by kind
        self._declared_size = 0  # characters of the options and features so far
        program.cut = self.REMARKS

    @abstractmethod
    def greet(self) -> Fields:
        """Begin the dialog with the engine and return the hello, or raise LineError."""

    @abstractmethod
    def begin(self, init: Fields) -> None:
        """Set up a match, or raise LineError."""

    @abstractmethod
    def play(self, call: Fields) -> Fields:
        """Return the engine's move with its remarks, or `resign`; or raise LineError."""

    def synchronize(self) -> None:
        """Wait until the engine answers, if its dialogue has a question for that."""

    def answer(self, call: Fields) -> Fields:
        """Return the reply to a call, without its id, or raise LineError."""
        kind = call["type"]
        if kind == "move":
            return {"type": "play", **self.play(call)}
        if kind == "init":
            self.begin(call)
            return {"type": "ready"}
        if kind == "ping":
            self.synchronize()
            return {"type": "pong"}
        if kind == "display":
            raise LineError("an engine cannot show the board that this game asks for")
        return {"type": "bye"}

    def leave(self) -> None:
        """Tell the engine to exit."""

    def idle(self, line: str) -> None:
        """Take a line that is printed between calls and answers no question."""

    def go_on(self) -> None:
        """Begin what the engine does during calls to others, after the reply to a move."""

    def run(self) -> NoReturn:
        """Serve; the process ends in here."""
        self._reply(None)
        while True:
            while not self._calls:
                if self._has_ended:
                    self._program.end()
                self.turn()
                while self._lines:
                    self.idle(self._lines.popleft().decode(errors="replace").rstrip("\r"))
            self._reply(call := self._calls.popleft())
            if call["type"] == "move" and not self._is_cut:
                self.go_on()

    def write(self, *lines: str) -> None:
        """Write lines to the engine."""
        self.tell("".join(f"{line}\n" for line in lines).encode())

    def wait(
        self,
        fits: Callable[[str], T | None],
        *,
        stop_after_ms: float | None = None,
        stop: str = "stop",
        stop_again_ms: float | None = None,
    ) -> T:
        """Read lines until `fits` returns a value for one; return the value.

        After some time the engine is sent the line `stop`, once or again and again. If the engine
        ends before, the bridge ends as it did.
        """
        stop_at = None if stop_after_ms is None else time.monotonic() + stop_after_ms / 1000
        while True:
            while self._lines:
                line = self._lines.popleft().decode(errors="replace").rstrip("\r")
                if (found := fits(line)) is not None:
                    return found
            if self._has_ended:
                self._program.end()
            left_ms = None if stop_at is None else (stop_at - time.monotonic()) * 1000
            if left_ms is not None and left_ms <= 0:
                self.write(stop)
                left_ms = stop_again_ms
                stop_at = None if left_ms is None else time.monotonic() + left_ms / 1000
            self.turn(left_ms)

    def show(self, line: str, kind: str = "") -> None:
        """Write a line of the engine to the bot's output, up to a number of lines of each kind."""
        self._shown[kind] += 1
        if self._shown[kind] <= SHOWN_LINES:
            say(f"the engine printed: {line[:SHOWN]}")

    def count_declared(self, line: str) -> None:
        """Count a line with options, which are kept, or raise LineError for too many."""
        self._declared_size += len(line)
        if self._declared_size > MAX_DECLARED:
            raise LineError(f"options of more than {MAX_DECLARED} characters")

    def on_call(self, call: Fields) -> None:
        """Keep the call until the engine has answered the last one; ignore unknown calls."""
        if call["type"] in ANSWERED:
            self._calls.append(call)

    def on_line(self, line: bytes) -> None:
        """Keep a line for `wait`."""
        if len(line) > MAX_LINE_BYTES and not line.lstrip().startswith(self.REMARKS):
            raise LineError(f"a line of more than {MAX_LINE_BYTES} bytes")
        self._lines.append(line[:MAX_LINE_BYTES])

    def on_end(self) -> None:
        """Note the end; the lines printed before may still be an answer."""
        self._has_ended = True
        self._poll.unregister(self._program.pidfd)

    def close(self) -> NoReturn:
        """Tell the engine to exit and wait until it ends."""
        self.leave()
        super().close()

    def _reply(self, call: Fields | None) -> None:
        if self._is_cut:
            return
        try:
            reply = self.greet() if call is None else {**self.answer(call), "id": call["id"]}
            self.send(reply)
        except LineError as error:
            self.refuse(str(error))
