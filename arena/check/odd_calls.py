"""Unusual but valid calls, and calls that no referee sends."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from arena.check.bench import PATIENCE_NS, Alter
from arena.check.outcomes import StepFailed
from protocol.codec import MAX_CALL_BYTES, decode, encode_fields
from protocol.link import Link
from protocol.messages import Fields
from protocol.vocabulary import MESSAGE_DEPTH
from protocol.zmtp import frame

UNKNOWN: Fields = {"type": "applause", "id": 2**40, "loud": True}
"""A call of an unknown type."""
_NEWS: Fields = {"text": "new", "list": [1, None, True], "map": {"deep": -1}}
_PIECES = 40
"""Number of pieces sent one by one; the rest of a long message follows at once."""
_PAUSE_S = 0.0002
_COMMAND = 0x04
_LONG = b"\x02"


def changed(change: Callable[[Fields], Fields]) -> Alter:
    """Make a change of the fields a sender of calls with changed fields."""

    def alter(link: Link, payload: bytes) -> None:
        link.send(encode_fields(change(decode(payload, limit=MAX_CALL_BYTES))))

    return alter


@changed
def unknown_fields(call: Fields) -> Fields:
    """Add unknown fields, also inside; but not to moves, since a bot may copy them."""
    made = {"from_the_future": _NEWS, **call}
    for name in ("options", "time", "view"):
        if isinstance(call.get(name), Mapping):
            made[name] = {**call[name], "from_the_future": _NEWS}
    for name in ("history", "opponent_moves"):
        if name in call:
            made[name] = [{**played, "from_the_future": 1} for played in call[name]]
    return made


@changed
def nil_fields(call: Fields) -> Fields:
    """Say nil where an optional field is left out."""
    optional = {"move": ("left_ms", "view", "legal", "legal_omitted")}.get(call["type"], ())
    made = {**dict.fromkeys(optional), **call}
    if call["type"] == "init":
        absent = dict.fromkeys(("bank_ms", "increment_ms", "bank_moves"))
        made["time"] = {**absent, **call["time"]}
    return made


def _reversed(fields: Fields) -> Fields:
    """Put the fields in the reverse order, inside maps too."""
    return {
        name: _reversed(value) if isinstance(value, dict) else value
        for name, value in reversed(fields.items())
    }


reversed_fields = changed(_reversed)


@changed
def large(call: Fields) -> Fields:
    """Add a field to reach the size limit of a call."""
    room = MAX_CALL_BYTES - len(encode_fields(call)) - 64
    return {**call, "from_the_future": "x" * room}


@changed
def deep(call: Fields) -> Fields:
    """Add a field as deep as a message may be."""
    value: Any = 1
    for _ in range(MESSAGE_DEPTH - 1):
        value = [value]
    return {**call, "from_the_future": value}


@changed
def little_time(call: Fields) -> Fields:
    """Set the rest of the bank to 0."""
    return {**call, "left_ms": 0} if call["type"] == "move" else call


@changed
def without_legal(call: Fields) -> Fields:
    """Leave out the legal moves, as if they were too many."""
    if "legal" not in call:
        return call
    made = {name: value for name, value in call.items() if name != "legal"}
    return {**made, "legal_omitted": True}


@changed
def long_names(call: Fields) -> Fields:
    """Give the longest names and the largest seed."""
    if call["type"] != "init":
        return call
    names = ["♟ä𝄞\u202e\x1b[31m".ljust(100, "n") for _ in call["players"]]
    return {**call, "players": names, "match": "/☃" * 200, "seed": 2**32 - 1}


def ended_by(word: str) -> Alter:
    """Return a change of the termination in a match's last call."""

    @changed
    def end(call: Fields) -> Fields:
        if call["type"] != "term":
            return call
        scores = ["-0.5", *call["scores"][1:]]
        return {**call, "termination": word, "scores": scores, "offenders": [0], "reason": ""}

    return end


def after_unknown_calls(link: Link, payload: bytes) -> None:
    """Send a call of an unknown kind first."""
    link.send(encode_fields(UNKNOWN))
    link.send(payload)


def in_one_piece(link: Link, payload: bytes) -> None:
    """Send a call of an unknown kind first, both in one piece."""
    link.send_packed(link.pack(encode_fields(UNKNOWN)) + link.pack(payload))


def byte_by_byte(link: Link, payload: bytes) -> None:
    """Send a call in many small pieces."""
    packed = link.pack(payload)
    for place in range(min(_PIECES, len(packed))):
        link.send_packed(packed[place : place + 1])
        time.sleep(_PAUSE_S)  # otherwise the pieces may arrive together
    link.send_packed(packed[_PIECES:])


def in_long_frames(link: Link, payload: bytes) -> None:
    """Send a call in a frame with a long size field."""
    packed = link.pack(payload)
    envelope = packed[: len(packed) - len(frame(payload))]
    link.send_packed(envelope + _LONG + len(payload).to_bytes(8, "big") + payload)


def after_heartbeats(link: Link, payload: bytes) -> None:
    """Send a PING of ZMTP first."""
    link.send_packed(frame(b"\x04PING\x00\x0acontext", flags=_COMMAND))
    link.send(payload)


def after_pings(link: Link, payload: bytes) -> None:
    """Ping the bot first, and wait for its pong."""
    link.send(encode_fields({"type": "ping", "id": 2**53}))
    pong = link.receive(time.monotonic_ns() + PATIENCE_NS)
    if pong is None or decode(pong) != {"type": "pong", "id": 2**53}:
        raise StepFailed(f"a ping before {decode(payload, limit=MAX_CALL_BYTES)['type']}: no pong")
    link.send(payload)


def in_long_forms(link: Link, payload: bytes) -> None:
    """Send a call with every value in its longest MessagePack form."""
    link.send(_long(decode(payload, limit=MAX_CALL_BYTES)))


def _long(value: Any) -> bytes:
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        form = b"\xcf" if value >= 0 else b"\xd3"
        return form + value.to_bytes(8, "big", signed=value < 0)
    if isinstance(value, str):
        return b"\xdb" + _size(value.encode()) + value.encode()
    if isinstance(value, Mapping):
        items: Iterable[Any] = (part for pair in value.items() for part in pair)
        return b"\xdf" + _size(value) + b"".join(map(_long, items))
    return b"\xdd" + _size(value) + b"".join(map(_long, value))


def _size(value: Any) -> bytes:
    return len(value).to_bytes(4, "big")


BROKEN: Mapping[str, bytes] = {
    "invalid MessagePack": b"\xc1",
    "an empty message": b"",
    "a list instead of a map": b"\x92\x01\x02",
    "two values in one message": encode_fields({"type": "ping", "id": 1}) * 2,
    "a call without type": encode_fields({"id": 1}),
    "a call with a type that is not text": encode_fields({"type": 7, "id": 1}),
    "a call without id": encode_fields({"type": "ping"}),
    "a call with an id that is not an integer": encode_fields({"type": "ping", "id": "1"}),
    "a call above 1 MiB": b"\x81\xa1x\xdb"
    + MAX_CALL_BYTES.to_bytes(4, "big")
    + b"x" * MAX_CALL_BYTES,
}
"""Messages at which a bot must exit with an error message and a code other than 0 (SPEC.md 10.2).
"""
