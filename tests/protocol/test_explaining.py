"""The explanation of an invalid message names the field and the value."""

import json
import pickle
from typing import Any

import msgpack
import pytest

from protocol.codec import decode
from protocol.errors import MalformedError
from protocol.messages import Play, parse
from referee.catalog import game_class
from referee.move_codec import MoveCodec

PLAY = {"type": "play", "id": 7}
FORM = '; a move is sent as "move": {"v": ..., "h": ...}'
DATA_NAMES = "play.data: names must be 1 to 20 of a-z, 0-9 and _, a letter first"
PENTE: type[Play[Any, Any]] = MoveCodec(game_class("pente")()).play_model


def _refusal(fields: Any) -> str:
    with pytest.raises(MalformedError) as caught:
        parse(PENTE, decode(msgpack.packb(fields)))
    return str(caught.value)


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (json.dumps(PLAY).encode(), """not '{"type": "play", "id": 7}'"""),
        (b"[1,\n 2]", "plain text; encode the map as msgpack, not '[1,\\n 2]'"),
        (b"e2e4", "plain text; encode the map as msgpack, not 'e2e4'"),
        ("Zürich\r\n".encode(), "plain text; encode the map as msgpack, not 'Zürich\\r\\n'"),
        (pickle.dumps(PLAY), "a pickle; encode the map as msgpack"),
        (b"\x01\x02\x03", "2 extra bytes after the message"),
        ("Zürich".encode("latin-1"), "5 extra bytes after the message"),
        (msgpack.packb(PLAY) + b" ", "1 extra bytes after the message"),
        (b"\x80\x04", "1 extra bytes after the message"),
    ],
)
def test_another_format_than_msgpack_is_named(payload: bytes, why: str) -> None:
    with pytest.raises(MalformedError) as caught:
        decode(payload)
    assert str(caught.value).endswith(why)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"move": {"v": 3.0, "h": 1}}, "play.move.v: 3.0 is a float; send an integer"),
        ({"move": {"v": 0, "h": float("nan")}}, "play.move.h: nan is a float; send an integer"),
        (
            {"move": {"v": "3", "h": 1}},
            'play.move.v: must be a whole number, not the text "3"; send the number without quotes',
        ),
        ({"move": {"v": "K", "h": 1}}, 'play.move.v: must be a whole number, not the text "K"'),
        ({"move": "K10"}, f'play.move: must be a map, not the text "K10"{FORM}'),
        ({"move": [0, 4]}, f"play.move: must be a map, not a list{FORM}"),
        ({"move": {"play": {"v": 0, "h": 4}}}, f"play.move.v: missing{FORM}"),
        ({"v": 0, "h": 4}, f"play.v: unknown field{FORM}"),
        ({"play": {"v": 0, "h": 4}}, f"play.play: unknown field{FORM}"),
        ({"action": [0, 4]}, f"play.action: unknown field{FORM}"),
        ({"moves": [{"v": 0, "h": 4}]}, 'play.moves: unknown field; did you mean "move"?'),
        ({"move": {"v": 0, "h": 4}, "time": 1}, "play.time: unknown field"),
        ({}, "play: a play must have exactly one of move, resign and done"),
        ({"move": {"v": True, "h": 1}}, "play.move.v: must be a whole number, not true"),
        ({"move": {"v": 0}}, f"play.move.h: missing{FORM}"),
        ({"move": {}}, "play.move: an empty map is not allowed; omit the field"),
        ({"move": {1: 0}}, "play.move: the key 1 is not text"),
        ({"moev": {"v": 0, "h": 0}}, 'play.moev: unknown field; did you mean "move"?'),
        ({"move": {"v": 0, "h": 0, "vv": 1}}, f"play.move.vv: unknown field{FORM}"),
        ({"move": {"v": 2**60, "h": 0}}, f"play.move.v: the integer {2**60} is outside +-2^53"),
        ({"note": b"hi"}, "play.note: 2 bytes of binary data; send text"),
        ({"resign": True, "value": 1001}, "play.value: must be 1000 or less, not 1001"),
        ({"resign": True, "value": -1001}, "play.value: must be -1000 or more, not -1001"),
        ({"value": 0.5}, "play.value: 0.5 is a float; send an integer"),
        ({"plan": [{"v": 0, "h": 0}] * 17}, "play.plan: must have 16 or fewer items"),
        ({"plan": ["K10"]}, 'play.plan[0]: must be a map, not the text "K10"'),
        ({"plan": [{"v": 0, "h": 0}, {"v": 0}]}, "play.plan[1].h: missing"),
        ({"data": {"depth": "x"}}, 'play.data.depth: must be a whole number, not the text "x"'),
        ({"data": {f"a{n}": n for n in range(9)}}, "play.data: must have 8 or fewer items"),
        ({"data": {"\x1b[2J": 7}}, rf'{DATA_NAMES}, not the text "\x1b[2J"'),
        ({"data": {"a" * 21: 7}}, f'{DATA_NAMES}, not the text "{"a" * 21}"'),
        ({"note": msgpack.ExtType(1, b"")}, "play.note: an extension type is not allowed"),
        (
            {"move": {"v": 0, "h": 0}, "claims": {"captures": [[[0, 1], [0, 2.5]]]}},
            "play.claims.captures[0][1][1]: 2.5 is a float; send an integer",
        ),
    ],
)
def test_a_refusal_names_the_field_and_the_value(fields: dict[str, Any], why: str) -> None:
    assert _refusal(PLAY | fields) == why


def test_a_duplicate_key_is_named_with_its_map() -> None:
    twice = b"\x83\xa4type\xa4play\xa2id\x07\xa4move\x82\xa1v\x00\xa1v\x01"

    with pytest.raises(MalformedError, match=r"^play\.move: duplicate key 'v' in a map$"):
        decode(twice)


def test_too_deep_a_value_is_named_by_its_field() -> None:
    value: Any = 1
    for _ in range(40):
        value = [value]

    assert _refusal(PLAY | {"note": value}) == "play.note[0][0]: nested deeper than 16"


def test_hostile_names_are_escaped_and_cut() -> None:
    text = _refusal({"type": "\x1b[2J", "x" * 1000: {"\x1b[31m": 1.5}})

    assert text.startswith(r"'\x1b[2J'.'xxxx")
    assert r"'\x1b[31m': 1.5 is a float" in text
    assert len(text) < 300


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"\xc1", "the reserved byte c1 at byte 0 is not allowed"),
        (b"\x82\xa2id", "not msgpack: Unpack failed: incomplete input"),
        (msgpack.packb(PLAY) + b"\x00", "extra"),
        (b"\xdb\xff\xff\xff\xff", "not msgpack"),
        (b"\x81\xa1x" + b"\x91" * 5000 + b"\x00", "nested deeper than 16"),
        (msgpack.packb(1.5), "a float at byte 0 is not allowed"),
    ],
)
def test_bytes_without_a_field_keep_the_place(payload: bytes, why: str) -> None:
    with pytest.raises(MalformedError, match=why):
        decode(payload)
