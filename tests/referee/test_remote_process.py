"""The end of a remote seat that the referee holds, at a door that is a socket of the test."""

import json
import select
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hosting import SMALL

from referee.errors import BrokenMatchError, LineLostError
from referee.job import Job, Player, TimeControl
from referee.seats import remote_process as subject
from referee.seats.allowance import MARGIN_NS
from referee.seats.remote_process import MAX_LINE, PROOF_NS, Lines, RemoteProcess

UNREADABLE = "`arena host` sent news that cannot be read"
NOW_NS = 7_000_000_000


class Door:
    """The other end of the connection; what it says is there before the referee looks."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        self.seat: socket.socket | None = None
        self.process: RemoteProcess | None = None

    def started(self, time: TimeControl | None = None) -> RemoteProcess:
        player = Player(name="ann", argv=(), folder="", content="remote:k", door=self.path)
        player = replace(player, remote="ann-key")
        fields = SMALL | ({"time": time} if time else {})
        job = Job(key="k", seed=1, board_seed=1, players=(player, player), **fields)
        self.process = RemoteProcess(player, job, "ipc:///seat", "t" * 32)
        self.seat, _ = self._listener.accept()
        return self.process

    def say(self, *news: dict[str, Any]) -> None:
        self.send(b"".join(json.dumps(each).encode() + b"\n" for each in news))

    def send(self, data: bytes) -> None:
        assert self.seat is not None
        self.seat.sendall(data)

    def hear(self) -> list[Any]:
        """Return the lines that the referee has sent."""
        assert self.seat is not None
        return [json.loads(line) for line in self.seat.recv(1 << 16).splitlines()]

    def close(self) -> None:
        if self.seat is not None:
            self.seat.close()
        self._listener.close()


class Waits:
    """A clock that stands still but for the waits, which it notes in ms."""

    def __init__(self) -> None:
        self.now_ns = NOW_NS
        self.done: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def register(self, connection: socket.socket, events: int) -> None:
        assert (connection.fileno() >= 0, events) == (True, select.POLLIN)

    def poll(self, wait_ms: float) -> None:
        self.done.append(wait_ms)
        self.now_ns += round(wait_ms * 1_000_000)
        self.meanwhile()


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    door = Door(tmp_path / "door")
    yield door
    if door.process is not None:
        door.process.stop()
    door.close()


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    waits = Waits()
    monkeypatch.setattr(subject, "time", SimpleNamespace(monotonic_ns=lambda: waits.now_ns))
    poll = SimpleNamespace(poll=lambda: waits, POLLIN=select.POLLIN)
    monkeypatch.setattr(subject, "select", poll)
    return waits


def test_the_order_says_which_bot_is_wanted_and_where_it_connects(door: Door) -> None:
    process = door.started(TimeControl(start_ns=3_000_002_999_999))

    (order,) = door.hear()
    assert order == {
        "order": {
            "player": "ann-key",
            "endpoint": "ipc:///seat",
            "token": "t" * 32,
            "game": SMALL["game"],
            "start_ms": 3_000_002,
        }
    }
    assert (process.started_ns, process.lost) == (NOW_NS, None)


@pytest.mark.parametrize(
    ("has_file", "why"), [(False, "No such file or directory"), (True, "Connection refused")]
)
def test_a_match_without_a_door_is_void(door: Door, has_file: bool, why: str) -> None:  # noqa: FBT001 - a case
    door.close()
    if not has_file:
        Path(door.path).unlink()

    with pytest.raises(BrokenMatchError) as broken:
        door.started()

    assert str(broken.value) == (
        f"ann is remote and `arena host` is not running ({why}); start it again"
    )


def test_a_bot_runs_until_the_door_tells_its_end(door: Door) -> None:
    process = door.started()
    assert process.look() is False

    door.say({"round_trip_ns": 1_234_567}, {"has_line": True})
    door.send(b'{"ended": "exit')
    assert select.select([process.pidfd], [], [], 0)[0] == [process.pidfd]
    assert process.look() is False
    assert process.in_force == {"line": "remote, shortest round trip 1.235 ms"}
    assert process.line_ns == 1_234_567 + MARGIN_NS

    door.send(b' code 3"}\n')
    assert process.look() is True
    door.close()
    assert process.look() is True, "the end of the door is no news then"
    assert process.wait_end(0) == "exit code 3"


def test_a_line_is_never_faster_than_at_once(door: Door) -> None:
    process = door.started()
    assert process.line_ns == MARGIN_NS
    for told, taken in ((-5, 0), (0, 0), (1, 1)):
        door.say({"round_trip_ns": told})
        process.look()
        assert process.round_trip_ns == taken


@pytest.mark.parametrize("has_read", [True, False])
def test_a_match_whose_door_ends_is_void(door: Door, has_read: bool) -> None:  # noqa: FBT001 - a case
    process = door.started()
    if has_read:  # otherwise the system reports a reset, and no end of what was sent
        door.hear()
    door.close()

    with pytest.raises(BrokenMatchError) as broken:
        process.look()
    assert str(broken.value) == "`arena host` has ended; start it again"


class Broken:
    """A connection that fails in each call."""

    def fail(self, *_: object) -> None:
        raise ConnectionResetError

    recv = sendall = close = fail

    def fileno(self) -> int:
        return 0


@pytest.mark.parametrize("is_asked", [True, False])
def test_a_match_whose_connection_to_the_door_fails_is_void(
    door: Door, monkeypatch: pytest.MonkeyPatch, *, is_asked: bool
) -> None:
    process = door.started()
    with monkeypatch.context() as patch:
        patch.setattr(process, "_connection", Broken())

        with pytest.raises(BrokenMatchError) as broken:
            process.require_line(1) if is_asked else process.look()
        process.stop()

    assert str(broken.value) == "`arena host` has ended; start it again"


@pytest.mark.parametrize(
    "data", [b"ended\n", b"[]\n", b'{"round_trip_ns": null}\n', b'{"round_trip_ns": "x"}\n', b"\n"]
)
def test_news_that_cannot_be_read_lose_the_line(door: Door, data: bytes) -> None:
    process = door.started()
    door.send(data)

    assert process.look() is True
    assert process.lost == UNREADABLE
    with pytest.raises(LineLostError) as lost:
        process.wait_end(0)
    assert str(lost.value) == f"the line to ann was lost: {UNREADABLE}"


def test_lines_have_a_limit() -> None:
    lines = Lines()
    whole = b'{"a": "' + b"x" * (MAX_LINE - 9) + b'"}'

    assert list(lines.feed(b'{"a": 1}\n{"a": 2}\n{"a"')) == [{"a": 1}, {"a": 2}]
    assert list(lines.feed(b": 3}\n")) == [{"a": 3}]
    assert list(lines.feed(whole)) == []
    assert len(next(lines.feed(b"\n"))["a"]) == MAX_LINE - 9
    with pytest.raises(ValueError, match=r"^a line is too long$"):
        list(lines.feed(whole + b" "))
    with pytest.raises(ValueError, match=r"^not a map$"):
        list(Lines().feed(b"1\n"))


@pytest.mark.parametrize("name", ["lost", "ended"])
def test_what_the_door_says_of_an_end_is_shortened_and_has_no_control_characters(
    door: Door, name: str
) -> None:
    process = door.started()
    door.say({name: "\x1b" + "x" * 300})
    assert process.look() is True

    told = process.lost if name == "lost" else process.wait_end(0)
    assert told is not None
    assert (len(told), "\x1b" in told, told[-1]) == (200, False, "x")


def test_a_line_that_is_lost_counts_before_the_end_of_the_bot(door: Door) -> None:
    process = door.started()
    door.say({"ended": "exit code 1", "lost": "it closed the connection"})

    with pytest.raises(
        LineLostError, match=r"^the line to ann was lost: it closed the connection$"
    ):
        process.wait_end(0)


def test_a_wait_for_the_end_is_as_long_as_asked_and_ends_with_news_of_it(
    door: Door, waits: Waits
) -> None:
    process = door.started()
    assert process.wait_end(2_500_000) is None
    assert process.wait_end(1) is None
    assert waits.done == [2.5, 0.000001]

    waits.done.clear()
    waits.meanwhile = lambda: door.say({"ended": "exit code 0"})
    assert process.wait_end(10**9) == "exit code 0"
    assert waits.done == [1000.0]


def test_the_door_proves_the_line_since_a_time(door: Door, waits: Waits) -> None:
    process = door.started()
    door.hear()

    def answer() -> None:
        waits.now_ns = NOW_NS + 1
        door.say({"has_line": True})

    waits.meanwhile = answer
    process.require_line(123)

    assert door.hear() == [{"prove_ns": 123}]
    assert (waits.done, process.lost) == ([PROOF_NS / 1_000_000], None)


@pytest.mark.parametrize("news", [(), ({"round_trip_ns": 5},), ({"has_line": False},)])
def test_a_line_without_a_proof_in_time_is_lost(
    door: Door, waits: Waits, news: tuple[dict[str, Any], ...]
) -> None:
    """A proof of before counts for nothing."""
    process = door.started()
    door.say({"has_line": True})
    process.look()

    waits.meanwhile = lambda: door.say(*news)
    with pytest.raises(LineLostError, match=r"^the line to ann was lost: it was silent$"):
        process.require_line(123)

    assert waits.done == [PROOF_NS / 1_000_000]


@pytest.mark.parametrize("news", [{"ended": "exit code 1"}, {"lost": "it left"}])
def test_an_end_in_place_of_a_proof_is_reported_as_it_is(
    door: Door, waits: Waits, news: dict[str, str]
) -> None:
    process = door.started()
    door.say(news)

    if "lost" in news:
        with pytest.raises(LineLostError, match=r"^the line to ann was lost: it left$"):
            process.require_line(123)
    else:
        process.require_line(123)
        assert process.wait_end(0) == "exit code 1"
    assert waits.done == []


def test_a_seat_that_is_stopped_hangs_up(door: Door) -> None:
    process = door.started()
    door.hear()

    process.stop()
    process.stop()

    assert door.hear() == []


def test_nothing_of_another_machine_is_measured_or_touched(door: Door, tmp_path: Path) -> None:
    process = door.started()
    door.hear()

    assert [process.cpu_ns(), process.queued_ns(), process.drain(), process.tail()] == [
        0,
        {},
        0,
        "",
    ]
    assert (process.end_for_memory(), process.seen_from_inside(tmp_path)) == (False, tmp_path)
    for call in (process.confirm, process.suspend, process.resume, process.silence):
        call()
    use: Callable[[str], object] = process.use
    assert use("memory") is None
    assert (process.has_hit_memory_limit, process.has_exact_clock) == (False, False)
    process.stop()
    assert door.hear() == [], "no word of these went to the door"
