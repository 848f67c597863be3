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
