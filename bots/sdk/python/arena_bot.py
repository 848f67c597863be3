"""The Python kit: derive a bot from `Bot`, answer its calls, and `run` it.

    class First(Bot):
        wants = ("legal",)
        def on_move(self, call):
            return play(call["legal"][0])

It needs this file and msgpack. Moves, claims and views are plain dicts with the fields of
protocol/SPEC.md. What you print is kept with the match; an exception ends the bot with a traceback.
A bot that uses all time of a call, at work or asleep, prints its stack first, so a timeout shows
where it was.
The kit implements ZMTP, since importing a ZeroMQ library for one socket takes longer than the rest
of a bot's start. The shipped bot `pyzmq` uses the library, and no kit.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` imports `enum`: slow.
import _socket as socket  # The module `socket` adds what is not used here, and 7 ms to a start.
import atexit
import faulthandler
import os
import sys

import msgpack

TYPE_CHECKING = False  # Type checkers know the name; importing `typing` costs a tenth of a start.
if TYPE_CHECKING:
    from typing import Any

Fields = dict[str, "Any"]  # A message, a move, claims: what a map on the wire becomes.
PROTOCOL = 1
MAX_CALL_BYTES = 1024 * 1024
MAX_REPLY_BYTES = 64 * 1024
MAX_NOTE = 1024  # characters

_PIECE_BYTES = 64 * 1024  # Bytes per read.
_GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_READY = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
_LONG, _COMMAND = 0x02, 0x04  # Flags of a frame.
_CLOSED = "the connection to the referee is closed"
_LIMITS = {"init": "init_ms", "move": "per_move_ms"}
_LONGEST_MS = 10**9  # Python refuses alarms much longer than this.
_IDLE_S = 0.95  # A call charged by CPU time ends after twice its limit and 1 s of wall time.
_SAID = frozenset(("move", "resign", "done"))
_REPLIES = {"init": "ready", "move": "play", "display": "picture", "ping": "pong", "term": "bye"}
_CALLS: dict[str, dict[type, tuple[str, ...]]] = {  # Guaranteed fields of a call.
    "init": {
        int: ("id", "seat", "seats", "seed"),
        str: ("game", "match"),
        dict: ("options", "time", "view"),
        list: ("players", "history"),
    },
    "move": {int: ("id", "ply"), list: ("opponent_moves",)},
    "display": {int: ("id",)},
    "ping": {int: ("id",)},
    "term": {int: ("id",), list: ("opponent_moves", "scores"), bool: ("last",)},
    "error": {str: ("code", "detail")},
}


class Bot:
    """A program to play match after match. Write `on_move` and any other methods you need."""

    name = version = ""
    wants: tuple[str, ...] = ()  # Of "view" (the position) and "legal": to be in `move` calls.

    def on_init(self, init: Fields) -> None:
        """Begin a match: `game`, `options`, `seat`, `seed`, `history`, `view` (after it), ..."""

    def on_move(self, call: Fields) -> Fields:
        """Return `play(...)`, `resign()` or `done()`. News is in `opponent_moves`, oldest first."""
        raise NotImplementedError("a bot must have on_move")

    def on_display(self, call: Fields) -> list[str]:
        """Return the present board, one string per row."""
        raise NotImplementedError("this game asks for the board: the bot must have on_display")

    def on_term(self, term: Fields) -> None:
        """End a match: `termination`, `scores`, ... After the `last` the process ends by itself."""


def play(
    move: Fields,
    claims: Fields | None = None,
    note: str | None = None,
    *,
    value: int | None = None,
    plan: list[Fields] | None = None,
    data: dict[str, int] | None = None,
) -> Fields:
    """Return the reply with a move; `claims` describe its effect.

    The others are remarks, shown with the move: a `note`, the `value` of the position for this bot
    (-1000 to 1000), a `plan` (the next moves it expects), and `data` (figures by name).
    """
    if note is not None and len(note) > MAX_NOTE:
        raise ValueError(f"play.note: {len(note)} characters; the limit is {MAX_NOTE}")
    said = {"claims": claims, "note": note, "value": value, "plan": plan, "data": data}
    return {"move": move, **{field: what for field, what in said.items() if what is not None}}


def resign() -> Fields:
    """Return the reply to resign."""
    return {"resign": True}


def done() -> Fields:
    """Return the reply to end a one-seat game with the present points."""
    return {"done": True}


def run(bot: Bot) -> None:
    """Greet the referee and answer its calls. Never returns.

    The process exits with 0 after its last match; with 1 when the bot raised an exception, when the
    connection closed, and at any invalid call; stderr has the reason.
    """
    if hasattr(sys.stdout, "reconfigure"):  # Otherwise a killed bot loses what it printed.
        sys.stdout.reconfigure(line_buffering=True)
    code = 1
    try:
        _serve(bot, os.environ.get("ARENA_ENDPOINT"), os.environ.get("ARENA_TOKEN"))
        code = 0
    except WireError as error:
        print(f"arena_bot: {error}", file=sys.stderr)
    except Exception:  # noqa: BLE001 - the bot's author reads any error
        sys.excepthook(*sys.exc_info())
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 - contextlib is a slow import
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass  # No connection, or no reader.
    if _is_alone():
        os._exit(code)  # Without the 8 ms that the interpreter takes to tidy up.
    sys.exit(code)


class WireError(Exception):
    """Something is wrong with a message or the connection, and not with the bot's thinking."""


