"""The door against clients of every kind: who may come in, for which seat, and for how long."""

import os
import socket
import time
from pathlib import Path

import pytest
import zmq
from doors import Client, TestDoor, new_pair
from waiting import PATIENCE_S

from arena.errors import UsageError
from arena.remote import caller, front, relay, wire
from arena.remote.caller import GREETING, MAX_UNREAD
from arena.remote.entrants import WatchedEntrants
from protocol.codec import encode_fields
from protocol.link import FRAME_LIMIT
from referee.bot import Bot
from referee.errors import BrokenMatchError

PING = encode_fields({"type": "ping", "id": 1})


def seat_up(door: TestDoor, bot: Bot, client: Client) -> str:
    """Bring the entrant's bot to its seat; return the number of the seat."""
    seat = client.seat()
    client.greet(seat)

    def is_there() -> bool:
        for descriptor in bot.door.descriptors():
            with_input, _, _ = select_now(descriptor)
            if with_input:
                bot.on_readable(descriptor)
        return bot.hello is not None

    door.until(is_there)
    return seat


def select_now(descriptor: int) -> tuple[list[int], list[int], list[int]]:
    import select

    return select.select([descriptor], [], [], 0)


def received(door: TestDoor, bot: Bot) -> bytes:
    """Return the next message of the bot to its referee."""
    found: list[bytes] = []

    def look() -> bool:
        assert bot.link is not None
        message = bot.link.receive(time.monotonic_ns())
        if message is not None:
            found.append(message)
        return bool(found)

    door.until(look)
    return found[0]


def pause(door: TestDoor, seconds: float) -> None:
    until_s = time.monotonic() + seconds
    door.until(lambda: time.monotonic() >= until_s)


def is_closed(connection: socket.socket) -> bool:
    """Whether the other end has closed, after what it has sent before."""
    connection.settimeout(0)
    try:
        while connection.recv(4096):
            pass
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
    return True


def test_messages_go_both_ways_with_the_referees_token_and_the_kernels_round_trip(
    door: TestDoor,
) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    try:
        seat = seat_up(door, bot, alice)
        assert bot.link is not None
        bot.link.send(PING)
        assert alice.hear() == ({"do": "call", "seat": seat}, PING)
        alice.say(wire.pack({"do": "reply", "seat": seat}, b"pong"))
        assert received(door, bot) == b"pong"
        assert bot.process.wait_end(0) is None
        assert "remote, shortest round trip" in bot.process.in_force["line"]
        alice.say(wire.pack({"do": "ended", "seat": seat, "how": "exit code 3"}))
        door.until(lambda: bot.process.wait_end(0))
        assert bot.process.wait_end(0) == "exit code 3"
    finally:
        bot.stop()


def test_the_last_message_of_a_bot_arrives_before_the_news_of_its_end(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    try:
        seat = seat_up(door, bot, alice)
        for number in range(50):
            alice.say(wire.pack({"do": "reply", "seat": seat}, b"%d" % number))
        alice.say(wire.pack({"do": "ended", "seat": seat, "how": "exit code 0"}))
        door.until(lambda: not door.process._seats)
        assert [received(door, bot) for _ in range(50)] == [b"%d" % n for n in range(50)]
    finally:
        bot.stop()


def test_an_unknown_key_never_gets_in(door: TestDoor) -> None:
    stranger = door.client(new_pair())
    monitor = stranger.socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_AUTH)
    stranger.say(wire.pack({"do": "join", "version": 1, "bot": "b", "games": None}))

    door.until(lambda: monitor.poll(0))
    door.until(lambda: door.has_said("127.0.0.1: has a key that is not in the list of entrants"))

    assert not door.process._joined
    monitor.close(0)


def test_a_client_that_believes_in_another_host_never_gets_in(door: TestDoor) -> None:
    other = new_pair()
    client = door.client(door.keys["alice"], curve_serverkey=other.public.encode())
    client.say(wire.pack({"do": "join", "version": 1, "bot": "b", "games": None}))

    door.until(lambda: door.has_said("it ended the handshake; probably its --server"))

    assert not door.process._joined


@pytest.mark.parametrize("options", [{}, {"plain_username": b"alice", "plain_password": b"x"}])
def test_a_connection_without_a_key_is_refused(door: TestDoor, options: dict[str, bytes]) -> None:
    client = door.client(None, **options)
    client.say(wire.pack({"do": "join", "version": 1, "bot": "b", "games": None}))

    door.until(lambda: door.has_said("has no key: its connection is not encrypted by CURVE"))

    assert not door.process._joined


