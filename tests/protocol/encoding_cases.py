"""Cases of valid and invalid encodings, as replies to a move."""

import struct
from typing import Any

from cases import ID, Case, broken_reply, valid_reply
from packing import (
    ARRAY16,
    ARRAY32,
    INT8,
    INT16,
    INT32,
    INT64,
    MAP16,
    MAP32,
    STR8,
    STR16,
    STR32,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    As,
    nested,
    pack,
    pairs,
    sized,
    wide,
)


def _play(move: Any) -> dict[str, Any]:
    return {"type": "play", "id": ID, "move": move}


def _good(name: str, about: str, message: Any) -> Case:
    return valid_reply(f"encoding: {name}", about, message, answers="move")


def _bad(
    name: str, message: Any, rule: str, *, about: str = "", outcome: str = "malformed"
) -> Case:
    return broken_reply(
        f"encoding: {name}",
        about or "refused before the fields are looked at, whichever field it is in",
        message,
        answers="move",
        rule=rule,
        outcome=outcome,
    )


_INTEGERS = [
    _good(
        f"7 as {name}",
        "a longer encoding than needed is allowed",
        _play({"v": wide(7, lead), "h": 0}),
    )
    for name, lead in (
        ("uint8", UINT8),
        ("uint16", UINT16),
        ("uint32", UINT32),
        ("uint64", UINT64),
        ("int8", INT8),
        ("int16", INT16),
        ("int32", INT32),
        ("int64", INT64),
    )
]

_GOOD = [
    *_INTEGERS,
    _good("2^53", "the largest integer", _play({"v": 2**53, "h": 0})),
    _good("-2^53", "the smallest integer", _play({"v": -(2**53), "h": 0})),
    _good("-32 as int16", "longer than needed", _play({"v": wide(-32, INT16), "h": 0})),
    _good("str8 for a short text", "longer than needed", _play({sized("v", STR8): 0})),
    _good("str16 for a short text", "longer than needed", _play({sized("v", STR16): 0})),
    _good("str32 for a short text", "longer than needed", _play({sized("v", STR32): 0})),
    _good("array16 for two items", "longer than needed", _play({"from": sized([3, 0], ARRAY16)})),
    _good("array32 for two items", "longer than needed", _play({"from": sized([3, 0], ARRAY32)})),
    _good("map16 for one pair", "longer than needed", _play(sized({"v": 0}, MAP16))),
    _good("map32 for the message", "longer than needed", sized(_play({"v": 0}), MAP32)),
    _good("empty list", "unlike a map, a list may be empty", _play({"a": []})),
    _good("empty text", "a text may be empty", _play({"a": ""})),
    _good(
        "depth 16", "a value inside the message, its move and 14 lists", _play({"a": nested(14, 1)})
    ),
    _good("empty list at depth 16", "it is a value, too", _play({"a": nested(14, [])})),
    _good("text of four-byte characters", "UTF-8", _play({"a": "\N{GAME DIE}\N{PILE OF POO}"})),
]

_TEXTS = [
    _bad(f"text {name}", _play({"a": As(bytes([0xA0 | len(data)]) + data)}), "UTF-8")
    for name, data in (
        ("with the byte ff", b"a\xffb"),
        ("in Latin-1", "caf\N{LATIN SMALL LETTER E WITH ACUTE}".encode("latin-1")),
        ("cut inside a character", b"\xe2\x98"),
        ("with an overlong slash", b"\xc0\xaf"),
        ("with half a surrogate pair", b"\xed\xa0\x80"),
        ("beyond Unicode", b"\xf4\x90\x80\x80"),
    )
]

_FLOATS = [
    _bad(f"float {name}", _play({"v": As(b"\xcb" + struct.pack(">d", number))}), "no floats")
    for name, number in (
        ("3.0", 3.0),
        ("-0.0", -0.0),
        ("NaN", float("nan")),
        ("infinity", float("inf")),
    )
]

_TYPES = [
    _bad("float32", _play({"v": As(b"\xca\x40\x40\0\0")}), "no floats"),
    _bad("bin8", _play({"v": As(b"\xc4\x013")}), "no binary data"),
    _bad("bin16", _play({"v": As(b"\xc5\0\x013")}), "no binary data"),
    _bad("bin32", _play({"v": As(b"\xc6\0\0\0\x013")}), "no binary data"),
    _bad(
        "bin key",
        pairs(["type", "play", "id", ID, As(b"\xc4\x04move"), {"v": 0}]),
        "no binary data",
    ),
    _bad("fixext1", _play({"v": As(b"\xd4\x01\x03")}), "no extension types"),
    _bad("ext8 of no bytes", _play({"v": As(b"\xc7\0\x01")}), "no extension types"),
    _bad("ext32 of 4 GiB", _play({"v": As(b"\xc9\xff\xff\xff\xff\x01")}), "no extension types"),
    _bad("timestamp32", _play({"v": As(b"\xd6\xff" + bytes(4))}), "no extension types"),
    _bad("timestamp64", _play({"v": As(b"\xd7\xff" + bytes(8))}), "no extension types"),
    _bad(
        "timestamp96 of the year 36 billion",
        _play({"v": As(b"\xc7\x0c\xff" + bytes(4) + b"\x0f" + b"\xff" * 7)}),
        "no extension types",
    ),
    _bad(
        "timestamp of a wrong length", _play({"v": As(b"\xc7\x03\xff\0\0\0")}), "no extension types"
    ),
    _bad("reserved byte c1", _play({"v": As(b"\xc1")}), "c1 is no msgpack"),
    _bad("reserved byte c1 alone", b"\xc1", "c1 is no msgpack"),
    _bad("2^53 + 1", _play({"v": 2**53 + 1}), "integers within +-2^53"),
    _bad("-2^53 - 1", _play({"v": -(2**53) - 1}), "integers within +-2^53"),
    _bad("largest uint64", _play({"v": 2**64 - 1}), "integers within +-2^53"),
    _bad("smallest int64", _play({"v": -(2**63)}), "integers within +-2^53"),
]

