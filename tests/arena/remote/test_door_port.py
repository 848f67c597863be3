"""The port of the door: who may come in, and how long a stranger may stay."""

import errno
import os
import resource
import shutil
import socket
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
import zmq
from doors import TestDoor, is_closed, new_pair, received, seat_up, select_now

from arena.remote import caller, door_port, door_process, wire
from arena.remote.caller import GREETING


def test_an_unknown_key_never_gets_in(door: TestDoor) -> None:
    stranger = door.client(new_pair())
    monitor = stranger.socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_AUTH)
    stranger.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))

    door.until(lambda: monitor.poll(0))
    door.until(lambda: door.has_said("127.0.0.1: has a key that is not in the list of entrants"))

    assert not door.process.joined
    monitor.close(0)


def test_a_client_that_believes_in_another_host_never_gets_in(door: TestDoor) -> None:
    other = new_pair()
    client = door.client(door.keys["alice"], curve_serverkey=other.public.encode())
    client.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))

    door.until(lambda: door.has_said("it ended the handshake; probably its --server"))

    assert not door.process.joined


@pytest.mark.parametrize("options", [{}, {"plain_username": b"alice", "plain_password": b"x"}])
def test_a_connection_without_a_key_is_refused(door: TestDoor, options: dict[str, bytes]) -> None:
    client = door.client(None, **options)
    client.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))

    door.until(lambda: door.has_said("has no key: its connection is not encrypted by CURVE"))

    assert not door.process.joined


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
    client.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))
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
        return "alice" in door.process.joined

    door.until(copy)
    client.leave()
    outside.close()
    door.until(lambda: not door.process.joined)
    with door.plain() as replay:
        replay.sendall(recorded)
        door.until(lambda: is_closed(replay))

    assert not door.process.joined
    assert len([line for line in door.said if line.startswith("joined")]) == 1
    inside.close()
    listener.close()


def test_without_an_authenticator_nobody_gets_in(door: TestDoor) -> None:
    door.process._poller.forget(door.front._zap)
    door.front._zap.close(0)
    client = door.client(door.keys["alice"])
    client.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))

    door.until(lambda: door.front.strangers)
    door.until(lambda: any(caller.server for caller in door.front.callers.values()))
    for _ in range(20):
        door.process.serve(0.01)

    assert not door.process.joined


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

    monkeypatch.setattr(door_port, "HANDSHAKE_S", 0.0)
    door.until(lambda: is_closed(silent) and is_closed(slow))

    assert door.has_said("did not sign in within")
    assert list(door.process.joined) == ["alice"]
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
    door.until(lambda: sum(map(is_closed, crowd)) == 100 - door_port.MAX_PER_ADDRESS)
    assert len(door.front.strangers) == door_port.MAX_PER_ADDRESS
    assert [line for line in door.said if "have not signed in" in line] == [
        f"refused: 127.0.0.1: has {door_port.MAX_PER_ADDRESS} connections that have not signed in"
    ]
    for connection in crowd:
        connection.close()
    bot.stop()


def test_one_address_does_not_come_back_at_once(door: TestDoor) -> None:
    for _ in range(3 * door_port.MAX_PER_ADDRESS):
        with door.plain() as stranger:
            door.process.serve(0)
            stranger.close()
    door.until(lambda: not door.front.callers)

    assert door.front.accepted == door_port.MAX_PER_ADDRESS
    assert door.has_said("connections that have not signed in")


def test_connections_that_have_joined_are_not_counted(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_process, "MAX_JOINS", 1000)
    for _ in range(2 * door_port.MAX_PER_ADDRESS):
        door.joined("alice").leave()
        door.until(lambda: not door.process.joined)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("10.0.0.1", "10.0.0.2", False),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::1", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.2", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
    ],
)
def test_addresses_of_one_owner_are_counted_together(one: str, other: str, is_same: bool) -> None:  # noqa: FBT001 - a case
    assert (door_port.network_of(one) == door_port.network_of(other)) is is_same


