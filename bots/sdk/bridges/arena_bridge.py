"""Common parts of the bridges between the wire and the protocols of other programs.

A bridge starts a program in the bot's sandbox, and passes calls to it and replies to the referee.
This module has the program with its pipes and the loop; the connection to the referee is that of
the Python kit. When the program ends, the bridge ends with the same exit code or signal. A wrong
line is sent to the referee as a text with the reason and the line; the referee refuses it as
malformed.

One thread and no library of ZeroMQ, whose own thread would cost each call two more switches.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import msgpack
from arena_bot import PROTOCOL, Fields, Wire, WireError

MAX_LINE_BYTES = 64 * 1024
ENGINES = "/usr/games"  # where Debian puts games and their engines
SHOWN = 120  # quoted characters of a wrong line
LAST_LINES = 6  # lines to and from the program that are shown after a fault

_LAST_READS = 32
_PIECE = 1 << 16  # What is read at once: as much as a pipe holds.
ANSWERED = ("init", "move", "display", "ping", "term")


class BridgeError(Exception):
    """The dialog cannot continue; the bot's author reads the reason."""


class LineError(Exception):
    """A line can be no reply."""


class Program:
    """The bot's own program and its pipes. No method blocks."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        """Start it, or raise BridgeError."""
        self._shows_all = bool(environment.pop("ARENA_DEBUG", ""))
        self._last: deque[tuple[str, bytes]] = deque(maxlen=LAST_LINES)
        its_input, self.input = os.pipe()
        self.output, its_output = os.pipe()
        moved = [(os.POSIX_SPAWN_DUP2, its_input, 0), (os.POSIX_SPAWN_DUP2, its_output, 1)]
        own = [signal.SIGPIPE, signal.SIGXFSZ]  # Python ignores them, and children inherit that.
        try:
            self.pid = os.posix_spawnp(
                command[0], command, environment, file_actions=moved, setsigdef=own
            )
        except OSError as error:
            raise BridgeError(f"cannot start {command[0]}: {error.strerror}") from None
        os.close(its_input)
        os.close(its_output)
        os.set_blocking(self.input, False)
        os.set_blocking(self.output, False)
        self.pidfd = os.pidfd_open(self.pid)
        self.unread = b""  # Calls not yet written.
        self.cut: tuple[bytes, ...] = ()  # beginnings of lines that are cut if they are too long
        self._line = b""
        self._drops_rest = False  # of a line that was cut

    def tell(self, line: bytes = b"") -> None:
        """Write lines, or the rest of the last ones, until the pipe is full."""
        if line:
            self._note(">", line.split(b"\n")[:-1])
        self.unread += line
        try:
            self.unread = self.unread[os.write(self.input, self.unread) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.unread = b""  # Its input is closed; its exit is reported separately.

    def lines(self) -> list[bytes] | None:
        """Read once; return the completed lines, or None at the end of its output.

        A part too long for a line is returned incomplete. Raises BlockingIOError where there is
        nothing to read.
        """
        piece = os.read(self.output, _PIECE)
        if not piece:
            return None
        if self._drops_rest:
            _, end, piece = piece.partition(b"\n")
            self._drops_rest = not end
        *lines, self._line = (self._line + piece).split(b"\n")
        if len(self._line) > MAX_LINE_BYTES:
            lines.append(self._line)
            if self._line.lstrip().startswith(self.cut):
                self._line, self._drops_rest = b"", True
        self._note("<", lines)
        return lines

    def show_last(self) -> None:
        """Write the last lines to and from the program to stderr, once."""
        if self._last and not self._shows_all:
            say("the last lines to (>) and from (<) the program:")
            for way, line in self._last:
                print(f"  {way} {line.decode(errors='replace')}", file=sys.stderr)
            sys.stderr.flush()
        self._last.clear()

    def _note(self, way: str, lines: list[bytes]) -> None:
        """Keep the last lines; with `arena match --debug` show them all at once."""
        self._last.extend((way, _middle_cut(line)) for line in lines[-LAST_LINES:])
        if self._shows_all:
            text = "".join(f"{way} {line.decode(errors='replace')}\n" for line in lines)
            print(text, end="", file=sys.stderr, flush=True)

    def end(self) -> NoReturn:
        """Wait until it ends and end in the same way."""
        if self._line:
            say(f"the program's last line has no end: {quoted(self._line)}")
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if code:
            self.show_last()
        if code < 0:
            with suppress(OSError, ValueError):  # SIGKILL cannot change.
                signal.signal(-code, signal.SIG_DFL)
            os.kill(os.getpid(), -code)
        os._exit(code if code >= 0 else 128 - code)  # The first process of a namespace lives on.


class Bridge(ABC):
    """Passes calls one way and replies the other until one end is gone."""

    def __init__(self, wire: Wire, program: Program, token: str) -> None:
        self._wire = wire
        self._program = program
        self._token = token
        self._poll = select.poll()
        self._poll.register(program.output, select.POLLIN)
        self._poll.register(program.pidfd, select.POLLIN)
        self._poll.register(wire.socket, select.POLLIN)
        self._is_greeted = self._is_cut = False
        self._last_id: int | None = None  # Id of the last call.

    @abstractmethod
    def on_call(self, call: Fields) -> None:
        """Handle a call, other than `error`."""

    @abstractmethod
    def on_line(self, line: bytes) -> None:
        """Handle a line of the program, or raise LineError."""

    def on_end(self) -> None:
        """Handle the end of the program, after its last lines."""
        self._program.end()

    def run(self) -> NoReturn:
        """Serve; the process ends in here."""
        while True:
            self.turn()

    def turn(self, wait_ms: float | None = None) -> None:
        """Wait for events, at most so long, and handle them once."""
        program = self._program
        for descriptor, _ in self._poll.poll(wait_ms):
            if descriptor == program.output:
                self._hear()
            elif descriptor == program.pidfd:
                self._finish()
            elif descriptor == program.input:
                self.tell()
            else:
                self._call()

    def tell(self, line: bytes = b"") -> None:
        """Write to the program; until the program reads, no further call is read either."""
        was_full = bool(self._program.unread)
        self._program.tell(line)
        is_full = bool(self._program.unread)
        if is_full and not was_full:
            self._poll.register(self._program.input, select.POLLOUT)
            self._poll.unregister(self._wire.socket)
        elif was_full and not is_full:
            self._poll.unregister(self._program.input)
            self._poll.register(self._wire.socket, select.POLLIN)

    def send(self, reply: Fields) -> None:
        """Send a reply, or raise LineError; the first is the hello and gets the token."""
        if not self._is_greeted:
            reply = {"protocol": PROTOCOL, **reply, "token": self._token}
        payload = _packed(reply)
        self._is_greeted = True
        self._wire.send(payload)
        if reply.get("type") == "bye" and reply.get("id") == self._last_id is not None:
            self.close()

    def close(self) -> NoReturn:
        """Close the program's input after the last reply and wait until it ends."""
        os.close(self._program.input)
        self._program.end()

    def refuse(self, why: str) -> None:
        """Send a text for the referee to refuse, and read no further line: the seat has lost."""
        self._wire.send(msgpack.packb(why))
        if not self._is_greeted:
            raise BridgeError(f"no hello: {why}")
        if not self._is_cut:
            self._is_cut = True
            with suppress(KeyError):
                self._poll.unregister(self._program.output)

    def _call(self) -> None:
        for payload in self._wire.arrived():
            call = _call_of(payload)
            if call["type"] == "error":
                say(f"error: {call.get('code')}: {call.get('detail')}")
                self._program.show_last()
                continue
            if call["type"] == "term" and call.get("last") is True:
                self._last_id = call["id"]
            self.on_call(call)

    def _hear(self) -> None:
        lines = self._program.lines()
        if lines is None:
            self._poll.unregister(self._program.output)  # It may still run.
        else:
            self._pass_on(lines)

    def _pass_on(self, lines: list[bytes]) -> None:
        for line in lines:
            try:
                self.on_line(line)
            except LineError as error:
                self.refuse(f"{error}: {quoted(line)}")
                return

    def _finish(self) -> None:
        with suppress(BlockingIOError):
            for _ in range(_LAST_READS):  # A process left behind may print endlessly.
                if self._is_cut or (lines := self._program.lines()) is None:
                    break
                self._pass_on(lines)
        self.on_end()