def _is_alone() -> bool:
    """Whether nobody waits for the end: no profiler, debugger or test runs the bot, and no hook."""
    caller = frame = sys._getframe(2)  # noqa: SLF001 - nothing public tells who called
    while frame.f_back is not None:
        frame = frame.f_back
    hooks = getattr(atexit, "_ncallbacks", lambda: 1)()  # CPython alone tells their number.
    return caller.f_globals is frame.f_globals and sys.getprofile() is None and not hooks


def _serve(bot: Bot, endpoint: str | None, token: str | None) -> None:
    if endpoint is None or token is None:
        raise WireError("ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so")
    wire = Wire(endpoint)
    for alarm in (signal.SIGPROF, signal.SIGALRM):
        if signal.getsignal(alarm) == signal.SIG_DFL:  # Otherwise the bot has its own.
            faulthandler.register(alarm, file=2, all_threads=False)
    time: Fields = {}
    pack = msgpack.Packer(
        default=_plain
    ).pack  # One for all: each new one allocates its buffer anew.
    _send(wire, pack, _hello(bot, token))
    while True:
        call = _decode(wire.receive())
        if call["type"] == "error":
            print(f"arena_bot: error: {call['code']}: {call['detail']}", file=sys.stderr)
        elif call["type"] in _CALLS:
            time = call["time"] if call["type"] == "init" else time
            _set_alarms(time, call)
            reply = _answer(bot, call)
            _set_alarms({}, call)
            _send(wire, pack, reply)
            if call["type"] == "term" and call["last"]:
                return


def _hello(bot: Bot, token: str) -> Fields:
    hello = {"type": "hello", "protocol": PROTOCOL, "token": token, "language": "python"}
    said = {"name": bot.name, "version": bot.version, "wants": list(bot.wants)}
    return hello | {field: what for field, what in said.items() if what}


def _answer(bot: Bot, call: Fields) -> Fields:
    kind = call["type"]
    reply = {"type": _REPLIES[kind], "id": call["id"]}
    if kind == "move":
        said: Any = bot.on_move(call)
        if not isinstance(said, dict) or _SAID.isdisjoint(said):
            raise TypeError(f"on_move must return play(...), resign() or done(), not {said!r}")
        return {**said, **reply}
    if kind == "display":
        reply["board"] = list(bot.on_display(call))
    elif kind == "init":
        bot.on_init(call)
    elif kind == "term":
        bot.on_term(call)
    return reply


def _set_alarms(time: Fields, call: Fields) -> None:
    """Have the stack printed once the bot has used the time of this call; no time: never."""
    limit = time.get(_LIMITS.get(call["type"], ""))
    left = call.get("left_ms", limit)
    cpu = wall = 0.0
    if type(limit) is type(left) is int and min(limit, left) and "ARENA_DEBUG" not in os.environ:
        cpu = min(limit, left, _LONGEST_MS) / 1000
        wall = cpu if time.get("clock") == "wall" else 2 * cpu + _IDLE_S
    signal.setitimer(signal.ITIMER_PROF, 0 if wall == cpu else cpu)
    if signal.getsignal(signal.SIGALRM) == signal.SIG_DFL:  # Otherwise the timer is the bot's.
        signal.setitimer(signal.ITIMER_REAL, wall)


def _send(wire: Wire, pack: Any, reply: Fields) -> None:
    try:
        payload = pack(reply)
    except (TypeError, ValueError, OverflowError) as error:
        raise WireError(f"{reply['type']}: cannot be sent: {error}") from None
    if len(payload) > MAX_REPLY_BYTES:
        raise WireError(f"{reply['type']}: {len(payload)} bytes; the limit is {MAX_REPLY_BYTES}")
    wire.send(payload)


