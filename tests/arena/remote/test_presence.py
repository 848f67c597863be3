"""How entrants join `arena host`: once each, in the same version, and not without end."""

import socket
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from doors import TestDoor

from arena.remote import caller, door_process, presence, wire
from arena.remote.presence import Present, present_entrants


def test_a_second_join_with_the_same_key_is_refused(door: TestDoor) -> None:
    door.joined("alice")
    second = door.client(door.keys["alice"])
    second.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))

    assert second.hear()[0] == {
        "do": "leave",
        "why": "alice has joined already from 127.0.0.1; end that `arena join`, or wait 10 s after"
        " a lost line",
    }
    assert len(door.process.joined) == 1


def test_an_entrant_that_leaves_while_it_joins_takes_no_seat(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [door.order("alice") for _ in range(2)]
    door.until(lambda: len(door.process.seats) == 2)
    monkeypatch.setattr(caller.Caller, "send", lambda self, _: self._close("it does not read"))
    client = door.client(door.keys["alice"])
    client.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))

    door.until(lambda: door.has_said("left: alice"))
    door.process.serve(0)

    assert not door.process.joined
    assert all(seat.entrant is None for seat in door.process.seats.values())
    for bot in bots:
        bot.stop()


def test_another_version_of_join_is_refused(door: TestDoor) -> None:
    client = door.client(door.keys["alice"])
    client.say(wire.pack({"do": "join", "version": wire.VERSION + 1, "bot": "b", "games": None}))

    assert "use the same Arena" in client.hear()[0]["why"]


@pytest.mark.parametrize(
    "frames",
    [
        [b"x"],
        [b"{}", b""],
        [b'{"do": 1}', b""],
        [b"[" * 5000, b""],
        wire.pack({"do": "reply", "seat": "1"}),
        wire.pack({"do": "join", "version": wire.VERSION, "bot": "\x1b[2J", "games": None}),
        wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": [1]}),
    ],
)
def test_a_wrong_first_message_ends_the_connection(door: TestDoor, frames: list[bytes]) -> None:
    client = door.client(door.keys["alice"])
    client.say(frames)

    door.until(lambda: door.has_said("sent a wrong message"))

    assert not door.process.joined


def test_an_entrant_cannot_join_and_leave_without_end(door: TestDoor) -> None:
    for _ in range(door_process.MAX_JOINS):
        door.joined("alice").leave()
        door.until(lambda: "alice" not in door.process.joined)
        door.front._tries.clear()  # those of one address are limited anyway

    late = door.client(door.keys["alice"])
    late.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))

    head, _ = late.hear()
    assert head["do"] == "leave"
    assert "alice has joined 20 times within a minute; try again" in str(head["why"])
    door.joined("bob")


@pytest.mark.parametrize("version", [wire.VERSION, wire.VERSION + 1])
def test_an_entrant_that_was_refused_cannot_ask_again_on_its_line(
    door: TestDoor, version: int
) -> None:
    door.joined("alice")
    again = wire.pack({"do": "join", "version": version, "bot": "b", "games": None})
    second = door.client(door.keys["alice"])
    second.say(again)
    assert second.hear()[0]["do"] == "leave"

    second.say(again)
    door.until(lambda: len(door.front.callers) == 1)

    assert list(door.process.joined) == ["alice"]
    assert not second.socket.poll(0)


def test_entrants_together_cannot_make_the_answer_about_them_too_long(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "door_socket", lambda: door.path)
    games = tuple("\U0001f600" * 20 for _ in range(100))
    line = SimpleNamespace(is_silent=lambda: False)
    joined = SimpleNamespace(bot="b", games=games, matches=None, line=line)
    names = [f"entrant-{number}" for number in range(100)]
    entrants = SimpleNamespace(
        keys=names, content=lambda name: f"content of {name}", name_of=lambda _: None
    )
    monkeypatch.setattr(door.process._entrants, "now", entrants)
    monkeypatch.setattr(door.process, "_look_around", lambda: None)
    monkeypatch.setattr(door.process, "joined", dict.fromkeys(names, joined))
    found: list[Present] = []
    asking = threading.Thread(target=lambda: found.append(present_entrants()), daemon=True)
    asking.start()

    door.until(lambda: found)
    monkeypatch.undo()

    assert list(found[0]) == names
    assert found[0]["entrant-7"]["games"] == list(games)


def test_a_closed_door_leaves_nobody_connected_who_asks_it(tmp_path: Path) -> None:
    door = TestDoor(tmp_path, "alice")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.connect(str(door.path))
        door.process.serve()

        door.close()

        asking.settimeout(0)
        assert asking.recv(1) == b""
