"""The Python kit: derive a bot from `Bot`, answer its calls, and `run` it.

    class First(Bot):
        wants = ("legal",)
        def on_move(self, call):
            return play(call["legal"][0])

It needs this file, pyzmq and msgpack. Moves, claims and views are plain dicts with the fields of
protocol/SPEC.md. What you print is kept with the match; an exception ends the bot with a traceback.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from signal import SIG_BLOCK, pthread_sigmask, valid_signals
from typing import Any

gc.disable()  # Nothing of what is imported is garbage: not to look for any saves 2 ms a start.
import msgpack  # noqa: E402 - see the line above
import zmq  # noqa: E402

gc.freeze()
gc.enable()

Fields = dict[str, Any]  # A message, a move, claims: what a map on the wire becomes.
PROTOCOL = 1
MAX_CALL_BYTES = 1024 * 1024
MAX_REPLY_BYTES = 64 * 1024
MAX_NOTE = 1024  # characters

_LOOK_MS = 250  # How often a waiting bot looks whether its referee is still there.
_LINGER_MS = 2000  # How long the last reply may take to leave.
_CLOSED = "the connection to the referee is closed"
_REPLIES = {"init": "ready", "move": "play", "display": "picture", "ping": "pong", "term": "bye"}
_CALLS: dict[str, dict[type, tuple[str, ...]]] = {  # What a bot may rely on in a call.
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
    """A program that plays match after match. Write `on_move` and any other methods you need."""

    name = version = ""
    wants: tuple[str, ...] = ()  # Of "view" (the position) and "legal": to be in `move` calls.

    def on_init(self, init: Fields) -> None:
        """Begin a match: `game`, `options`, `seat`, `seed`, `history`, `view` (after it), ..."""

    def on_move(self, call: Fields) -> Fields:
        """Return `play(...)`, `resign()` or `done()`. News is in `opponent_moves`, oldest first."""
        raise NotImplementedError("a bot must have on_move")

    def on_display(self, call: Fields) -> list[str]:
        """Return the board as it is now, a string a row."""
        raise NotImplementedError("this game asks for the board: the bot must have on_display")

    def on_term(self, term: Fields) -> None:
        """End a match: `termination`, `scores`, ... After the `last` the process ends by itself."""


def play(move: Fields, claims: Fields | None = None, note: str | None = None) -> Fields:
    """Return the reply that plays a move; `claims` say what it does, `note` is for the record."""
    reply: Fields = {"move": move}
    if claims is not None:
        reply["claims"] = claims
    if note is not None:
        if len(note) > MAX_NOTE:
            raise ValueError(f"play.note: {len(note)} characters; the limit is {MAX_NOTE}")
        reply["note"] = note
    return reply


def resign() -> Fields:
    """Return the reply that gives the match up."""
    return {"resign": True}


def done() -> Fields:
    """Return the reply that ends a one-seat game: nothing left to play, points stand."""
    return {"done": True}


def run(bot: Bot) -> None:
    """Greet the referee and answer its calls. Never returns, and runs no exit hooks.

    The process exits with 0 after its last match; with 1 when the bot raised an exception, when the
    connection closed, and at any invalid call; stderr has the reason.
    """
    code = 1
    try:
        _serve(bot, os.environ.get("ARENA_ENDPOINT"), os.environ.get("ARENA_TOKEN"))
        code = 0
    except _WireError as error:
        print(f"arena_bot: {error}", file=sys.stderr)
    except Exception:  # noqa: BLE001 - whatever it was, the bot's author reads it
        sys.excepthook(*sys.exc_info())
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # There is none, or nobody reads it.
            stream.flush()
    os._exit(code)  # Without the 8 ms that the interpreter takes to tidy up.


class _WireError(Exception):
    """Something is wrong with a message or the connection, and not with the bot's thinking."""


def _serve(bot: Bot, endpoint: str | None, token: str | None) -> None:
    if endpoint is None or token is None:
        raise _WireError("ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so")
    context = zmq.Context()
    socket = context.socket(zmq.DEALER)
    losses = socket.get_monitor_socket(zmq.EVENT_CLOSED | zmq.EVENT_DISCONNECTED)
    socket.set(zmq.LINGER, 0)
    socket.set(zmq.RCVTIMEO, _LOOK_MS)
    socket.set(zmq.RECONNECT_IVL, -1)  # A referee that is gone does not come back.
    socket.connect(endpoint)
    pack = msgpack.Packer().pack  # One for all: each new one allocates its buffer anew.
    _send(socket, pack, _hello(bot, token))
    while True:
        try:
            call = _decode(socket.recv())  # A signal does not end the wait (PEP 475).
        except zmq.Again:
            if losses.poll(0) == 0:
                continue
            raise _WireError(_CLOSED) from None
        if call["type"] == "error":
            print(f"arena_bot: error: {call['code']}: {call['detail']}", file=sys.stderr)
        elif call["type"] in _CALLS:
            _send(socket, pack, _answer(bot, call))
            if call["type"] == "term" and call["last"]:
                pthread_sigmask(SIG_BLOCK, valid_signals())  # One would end the wait that follows.
                context.destroy(linger=_LINGER_MS)  # Returns when `bye` has left.
                return


def _hello(bot: Bot, token: str) -> Fields:
    hello = {"type": "hello", "protocol": PROTOCOL, "token": token, "language": "python"}
    said = {"name": bot.name, "version": bot.version, "wants": list(bot.wants)}
    return hello | {field: what for field, what in said.items() if what}


def _answer(bot: Bot, call: Fields) -> Fields:
    kind = call["type"]
    reply = {"type": _REPLIES[kind], "id": call["id"]}
    if kind == "move":
        said = bot.on_move(call)
        if not isinstance(said, dict):
            raise TypeError(f"on_move must return play(...), resign() or done(), not {said!r}")
        return {**said, **reply}
    if kind == "display":
        reply["board"] = list(bot.on_display(call))
    elif kind == "init":
        bot.on_init(call)
    elif kind == "term":
        bot.on_term(call)
    return reply


def _send(socket: zmq.Socket[bytes], pack: Any, reply: Fields) -> None:
    try:
        payload = pack(reply)
    except (TypeError, ValueError, OverflowError) as error:
        raise _WireError(f"{reply['type']}: cannot be sent: {error}") from None
    if len(payload) > MAX_REPLY_BYTES:
        raise _WireError(f"{reply['type']}: {len(payload)} bytes; the limit is {MAX_REPLY_BYTES}")
    try:
        socket.send(payload, zmq.NOBLOCK)  # There is always room, except with nobody to send to.
    except zmq.Again:
        raise _WireError(_CLOSED) from None


def _decode(payload: bytes) -> Fields:
    if len(payload) > MAX_CALL_BYTES:
        raise _WireError(f"a call of {len(payload)} bytes; the limit is {MAX_CALL_BYTES}")
    try:
        call = msgpack.unpackb(payload)
    except Exception as error:  # noqa: BLE001 - msgpack raises a dozen types
        raise _WireError(f"a call that is not msgpack: {error!r}: {payload[:64].hex()}") from None
    if not isinstance(call, dict) or not isinstance(kind := call.get("type"), str):
        raise _WireError(f"a call is a map with a type, not {str(call)[:100]}")
    for wanted, fields in _CALLS.get(kind, {}).items():
        for field in fields:
            if type(call.get(field)) is not wanted:
                found = repr(call[field])[:100] if field in call else "missing"
                raise _WireError(f"{kind}.{field}: {wanted.__name__} expected, not {found}")
    return call
