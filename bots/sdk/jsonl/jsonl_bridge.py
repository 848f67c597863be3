"""A bridge between the wire and a program with JSON lines on stdin and stdout.

    python3 jsonl_bridge.py PROGRAM [ARGUMENT ...]

A bot.yaml with `protocol: jsonl` is run so. Each call of protocol/SPEC.md is a line for the
program, each line that it prints is a reply; its first is the hello, without `token`. Lines go on
as they come, asked for or not: the referee judges them. A line that is no JSON object goes on as a
text that says why, which the referee refuses. The program's end is the bridge's, code or signal.

One thread and no library of ZeroMQ, whose own thread would cost each call two more switches.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

import msgpack

gc.disable()  # Nothing here makes circles.

Fields = dict[str, Any]
PROTOCOL = 1
MAX_LINE_BYTES = 64 * 1024
MAX_CALL_BYTES = 1024 * 1024
SHOWN = 120  # quoted characters of a wrong line

_GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_READY = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
_MORE, _LONG, _COMMAND = 1, 2, 4
_LAST_READS = 32
_PIECE = 1 << 16  # What is read at once: as much as a pipe holds.
_ANSWERED = ("init", "move", "display", "ping", "term")
_CLOSED = "the connection to the referee is closed"


class BridgeError(Exception):
    """The dialog cannot go on; the bot's author reads why."""


class LineError(Exception):
    """A line can be no reply."""


class Wire:
    """The connection to the referee."""

    def __init__(self, endpoint: str) -> None:
        """Connect, or raise BridgeError."""
        kind, _, place = endpoint.partition("://")
        host, _, port = place.rpartition(":")
        try:
            if kind == "tcp":
                self.socket = socket.create_connection((host, int(port)))
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            else:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(place)
        except (OSError, ValueError) as error:
            raise BridgeError(f"cannot connect to {endpoint}: {error}") from None
        self._read = b""
        self._is_greeted = self._is_ready = False
        self._say(_GREETING + _frame(_READY, _COMMAND))
        while not self._is_ready:  # A libzmq takes no message before it has sent its own.
            for _ in self.calls():
                raise BridgeError("a call before the hello")

    def calls(self) -> Iterator[bytes]:
        """Read once and yield the calls that are now complete."""
        try:
            piece = self.socket.recv(_PIECE)
        except ConnectionResetError:
            piece = b""
        if not piece:
            raise BridgeError(_CLOSED)
        self._read += piece
        if not self._is_greeted:
            self._greet()
        while self._is_greeted and (frame := self._next_frame()) is not None:
            flags, body = frame
            if flags & _COMMAND:
                self._is_ready |= body.startswith(b"\x05READY")
                if body.startswith(b"\x04PING"):
                    self._say(_frame(b"\x04PONG" + body[7:], _COMMAND))
            elif flags & _MORE:
                raise BridgeError("a call of more than one frame")
            else:
                yield body

    def send(self, payload: bytes) -> None:
        """Send a message. It may block; the referee reads while it waits for this bot."""
        self._say(_frame(payload))

    def _greet(self) -> None:
        if len(self._read) >= len(_GREETING):
            if self._read[0] != 0xFF or self._read[9] != 0x7F or self._read[10] < 3:
                raise BridgeError("the other end does not speak ZMTP 3")
            self._read = self._read[len(_GREETING) :]
            self._is_greeted = True

    def _next_frame(self) -> tuple[int, bytes] | None:
        read = self._read
        if len(read) < 2:
            return None
        flags, begin = read[0], 2
        size = read[1]
        if flags & _LONG:
            begin = 9
            size = int.from_bytes(read[1:9].ljust(8, b"\0"), "big") if len(read) >= 9 else 0
            if size > MAX_CALL_BYTES:
                raise BridgeError(f"a call of {size} bytes; the limit is {MAX_CALL_BYTES}")
        if len(read) < begin + size:
            return None
        self._read = read[begin + size :]
        return flags, read[begin : begin + size]

    def _say(self, data: bytes) -> None:
        try:
            self.socket.sendall(data)
        except OSError:
            raise BridgeError(_CLOSED) from None


def _frame(body: bytes, flags: int = 0) -> bytes:
    if len(body) < 256:
        return bytes((flags, len(body))) + body
    return bytes((flags | _LONG,)) + len(body).to_bytes(8, "big") + body


