"""Hellos of bots without processes: how often a listener is read, and what a failure says."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from fakes import MS, FakeClock

from protocol.codec import SENTENCE
from referee.errors import Forfeit
from referee.seats import hellos
from referee.seats.hellos import BLANK, LAST_LOOKS, PLAIN_JSON, SILENT, wait_for_hellos
from referee.seats.remote_process import RemoteProcess

HOUR_NS = 3600 * 10**9
"""The limit of a start."""


class Clock:
    """A clock that advances by some time whenever it is read, which is not without end."""

    def __init__(self, hours: float, step_ns: int = 0, ahead_ns: int = 0) -> None:
        self._now_ns, self._step_ns = int(hours * HOUR_NS) + ahead_ns, step_ns
        self._reads = 0

    def now_ns(self) -> int:
        self._reads += 1
        assert self._reads < 1000, "the wait for hellos has no end"
        self._now_ns += self._step_ns
        return self._now_ns


class Line(RemoteProcess):
    """A process on another machine, without a door."""

    def __init__(self, guest: "Guest") -> None:
        self.guest = guest
        self.started_ns = guest.started_ns
        self.asked: list[int] = []

    @property
    def pidfd(self) -> int:
        return self.guest.pidfd

    def wait_end(self, _: int) -> str | None:
        return self.guest.ended

    def require_line(self, since_ns: int) -> None:
        self.asked.append(since_ns)


class Guest:
    """A bot with its listener and its process in one: connections are bytes of a pipe."""

    refusal: str | None = None
    is_output_closed = True
    printed = ""

    def __init__(self, *, hello_at: int = 0, **fields: Any) -> None:
        self.listener = self.player = self
        self.process: Any = self
        self.hello: str | None = None
        self.hello_at, self.reads = hello_at, 0
        self.argv = self.refused = ()
        self.started_ns = self.spent_ns = 0
        self.queued: Mapping[int, int] = {}
        self.ended: str | None = None
        self.reader, self.writer = os.pipe()
        self.pidfd = self.writer  # no news
        vars(self).update(fields)

    def descriptors(self) -> list[int]:
        return [self.reader]

    def on_readable(self, _: int) -> None:
        self.reads += 1
        if self.reads == self.hello_at:
            self.hello = "hello"

    def wait_end(self, _: int) -> str | None:
        return self.ended

    def cpu_ns(self) -> int:
        return self.spent_ns

    def queued_ns(self) -> Mapping[int, int]:
        return self.queued

    def tail(self) -> str:
        return self.printed

    def suspend(self) -> None: ...

    def resume(self) -> None: ...

    def refuse_shortage(self) -> None: ...


class LastWords(Guest):
    """A bot that says hello and ends while the referee looks elsewhere."""

    def wait_end(self, _: int) -> str | None:
        os.write(self.writer, b"hello")
        return "exit code 0"


@pytest.fixture
def pipes() -> Iterator[list[int]]:
    """Close the pipes of the guests of a test."""
    made: list[int] = []
    yield made
    for descriptor in made:
        os.close(descriptor)


def failures(pipes: list[int], *guests: Guest, clock: Any = None) -> list[Forfeit]:
    for guest in guests:
        pipes += (guest.reader, guest.writer)
    bots: Any = dict(enumerate(guests))
    return wait_for_hellos(bots, HOUR_NS, clock or Clock(hours=1))


@pytest.mark.parametrize("hello_at", [1, 4, LAST_LOOKS + 1, LAST_LOOKS + 2, 0])
def test_a_late_listener_is_read_some_times_more(pipes: list[int], hello_at: int) -> None:
    guest = Guest(hello_at=hello_at)
    os.write(guest.writer, b"knock")

    failed = failures(pipes, guest)

    assert not failed if 0 < hello_at <= LAST_LOOKS + 1 else len(failed) == 1
    assert guest.reads == min(hello_at or LAST_LOOKS + 1, LAST_LOOKS + 1)


def test_the_time_for_a_hello_is_not_up_a_nanosecond_before_its_end(pipes: list[int]) -> None:
    guest = Guest(hello_at=LAST_LOOKS + 9)
    os.write(guest.writer, b"knock")

    assert failures(pipes, guest, clock=Clock(hours=1, ahead_ns=-1)) == []


@pytest.mark.parametrize(
    ("hours", "left"),
    [
        (0.25, 0.75),
        (1, 0.5),  # it has waited for half an hour, which is not counted
        (1.25, 0.25),
        (1.5, 0),
    ],
)
def test_the_time_left_is_counted_from_the_start_of_the_bot(hours: float, left: float) -> None:
    guest: Any = Guest(started_ns=7, queued={1: HOUR_NS // 2})

    left_ns = hellos._left_ns(guest, HOUR_NS, 7 + int(hours * HOUR_NS))

    os.close(guest.reader)
    os.close(guest.writer)
    assert left_ns == left * HOUR_NS


def test_no_wait_is_longer_than_the_time_of_the_first_bot(
    pipes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seat 1 has started first. Each seat is looked at once more after its time has run out."""
    clock, waits_ms = FakeClock(), list[float]()
    clock.advance(HOUR_NS - 70 * MS - clock.now_ns())

    def wait(_: object, wait_ns: int) -> set[Guest]:
        waits_ms.append(wait_ns / MS)
        clock.advance(wait_ns)
        return set()

    monkeypatch.setattr(hellos, "_serve", wait)

    failed = failures(pipes, Guest(started_ns=10 * MS), Guest(), clock=clock)

    assert [failure.seat for failure in failed] == [0, 1]
    assert waits_ms == [50, 20, 0, 10, 0]