def test_without_descriptors_a_stranger_is_refused_and_the_door_stays_open(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = door_port.SPARE_FILES
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    stranger = door.client(door.keys["alice"])
    stranger.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))

    door.until(lambda: door.has_said("no descriptors are left for it"))

    stranger.leave()
    monkeypatch.undo()
    door.joined("alice")


def test_strangers_take_no_descriptor_that_libzmq_may_need(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.joined("alice")
    here = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names only
    crowd = [door.plain(f"127.0.2.{number}") for number in range(1, 41)]
    most = os.dup(0)  # the lowest free one: the crowd's other ends come after it
    os.close(most)
    monkeypatch.setattr(door_port, "SPARE_FILES", 10)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (most + 20, most + 20))
    for connection in crowd[::2]:
        connection.sendall(GREETING)

    door.until(lambda: sum(map(is_closed, crowd)) >= 30)

    assert len(os.listdir("/proc/self/fd")) - here - len(crowd) <= 20  # noqa: PTH208 - names only
    assert door.has_said("made room for later connections")
    assert list(door.process.joined) == ["alice"]
    for connection in crowd:
        connection.close()
    monkeypatch.undo()
    door.joined("bob")


def test_a_cleaner_of_temporary_files_does_not_end_the_door(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path_factory.mktemp("t")  # a socket's path has at most 107 bytes
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with closing(TestDoor(tmp_path, "alice")) as door:
        shutil.rmtree(temporary)

        door.joined("alice")

    assert not list(temporary.iterdir())


def test_without_a_socket_a_stranger_is_refused_and_the_door_stays_open(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise zmq.ZMQError(errno.ENOSPC)

    monkeypatch.setattr(caller.Caller, "serve", fail)
    door.client(door.keys["alice"])

    door.until(lambda: door.has_said("no socket can be made for it: No space left on device"))

    monkeypatch.undo()
    door.joined("alice")


def test_with_many_addresses_the_oldest_stranger_makes_room(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_port, "MAX_STRANGERS", 3)
    crowd = [door.plain(f"127.0.0.{number}") for number in range(2, 12)]
    door.until(lambda: sum(map(is_closed, crowd)) == 7)

    door.joined("bob")

    for connection in crowd:
        connection.close()


def test_thousands_of_half_open_lines_cost_a_bounded_number_of_descriptors(
    door: TestDoor,
) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat = seat_up(door, bot, alice)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names only
    count = min(10_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
    crowd = []
    for number in range(count):
        crowd.append(door.plain(f"127.1.{number // 200 % 256}.{number % 200 + 1}"))
        if number % 8 == 0:
            door.process.serve(0)

    door.until(lambda: len(door.front.strangers) <= door_port.MAX_STRANGERS)
    for _ in range(count // 16):  # so many are accepted at a time
        door.process.serve(0)
    alice.say(wire.pack({"do": "reply", "seat": seat}, b"still here"))
    assert received(door, bot) == b"still here"
    here = len(os.listdir("/proc/self/fd")) - before  # noqa: PTH208 - names only
    assert here - count <= 2 * door_port.MAX_STRANGERS
    assert len(door.said) <= 3 * door_port.MAX_REFUSALS

    for connection in crowd:
        connection.close()
    bot.stop()


def test_a_key_is_revoked_by_editing_the_list(door: TestDoor) -> None:
    door.joined("alice")
    door.joined("bob")
    door.write_list("alice")

    door.until(lambda: "bob" not in door.process.joined)

    assert door.has_said("left: bob: its key is no longer in the list")
    assert list(door.process.joined) == ["alice"]


def test_with_a_broken_list_nobody_may_join_and_nobody_is_put_out(door: TestDoor) -> None:
    door.joined("alice")
    door.list.write_text("alice: 5\n")
    door.until(lambda: door.has_said("nobody may join until the list is right again"))
    stranger = door.client(door.keys["bob"])
    stranger.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))
    door.until(lambda: door.has_said("a key that is not in the list"))

    assert list(door.process.joined) == ["alice"]
    door.write_list("alice", "bob")
    door.until(lambda: "bob" in door.process._entrants.now.keys)
    door.joined("bob")