@pytest.mark.parametrize(
    "sent",
    [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x00" * 100, b"\xff" * 100, os.urandom(300)],
    ids=["http", "zeros", "ones", "random"],
)
def test_other_bytes_are_refused(door: TestDoor, sent: bytes) -> None:
    with door.plain() as stranger:
        stranger.sendall(sent.replace(b"\xff", b"\xfe", 1) if sent[:1] == b"\xff" else sent)
        door.until(lambda: is_closed(stranger))

    assert not door.front.callers


def test_a_replayed_handshake_is_refused(door: TestDoor) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    client = door.client(door.keys["alice"])
    client.socket.disconnect(f"tcp://127.0.0.1:{door.port}")
    client.socket.connect(f"tcp://127.0.0.1:{listener.getsockname()[1]}")
    client.say(wire.pack({"do": "join", "version": 1, "bot": "b", "games": None}))
    inside, _ = listener.accept()
    outside = door.plain()
    recorded = b""

    def copy() -> bool:
        nonlocal recorded
        for source, target in ((inside, outside), (outside, inside)):
            if select_now(source.fileno())[0]:
                data = source.recv(4096)
                target.sendall(data)
                recorded += data if source is inside else b""
        return "alice" in door.process._joined

    door.until(copy)
    client.leave()
    outside.close()
    door.until(lambda: not door.process._joined)
    with door.plain() as replay:
        replay.sendall(recorded)
        door.until(lambda: is_closed(replay))

    assert not door.process._joined
    assert len([line for line in door.said if line.startswith("joined")]) == 1
    inside.close()
    listener.close()


def test_without_an_authenticator_nobody_gets_in(door: TestDoor) -> None:
    door.process._events.forget(door.front._zap)
    door.front._zap.close(0)
    client = door.client(door.keys["alice"])
    client.say(wire.pack({"do": "join", "version": 1, "bot": "b", "games": None}))

    door.until(lambda: door.front._begun)
    door.until(lambda: any(caller.server for caller in door.front.callers.values()))
    for _ in range(20):
        door.process.serve(0.01)

    assert not door.process._joined


def test_the_authenticator_exists_before_the_port_and_the_port_ends_with_the_door(
    door: TestDoor,
) -> None:
    assert door.front._zap.last_endpoint == b"inproc://zeromq.zap.01"
    door.process.close()
    with pytest.raises(ConnectionRefusedError):
        door.plain()


def test_a_silent_connection_and_one_that_dawdles_are_closed(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent, slow = door.plain(), door.plain()
    slow.sendall(GREETING[:20])
    door.until(lambda: len(door.front.callers) == 2)
    alice = door.joined("alice")

    monkeypatch.setattr(front, "HANDSHAKE_S", 0.0)
    door.until(lambda: is_closed(silent) and is_closed(slow))

    assert door.has_said("did not sign in within")
    assert list(door.process._joined) == ["alice"]
    alice.leave()
    silent.close()
    slow.close()


def test_many_open_connections_cost_one_address_its_place_and_no_match_its_messages(
    door: TestDoor,
) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat = seat_up(door, bot, alice)
    crowd = [door.plain() for _ in range(100)]
    alice.say(wire.pack({"do": "reply", "seat": seat}, b"still here"))

    assert received(door, bot) == b"still here"
    door.until(lambda: sum(map(is_closed, crowd)) == 100 - front.MAX_PER_ADDRESS)
    assert len(door.front._begun) == front.MAX_PER_ADDRESS
    assert [line for line in door.said if "have not signed in" in line] == [
        f"refused: 127.0.0.1: has {front.MAX_PER_ADDRESS} connections that have not signed in"
    ]
    for connection in crowd:
        connection.close()
    bot.stop()


def test_with_many_addresses_the_oldest_stranger_makes_room(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front, "MAX_STRANGERS", 3)
    crowd = [door.plain(f"127.0.0.{number}") for number in range(2, 12)]
    door.until(lambda: sum(map(is_closed, crowd)) == 7)

    door.joined("bob")

    for connection in crowd:
        connection.close()


def test_an_entrant_cannot_answer_for_the_seat_of_another(door: TestDoor) -> None:
    alice, bob = door.joined("alice"), door.client(door.keys["bob"], routing_id=b"alice")
    bob.say(wire.pack({"do": "join", "version": 1, "bot": "b", "games": None}))
    assert bob.hear()[0]["name"] == "bob"
    bot = door.order("alice")
    seat = seat_up(door, bot, alice)
    bob.say(wire.pack({"do": "reply", "seat": seat}, b"forged"))
    bob.say(wire.pack({"do": "ended", "seat": seat, "how": "exit code 1"}))
    door.until(lambda: door.process._joined["bob"].wrong == 2)
    alice.say(wire.pack({"do": "reply", "seat": seat}, b"real"))

    assert received(door, bot) == b"real"
    assert bot.process.wait_end(0) is None
    bot.stop()


def test_a_port_in_use_is_refused_in_words(door: TestDoor) -> None:
    with pytest.raises(UsageError, match="cannot be opened: Address already in use"):
        door.process.listen("127.0.0.1", door.port)


def test_a_second_door_is_refused_and_the_socket_of_a_dead_one_is_not(
    door: TestDoor, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="another `arena host` is open"):
        relay.DoorProcess(door.pair, WatchedEntrants(door.list), door.path, print)
    dead = tmp_path / "dead"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(dead))

    relay.DoorProcess(door.pair, WatchedEntrants(door.list), dead, print).close()


def test_a_second_join_with_the_same_key_is_told_to_leave(door: TestDoor) -> None:
    door.joined("alice")
    second = door.client(door.keys["alice"])
    second.say(wire.pack({"do": "join", "version": 1, "bot": "b", "games": None}))

    assert second.hear()[0] == {
        "do": "leave",
        "why": "alice has joined already from 127.0.0.1; end that `arena join`, or wait 10 s after"
        " a lost line",
    }
    assert len(door.process._joined) == 1


def test_another_version_of_join_is_told_to_leave(door: TestDoor) -> None:
    client = door.client(door.keys["alice"])
    client.say(wire.pack({"do": "join", "version": 2, "bot": "b", "games": None}))

    assert "use the same Arena" in client.hear()[0]["why"]


@pytest.mark.parametrize(
    "frames",
    [
        [b"x"],
        [b"{}", b""],
        [b'{"do": 1}', b""],
        [b"[" * 5000, b""],
        wire.pack({"do": "reply", "seat": "1"}),
        wire.pack({"do": "join", "version": 1, "bot": "\x1b[2J", "games": None}),
        wire.pack({"do": "join", "version": 1, "bot": "b", "games": [1]}),
    ],
)
def test_a_wrong_first_message_ends_the_connection(door: TestDoor, frames: list[bytes]) -> None:
    client = door.client(door.keys["alice"])
    client.say(frames)

    door.until(lambda: door.has_said("sent a wrong message"))

    assert not door.process._joined


def test_a_flood_of_messages_puts_its_sender_out_and_nobody_else(door: TestDoor) -> None:
    alice, bob = door.joined("alice"), door.joined("bob")
    for _ in range(relay.MAX_WRONG + 1):
        bob.say(wire.pack({"do": "reply", "seat": "0"}))

    door.until(lambda: "bob" not in door.process._joined)

    assert list(door.process._joined) == ["alice"]
    alice.leave()


def test_a_flood_for_its_own_seat_does_not_pile_up_in_the_door(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat = alice.seat()
    monkeypatch.setattr(caller, "MAX_UNREAD", 100_000)
    (held,) = door.front.callers.values()
    alice.socket.sndhwm = 0
    for _ in range(20_000):
        alice.say(wire.pack({"do": "reply", "seat": seat}))
    alice.say(wire.pack({"do": "ended", "seat": seat, "how": "last"}))
    most = 0

    def has_ended() -> bool:
        nonlocal most
        most = max(most, len(held._to_inner))
        return not door.process._seats

    door.until(has_ended)

    assert most < 200_000
    bot.stop()


@pytest.mark.parametrize("size", [FRAME_LIMIT + 1, 100_000])
def test_an_endless_message_puts_its_sender_out(
    door: TestDoor, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = door.joined("bob")
    monkeypatch.setattr(front, "HANDSHAKE_S", 0.0)
    for _ in range(2 * MAX_UNREAD // size):
        bob.socket.send(bytes(size), zmq.SNDMORE)
    bob.socket.send(b"")

    door.until(lambda: not door.process._joined)


def test_a_bot_that_sends_more_than_the_referee_reads_is_ended(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat = seat_up(door, bot, alice)
    alice.socket.sndhwm = 0
    for _ in range(40):
        alice.say(wire.pack({"do": "reply", "seat": seat}, bytes(60_000)))

    door.until(lambda: not door.process._seats)

    assert bot.process.wait_end(0) == "it sent more than the referee reads"
    bot.stop()


def test_a_lost_line_voids_the_match_and_names_the_seat(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat_up(door, bot, alice)
    alice.leave()
    door.until(lambda: not door.process._joined)

    with pytest.raises(BrokenMatchError, match="the line to alice was lost: it closed"):
        bot.process.wait_end(PATIENCE_S * 10**9)

    suspicion = bot.suspicion()
    assert suspicion is not None
    assert suspicion[1] == "its line was lost: it closed the connection"
    bot.stop()


def test_a_door_that_is_gone_voids_the_match_and_blames_nobody(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat_up(door, bot, alice)
    door.process.close()

    with pytest.raises(BrokenMatchError, match="`arena host` has ended"):
        bot.process.wait_end(PATIENCE_S * 10**9)

    assert bot.suspicion() is None
    bot.stop()
    with pytest.raises(BrokenMatchError, match="alice is remote and `arena host` is not running"):
        door.order("alice")


def test_an_order_waits_for_an_entrant_that_comes_back(door: TestDoor) -> None:
    bot = door.order("alice")
    door.until(lambda: door.process._seats)
    alice = door.joined("alice")

    seat_up(door, bot, alice)

    bot.stop()
    door.until(lambda: not door.process._seats)
    assert alice.hear()[0]["do"] == "stop"


def test_an_order_for_an_entrant_that_stays_away_is_void(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "AWAIT_S", 0.0)
    bot = door.order("alice")
    door.until(lambda: door.process._seats)
    door.until(lambda: not door.process._seats)

    with pytest.raises(BrokenMatchError, match="alice is not connected"):
        bot.process.wait_end(PATIENCE_S * 10**9)
    bot.stop()


def test_a_key_is_revoked_by_editing_the_list(door: TestDoor) -> None:
    door.joined("alice")
    door.joined("bob")
    door.write_list("alice")

    door.until(lambda: "bob" not in door.process._joined)

    assert door.has_said("left: bob: its key is no longer in the list")
    assert list(door.process._joined) == ["alice"]


def test_with_a_broken_list_nobody_may_join_and_nobody_is_put_out(door: TestDoor) -> None:
    door.joined("alice")
    door.list.write_text("alice: 5\n")
    door.until(lambda: door.has_said("nobody may join until the list is right again"))
    stranger = door.client(door.keys["bob"])
    stranger.say(wire.pack({"do": "join", "version": 1, "bot": "b", "games": None}))
    door.until(lambda: door.has_said("a key that is not in the list"))

    assert list(door.process._joined) == ["alice"]
    door.write_list("alice", "bob")
    door.until(lambda: "bob" in door.process._entrants.now.keys)
    door.joined("bob")


def test_late_replies_do_not_raise_the_round_trip_that_is_taken_off(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat = seat_up(door, bot, alice)
    assert bot.link is not None
    for _ in range(3):
        bot.link.send(PING)
        assert alice.hear()[0]["do"] == "call"
        pause(door, 0.06)
        alice.say(wire.pack({"do": "reply", "seat": seat}, b"late"))
        assert received(door, bot) == b"late"

    caller = door.process._joined["alice"].caller
    assert 0 < caller.round_trip_ns() < 50_000_000
    bot.stop()


def test_a_hello_that_cannot_be_read_is_the_fault_of_its_bot(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat = alice.seat()
    alice.say(wire.pack({"do": "hello", "seat": seat}, b"\xc1"))
    door.until(lambda: not door.process._seats)

    assert bot.process.wait_end(0) == "its hello cannot be read"
    bot.stop()


def test_a_token_in_a_strangers_hello_is_not_the_referees(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat = alice.seat()
    hello = encode_fields({"type": "hello", "protocol": 1, "token": "guess"})
    alice.say(wire.pack({"do": "hello", "seat": seat}, hello))

    def is_there() -> bool:
        for descriptor in bot.door.descriptors():
            if select_now(descriptor)[0]:
                bot.on_readable(descriptor)
        return bot.hello is not None

    door.until(is_there)
    bot.stop()