def test_a_hello_sent_right_before_the_end_counts(pipes: list[int]) -> None:
    assert failures(pipes, LastWords(hello_at=1), clock=Clock(hours=0)) == []


def test_failures_are_in_the_order_of_the_seats(pipes: list[int]) -> None:
    """Seat 1 fails at once, and seat 0 when its time is up."""
    news, closed = os.pipe()
    os.close(closed)
    pipes.append(news)
    guests = Guest(), Guest(ended="exit code 3", pidfd=news)

    failed = failures(pipes, *guests, clock=Clock(hours=0, step_ns=HOUR_NS // 12))

    assert [(each.seat, each.detail) for each in failed] == [
        (0, f"no valid hello within 3600 s{SILENT}"),
        (1, "ended before its hello: exit code 3"),
    ]


@pytest.mark.parametrize(
    ("refused", "detail"),
    [
        ((f"{SENTENCE}no book",), "it says no book and sends no hello within 3600 s"),
        (("one", "two"), "no valid hello within 3600 s; refused: one; two"),
    ],
)
def test_a_failure_says_what_was_refused(
    pipes: list[int], refused: tuple[str, ...], detail: str
) -> None:
    (failed,) = failures(pipes, Guest(refused=refused))

    assert failed.detail == detail


@pytest.mark.parametrize(
    ("printed", "hint"),
    [
        ("", SILENT),
        ("\n \n", BLANK),
        ('{"type": "hello"}\n', PLAIN_JSON),
        ('\n  {"type": "hello"}', PLAIN_JSON),
        ("book of {openings}", ""),
    ],
)
def test_a_failure_names_the_likely_mistake(pipes: list[int], printed: str, hint: str) -> None:
    (failed,) = failures(pipes, Guest(printed=printed))

    assert failed.detail == f"no valid hello within 3600 s{hint}"


@pytest.mark.parametrize(
    ("spent", "queued", "told"),
    [
        (0.0, 2.0, "; 7200000 ms of waiting for a core are not counted"),
        (4.5, 2.0, "; 1800000 ms of waiting for a core are not counted"),  # the rest of 5 hours
        (0.0, 0.01, "; 36000 ms of waiting for a core are not counted"),  # one part of 100
        (0.0, 0.0099, ""),
    ],
)
def test_a_failure_says_how_long_the_bot_waited_for_a_core(
    pipes: list[int], spent: float, queued: float, told: str
) -> None:
    guest = Guest(
        started_ns=2 * HOUR_NS,
        spent_ns=int(spent * HOUR_NS),
        queued={1: int(queued * HOUR_NS)},
    )

    (failed,) = failures(pipes, guest, clock=Clock(hours=7))

    assert failed.detail == f"no valid hello within 3600 s{SILENT}{told}"


@pytest.mark.parametrize(
    ("fields", "asked", "detail"),
    [
        ({}, [5], "no valid hello within 3600 s"),
        ({"ended": "exit code 1"}, [], "ended before its hello: exit code 1"),
        ({"refusal": "protocol 2"}, [], "its hello is rejected: protocol 2"),
    ],
)
def test_only_the_silence_of_a_remote_bot_may_be_that_of_its_line(
    pipes: list[int], fields: dict[str, Any], asked: list[int], detail: str
) -> None:
    """A match is void if the line was lost; but a bot that ended or spoke had its line."""
    guest = Guest(started_ns=5, **fields)
    line = guest.process = Line(guest)

    (failed,) = failures(pipes, guest, clock=Clock(hours=2))

    assert (failed.detail, line.asked) == (detail, asked)