def run_bridge(kind: type[Bridge], command: Sequence[str], *arguments: Any) -> int:
    """Run a program as a bot; return only if it cannot be, or the dialog is broken.

    `arguments` are passed to the constructor of the bridge after its own.
    """
    gc.disable()  # Nothing in a bridge makes circles.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    environment = dict(os.environ)
    endpoint, token = (environment.pop(name, "") for name in ("ARENA_ENDPOINT", "ARENA_TOKEN"))
    if not endpoint or not token:
        say("ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so")
        return 1
    os.environ["PATH"] = f"{environment.get('PATH', os.defpath)}:{ENGINES}"  # it is searched
    try:
        program = Program(list(command), environment)
        kind(Wire(endpoint), program, token, *arguments).run()
    except (BridgeError, WireError) as error:
        say(str(error))
    return 1


def quoted(line: bytes) -> str:
    """Return the beginning of a line as text."""
    return line[: 4 * SHOWN].decode(errors="replace")[:SHOWN]


def _middle_cut(line: bytes) -> bytes:
    """Return a long line without its middle: the end may be the last move."""
    return line if len(line) <= SHOWN else line[: SHOWN // 2] + b" ... " + line[-SHOWN // 2 :]


def say(what: str) -> None:
    """Write a line for the bot's author to stderr, with the name of the bridge."""
    name = sys.argv[0].rpartition("/")[2].removesuffix(".py")
    print(f"{name}: {what}", file=sys.stderr, flush=True)


def _packed(reply: Fields) -> bytes:
    try:
        return _pack(reply)
    except OverflowError:
        raise LineError("an integer outside +-2^53") from None
    except UnicodeEncodeError:
        raise LineError("half of a surrogate pair") from None
    except ValueError:
        raise LineError("nested too deeply") from None


def _call_of(payload: bytes) -> Fields:
    try:
        call = msgpack.unpackb(payload)
    except Exception as error:  # noqa: BLE001 - msgpack raises a dozen types
        raise BridgeError(f"a call that is not msgpack: {error!r}: {payload[:64].hex()}") from None
    if not isinstance(call, dict) or not isinstance(kind := call.get("type"), str):
        raise BridgeError(f"a call is a map with a type, not {str(call)[:SHOWN]}")
    if kind in ANSWERED and type(call.get("id")) is not int:
        raise BridgeError(f"{kind}.id: an integer expected, not {str(call.get('id'))[:SHOWN]}")
    return call


_pack: Callable[[Fields], bytes] = msgpack.Packer().pack
