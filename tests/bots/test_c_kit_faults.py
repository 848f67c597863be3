import random
import socket
from pathlib import Path

import msgpack
import pytest
from c_programs import MORE, RawReferee, ended, frame, start

LIMIT = 2**53
TRUNCATED = msgpack.packb({"type": "ping", "id": 1})[:-1]
BROKEN_CALLS = {
    "cut off": (TRUNCATED, "is cut off"),
    "nothing": (b"", "is cut off"),
    "one byte more": (msgpack.packb({"type": "ping", "id": 1}) + b"\0", "1 bytes too many"),
    "no map": (b"\x93\x01\x02\x03", "a call is a map, not an array"),
    "empty map": (b"\x80", "a map of 0 fields"),
    "a large map": (msgpack.packb({str(i): 0 for i in range(1025)}), "a map of 1025 fields"),
    "a number as name": (b"\x81\x01\x02", "an int for the name of a field"),
    "a name twice": (b"\x82\xa1a\x01\xa1a\x01", 'has "a" twice'),
    "a float": (msgpack.packb({"type": 1.5}), "no allowed type: it begins with cb"),
    "bytes": (msgpack.packb({"type": b"x"}), "no allowed type: it begins with c4"),
    "an extension": (b"\x81\xa1a\xd4\x01\x01", "no allowed type: it begins with d4"),
    "the reserved byte": (b"\x81\xa1a\xc1", "no allowed type: it begins with c1"),
    "not UTF-8": (b"\x81\xa1a\xa1\xff", "not UTF-8"),
    "an overlong form": (b"\x81\xa1a\xa2\xc0\x80", "not UTF-8"),
    "a surrogate": (b"\x81\xa1a\xa3\xed\xa0\x80", "not UTF-8"),
    "beyond Unicode": (b"\x81\xa1a\xa4\xf4\x90\x80\x80", "not UTF-8"),
    "half a character": (b"\x81\xa1a\xa2\xe2\x82", "not UTF-8"),
    "too large": (b"\x81\xa1a" + msgpack.packb(LIMIT + 1), "outside +-2^53"),
    "too small": (b"\x81\xa1a" + msgpack.packb(-LIMIT - 1), "outside +-2^53"),
    "the largest": (b"\x81\xa1a\xcf" + b"\xff" * 8, "outside +-2^53"),
    "the smallest": (b"\x81\xa1a\xd3\x80" + bytes(7), "outside +-2^53"),
    "17 deep": (b"\x81\xa1a" + b"\x91" * 16 + b"\x00", "nested deeper than 16"),
    "deep": (b"\x91" * 100_000, "nested deeper than 16"),
    "4 billion items": (b"\x81\xa1a\xdd\xff\xff\xff\xff", "promises 4294967295 items"),
    "4 billion fields": (b"\xdf\xff\xff\xff\xff", "promises 8589934590 items"),
    "4 billion bytes": (b"\x81\xa1a\xdb\xff\xff\xff\xff", "is cut off"),
    # The text eats what the array before it was promised; the array behind it must not be believed.
    "promised twice": (b"\x9f\xa8" + b"x" * 8 + b"\xdc\x00\xff\0\0\0", "promises 255 items"),
    "no type": (msgpack.packb({"id": 1}), 'field "type": a string is needed, not nothing'),
    "no id": (msgpack.packb({"type": "ping"}), 'field "id": an int is needed, not nothing'),
    "true for an id": (msgpack.packb({"type": "ping", "id": True}), "not a bool"),
    "no last": (msgpack.packb({"type": "term", "id": 1}), 'term 1: field "last": a bool'),
}


@pytest.mark.parametrize("name", BROKEN_CALLS)
def test_a_broken_call_ends_the_bot_with_a_message(raw: RawReferee, name: str) -> None:
    call, message = BROKEN_CALLS[name]
    raw.say(frame(call))

    code, said = raw.ended()

    assert code == 1
    assert said.startswith("arena_bot: ")
    assert message in said


