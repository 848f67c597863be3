"""Arrival of bots: hellos, missing hellos, and the time of detection."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from programs import STAY, line_of, program, python, shell
from waiting import PATIENCE_S

from protocol.vocabulary import Termination
from referee.errors import Forfeit
from referee.job import Job, Player
from referee.sandbox.cgroup import Groups
from referee.sandbox.program import Program
from referee.seats import hellos
from referee.seats.bot import Bot
from referee.seats.clock import WallClock
from referee.seats.hellos import wait_for_hellos

ROOT = Path(__file__).parents[2]
HOUR_NS = 3600 * 10**9
"""So wide that nothing here can be out of time, unless the clock says so."""


class LaterClock:
    """A clock that is some hours ahead: after one, a limit of an hour for the hello is over."""

    def __init__(self, hours: int = 1) -> None:
        self._ahead_ns = hours * HOUR_NS

    def now_ns(self) -> int:
        return time.monotonic_ns() + self._ahead_ns


KIT = """
import os, signal, socket, sys

def text(value):
    return bytes([0xD9, len(value)]) + value.encode()

def frame(body, flags=0):
    return bytes([flags, len(body)]) + body

def hello(token, protocol=1, **fields):
    known = {"type": text("hello"), "protocol": bytes([protocol]), "token": text(token)}
    known |= {name: text(value) for name, value in fields.items()}
    return bytes([0x80 + len(known)]) + b"".join(text(k) + v for k, v in known.items())

GREETING = b"\\xff" + bytes(8) + b"\\x7f\\x03\\x00" + b"NULL".ljust(20, b"\\0") + bytes(32)
READY = frame(b"\\x05READY\\x0bSocket-Type\\x00\\x00\\x00\\x06DEALER", 4)
TOKEN = os.environ["ARENA_TOKEN"]

def knock():
    door = socket.socket(socket.AF_UNIX)
    door.connect(os.environ["ARENA_ENDPOINT"].removeprefix("ipc://"))
    return door

def say(*payloads):
    door = knock()
    door.sendall(GREETING + READY + b"".join(map(frame, payloads)))
    return door
