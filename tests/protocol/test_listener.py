"""The listener over real sockets: the accepted bot and refused strangers."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import zmq
from packing import pack, sized
from peers import DEALER, EMPTY_MORE, FAR_NS, PAST, TOKEN, House, Peer, hello, until

from protocol.codec import MAX_REPLY_BYTES, decode
from protocol.errors import MalformedError
from protocol.link import MAX_CALLERS, RefusedHelloError
from protocol.zmtp import GREETING, READY, frame


@pytest.mark.parametrize("kind", [zmq.DEALER, zmq.REQ], ids=["DEALER", "REQ"])
def test_a_libzmq_client_comes_in_and_answers(house: House, stack: ExitStack, kind: int) -> None:
    client = stack.enter_context(stack.enter_context(zmq.Context()).socket(kind))
    client.set(zmq.LINGER, 0)
    client.set(zmq.RCVTIMEO, FAR_NS // 1_000_000)
    client.connect(house.listener.endpoint)
    client.send(hello(name="first", wants=["view"]))

    link, heard = house.let_in()

    assert (heard.name, heard.wants) == ("first", ("view",))
    for size in (1, 255, 256, 100_000, 1_000_000):
        call = bytes(size)
        link.send(call)
        reply = b"r" * min(size, MAX_REPLY_BYTES)
        # The link sends the rest beyond the socket's buffer while it waits.
        assert link.receive(until(1)) is None
        while not client.poll(0):
            link.receive(until(1_000_000))
        assert client.recv() == call
        client.send(reply)
        assert link.receive(until()) == reply


def test_a_hand_written_client_sees_these_bytes(house: House) -> None:
    peer = house.visitor(DEALER + frame(hello()))

    link, _ = house.let_in()
    link.send(b"call")

    expected = GREETING + READY + frame(b"call")
    assert peer.read(len(expected)) == expected


def test_a_wrong_token_is_refused_and_the_seat_stays_open(house: House) -> None:
    impostor = house.visitor(DEALER + frame(hello(token=TOKEN[::-1])))
    assert house.serve() is None
    bot = house.visitor(DEALER + frame(hello()))

    link, _ = house.let_in()

    assert house.listener.refused == ["a hello with a wrong token"]
    assert impostor.read(1000) == GREETING + READY
    bot.send(frame(b"reply"))
    assert link.receive(until()) == b"reply"


STRANGERS = {
    "HTTP": (b"GET / HTTP/1.1\r\n\r\n", "not a ZMTP greeting"),
    "ZMTP 1.0": (b"\x01\x00\x06\x00hello", "not a ZMTP greeting"),
    "old greeting": (b"\xff" + bytes(8) + b"\x7f\x01\x05", "too old"),
    "no msgpack": (DEALER + frame(b"\xc1"), "c1"),
    "nothing": (DEALER + frame(b""), "not msgpack"),
    "another message": (DEALER + frame(pack({"type": "ready", "id": 1})), "expected hello"),
    "no token": (DEALER + frame(pack({"type": "hello", "protocol": 1})), "without a token"),
    "oversize": (DEALER + b"\x02" + bytes([0, 0, 0, 0, 1, 0, 0, 0]), "a frame of 16777216 bytes"),
    "long hello": (DEALER + frame(bytes(MAX_REPLY_BYTES + 1)), "a message of 65537 bytes"),
    "three frames": (DEALER + 3 * EMPTY_MORE, "more than 2 frames"),
}


@pytest.mark.parametrize(("said", "why"), STRANGERS.values(), ids=STRANGERS)
def test_a_stranger_costs_the_bot_nothing(house: House, said: bytes, why: str) -> None:
    house.visitor(said)
    while not house.listener.refused:
        assert house.serve() is None
    house.visitor(DEALER + frame(hello()))

    house.let_in()

    assert len(house.listener.refused) == 1
    assert why in house.listener.refused[0]


def test_a_silent_stranger_is_disconnected_once_the_bot_is_accepted(house: House) -> None:
    silent = house.visitor(b"")
    halfway = house.visitor(GREETING[:20])
    house.visitor(DEALER + frame(hello()))

    house.let_in()

    assert silent.read(1000) == GREETING
    assert _is_shut(halfway)


def _is_shut(peer: Peer) -> bool:
    """Whether the listener has closed the connection; unread bytes cause a reset."""
    try:
        return len(peer.read(1000)) < 1000
    except ConnectionResetError:
        return True


def test_a_stranger_that_leaves_is_forgotten(house: House) -> None:
    house.visitor(GREETING).close()
    while len(house.listener.descriptors()) > 1:
        assert house.serve() is None
    house.visitor(DEALER + frame(hello()))

    house.let_in()


def test_open_connections_are_limited(house: House) -> None:
    crowd = [house.visitor(b"") for _ in range(5 * MAX_CALLERS)]

    assert len(house.listener.descriptors()) == 1 + MAX_CALLERS
    assert len(house.listener.refused) == MAX_CALLERS  # the rest is not even noted
    house.visitor(DEALER + frame(hello()))
    house.let_in()
    assert _is_shut(crowd[0])


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"protocol": 2}, "the bot speaks protocol 2; this referee speaks 1"),
        ({"protocol": True}, "the bot speaks protocol True; this referee speaks 1"),
        (
            {"protocol": "1" * 5000},
            f"the bot speaks protocol '{'1' * 56}...; this referee speaks 1",
        ),
        ({"name": "x" * 101}, "hello.name: must be 100 characters or fewer"),
        ({"elo": 2800}, "hello.elo: unknown field"),
    ],
)
def test_an_invalid_hello_with_the_token_receives_the_reason(
    house: House, fields: dict[str, Any], why: str
) -> None:
    bot = house.visitor(DEALER + frame(hello(**fields)))

    with pytest.raises(RefusedHelloError) as caught:
        house.let_in()

    assert str(caught.value).startswith(why)
    house.listener.close()
    notice = decode(bot.read(10_000)[len(GREETING + READY) + 2 :])
    assert (notice["type"], notice["code"]) == ("error", "no_show")
    assert notice["detail"] == str(caught.value)


def test_the_path_is_removed_once_the_bot_is_accepted(tmp_path: Path, stack: ExitStack) -> None:
    path = tmp_path / "s"
    house = House(path, stack)
    assert path.is_socket()
    house.visitor(DEALER + frame(hello()))

    house.let_in()

    assert not path.exists()
    assert house.listener.descriptors() == [-1]


def test_messages_sent_with_the_hello_are_received_after_it(house: House) -> None:
    again = hello(name="again")
    house.visitor(DEALER + frame(hello()) + frame(again) + frame(b"third") + b"\xff\xff")

    link, heard = house.let_in()

    assert heard.name is None
    assert link.receive(PAST) == again
    assert link.receive(PAST) == b"third"
    with pytest.raises(MalformedError, match="unknown flags"):
        link.receive(PAST)


def test_text_of_any_form_is_a_token(house: House) -> None:
    house.visitor(
        DEALER + frame(pack({"type": "hello", "protocol": 1, "token": sized(TOKEN, 0xDB)}))
    )

    house.let_in()
