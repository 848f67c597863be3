"""The door against clients of every kind: who may come in, for which seat, and for how long."""

import itertools
import math
import os
import signal
import socket
import tempfile
from pathlib import Path

import pytest
import zmq
from doors import TestDoor, new_pair, pause, received, seat_up, select_now
from waiting import PATIENCE_S

from arena.errors import UsageError
from arena.remote import caller, door_port, door_process, wire
from arena.remote.caller import MAX_UNREAD
from arena.remote.entrants import Entrants, WatchedEntrants
from protocol.codec import encode_fields
from protocol.link import FRAME_LIMIT
from referee.errors import BrokenMatchError
from referee.sandbox import remove_leftovers

PING = encode_fields({"type": "ping", "id": 1})


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
        door.until(lambda: not door.process.seats)
        assert [received(door, bot) for _ in range(50)] == [b"%d" % n for n in range(50)]
    finally:
        bot.stop()


def test_a_line_that_always_changes_does_not_fill_the_socket_of_its_referee(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    try:
        seat = seat_up(door, bot, alice)
        measured = itertools.count(1_000_000)
        monkeypatch.setattr(caller.Caller, "round_trip_ns", lambda _: next(measured))
        for _ in range(600):
            alice.say(wire.pack({"do": "reply", "seat": seat}, b"unrequested"))
        alice.say(wire.pack({"do": "ended", "seat": seat, "how": "exit code 3"}))
        door.until(lambda: not door.process.seats)

        assert bot.process.wait_end(0) == "exit code 3"
    finally:
        bot.stop()


def test_an_entrant_cannot_answer_for_the_seat_of_another(door: TestDoor) -> None:
    alice, bob = door.joined("alice"), door.client(door.keys["bob"], routing_id=b"alice")
    bob.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))
    assert bob.hear()[0]["name"] == "bob"
    bot = door.order("alice")
    seat = seat_up(door, bot, alice)
    bob.say(wire.pack({"do": "reply", "seat": seat}, b"forged"))
    bob.say(wire.pack({"do": "ended", "seat": seat, "how": "exit code 1"}))
    door.until(lambda: door.process.joined["bob"].wrong == 2)
    alice.say(wire.pack({"do": "reply", "seat": seat}, b"real"))

    assert received(door, bot) == b"real"
    assert bot.process.wait_end(0) is None
    bot.stop()


@pytest.mark.parametrize(
    ("said", "kept"), [(1, 1), (10**9, 64), (None, 64), (0, 64), (True, 64), ("1", 64)]
)
def test_the_door_knows_how_many_matches_an_owner_allows(
    door: TestDoor, said: object, kept: int
) -> None:
    bob = door.client(door.keys["bob"])
    about = {"version": wire.VERSION, "bot": "b", "games": None, "matches": said}
    bob.say(wire.pack({"do": "join", **about}))
    assert bob.hear()[0]["do"] == "welcome"

    assert door.process._present()["bob"]["matches"] == kept


def test_a_port_in_use_is_refused_in_words(door: TestDoor) -> None:
    with pytest.raises(
        UsageError, match="cannot be opened: Address already in use; --listen takes"
    ):
        door.process.listen("127.0.0.1", door.port)
    with pytest.raises(
        UsageError, match=r"^remote in league\.yaml: .*; remote in league\.yaml takes"
    ):
        door.process.listen("127.0.0.1", door.port, "remote in league.yaml")


def test_a_second_door_is_refused_and_the_socket_of_a_dead_one_is_not(
    door: TestDoor, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="another `arena host` is open"):
        door_process.DoorProcess(door.pair, WatchedEntrants(door.list), door.path, print)
    dead = tmp_path / "dead"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(dead))

    door_process.DoorProcess(door.pair, WatchedEntrants(door.list), dead, print).close()