"""
"""Enough of ZMTP and msgpack to say hello with the standard library alone."""

Starter = Callable[[Program], Bot]


@pytest.fixture
def start(groups: Groups | None, subreaper: None) -> Iterator[Starter]:
    """Start bots that are stopped when the test is over."""
    del subreaper
    running = []

    def starter(what: Program) -> Bot:
        player = Player(name=what.name, argv=what.argv, folder=what.folder, content="0" * 64)
        job = Job(key="test", game="pente", players=(player, player), seed=1, board_seed=1)
        running.append(Bot(player, job, groups))
        running[-1].confirm()
        return running[-1]

    yield starter
    for bot in running:
        bot.stop()


def bot(script: str) -> Program:
    return python(KIT + script + "\n" + STAY)


def failures(*bots: Bot) -> list[Forfeit]:
    return wait_for_hellos(dict(enumerate(bots)), HOUR_NS, WallClock())


def why(*bots: Bot) -> str:
    """Return the only failure, which must be that of seat 0."""
    (failure,) = failures(*bots)
    assert (failure.seat, failure.termination) == (0, Termination.NO_SHOW)
    return failure.detail


def test_a_bot_with_a_valid_hello_is_accepted(start: Starter) -> None:
    guest = start(bot("door = say(hello(TOKEN, name='guest', version='1.2'))"))

    assert failures(guest) == []
    assert guest.hello is not None
    assert (guest.hello.name, guest.hello.version) == ("guest", "1.2")
    assert guest.link is not None


def test_all_are_waited_for_at_once(start: Starter) -> None:
    guests = [start(bot("door = say(hello(TOKEN))")) for _ in range(3)]

    assert failures(*guests) == []
    assert all(guest.hello for guest in guests)


@pytest.mark.parametrize(
    ("script", "ended"),
    [("exit 3", "exit code 3"), ("exit 0", "exit code 0"), ("kill -SEGV $$", "signal SIGSEGV")],
)
def test_an_end_before_the_hello_is_known_at_once(start: Starter, script: str, ended: str) -> None:
    assert why(start(shell(script))) == f"ended before its hello: {ended}"


def test_the_failure_of_one_bot_does_not_affect_another(start: Starter) -> None:
    guests = [start(shell("exit 3")), start(bot("door = say(hello(TOKEN))"))]

    assert why(*guests) == "ended before its hello: exit code 3"
    assert guests[1].hello is not None


@pytest.mark.parametrize(
    "script",
    [
        "",
        "door = knock()",
        "door = knock(); door.sendall(GREETING)",
        "door = say()",
        "door = knock(); door.sendall(GREETING[:30])",
    ],
)
def test_a_bot_without_a_hello_is_late_at_the_limit(start: Starter, script: str) -> None:
    guest = start(bot(f"{script}\nprint(flush=True)"))
    line_of(guest.process)

    (failure,) = wait_for_hellos({0: guest}, HOUR_NS, LaterClock())

    assert failure.detail.startswith("no valid hello within 3600 s")


@pytest.mark.parametrize(
    ("printed", "hint"),
    [
        ("", ": its last output is blank lines, and it sent no hello"),
        ('{"type": "hello"}', hellos.PLAIN_JSON),
        ("loading my opening book", ""),
    ],
)
def test_a_missing_hello_comes_with_the_likely_mistake(
    start: Starter, printed: str, hint: str
) -> None:
    guest = start(bot(f"os.write(1, {printed.encode()!r} + b'\\n')"))
    line_of(guest.process)

    (failure,) = wait_for_hellos({0: guest}, HOUR_NS, LaterClock())

    assert failure.detail == f"no valid hello within 3600 s{hint}"


def test_a_bot_that_ends_after_a_line_of_json_comes_with_the_likely_mistake(
    start: Starter,
) -> None:
    said = why(start(shell("echo {}")))

    assert said.startswith("ended before its hello: exit code 0; it printed JSON: ")


def test_a_bot_without_output_is_asked_about_json_lines(start: Starter) -> None:
    (failure,) = wait_for_hellos({0: start(bot(STAY))}, HOUR_NS, LaterClock())

    assert failure.detail == f"no valid hello within 3600 s{hellos.SILENT}"


BRIDGES = {path.name for path in ROOT.glob("bots/sdk/bridges/*_bridge.py")} - {"arena_bridge.py"}


@pytest.mark.parametrize("bridge", sorted(BRIDGES | hellos.UNHEARD.keys()))
def test_a_bot_behind_a_bridge_is_not_said_to_have_printed_nothing(
    start: Starter, tmp_path: Path, bridge: str
) -> None:
    (tmp_path / bridge).write_text(f"import signal\n{STAY}")
    guest = start(program(sys.executable, str(tmp_path / bridge)))

    (failure,) = wait_for_hellos({0: guest}, HOUR_NS, LaterClock())

    assert failure.detail == f"no valid hello within 3600 s{hellos.UNHEARD[bridge]}"
    assert "nothing" not in failure.detail


def test_a_hello_received_at_the_limit_counts(start: Starter) -> None:
    guest = start(bot("door = say(hello(TOKEN))\nprint(flush=True)"))
    line_of(guest.process)

    assert wait_for_hellos({0: guest}, HOUR_NS, LaterClock()) == []
    assert guest.hello is not None


NOISE = r"while True: os.write(1, b'still starting\n' * 1000)"


def test_endless_output_does_not_extend_the_start(start: Starter) -> None:
    guest = start(bot(f"print(flush=True)\n{NOISE}"))
    line_of(guest.process)

    (failure,) = wait_for_hellos({0: guest}, HOUR_NS, LaterClock())

    assert failure.detail.startswith("no valid hello within 3600 s")


class Besieged:
    """A bot with endless connections and a process that never ends."""

    hello = refusal = None
    is_output_closed = True
    refused = argv = ()
    started_ns = 0

    def tail(self) -> str:
        return ""

    def cpu_ns(self) -> int:
        return 0

    def queued_ns(self) -> dict[int, int]:
        return {}

    def __init__(self) -> None:
        self.listener = self.process = self.player = self
        self.reader, self.writer = os.pipe()
        os.write(self.writer, b"knock")
        self.pidfd = self.writer
        self.knocks = 0

    def refuse_shortage(self) -> None: ...

    def descriptors(self) -> list[int]:
        return [self.reader]

    def on_readable(self, _: int) -> None:
        self.knocks += 1
        assert self.knocks < 1000, "nobody else will ever be let in"

    def wait_end(self, _: int) -> None:
        return None


def test_endless_connections_do_not_extend_the_start() -> None:
    besieged = Besieged()

    (failure,) = wait_for_hellos({0: besieged}, HOUR_NS, LaterClock())  # type: ignore[dict-item]

    assert failure.detail.startswith("no valid hello within 3600 s")
    os.close(besieged.reader)
    os.close(besieged.writer)


def test_a_banner_before_the_hello_is_read_and_costs_nothing(start: Starter) -> None:
    guest = start(bot("os.write(1, b'x' * 3_000_000)\ndoor = say(hello(TOKEN))"))

    assert failures(guest) == []
    assert guest.process.output_bytes > 2_000_000


@pytest.mark.parametrize(
    "stranger",
    [
        "say(hello('0' * 32))",
        "say(b'\\xc1')",
        "say(b'')",
        "say(bytes([0x81]) + text('type') + text('hello'))",
        "knock().sendall(b'GET / HTTP/1.1\\r\\n\\r\\n')",
        "knock().sendall(os.urandom(100))",
        "knock().close()",
        "knock()",
    ],
)
def test_connections_of_strangers_do_not_block_the_bot(start: Starter, stranger: str) -> None:
    guest = start(bot(f"other = {stranger}\ndoor = say(hello(TOKEN))"))

    assert failures(guest) == []
    assert guest.hello is not None


def test_refused_hellos_are_reported_if_no_valid_one_came(start: Starter) -> None:
    script = """
