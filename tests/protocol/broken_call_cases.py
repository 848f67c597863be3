"""Cases of invalid calls: a referee does not send them, a bot must not crash on them."""

import struct
from typing import Any

from cases import Case, broken_call
from packing import As, nested, pack, pairs
from samples import move_call, padded_move

NOTICED = "no bot can use it, and every bot can tell: it says what is wrong and ends"
SPARED = "a bot may notice or not; it must neither crash nor hang"


def _ends(name: str, message: Any, rule: str) -> Case:
    return broken_call(
        f"call: {name}", NOTICED, message, rule=rule, after=["init: pente"], bot="exit"
    )


def _survives(name: str, value: Any, rule: str) -> Case:
    message = pack(move_call(tomorrow=value))
    return broken_call(
        f"call: {name}", SPARED, message, rule=rule, after=["init: pente"], bot="any"
    )


CASES = [
    _ends("nothing", b"", "a message is one value"),
    _ends("cut off", pack(move_call())[:-1], "a message is whole"),
    _ends("cut off after the first byte", pack(move_call())[:1], "a message is whole"),
    _ends("one byte after it", pack(move_call()) + b"\xc0", "nothing after the message"),
    _ends(
        "two calls in one frame", 2 * pack({"type": "ping", "id": 2}), "nothing after the message"
    ),
    _ends("reserved byte c1", b"\xc1", "c1 is no msgpack"),
    _ends(
        "reserved byte c1 in a field", pack({"type": "ping", "id": As(b"\xc1")}), "c1 is no msgpack"
    ),
    _ends("as JSON", b'{"type":"ping","id":2}', "msgpack"),
    _ends("a list", pack(["ping", 2]), "a message is a map"),
    _ends("a text", pack("ping"), "a message is a map"),
    _ends("nil", b"\xc0", "a message is a map"),
    _ends("no type", pack({"id": 2}), "type is needed"),
    _ends("type as integer", pack({"type": 1, "id": 2}), "types are exact"),
    _ends("type nil", pack({"type": None, "id": 2}), "type is needed"),
    _ends("no id", pack({"type": "ping"}), "id is needed"),
    _ends("id nil", pack({"type": "ping", "id": None}), "id is needed"),
    _ends("id as text", pack({"type": "ping", "id": "2"}), "types are exact"),
    _ends("id as list", pack({"type": "ping", "id": [2]}), "types are exact"),
    _ends("id true", pack({"type": "ping", "id": True}), "true is no integer"),
    _ends(
        "list of 4 billion",
        pack({"type": "ping", "id": As(b"\xdd\xff\xff\xff\xff")}),
        "a message is whole",
    ),
    _ends("map of 4 billion", b"\xdf\xff\xff\xff\xff", "a message is whole"),
    _ends("text of 4 GiB", pack({"type": As(b"\xdb\xff\xff\xff\xff")}), "a message is whole"),
    _ends("1 MiB + 1", padded_move((1 << 20) + 1), "1 MiB"),
    _survives("a float", As(b"\xcb" + struct.pack(">d", 3.0)), "no floats"),
    _survives("NaN", As(b"\xcb" + struct.pack(">d", float("nan"))), "no floats"),
    _survives("binary data", As(b"\xc4\x01\xff"), "no binary data"),
    _survives("an extension type", As(b"\xd4\x05\x00"), "no extension types"),
    _survives(
        "a timestamp of the year 36 billion",
        As(b"\xc7\x0c\xff" + bytes(4) + b"\x0f" + b"\xff" * 7),
        "no extension types",
    ),
    _survives("2^64 - 1", As(b"\xcf" + b"\xff" * 8), "integers within +-2^53"),
    _survives("a key twice", pairs(["a", 1, "a", 2]), "no key twice"),
    _survives("an integer key", pairs([5, 1]), "keys are text"),
    _survives("an empty map", As(b"\x80"), "no empty maps"),
    _survives("text that is not UTF-8", As(b"\xa2\xff\xfe"), "UTF-8"),
    _survives("depth 17", nested(16, 1), "depth 16"),
    _survives("depth 1000", As(b"\x91" * 1000 + b"\xc0"), "depth 16"),
    broken_call(
        "call: depth 100000",
        SPARED,
        [
            (b"\x83" + pack("type") + pack("ping") + pack("id") + b"\x02" + pack("tomorrow"), 1),
            (b"\x91", 100_000),
            (b"\xc0", 1),
        ],
        rule="depth 16",
        after=["init: pente"],
        bot="any",
    ),
]