class Program:
    """The bot's own program and its pipes. No method blocks."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        """Start it, or raise BridgeError."""
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
        self._line = b""

    def tell(self, line: bytes = b"") -> None:
        """Write a line, or the rest of the last one, as far as the pipe has room."""
        self.unread += line
        try:
            self.unread = self.unread[os.write(self.input, self.unread) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.unread = b""  # Its input is closed; its exit is reported separately.

    def lines(self) -> list[bytes] | None:
        """Read once; return the lines that are now complete, or None at the end of its output.

        What is too long for a line is returned although it is not complete. Raises BlockingIOError
        where there is nothing to read.
        """
        piece = os.read(self.output, _PIECE)
        if not piece:
            return None
        *lines, self._line = (self._line + piece).split(b"\n")
        return [*lines, self._line] if len(self._line) > MAX_LINE_BYTES else lines

    def end(self) -> NoReturn:
        """Wait until it ends and end in the same way."""
        if self._line:
            _say(f"the program's last line has no end: {_quoted(self._line)}")
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if code < 0:
            with suppress(OSError, ValueError):  # SIGKILL cannot change.
                signal.signal(-code, signal.SIG_DFL)
            os.kill(os.getpid(), -code)
        os._exit(code if code >= 0 else 128 - code)  # The first process of a namespace lives on.


class Bridge:
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

    def run(self) -> NoReturn:
        """Serve; the process ends in here."""
        program = self._program
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == program.output:
                    self._hear()
                elif descriptor == program.pidfd:
                    self._finish()
                elif descriptor == program.input:
                    self._tell()
                else:
                    self._call()

    def _call(self) -> None:
        for payload in self._wire.calls():
            call = _call_of(payload)
            if call["type"] == "error":
                _say(f"error: {call.get('code')}: {call.get('detail')}")
                continue
            if call["type"] == "term" and call.get("last") is True:
                self._last_id = call["id"]
            self._tell(_line_of(call))

    def _tell(self, line: bytes = b"") -> None:
        """Write to the program; while it does not read, no further call is read either."""
        was_full = bool(self._program.unread)
        self._program.tell(line)
        is_full = bool(self._program.unread)
        if is_full and not was_full:
            self._poll.register(self._program.input, select.POLLOUT)
            self._poll.unregister(self._wire.socket)
        elif was_full and not is_full:
            self._poll.unregister(self._program.input)
            self._poll.register(self._wire.socket, select.POLLIN)

    def _hear(self) -> None:
        lines = self._program.lines()
        if lines is None:
            self._poll.unregister(self._program.output)  # It may still run.
            return
        for line in lines:
            if not self._reply(line):
                self._poll.unregister(self._program.output)  # Stop: the seat has lost.
                self._is_cut = True
                return

    def _reply(self, line: bytes) -> bool:
        """Send the message of a line; return whether it could be a reply."""
        try:
            fields = _object_in(line)
            if not self._is_greeted:
                fields = {"protocol": PROTOCOL, **fields, "token": self._token}
            payload = _packed(fields)
        except LineError as error:
            why = f"{error}: {_quoted(line)}"
            self._wire.send(msgpack.packb(why))
            if not self._is_greeted:
                raise BridgeError(f"the program's first line must be its hello: {why}") from None
            return False
        self._is_greeted = True
        self._wire.send(payload)
        if fields.get("type") == "bye" and fields.get("id") == self._last_id is not None:
            os.close(self._program.input)
            self._program.end()
        return True

    def _finish(self) -> NoReturn:
        with suppress(BlockingIOError):
            for _ in range(_LAST_READS):  # A process left behind may print endlessly.
                if self._is_cut or (lines := self._program.lines()) is None:
                    break
                self._is_cut = not all(map(self._reply, lines))
        self._program.end()


def _call_of(payload: bytes) -> Fields:
    if len(payload) > MAX_CALL_BYTES:
        raise BridgeError(f"a call of {len(payload)} bytes; the limit is {MAX_CALL_BYTES}")
    try:
        call = msgpack.unpackb(payload)
    except Exception as error:  # noqa: BLE001 - msgpack raises a dozen types
        raise BridgeError(f"a call that is not msgpack: {error!r}: {payload[:64].hex()}") from None
    if not isinstance(call, dict) or not isinstance(kind := call.get("type"), str):
        raise BridgeError(f"a call is a map with a type, not {str(call)[:SHOWN]}")
    if kind in _ANSWERED and type(call.get("id")) is not int:
        raise BridgeError(f"{kind}.id: an integer expected, not {str(call.get('id'))[:SHOWN]}")
    return call


def _line_of(call: Fields) -> bytes:
    try:
        return _to_json(call).encode() + b"\n"
    except Exception as error:  # noqa: BLE001 - a value that JSON does not have, or too deep
        raise BridgeError(f"{call['type']}: cannot be written as JSON: {error}") from None


def _object_in(line: bytes) -> Fields:
    """Return the object that a line holds, or raise LineError."""
    if len(line) > MAX_LINE_BYTES:
        raise LineError(f"a line of more than {MAX_LINE_BYTES} bytes")
    if not line.strip():
        raise LineError("an empty line")
    try:
        found = _from_json(line.decode())
    except json.JSONDecodeError as error:
        raise LineError(f"no JSON, {error.msg} at character {error.pos + 1}") from None
    except UnicodeDecodeError as error:
        raise LineError(f"no UTF-8 at byte {error.start + 1}") from None
    except ValueError:
        raise LineError("a number of too many digits") from None
    except RecursionError:
        raise LineError("nested too deeply") from None
    if not isinstance(found, dict):
        raise LineError("no JSON object")
    return found


def _packed(fields: Fields) -> bytes:
    try:
        return _pack(fields)
    except OverflowError:
        raise LineError("an integer outside +-2^53") from None
    except UnicodeEncodeError:
        raise LineError("half of a surrogate pair") from None
    except ValueError:
        raise LineError("nested too deeply") from None


def _distinct(pairs: list[tuple[str, Any]]) -> Fields:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise LineError(f'the key "{twice[:SHOWN]}" stands twice in one object')
    return fields


def _no_constant(name: str) -> NoReturn:
    raise LineError(f"no JSON, {name}")


def _quoted(line: bytes) -> str:
    return line[: 4 * SHOWN].decode(errors="replace")[:SHOWN]


def _say(what: str) -> None:
    print(f"jsonl_bridge: {what}", file=sys.stderr, flush=True)


def main(command: list[str]) -> int:
    """Run the program as a bot; return only if it cannot be, or the dialog is broken."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    environment = dict(os.environ)
    endpoint, token = (environment.pop(name, "") for name in ("ARENA_ENDPOINT", "ARENA_TOKEN"))
    if not endpoint or not token:
        _say("ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so")
        return 1
    try:
        program = Program(command, environment)
        Bridge(Wire(endpoint), program, token).run()
    except BridgeError as error:
        _say(str(error))
    return 1


_pack: Callable[[Fields], bytes] = msgpack.Packer().pack
_to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_from_json = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_constant).decode

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: jsonl_bridge.py PROGRAM [ARGUMENT ...]")
    sys.exit(main(sys.argv[1:]))
