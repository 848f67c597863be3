"""ZMTP 3.0: any bytes, cut anywhere, become messages or refuse the peer."""

import contextlib
import copy
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from peers import COMMAND, DEALER, EMPTY_MORE, MORE, PING, PONG, REQ, ready

from protocol.errors import MalformedError, OversizeError, WireError
from protocol.zmtp import GREETING, MAX_OUTGOING, READY, Session, frame

LIMIT = 1000
HANG_S = 60.0
"""CPU time in seconds that only work quadratic in the bytes exceeds."""
LONG = bytes(range(256)) * 3


def _session(opening: bytes = DEALER) -> Session:
    session = Session(LIMIT)
    session.feed(opening)
    session.outgoing.clear()
    return session


def test_a_dealer_is_greeted_and_its_message_returned() -> None:
    session = Session(LIMIT)

    assert session.feed(DEALER + frame(b"hello")) == [b"hello"]
    assert bytes(session.outgoing) == GREETING + READY
    assert session.pack(b"call") == frame(b"call")


def test_a_req_gets_its_empty_frame_back() -> None:
    session = _session(REQ)

    assert session.feed(EMPTY_MORE + frame(b"hello")) == [b"hello"]
    assert session.pack(b"call") == EMPTY_MORE + frame(b"call")


def test_the_empty_frame_may_come_by_itself() -> None:
    session = _session(REQ)

    assert session.feed(EMPTY_MORE) == []
    assert session.feed(frame(b"hello")) == [b"hello"]
    assert session.pack(b"call") == EMPTY_MORE + frame(b"call")


@pytest.mark.parametrize(
    ("opening", "envelope"), [(DEALER, b""), (REQ, EMPTY_MORE)], ids=["DEALER", "REQ"]
)
def test_nothing_depends_on_how_the_bytes_are_cut(opening: bytes, envelope: bytes) -> None:
    messages = [b"", b"short", LONG, b"x" * 255, b"x" * 256]
    stream = opening + PING + b"".join(envelope + frame(message) for message in messages)
    whole = Session(LIMIT)
    assert whole.feed(stream) == messages
    for cut in range(1, len(stream)):
        session = Session(LIMIT)
        assert session.feed(stream[:cut]) + session.feed(stream[cut:]) == messages
        assert session.outgoing == whole.outgoing
        assert session.envelope == envelope


def test_bytes_may_arrive_one_by_one() -> None:
    session = Session(LIMIT)
    stream = DEALER + frame(b"hello") + PING + frame(LONG)

    heard = [message for byte in stream for message in session.feed(bytes([byte]))]

    assert heard == [b"hello", LONG]
    assert bytes(session.outgoing) == GREETING + READY + PONG


@given(st.lists(st.binary(max_size=400), max_size=6), st.data())
def test_messages_survive_any_cutting(messages: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(frame, messages))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    session = _session()
    ends = [0, *cuts, len(stream)]

    parts = [stream[start:end] for start, end in pairwise(ends)]

    assert [message for part in parts for message in session.feed(part)] == messages


@given(st.lists(st.binary(max_size=80), max_size=6), st.sampled_from([b"", GREETING, DEALER, REQ]))
def test_random_bytes_raise_nothing_but_wire_errors(parts: list[bytes], opening: bytes) -> None:
    session = Session(LIMIT)
    session.feed(opening)
    for part in parts:
        try:
            session.feed(part)
        except WireError:
            assert session.fault is not None
        held = len(session._buffer) + sum(map(len, session._frames))
        assert held <= 2 * LIMIT + 9


@given(st.integers(0, len(DEALER + frame(b"hello")) - 1), st.integers(1, 255))
def test_a_damaged_opening_is_accepted_or_refused(position: int, flip: int) -> None:
    stream = bytearray(DEALER + frame(b"hello"))
    stream[position] ^= flip
    session = Session(LIMIT)
    try:
        messages = session.feed(bytes(stream))
    except WireError:
        messages = []
    assert len(messages) <= 3