_MAPS = [
    _bad(
        "key twice, right one first",
        pairs(["type", "play", "id", ID, "id", 2, "resign", True]),
        "no key twice",
    ),
    _bad(
        "key twice, right one last",
        pairs(["type", "play", "id", 2, "id", ID, "resign", True]),
        "no key twice",
    ),
    _bad("key twice in two encodings", _play(pairs(["v", 0, sized("v", STR8), 0])), "no key twice"),
    _bad("key twice in a list's map", _play({"a": [pairs(["b", 1, "b", 1])]}), "no key twice"),
    _bad("integer key", pairs(["type", "play", "id", ID, 5, {"v": 0}]), "keys are text"),
    _bad("nil key", pairs(["type", "play", "id", ID, None, {"v": 0}]), "keys are text"),
    _bad("true key", pairs(["type", "play", "id", ID, True, {"v": 0}]), "keys are text"),
    _bad("list key", pairs(["type", "play", "id", ID, ["a"], {"v": 0}]), "keys are text"),
    _bad("map key", pairs(["type", "play", "id", ID, {"a": 1}, {"v": 0}]), "keys are text"),
    _bad("empty map for the message", b"\x80", "no empty maps"),
    _bad("empty map inside", _play(As(b"\x80")), "no empty maps"),
    _bad("empty map16", _play(As(b"\xde\0\0")), "no empty maps"),
    _bad("empty map32", _play(As(b"\xdf\0\0\0\0")), "no empty maps"),
    _bad(
        "64 kB of empty maps",
        [(b"\x81\xa1a\xdc\xfd\xe8", 1), (b"\x80", 65000)],
        "no empty maps",
        about="a byte on the wire, 72 in memory: refused at the first",
    ),
]

_SHAPES = [
    _bad("nothing", b"", "a message is one value", about="an empty frame"),
    _bad("nil for the message", b"\xc0", "a message is a map"),
    _bad("true for the message", b"\xc3", "a message is a map"),
    _bad("integer for the message", b"\x01", "a message is a map"),
    _bad("text for the message", pack("play"), "a message is a map"),
    _bad("list for the message", pack(["play", ID, {"v": 0}]), "a message is a map"),
    _bad("cut off in a text", pack(_play({"v": 0}))[:4], "a message is whole"),
    _bad("cut off between fields", pack(_play({"v": 0}))[:11], "a message is whole"),
    _bad("cut off before the last byte", pack(_play({"v": 0}))[:-1], "a message is whole"),
    _bad("cut off in an integer", pack(_play({"v": 300}))[:-1], "a message is whole"),
    _bad("one byte after it", pack(_play({"v": 0})) + b"\xc0", "nothing after the message"),
    _bad("two messages in one frame", 2 * pack(_play({"v": 0})), "nothing after the message"),
    _bad("as JSON", b'{"type":"play","id":1,"resign":true}', "msgpack"),
    _bad("depth 17", _play({"a": nested(15, 1)}), "depth 16"),
    _bad("depth 1000", _play({"a": As(b"\x91" * 998 + b"\xc0")}), "depth 16"),
    _bad("depth 60000", [(b"\x81\xa1a", 1), (b"\x91", 60000), (b"\xc0", 1)], "depth 16"),
    _bad("maps to depth 17", [(b"\x81\xa1a", 17), (b"\xc0", 1)], "depth 16"),
]

_PROMISES = [
    _bad(
        f"{name} in a short message",
        _play({"a": As(data)}),
        "a message is whole",
        about="refused by the header: nothing may be set aside for what is not there",
    )
    for name, data in (
        ("list of 4 billion", b"\xdd\xff\xff\xff\xff"),
        ("list of 65535", b"\xdc\xff\xff"),
        ("list of 15", b"\x9f"),
        ("map of 4 billion", b"\xdf\xff\xff\xff\xff"),
        ("map of 15", b"\x8f"),
        ("text of 4 GiB", b"\xdb\xff\xff\xff\xff"),
        ("text of 255 bytes", b"\xd9\xff"),
    )
]


def _of_size(size: int) -> list[tuple[bytes, int]]:
    head = pack({"type": "play", "id": ID, "move": {"a": As(b"")}})
    return [
        (head + b"\xda" + (size - len(head) - 3).to_bytes(2, "big"), 1),
        (b"x", size - len(head) - 3),
    ]


_SIZES = [
    _good("64 KiB exactly", "the largest reply", _of_size(65536)),
    _bad(
        "64 KiB + 1",
        _of_size(65537),
        "64 KiB",
        about="refused by its size alone, before it is decoded",
        outcome="oversize",
    ),
    _bad(
        "64 KiB + 1 of rubbish",
        [(b"\xc1", 65537)],
        "64 KiB",
        about="the size comes first: not malformed",
        outcome="oversize",
    ),
]

CASES = [*_GOOD, *_TEXTS, *_FLOATS, *_TYPES, *_MAPS, *_SHAPES, *_PROMISES, *_SIZES]