BROKEN_FRAMES = {
    "unknown flags": (b"\x08\x00", "a frame with the flags 08"),
    "too large": (b"\x02" + (2**20 + 1).to_bytes(8, "big"), "a frame of 1048577 bytes"),
    "endless": (b"\x02" + b"\xff" * 8, "a frame of 18446744073709551615 bytes"),
    "several frames": (frame(b"", MORE) + frame(b"x"), "a message of several frames"),
}


@pytest.mark.parametrize("name", BROKEN_FRAMES)
def test_a_broken_frame_ends_the_bot_with_a_message(raw: RawReferee, name: str) -> None:
    data, message = BROKEN_FRAMES[name]
    raw.say(data)

    code, said = raw.ended()

    assert code == 1
    assert message in said


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "the referee speaks no ZMTP 3"),
        (b"\xff" + bytes(8) + b"\x7f\x01" + bytes(60), "the referee speaks no ZMTP 3"),
        (
            b"\xff" + bytes(8) + b"\x7f\x03\x00CURVE" + bytes(47),
            "the referee wants a security mechanism other than NULL",
        ),
        (b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48) + b"\0\1x", "READY was expected"),
        (
            b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48) + b"\4\7\5ERROR\0",
            "READY was expected",
        ),
    ],
)
def test_a_peer_that_is_no_referee_ends_the_bot(
    probe: Path, folder: Path, data: bytes, message: str
) -> None:
    with RawReferee(probe, folder) as referee:
        referee.say(data)

        code, said = referee.ended()

    assert code == 1
    assert said == f"arena_bot: {message}\n"


@pytest.mark.parametrize(
    ("endpoint", "message"),
    [
        ("ipc:///nowhere/at/all", "ipc:///nowhere/at/all: No such file or directory"),
        ("ipc://" + "x" * 200, "ARENA_ENDPOINT: ipc://PATH (107 bytes) or tcp://IP:PORT, not ipc:"),
        ("tcp://127.0.0.1:1", "tcp://127.0.0.1:1: Connection refused"),
        ("tcp://127.0.0.1", "ARENA_ENDPOINT: "),
        ("tcp://127.0.0.1:70000", "ARENA_ENDPOINT: "),
        ("tcp://127.0.0.1:80x", "ARENA_ENDPOINT: "),
        ("udp://127.0.0.1:80", "ARENA_ENDPOINT: "),
        ("", "ARENA_ENDPOINT: "),
    ],
)
def test_an_endpoint_that_cannot_be_reached_is_named(
    probe: Path, endpoint: str, message: str
) -> None:
    code, said = ended(start(probe, endpoint))

    assert code == 1
    assert said.startswith(f"arena_bot: {message}")


def _garbled(chance: random.Random) -> bytes:
    """Return bytes that are almost a call."""
    call = {
        "type": chance.choice(["ping", "move", "init", "term", "display", "error"]),
        "id": chance.randrange(300),
        "do": "copy",
        "move": {"x": [1, -40, "text", {"y": [True, None, 70_000]}]},
    }
    data = bytearray(msgpack.packb(call))
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(data))
        data[place : place + chance.randrange(3)] = chance.randbytes(chance.randrange(4))
    return frame(bytes(data)) if chance.random() < 0.8 else bytes(data)


@pytest.mark.parametrize("seed", range(60))
def test_random_bytes_never_crash_a_bot(probe: Path, folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    with RawReferee(probe, folder) as referee:
        if seed % 4 == 0:
            referee.say(chance.randbytes(chance.randrange(1, 200)))
        else:
            referee.shake_hands()
            for _ in range(20):
                referee.say(_garbled(chance))
        referee.socket.shutdown(socket.SHUT_WR)

        code, said = referee.ended()

    # 0: the bytes may be a correct last term.
    assert code in {0, 1}
    assert code == 0 or said.splitlines()[-1].startswith("arena_bot: ")
    assert "Sanitizer" not in said
    assert "runtime error" not in said