@pytest.mark.parametrize(
    ("opening", "why"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "not a ZMTP greeting: 474554"),
        (b"\x01\x00\x0d\x00hello, world", "not a ZMTP greeting"),  # ZMTP 1.0: a length, no greeting
        (b"\xff" + bytes(8) + b"\x7e", "not a ZMTP greeting"),
        (b"\xff" + bytes(8) + b"\x7f\x01\x05", "ZMTP 1 is too old"),  # ZMTP 2.0 says revision 1
        (b"\xff" + bytes(8) + b"\x7f\x02", "ZMTP 2 is too old"),
        (
            GREETING.replace(b"NULL\0", b"PLAIN"),
            "the security mechanism must be NULL, not b'PLAIN'",
        ),
        (
            GREETING.replace(b"NULL\0", b"CURVE"),
            "the security mechanism must be NULL, not b'CURVE'",
        ),
        (GREETING.replace(b"NULL", b"\0\0\0\0"), "the security mechanism must be NULL, not b''"),
        (GREETING + frame(b"hello"), "a message came before READY"),
        (GREETING + frame(b"\x05ERROR\x00", flags=COMMAND), "expected READY"),
        (GREETING + frame(b"", flags=COMMAND), "expected READY"),
        (GREETING + ready(b"ROUTER"), "must be DEALER or REQ, not b'ROUTER'"),
        (GREETING + ready(b"PUB"), "must be DEALER or REQ, not b'PUB'"),
        (GREETING + ready(b"DEALERS"), "must be DEALER or REQ"),
        (GREETING + frame(b"\x05READY", flags=COMMAND), "must be DEALER or REQ, not b''"),
        (GREETING + frame(b"\x05READY\x0bSocket-Type", flags=COMMAND), "cut off"),
        (GREETING + frame(b"\x05READY\xff", flags=COMMAND), "cut off"),
        (GREETING + b"\x08\x00", "unknown flags 0x08"),
    ],
)
def test_a_wrong_opening_is_refused_at_once(opening: bytes, why: str) -> None:
    with pytest.raises(MalformedError) as caught:
        Session(LIMIT).feed(opening)

    assert why in str(caught.value)


@pytest.mark.parametrize(
    "opening",
    [
        DEALER,
        GREETING.replace(b"\x7f\x03\x00", b"\x7f\x03\x01") + ready(b"DEALER"),
        GREETING.replace(b"\x7f\x03\x00", b"\x7f\x04\x00") + ready(b"DEALER"),
        GREETING + ready(b"DEALER", b"socket-type"),
        GREETING + ready(b"DEALER", b"SOCKET-TYPE"),
        GREETING
        + frame(
            b"\x05READY\x08Identity\0\0\0\x02me\x0bSocket-Type\0\0\0\x06DEALER\x03X-y\0\0\0\0",
            flags=COMMAND,
        ),
        b"\xff\x11\x22\x33\x44\x55\x66\x77\x88\x7f" + DEALER[10:],
        DEALER[:32] + b"\x01" + b"filler" * 5 + b"x" + DEALER[64:],
    ],
    ids=["3.0", "3.1", "4.0", "lower case", "upper case", "more", "padding", "server and filler"],
)
def test_an_opening_with_unspecified_bytes_is_accepted(opening: bytes) -> None:
    assert Session(LIMIT).feed(opening + frame(b"hello")) == [b"hello"]


@pytest.mark.parametrize("size", [LIMIT + 1, 2**32, 2**63, 2**64 - 1])
@pytest.mark.parametrize("flags", [2, 3, 6])
def test_a_frame_above_the_limit_is_refused_by_its_header(size: int, flags: int) -> None:
    session = _session()

    with pytest.raises(OversizeError, match=f"a frame of {size} bytes; the limit is {LIMIT}"):
        session.feed(bytes([flags]) + size.to_bytes(8, "big"))


def test_a_frame_at_the_limit_is_accepted() -> None:
    assert _session().feed(frame(b"x" * LIMIT)) == [b"x" * LIMIT]


