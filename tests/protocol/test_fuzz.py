"""Arbitrary bytes and damaged handshakes at the session, the listener and the link.

They may raise only the documented errors, and the seat stays open for its bot.
`make fuzz` runs the same for minutes.
"""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from packing import pack
from peers import COMMAND, DEALER, EMPTY_MORE, MORE, PAST, PING, REQ, TOKEN, House, hello, pair_of

from protocol.codec import decode
from protocol.errors import MalformedError, OversizeError, WireError
from protocol.link import FRAME_LIMIT, ClosedError, RefusedHelloError
from protocol.zmtp import Session, frame

HANG_S = 20.0
"""Limit of CPU time, exceeded only by a hang."""
REPLIES = (
    pack({"type": "ready", "id": 1}),
    pack({"type": "play", "id": 2, "move": {"v": 0, "h": -4}, "note": "x" * 300}),
    pack({"type": "bye", "id": 2**53}),
)
FLAGS = st.sampled_from([0, 0, 0, MORE, COMMAND, 2, 8, 255])
FRAMES = st.one_of(
    st.sampled_from([PING, EMPTY_MORE, frame(hello()), *map(frame, REPLIES)]),
    st.builds(frame, st.binary(max_size=300), flags=FLAGS),
    st.builds(lambda size: b"\x02" + size.to_bytes(8, "big"), st.integers(0, 2**64 - 1)),
    st.binary(max_size=80),
)


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Return a stream with some bytes replaced, removed, repeated or inserted."""
    stream = bytearray(whole)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(stream)))
        end = min(len(stream), start + draw(st.integers(0, 12)))
        stream[start:end] = draw(
            st.one_of(st.just(bytes(stream[start:end]) * 2), st.binary(max_size=12))
        )
    return bytes(stream)


STREAMS = st.one_of(
    st.binary(max_size=600),
    st.builds(
        lambda opening, frames: opening + b"".join(frames),
        st.sampled_from([DEALER, REQ]),
        st.lists(FRAMES, max_size=8),
    ),
    st.sampled_from([DEALER, REQ]).flatmap(
        lambda opening: damaged(opening + frame(hello()) + b"".join(map(frame, REPLIES)))
    ),
)
CUTS = st.lists(st.integers(0, 2000), max_size=6)


@contextmanager
def bounded() -> Iterator[None]:
    """Fail if the body hangs, by CPU time because the machine may be loaded."""
    before = time.process_time()
    yield
    assert time.process_time() - before < HANG_S


def pieces(stream: bytes, cuts: list[int]) -> Iterator[bytes]:
    ends = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    return (stream[start:end] for start, end in pairwise(ends))


def heard(stream: bytes, cuts: list[int]) -> tuple[list[bytes], type[WireError] | None]:
    """Feed a stream in pieces; return its messages and the type of the error after them."""
    session = Session(1000)
    messages: list[bytes] = []
    for piece in pieces(stream, cuts):
        try:
            messages += session.feed(piece)
        except (MalformedError, OversizeError) as error:
            return messages, type(error)
    return messages, type(session.fault) if session.fault else None


@given(STREAMS, CUTS)
def test_a_session_returns_the_same_messages_for_any_cuts(stream: bytes, cuts: list[int]) -> None:
    with bounded():
        assert heard(stream, cuts) == heard(stream, [])


@given(STREAMS)
def test_invalid_bytes_raise_a_wire_error_in_the_codec(stream: bytes) -> None:
    with bounded(), contextlib.suppress(MalformedError, OversizeError):
        assert isinstance(decode(stream), dict)


def is_refused_as_a_bot(house: House, stream: bytes, cuts: list[int]) -> bool:
    """Send this from a stranger; return whether the listener took it for the bot."""
    peer = house.visitor(b"")
    for piece in pieces(stream, cuts):
        if not piece:
            continue
        try:
            peer.send(piece)
        except OSError:
            return False  # turned away already
        try:
            if house.serve() is not None:
                return True
        except RefusedHelloError:
            return True
    peer.close()
    return False


def is_the_bots(stream: bytes) -> bool:
    """Whether a damaged stream still has the token, so that the listener may accept it."""
    return TOKEN.encode() in stream


@given(STREAMS, CUTS)
def test_the_door_stays_open_for_the_bot_after_any_input_of_others(
    stream: bytes, cuts: list[int]
) -> None:
    with ExitStack() as stack, bounded():
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp")))
        house = House(folder / "s", stack)
        if is_refused_as_a_bot(house, stream, cuts):
            assert is_the_bots(stream), "only a hello with the token opens the listener or ends it"
            return
        house.visitor(DEALER + frame(hello(name="bot")))
        assert house.let_in()[1].name == "bot"


@given(st.lists(FRAMES, max_size=12), CUTS)
def test_a_link_yields_messages_or_raises_a_wire_error(
    frames: list[bytes], cuts: list[int]
) -> None:
    with ExitStack() as stack, bounded():
        link, bot = pair_of(stack)
        got: list[Any] = []
        try:
            for piece in pieces(b"".join(frames), cuts):
                bot.sendall(piece)
                while (message := link.receive(PAST)) is not None:
                    got.append(message)
            bot.close()
            while True:
                got.append(link.receive(PAST))
        except (MalformedError, OversizeError, ClosedError) as error:
            got.append(error)
        assert all(len(message) <= FRAME_LIMIT for message in got[:-1])
