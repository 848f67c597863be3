"""The side of an entrant, `arena join`, at a door in the test's own process."""

import errno
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
import zmq
from doors import TestDoor, new_pair
from waiting import PATIENCE_S

from arena.errors import ArenaError
from arena.remote import serving, wire
from arena.remote.join import MAX_MESSAGES, Join, JoinRefusedError, JoinTerms
from arena.remote.keys import KeyPair, write_key
from referee.job import Player
from referee.sandbox import TIERS, Limits, TierFinding


def terms_of(door: TestDoor, folder: Path, name: str) -> JoinTerms:
    """Return the terms of an entrant with a bot that sends no hello."""
    return JoinTerms(
        endpoint=f"tcp://127.0.0.1:{door.port}",
        server=door.pair.public,
        pair=door.keys[name],
        player=Player(
            name="mine", argv=("sleep", "1000"), folder=str(folder), content="", tier="none"
        ),
        limits=Limits(),
        games=None,
        matches=2,
    )


def test_a_lack_of_processes_ends_one_match_and_not_the_others(
    door: TestDoor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    join = Join(terms_of(door, tmp_path, "alice"), said.append)

    def play_until_refused() -> None:
        try:
            join.run()
        except ArenaError as error:
            said.append(str(error))

    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    entrant = Thread(target=play_until_refused)
    entrant.start()
    try:
        door.until(lambda: "joined as alice; waiting for matches" in said)
        monkeypatch.setattr(subprocess, "Popen", refuse)
        played, refused = door.order("alice"), door.order("alice")
        door.until(lambda: refused.process.wait_end(0))

        assert refused.process.wait_end(0) == (
            "on its owner's machine, no bot can be started: Resource temporarily unavailable"
        )
        assert played.process.wait_end(0) is None
    finally:
        door.write_list("bob")
        door.until(lambda: not entrant.is_alive())
    played.stop()
    refused.stop()
    assert said[1:3] == [
        "a match of pente begins",
        "a match of pente is refused: no bot can be started: Resource temporarily unavailable",
    ]


def trial(door: TestDoor, terms: JoinTerms) -> str:
    """Try the host before a build; return the error, empty for a host that knows the key."""
    said: list[str] = []

    def try_host() -> None:
        try:
            Join(terms, said.append).try_host()
        except ArenaError as error:
            said.append(str(error))

    owner = Thread(target=try_host)
    owner.start()
    door.until(lambda: not owner.is_alive())
    return "".join(said)


def test_host_and_key_are_tried_before_the_bot_is_built(door: TestDoor, tmp_path: Path) -> None:
    terms = terms_of(door, tmp_path, "alice")

    assert trial(door, terms) == ""
    assert door.process.joined == {}
    refusal = trial(door, replace(terms, pair=new_pair()))
    assert "does not know this key" in refusal
    assert "of a league, where a new key of a bot ends the one before" in refusal
    assert "ended the handshake" in trial(door, replace(terms, server=new_pair().public))


@pytest.mark.parametrize("tier", sorted(TIERS))
def test_an_owner_reads_whether_the_bot_is_sandboxed(tier: str) -> None:
    text = serving.sandbox_text(TierFinding(tier=tier, refusals={}))

    assert text == ("without a sandbox" if tier == "none" else f"with {TIERS[tier].title}")


def test_a_bot_is_not_built_for_a_host_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*_: object, **__: object) -> None:
        raise AssertionError("a bot was built for nobody")

    monkeypatch.setattr(serving, "prepare", build)
    path, public = write_key("alice", tmp_path)
    asked = serving.Joining(
        endpoint="tcp://127.0.0.1:1",
        bot="random",
        server=public,
        key=path,
        isolation="none",
        network="deny",
        matches=1,
    )

    with pytest.raises(JoinRefusedError, match="nothing listens there"):
        serving.join_host(asked, print)


JOINING = """
import sys
from pathlib import Path
from arena.remote import serving
serving.MEMORY_BYTES = 128 << 20
serving.join_host(
    serving.Joining(
        endpoint=sys.argv[1],
        server=sys.argv[2],
        bot="random",
        key=Path(sys.argv[3]),
        isolation="none",
        network="deny",
        matches=1,
    ),
    lambda line: print(line, flush=True),
)
"""


def test_a_message_of_a_host_without_end_fills_no_memory(tmp_path: Path) -> None:
    """A host sends 300 MB in one message: libzmq lacks memory for it and closes the connection."""
    key = write_key("alice", tmp_path)[0]
    public, secret = zmq.curve_keypair()
    with zmq.Context() as context, context.socket(zmq.ROUTER) as host:
        host.curve_server, host.curve_secretkey, host.linger = True, secret, 0
        host.rcvtimeo = PATIENCE_S * 1000
        port = host.bind_to_random_port("tcp://127.0.0.1")
        command = [
            sys.executable,
            "-c",
            JOINING,
            f"tcp://127.0.0.1:{port}",
            public.decode(),
            str(key),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as entrant:
            assert entrant.stdout is not None
            peer, *_ = host.recv_multipart()
            host.send_multipart([peer, *wire.pack({"do": "welcome", "name": "alice"})])

            part = zmq.Frame(bytes(1 << 20), copy=False)
            host.send_multipart([peer, *[part] * 300, b""], copy=False)

            lines = iter(entrant.stdout.readline, "")
            lost = next(line for line in lines if "the line was lost" in line)
            entrant.kill()
    assert "(the connection was closed)" in lost


def test_the_reason_of_a_host_to_leave_is_short_and_printable(
    door: TestDoor, tmp_path: Path
) -> None:
    join = Join(terms_of(door, tmp_path, "alice"), print)

    join._obey({"do": "leave", "why": "\x1b" * 2000}, b"")

    with pytest.raises(JoinRefusedError) as refusal:
        join.try_host()
    assert str(refusal.value) == "refused: " + r"\x1b" * 50


def test_a_host_cannot_fill_the_log_of_an_owner() -> None:
    said: list[str] = []

    def play_until_the_end(join: Join) -> None:
        with pytest.raises(ArenaError, match="enough"):
            join.run()

    public, secret = zmq.curve_keypair()
    with zmq.Context() as context, context.socket(zmq.ROUTER) as host:
        host.curve_server, host.curve_secretkey, host.linger = True, secret, 0
        host.rcvtimeo = PATIENCE_S * 1000
        port = host.bind_to_random_port("tcp://127.0.0.1")
        own_public, own_secret = map(bytes.decode, zmq.curve_keypair())
        terms = JoinTerms(
            endpoint=f"tcp://127.0.0.1:{port}",
            server=public.decode(),
            pair=KeyPair(public=own_public, secret=own_secret),
            player=Player(name="mine", argv=("x",), folder="", content="", tier="none"),
            limits=Limits(),
            games=None,
            matches=0,
        )
        join = Join(terms, said.append)
        entrant = Thread(target=play_until_the_end, args=(join,))
        entrant.start()
        peer, *_ = host.recv_multipart()

        host.send_multipart([peer, *wire.pack({"do": "welcome", "name": "\x01" * 1000})])
        for seat in range(2 * MAX_MESSAGES):
            start = {"do": "start", "seat": seat, "game": "x" * 1000}
            host.send_multipart([peer, *wire.pack(start)])
            host.recv_multipart()
        join._failure = ArenaError("enough")  # a host that says `leave` is joined again
        entrant.join(PATIENCE_S)
        assert not entrant.is_alive()

    assert len(said) == MAX_MESSAGES + 1
    assert max(map(len, said)) < 200
    assert said[-1].endswith("more lines are left out for a minute")