def _plain(value: Any) -> Any:
    """Convert a number or array of numpy and the like."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}; send numbers, texts, lists and dicts")


def _decode(payload: bytes) -> Fields:
    try:
        call = msgpack.unpackb(payload)
    except Exception as error:  # noqa: BLE001 - msgpack raises a dozen types
        raise WireError(f"a call that is not msgpack: {error!r}: {payload[:64].hex()}") from None
    if not isinstance(call, dict) or not isinstance(kind := call.get("type"), str):
        raise WireError(f"a call is a map with a type, not {str(call)[:100]}")
    for wanted, fields in _CALLS.get(kind, {}).items():
        for field in fields:
            if type(call.get(field)) is not wanted:
                found = repr(call[field])[:100] if field in call else "missing"
                raise WireError(f"{kind}.{field}: {wanted.__name__} expected, not {found}")
    return call


class Wire:
    """ZMTP 3.0 with the mechanism NULL, a DEALER's end of it: SPEC.md, appendix A."""

    def __init__(self, endpoint: str) -> None:
        """Connect; a message may be sent once the other end has said READY, as libzmq wants it."""
        self.socket = _connect(endpoint)
        self._unread = b""
        self._write(_GREETING)
        while len(self._unread) < len(_GREETING):
            self._read()
        greeting, self._unread = self._unread[: len(_GREETING)], self._unread[len(_GREETING) :]
        if greeting[0] != 0xFF or greeting[10] < 3 or greeting[12:32] != _GREETING[12:32]:
            raise WireError("the referee speaks no ZMTP 3 with the mechanism NULL")
        self.send(_READY, _COMMAND)
        while (frame := self._next_frame()) is None:
            self._read()
        if not frame[0] & _COMMAND or frame[1][:6] != _READY[:6]:
            raise WireError("the referee's first frame is not READY")

    def receive(self) -> bytes:
        """Return the next message. A signal does not end the wait (PEP 475)."""
        while (message := self._next()) is None:
            self._read()
        return message

    def arrived(self) -> list[bytes]:
        """Read once, and return the messages that are complete by then."""
        self._read()
        messages = []
        while (message := self._next()) is not None:
            messages.append(message)
        return messages

    def send(self, body: bytes, flags: int = 0) -> None:
        """Send a frame. This may block, but the referee reads while waiting for this bot."""
        if len(body) < 256:
            self._write(bytes((flags, len(body))) + body)
        else:
            self._write(bytes((flags | _LONG,)) + len(body).to_bytes(8, "big") + body)

    def _next(self) -> bytes | None:
        while (frame := self._next_frame()) is not None:
            flags, body = frame
            if not flags & _COMMAND:
                return body
            if body[:5] == b"\x04PING":
                self.send(b"\x04PONG" + body[7:], _COMMAND)
        return None

    def _next_frame(self) -> tuple[int, bytes] | None:
        unread = self._unread
        if len(unread) < 2:
            return None
        flags, size, begin = unread[0], unread[1], 2
        if flags & ~(_LONG | _COMMAND):
            raise WireError(f"a message is one frame, but a frame has the flags {flags:#04x}")
        if flags & _LONG:
            begin = 9
            size = int.from_bytes(unread[1:9], "big") if len(unread) >= 9 else 0
            if size > MAX_CALL_BYTES:
                raise WireError(f"a call of {size} bytes; the limit is {MAX_CALL_BYTES}")
        if len(unread) < begin + size:
            return None
        self._unread = unread[begin + size :]
        return flags, unread[begin : begin + size]

    def _read(self) -> None:
        try:
            piece = self.socket.recv(_PIECE_BYTES)
        except ConnectionResetError:
            piece = b""
        if not piece:
            raise WireError(_CLOSED)
        self._unread += piece

    def _write(self, data: bytes) -> None:
        try:
            self.socket.sendall(data)
        except OSError:
            raise WireError(_CLOSED) from None


def _connect(endpoint: str) -> socket.socket:
    kind, _, place = endpoint.partition("://")
    host, _, port = place.rpartition(":")
    try:
        if kind == "ipc":
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(place)
        else:
            connection = socket.socket()
            connection.connect((host, int(port)))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (OSError, ValueError) as error:
        raise WireError(f"cannot connect to {endpoint}: {error}") from None
    return connection