def test_many_empty_properties_are_read_in_linear_time() -> None:
    session = Session(8 << 20)
    command = b"\x05READY" + bytes(5) * (1 << 20)
    before = time.process_time()

    with pytest.raises(MalformedError, match="must be DEALER or REQ"):
        session.feed(GREETING + frame(command, flags=COMMAND))

    assert time.process_time() - before < HANG_S


def test_a_message_without_end_is_refused_at_its_third_frame() -> None:
    session = _session()
    session.feed(EMPTY_MORE)
    session.feed(EMPTY_MORE)

    with pytest.raises(MalformedError, match="more than 2 frames"):
        session.feed(EMPTY_MORE)


@pytest.mark.parametrize(
    "message",
    [
        frame(b"first", flags=MORE) + frame(b"second"),
        frame(b"hello", flags=MORE) + frame(b""),
        EMPTY_MORE + frame(b"hello", flags=MORE) + frame(b""),
    ],
)
def test_a_message_is_one_frame(message: bytes) -> None:
    with pytest.raises(MalformedError, match=r"must be one frame|more than 2 frames"):
        _session().feed(message)


def test_messages_before_a_fault_count_for_any_cuts() -> None:
    stream = frame(b"reply") + frame(LONG) + b"\xff\xff"
    for cut in range(len(stream)):
        session = _session()
        heard = session.feed(stream[:cut]) if cut else []
        try:
            heard += session.feed(stream[cut:])
        except MalformedError:
            assert heard
        assert heard == [b"reply", LONG]
        assert session.fault is not None
        with pytest.raises(MalformedError, match="unknown flags 0xff"):
            session.feed(frame(b"more"))


def test_a_ping_is_answered_with_its_context() -> None:
    session = _session()

    assert session.feed(frame(b"one") + PING + frame(b"two")) == [b"one", b"two"]
    assert bytes(session.outgoing) == PONG


def test_unread_pongs_are_limited() -> None:
    session = _session()
    for _ in range(1000):
        session.feed(PING)

    assert len(session.outgoing) < MAX_OUTGOING + len(PONG)


def test_other_commands_are_ignored() -> None:
    session = _session()
    subscribe = frame(b"\x09SUBSCRIBEx", flags=COMMAND)

    assert session.feed(subscribe + frame(b"", flags=COMMAND) + frame(b"reply")) == [b"reply"]
    assert not session.outgoing


def test_a_ping_between_the_frames_of_a_req_changes_nothing() -> None:
    session = _session(REQ)

    assert session.feed(EMPTY_MORE + PING + frame(b"hello")) == [b"hello"]
    assert session.pack(b"call") == EMPTY_MORE + frame(b"call")


@pytest.mark.parametrize(
    "before",
    [b"", PING, frame(b"one"), EMPTY_MORE, b"\0", frame(b"x" * 256)[:100], b"\xff", PING[:5]],
    ids=["nothing", "ping", "message", "empty", "byte", "part", "fault", "command"],
)
@pytest.mark.parametrize("opening", [b"", DEALER, REQ], ids=["none", "dealer", "req"])
@pytest.mark.parametrize(
    "data",
    [
        *(frame(bytes(size)) for size in (0, 1, 2, 254, 255, 256)),
        *(b"", b"\0", b"\0\1", b"\0\1ab", b"\0\3ab", b"\1\2ab", EMPTY_MORE, PING),
    ],
    ids=lambda data: data[:4].hex() + f"-{len(data)}",
)
def test_a_short_message_is_read_as_feed_reads_it(
    opening: bytes, before: bytes, data: bytes
) -> None:
    """`feed_short` returns what `feed` would return, or changes nothing."""
    quick, slow = Session(LIMIT), Session(LIMIT)
    for session in (quick, slow):
        with contextlib.suppress(WireError):
            session.feed(opening + before)
    state = copy.deepcopy(vars(quick))

    message = quick.feed_short(data)

    if message is None:
        assert repr(vars(quick)) == repr(state)
    else:
        assert slow.feed(data) == [message]
        assert vars(quick) == vars(slow)


def test_a_short_message_of_a_dealer_takes_the_short_way() -> None:
    assert _session().feed_short(frame(b"reply")) == b"reply"