def test_the_folder_of_a_killed_door_is_a_leftover(
    door: TestDoor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    entrants = WatchedEntrants(door.list)
    if not (killed := os.fork()):
        try:
            door_process.DoorProcess(door.pair, entrants, tmp_path / "other", print)
        finally:
            signal.raise_signal(signal.SIGKILL)
    os.waitpid(killed, 0)
    left = list(tmp_path.glob("arena-*"))

    remove_leftovers()

    assert left
    assert not list(tmp_path.glob("arena-*"))


def test_an_entrant_may_play_any_number_of_matches(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_process, "MAX_WRONG", 1)
    alice = door.joined("alice")
    joined = door.process.joined["alice"]
    before: list[int] = []
    for _ in range(3):
        bot = door.order("alice")
        seat = alice.seat()
        bot.stop()
        assert alice.hear()[0] == {"do": "stop", "seat": seat}
        before.append(joined.wrong)
        alice.say(wire.pack({"do": "ended", "seat": seat, "how": "stopped"}))
        door.until(lambda: joined.wrong > before[-1])

        assert list(door.process.joined) == ["alice"]


def test_an_entrant_with_too_many_seats_waiting_gets_those_it_may_have(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_process, "MAX_SEATS", 1)
    bots = [door.order("alice") for _ in range(3)]
    door.until(lambda: len(door.process.seats) == 3)

    seat = door.joined("alice").seat()

    assert list(door.process.seats) == [seat]
    for bot in bots:
        bot.stop()


def test_a_flood_of_messages_puts_its_sender_out_and_nobody_else(door: TestDoor) -> None:
    alice, bob = door.joined("alice"), door.joined("bob")
    for _ in range(door_process.MAX_WRONG + 1):
        bob.say(wire.pack({"do": "reply", "seat": "0"}))

    door.until(lambda: "bob" not in door.process.joined)

    assert list(door.process.joined) == ["alice"]
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
        return not door.process.seats

    door.until(has_ended)

    assert most < 200_000
    bot.stop()


@pytest.mark.parametrize("size", [FRAME_LIMIT + 1, 100_000])
def test_an_endless_message_puts_its_sender_out(
    door: TestDoor, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = door.joined("bob")
    monkeypatch.setattr(door_port, "HANDSHAKE_S", 0.0)
    for _ in range(2 * MAX_UNREAD // size):
        bob.socket.send(bytes(size), zmq.SNDMORE)
    bob.socket.send(b"")

    door.until(lambda: not door.process.joined)


def test_a_bot_that_sends_more_than_the_referee_reads_is_ended(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat = seat_up(door, bot, alice)
    alice.socket.sndhwm = 0
    for _ in range(40):
        alice.say(wire.pack({"do": "reply", "seat": seat}, bytes(60_000)))

    door.until(lambda: not door.process.seats)

    assert bot.process.wait_end(0) == "it sent more than the referee reads"
    bot.stop()


def test_a_lost_line_voids_the_match_and_names_the_seat(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat_up(door, bot, alice)
    alice.leave()
    door.until(lambda: not door.process.joined)

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
    door.until(lambda: door.process.seats)
    alice = door.joined("alice")

    seat_up(door, bot, alice)

    bot.stop()
    door.until(lambda: not door.process.seats)
    assert alice.hear()[0]["do"] == "stop"


def test_an_order_for_an_entrant_that_stays_away_is_void(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_process, "AWAIT_S", 0.0)
    bot = door.order("alice")
    door.until(lambda: door.process.seats)
    door.until(lambda: not door.process.seats)

    with pytest.raises(BrokenMatchError, match="alice is not connected"):
        bot.process.wait_end(PATIENCE_S * 10**9)
    bot.stop()


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

    caller = door.process.joined["alice"].caller
    assert 0 < caller.round_trip_ns() < 50_000_000
    bot.stop()


def test_a_hello_that_cannot_be_read_is_the_fault_of_its_bot(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat = alice.seat()
    alice.say(wire.pack({"do": "hello", "seat": seat}, b"\xc1"))
    door.until(lambda: not door.process.seats)

    assert bot.process.wait_end(0) == "its hello cannot be read"
    bot.stop()


def test_a_token_in_a_strangers_hello_is_not_the_referees(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat = alice.seat()
    hello = encode_fields({"type": "hello", "protocol": 1, "token": "guess"})
    alice.say(wire.pack({"do": "hello", "seat": seat}, hello))

    def is_there() -> bool:
        for descriptor in bot.listener.descriptors():
            if select_now(descriptor)[0]:
                bot.on_readable(descriptor)
        return bot.hello is not None

    door.until(is_there)
    bot.stop()


def test_a_key_that_is_new_in_the_list_is_let_in_by_the_first_try(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_process, "LONGEST_WAIT_S", 3600)  # no look by the clock
    looks: list[int] = []
    late = Entrants({**door.process._entrants.now.keys, "carol": new_pair_of(door, "carol")})

    class Late:
        now, is_valid = door.process._entrants.now, True

        def refresh(self) -> None:
            looks.append(1)
            self.now = late

    door.process._entrants = Late()
    door.process._look_at = math.inf
    door.joined("carol")
    assert looks == [1]


def test_many_unknown_keys_do_not_make_many_looks_at_the_list(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_process, "LOOK_S", 3600)
    looks: list[int] = []
    monkeypatch.setattr(door.process._entrants, "refresh", lambda: looks.append(1))
    door.process._look_at = math.inf
    assert [door.process._name_of(bytes([n]) * 32) for n in range(50)] == [None] * 50
    assert looks == [1]


def new_pair_of(door: TestDoor, name: str) -> str:
    door.keys[name] = new_pair()
    return door.keys[name].public
