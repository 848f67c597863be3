"""Watchers of an event: they see everything, and the event never waits for one."""

import json
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from events import job_of

from arena.event.watch.watchers import MAX_WATCHERS, STEP_S, Watchers, socket_name
from arena.schedule.pairing import Pairing
from referee.job import Job
from referee.play.reporter import Reporter
from referee.records.calls import Call, Calls


class Slots:
    """Slots with reports, as the referees would send them."""

    def __init__(self) -> None:
        self.audiences: list[int] = []
        self.waiting: list[bytes] = []

    def report_to(self, audience: int) -> None:
        self.audiences.append(audience)

    def reports(self) -> list[bytes]:
        found = self.waiting[:]
        self.waiting.clear()
        return found


class Event:
    """An event in play whose time the test sets."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "arena.db"
        self.db.touch()
        self.now_s = 0.0
        self.slots = Slots()
        self.running: list[Job] = [job_of("ann", "bob", key="k")]
        self.coming: list[Job | Pairing] = [job_of("bob", "ann", key="next")]
        self.watchers = Watchers(self.db, 3, now_s=lambda: self.now_s)

    def step(self) -> None:
        self.now_s += STEP_S
        self.watchers.step(self.slots, self.running, self.coming, left=2, total=9)

    @property
    def path(self) -> Path:
        (found,) = Path(tempfile.gettempdir()).glob(f"arena-*/{socket_name(self.db, 3)}")
        return found


@pytest.fixture
def event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    event = Event(tmp_path)
    with closing(event.watchers):
        yield event


@pytest.fixture
def links() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def connected(event: Event, links: ExitStack) -> socket.socket:
    link = links.enter_context(socket.socket(socket.AF_UNIX))
    link.settimeout(60)
    folder = os.open(event.path.parent, os.O_PATH)  # the path itself may be too long
    try:
        link.connect(f"/proc/self/fd/{folder}/{event.path.name}")
    finally:
        os.close(folder)
    return link


def lines(link: socket.socket) -> list[Any]:
    """Return what has arrived, parsed."""
    return [json.loads(line) for line in arrived(link).splitlines()]


def arrived(link: socket.socket) -> bytes:
    link.settimeout(0)
    data = b""
    with suppress(BlockingIOError):
        while part := link.recv(1 << 20):
            data += part
    return data


def test_a_watcher_sees_the_running_matches_the_queue_and_the_reports(
    event: Event, links: ExitStack
) -> None:
    link = connected(event, links)
    event.slots.waiting = [b'{"key": "k", "first": 0, "calls": []}']
    event.step()

    state, report = lines(link)

    assert state["running"][0]["players"] == ["ann", "bob"]
    assert "content" not in str(state)
    assert state["next"] == [["bob", "ann"]]
    assert (state["left"], state["total"]) == (2, 9)
    assert report["key"] == "k"
    assert event.slots.audiences == [1]
    event.step()
    assert lines(link) == []
    event.running = []
    event.step()
    assert lines(link)[0]["running"] == []


def test_the_socket_is_for_this_user_only(event: Event) -> None:
    assert stat.S_IMODE(event.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(event.path.parent.stat().st_mode) == 0o700


def test_a_newcomer_makes_a_new_audience_and_the_last_one_leaving_ends_it(
    event: Event, links: ExitStack
) -> None:
    first, second = connected(event, links), connected(event, links)
    event.step()
    third = connected(event, links)
    event.step()
    assert event.slots.audiences == [1, 2]
    assert [len(lines(link)) for link in (first, second, third)] == [2, 2, 1]
    for link in (first, second, third):
        link.close()
    event.step()
    assert event.slots.audiences == [1, 2, 0]
    event.slots.waiting = [b"{}"]
    event.step()
    assert event.slots.waiting == [b"{}"]


def test_a_watcher_after_the_last_has_left_sees_the_match_from_its_start(
    event: Event, links: ExitStack
) -> None:
    """As after a reloaded page; only the last number stands in the flag of the referees."""
    slots = event.slots
    reporter = Reporter(slots.audiences, slots.waiting.append)
    calls = Calls(Call(seat=ply % 2, call="move", ply=ply) for ply in range(3))
    seen = []
    for _ in range(3):
        link = connected(event, links)
        event.step()
        slots.audiences[:] = slots.audiences[-1:]
        reporter.report("k", calls)
        event.step()
        seen.append([report["first"] for report in lines(link) if "first" in report])
        link.close()
        event.step()

    assert seen == [[0], [0], [0]]


def test_a_watcher_that_does_not_read_is_dropped(event: Event, links: ExitStack) -> None:
    link, other = connected(event, links), connected(event, links)
    event.step()
    heard = len(lines(other))
    for _ in range(60):
        event.slots.waiting = [b"x" * 100_000]
        event.step()
        heard += len(arrived(other))
    assert heard > 60 * 100_000
    link.settimeout(60)
    got = 0
    while part := link.recv(1 << 20):
        got += len(part)
    assert got < 60 * 100_000


def test_too_many_watchers_are_turned_away(event: Event, links: ExitStack) -> None:
    for _ in range(MAX_WATCHERS):
        connected(event, links)
        event.step()
    late = connected(event, links)
    event.step()
    assert late.recv(1) == b""


def test_the_work_is_done_at_most_ten_times_a_second(event: Event, links: ExitStack) -> None:
    event.step()
    connected(event, links)
    event.watchers.step(event.slots, event.running, event.coming, left=2, total=9)
    assert event.slots.audiences == []


def test_nothing_is_left_behind(event: Event, links: ExitStack) -> None:
    link = connected(event, links)
    event.step()
    folder = event.path.parent
    event.watchers.close()
    assert not folder.exists()
    link.settimeout(60)
    while link.recv(1 << 20):
        pass


def test_an_event_is_played_without_watchers_where_there_is_no_room_for_the_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    db = tmp_path / "arena.db"
    db.touch()
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    with closing(Watchers(db, 1)) as watchers:
        watchers.step(Slots(), [], [], left=0, total=0)
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