door = say(hello("wrong"))
while door.recv(1000):
    pass
raise SystemExit(4)
"""
    guest = start(python(KIT + script))

    assert why(guest) == "ended before its hello: exit code 4; refused: a hello with a wrong token"


def test_a_sentence_in_the_place_of_a_hello_is_the_reason(start: Starter) -> None:
    script = """
door = say(text("no option Hsh; did you mean Hash?"))
while door.recv(1000):
    pass
raise SystemExit(4)
"""
    guest = start(python(KIT + script))

    said = "it says 'no option Hsh; did you mean Hash?' and sends no hello: exit code 4"
    assert why(guest) == said


def test_another_protocol_version_is_refused_at_once_with_a_notice(start: Starter) -> None:
    script = """
door = say(hello(TOKEN, protocol=2))
heard = b""
while data := door.recv(1000):
    heard += data
print("this referee speaks 1" in heard.decode(errors="replace"), flush=True)
"""
    guest = start(python(KIT + script))

    assert why(guest) == ("its hello is rejected: the bot speaks protocol 2; this referee speaks 1")
    guest.listener.close()
    assert line_of(guest.process) == "True"


@pytest.mark.parametrize(
    ("fields", "fault"),
    [("name='x' * 101", "hello.name"), ("nickname='x'", "hello.nickname: unknown field")],
)
def test_a_hello_with_a_wrong_field_is_refused_and_the_field_named(
    start: Starter, fields: str, fault: str
) -> None:
    assert fault in why(start(bot(f"door = say(hello(TOKEN, {fields}))")))


def test_the_socket_is_closed_and_removed_once_the_bot_is_accepted(start: Starter) -> None:
    guest = start(bot("door = say(hello(TOKEN))"))
    path = guest.listener.endpoint.removeprefix("ipc://")
    assert os.path.exists(path)  # noqa: PTH110 - a socket's path is text

    failures(guest)

    assert not os.path.exists(path)  # noqa: PTH110 - a socket's path is text


def test_an_end_right_after_the_hello_is_detected_at_the_first_call(start: Starter) -> None:
    guest = start(python(KIT + "door = say(hello(TOKEN))\ndoor.recv(200)"))

    assert failures(guest) == []
    assert guest.process.wait_end(PATIENCE_S * 10**9) == "exit code 0"


def test_a_missing_program_is_not_waited_for(start: Starter) -> None:
    with pytest.raises(Exception, match="No such file or directory: /no/such/bot"):
        start(program("/no/such/bot"))


def test_a_bot_that_waited_for_a_core_has_longer(
    start: Starter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says hello only once its wait was looked at, when its hour is over."""
    seen = tmp_path / "seen"
    guest = start(bot(f"while not os.path.exists({str(seen)!r}): pass\ndoor = say(hello(TOKEN))"))

    def queued_ns() -> dict[int, int]:
        seen.touch()
        return {1: 2 * HOUR_NS}

    monkeypatch.setattr(guest.process, "queued_ns", queued_ns)

    assert wait_for_hellos({0: guest}, HOUR_NS, LaterClock()) == []
    assert guest.hello is not None


@pytest.mark.parametrize(("hours", "is_over"), [(3, False), (5, True)])
def test_a_wait_for_a_core_triples_the_time_of_a_start_at_most(
    start: Starter, monkeypatch: pytest.MonkeyPatch, hours: int, *, is_over: bool
) -> None:
    guest = start(bot("print(flush=True)"))
    line_of(guest.process)
    monkeypatch.setattr(guest.process, "queued_ns", lambda: {1: 100 * HOUR_NS})

    left_ns = hellos._left_ns(guest, HOUR_NS, LaterClock(hours).now_ns())

    assert (left_ns <= 0) == is_over
    if is_over:
        (failure,) = wait_for_hellos({0: guest}, HOUR_NS, LaterClock(hours))
        assert failure.detail.endswith("; 10800000 ms of waiting for a core are not counted")
