"""What is special to the kit in C: its own MessagePack and ZMTP; the rest is in test_kits.py."""

from pathlib import Path
from typing import Any

import msgpack
import pytest
from c_programs import COMMAND, KIT, LONG, READY, RawReferee, build, compilers, frame
from router_seat import BOTS

STARTER = BOTS / "starter" / "c" / "main.c"
LIMIT = 2**53


@pytest.mark.parametrize("compiler", compilers() or ["cc"])
def test_the_kit_compiles_without_a_warning(compiler: str, tmp_path: Path) -> None:
    for flags in (["-O2"], ["-O0", "-Wshadow", "-Wconversion"]):
        build(tmp_path / "bot", [STARTER], *flags, compiler=compiler)


def test_the_kit_has_less_than_six_hundred_lines() -> None:
    lines = [len((KIT / name).read_text().splitlines()) for name in ("arena_bot.h", "arena_bot.c")]

    assert sum(lines) < 600


INTEGERS = sorted(
    {
        sign * (2**power + near)
        for power in (0, 4, 5, 7, 8, 15, 16, 31, 32, 52, 53)
        for near in (-1, 0, 1)
        for sign in (1, -1)
        if 2**power + near <= LIMIT
    }
)


VALUES: list[Any] = [
    *INTEGERS,
    *(True, False, [], [[]], "", "é€😀", "nul \0 inside"),
    *("x" * size for size in (31, 32, 255, 256, 60_000)),
    *(list(range(size)) for size in (15, 16, 300, 10_000)),
    {str(name): [{"deep": name}] for name in range(20)},
    [[[[[[[[[[[[[[1]]]]]]]]]]]]]],
]


def test_every_value_comes_back_as_it_went(raw: RawReferee) -> None:
    for number, value in enumerate(VALUES):
        reply = raw.ask("move", number, do="copy", move={"x": value})

        assert reply == {"type": "play", "id": number, "move": {"x": value}}
        assert type(reply["move"]["x"]) is type(value)


def test_numbers_and_sizes_are_written_in_their_shortest_form(raw: RawReferee) -> None:
    move = {"numbers": INTEGERS, "texts": ["x" * 31, "x" * 32, "x" * 256], "many": [0] * 16}
    raw.send({"type": "move", "id": 5, "do": "copy", "move": move})

    _, body = raw.frame()

    assert body == msgpack.packb({"type": "play", "id": 5, "move": move})


def test_claims_and_a_note_go_with_a_move(raw: RawReferee) -> None:
    claims = {"captures": [[[0, 1], [0, 2]], [[-1, -1], [-2, -2]]], "victory": False}

    reply = raw.ask("move", 5, do="copy", move={"v": 0, "h": 3}, claims=claims, note="hm…")

    assert reply["claims"] == claims
    assert reply["note"] == "hm…"


def test_a_picture_is_sent(raw: RawReferee) -> None:
    board = ["0123" * 20] * 100

    reply = raw.ask("display", 9, show=board)

    assert reply == {"type": "picture", "id": 9, "board": board}


def test_bytes_may_arrive_one_by_one(probe: Path, folder: Path) -> None:
    with RawReferee(probe, folder) as referee:
        calls = [
            {"type": "ping", "id": 1},
            {"type": "move", "id": 2, "do": "copy", "move": {"x": "y" * 300}},
            {"type": "term", "id": 3, "last": True},
        ]
        greeting = b"\xff" + bytes(8) + b"\x7f\x03\x01NULL".ljust(23, b"\0") + b"\1" + bytes(31)
        for byte in greeting + READY + b"".join(frame(msgpack.packb(call)) for call in calls):
            referee.socket.sendall(bytes((byte,)))

        referee.read(64)
        referee.frame()
        replies = [referee.receive()["type"] for _ in range(4)]

        assert replies == ["hello", "pong", "play", "bye"]
        assert referee.ended() == (0, "")


def test_calls_that_arrive_together_are_answered_in_order(raw: RawReferee) -> None:
    calls = [frame(msgpack.packb({"type": "ping", "id": number})) for number in range(1000)]
    raw.socket.sendall(b"".join(calls))

    assert [raw.receive()["id"] for _ in calls] == list(range(len(calls)))


def test_signals_do_not_disturb(probe: Path, folder: Path) -> None:
    with RawReferee(probe, folder) as referee:
        referee.shake_hands()
        referee.ask("init", 0, match="storm", seed=1, time={"clock": "cpu"})
        text = "y" * 50_000
        for number in range(200):
            reply = referee.ask("move", number, do="copy", move={"x": text})
            assert reply["move"] == {"x": text}
        assert referee.ask("term", 201, last=True) == {"type": "bye", "id": 201}
        assert referee.ended() == (0, "")


def test_a_short_call_may_come_in_a_long_frame(raw: RawReferee) -> None:
    body = msgpack.packb({"type": "ping", "id": 1})

    raw.socket.sendall(bytes((LONG,)) + len(body).to_bytes(8, "big") + body)

    assert raw.receive() == {"type": "pong", "id": 1}


def test_a_call_may_have_a_mebibyte(raw: RawReferee) -> None:
    empty = msgpack.packb({"type": "ping", "id": 1, "more": [0] * 70_000, "fill": "x" * 70_000})
    fill = "x" * (70_000 + 1024 * 1024 - len(empty))
    largest = msgpack.packb({"type": "ping", "id": 1, "more": [0] * 70_000, "fill": fill})
    assert len(largest) == 1024 * 1024

    raw.socket.sendall(frame(largest))

    assert raw.receive() == {"type": "pong", "id": 1}


def test_pings_of_zmtp_are_answered_and_other_commands_ignored(raw: RawReferee) -> None:
    for context in (b"", b"abc", b"0123456789abcdef"):
        raw.socket.sendall(frame(b"\x09SUBSCRIBEx", COMMAND) + frame(b"", COMMAND))
        raw.socket.sendall(frame(b"\x04PING" + bytes(12) * 9, COMMAND))
        raw.socket.sendall(frame(b"\x04PING\x00\x0a" + context, COMMAND))

        assert raw.frame() == (COMMAND, b"\x04PONG" + context)
    assert raw.ask("ping", 1) == {"type": "pong", "id": 1}


def test_an_error_is_read_even_when_the_connection_is_closed_before_a_reply(
    raw: RawReferee,
) -> None:
    calls = [{"type": "ping", "id": 1}, {"type": "error", "code": "timeout", "detail": "too late"}]
    raw.socket.sendall(b"".join(frame(msgpack.packb(call)) for call in calls))
    raw.socket.close()

    code, said = raw.ended()

    assert code == 1
    assert "the referee says: timeout: too late" in said
