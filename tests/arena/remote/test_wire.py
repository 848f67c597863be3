"""Messages of strangers on the line between the door and `arena join`."""

import json

import pytest

from arena.remote import wire


@pytest.mark.parametrize("depth", [2, 100, 990, 991, 992, 3000])
@pytest.mark.parametrize("sign", ["[]", "{}"])
def test_a_head_too_deep_to_be_sent_on_is_refused(depth: int, sign: str) -> None:
    opening, closing = ("[", "]") if sign == "[]" else ('{"a":', "}")
    deep = f"{opening * depth}1{closing * depth}"
    head = f'{{"do": "call", "seat": "1", "more": {deep}}}'

    with pytest.raises(wire.BadMessageError):
        wire.read([head.encode(), b""])


def test_a_head_has_values_and_lists_of_values() -> None:
    head = {"do": "join", "version": 2, "bot": "b", "games": ["pente", "go"], "more": None}

    assert wire.read(wire.pack(head, b"payload")) == (head, b"payload")


def test_a_head_has_a_limit_whatever_it_says() -> None:
    fitting = json.dumps({"do": "join", "bot": ""})
    longest = fitting.replace('""', f'"{"b" * (wire.MAX_HEAD - len(fitting))}"')

    head, _ = wire.read([longest.encode(), b""])

    assert len(head["bot"]) == wire.MAX_HEAD - len(fitting)
    with pytest.raises(wire.BadMessageError, match="short head"):
        wire.read([longest.replace("bb", "bbb", 1).encode(), b""])


@pytest.mark.parametrize("frames", [[], [b'{"do": "join"}'], [b'{"do": "join"}', b"", b""]])
def test_a_message_has_two_frames(frames: list[bytes]) -> None:
    with pytest.raises(wire.BadMessageError, match="a payload"):
        wire.read(frames)


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        (b"{", "a head is not JSON"),
        (b"\xff", "a head is not JSON"),
        (b'["do"]', "a head is a map with `do`"),
        (b'"do"', "a head is a map with `do`"),
        (b"{}", "a head is a map with `do`"),
        (b'{"do": 1}', "a head is a map with `do`"),
        (b'{"do": "a", "b": {}}', "a head has values and lists of them, nothing deeper"),
        (b'{"do": "a", "b": [[1]]}', "a head has values and lists of them, nothing deeper"),
        (b" " * (wire.MAX_HEAD + 1), "a message has a short head and a payload"),
    ],
)
def test_a_refusal_says_what_a_head_is(head: bytes, sentence: str) -> None:
    with pytest.raises(wire.BadMessageError) as refused:
        wire.read([head, b""])

    assert str(refused.value) == sentence


def test_a_message_has_no_payload_unless_one_is_given() -> None:
    assert wire.pack({"do": "stop"}) == [b'{"do": "stop"}', b""]
    assert wire.pipe_bytes({"do": "x"}) == b'\0\0\0\x0b\0\0\0\0{"do": "x"}'


def test_a_pipe_has_the_lengths_of_both_parts_before_them() -> None:
    assert wire.pipe_bytes({"do": "x"}, b"abc") == b'\0\0\0\x0b\0\0\0\x03{"do": "x"}abc'


@pytest.mark.parametrize("part", [1, 2, 7, 8, 9, 1000])
def test_messages_come_out_of_a_pipe_however_its_bytes_are_cut(part: int) -> None:
    sent = [({"do": "call", "seat": "1"}, b"abc"), ({"do": "stop"}, b""), ({"do": "x"}, b"\0" * 9)]
    data = b"".join(wire.pipe_bytes(*message) for message in sent)
    reader = wire.PipeReader()

    found: list[tuple[wire.Head, bytes]] = []
    for start in range(0, len(data), part):
        found += reader.feed(data[start : start + part])

    assert found == sent


def test_a_message_waits_for_its_last_byte_and_no_longer() -> None:
    reader, data = wire.PipeReader(), wire.pipe_bytes({"do": "x"}, b"abc")

    assert list(reader.feed(data[:-1])) == []
    assert list(reader.feed(data[-1:])) == [({"do": "x"}, b"abc")]
