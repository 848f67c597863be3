"""A wall-clock deadline is extended by the time for which a bot waits for a core."""

from typing import Any

import pytest
from fakes import MS, FakeProcess, Hang
from seat import LIMIT, Seat

from protocol.vocabulary import Termination
from referee.job import TimeControl
from referee.seats.deadline import MAX_EXTENSION, Deadline, start_extension_ns
from referee.seats.stopwatch import SLICE_NS

FIRST_NS = 2 * LIMIT + 1000 * MS
"""Wall-clock deadline of a call with charged CPU time and without waiting."""


def waited(hang: Hang, **control: Any) -> tuple[int, str]:
    """Return the time until the timeout of an unanswered call, and its text."""
    seat = Seat(hang, clock="cpu", grace_ns=0, **control)
    began_ns = seat.clock.now_ns()

    fault = seat.fault(seat.move)

    assert fault.termination is Termination.TIMEOUT
    return seat.clock.now_ns() - began_ns, fault.detail


def test_a_bot_ready_to_run_gets_its_cpu_time_despite_waiting() -> None:
    took_ns, said = waited(Hang(cpu_ms=0.05, queued={1: 0.95}))

    # LIMIT of CPU time, a twentieth of the wall's
    assert 20 * LIMIT <= took_ns <= 20 * LIMIT + SLICE_NS + MS
    assert "by the cpu clock" in said


def test_a_bot_that_sleeps_has_no_more_time_than_on_an_idle_machine() -> None:
    assert waited(Hang())[0] == FIRST_NS
    assert waited(Hang(queued={1: 0, 2: 0}))[0] == FIRST_NS


def test_the_deadline_is_extended_by_the_waiting_time_only() -> None:
    took_ns, said = waited(Hang(queued={1: 0.5}))

    # half of the time after the first slice
    assert abs(took_ns - (2 * FIRST_NS - SLICE_NS)) <= 2
    assert "ms of waiting for a core are not counted" in said


@pytest.mark.parametrize("threads", [1, 64])
def test_the_extension_of_a_deadline_is_limited(threads: int) -> None:
    took_ns, _ = waited(Hang(queued=dict.fromkeys(range(threads), 1.0)))

    assert took_ns == (1 + MAX_EXTENSION) * FIRST_NS


def test_many_threads_that_wait_a_little_each_do_not_wait_together() -> None:
    took_ns, _ = waited(Hang(queued=dict.fromkeys(range(64), 1 / 64)))

    assert took_ns < FIRST_NS * 1.05


def test_threads_waiting_for_each_other_do_not_extend_the_deadline() -> None:
    # two that spin in turns on one core: as much CPU time as wall time
    took_ns, said = waited(Hang(cpu_ms=1.0, queued={1: 0.5, 2: 0.5}))

    assert took_ns <= LIMIT + SLICE_NS
    assert "by the cpu clock" in said


def test_waiting_before_the_call_does_not_extend_the_deadline() -> None:
    seat = Seat(Hang(), clock="cpu")
    seat.process.queued = {1: 10**12}
    began_ns = seat.clock.now_ns()

    seat.fault(seat.move)

    assert seat.clock.now_ns() - began_ns == FIRST_NS


def test_by_the_wall_clock_a_deadline_is_not_extended() -> None:
    seat = Seat(Hang(queued={1: 1.0}), clock="wall", grace_ns=7 * MS)
    began_ns = seat.clock.now_ns()

    seat.fault(seat.move)

    assert seat.clock.now_ns() - began_ns == LIMIT + 7 * MS


class Waiter(FakeProcess):
    """A process of which two threads have waited for a core before the call."""

    def __init__(self) -> None:
        super().__init__()
        self.spent_ns = 700 * MS
        self.queued = {1: 10_000 * MS, 2: 40_000 * MS}


def deadline(process: Waiter, limit_ns: int = LIMIT) -> Deadline:
    control = TimeControl(clock="cpu")
    return Deadline(process, control, sent_ns=0, limit_ns=limit_ns, grace_ns=0, most_ns=10**15)


def test_the_longest_wait_of_one_thread_counts() -> None:
    process = Waiter()
    late = deadline(process)
    late.look(0)
    process.queued = {1: 10_090 * MS, 2: 40_020 * MS, 3: 30 * MS}

    late.look(FIRST_NS)

    assert late.extension_ns == 90 * MS


def test_no_more_counts_than_the_time_without_cpu_time_since_the_first_look() -> None:
    process = Waiter()
    late = deadline(process)
    late.look(200 * MS)
    process.spent_ns += 300 * MS
    process.queued = {1: 15_000 * MS}

    late.look(FIRST_NS)

    assert late.extension_ns == FIRST_NS - 200 * MS - 300 * MS


def test_a_deadline_is_not_extended_before_it_is_missed() -> None:
    process = Waiter()
    early = deadline(process)
    early.look(0)
    process.queued = {1: 10_500 * MS}

    early.look(FIRST_NS - 1)

    assert early.extension_ns == 0
    assert str(early) == ""


def test_an_extension_never_shrinks() -> None:
    process = Waiter()
    late = deadline(process)
    late.look(0)
    process.queued = {1: 10_900 * MS}
    late.look(FIRST_NS)
    before_ns = late.extension_ns
    process.queued = {}

    late.look(late.at_ns)

    assert late.extension_ns == before_ns == 900 * MS
    assert str(late) == "; 900 ms of waiting for a core are not counted"


@pytest.mark.parametrize(
    ("more_ns", "is_of_bank"), [(-1, True), (0, True), (1, False)], ids=["below", "equal", "above"]
)
def test_the_wall_bank_ends_a_call_if_its_rest_is_not_above_the_limit(
    *, more_ns: int, is_of_bank: bool
) -> None:
    control = TimeControl(clock="cpu")
    rest_ns = FIRST_NS + more_ns

    call = Deadline(Waiter(), control, sent_ns=5, limit_ns=LIMIT, grace_ns=0, most_ns=rest_ns)

    assert call.is_of_bank is is_of_bank
    assert call.at_ns == 5 + min(FIRST_NS, rest_ns)


def test_the_wall_bank_pays_no_wait_for_a_core_up_to_three_quarters_of_a_call() -> None:
    process = Waiter()
    call = Deadline(
        process, TimeControl(clock="cpu"), sent_ns=1000, limit_ns=LIMIT, grace_ns=0, most_ns=10**15
    )
    assert call.free_ns(2000) == 0  # nothing has been read
    call.look(1000)

    process.queued = {2: 40_000 * MS + 10**12}
    assert call.free_ns(1000 + 4001) == 3000
    process.queued = {2: 40_000 * MS + 77}
    assert call.free_ns(1000 + 4001) == 77


def test_a_new_thread_has_not_waited_before_it_was_seen() -> None:
    process = Waiter()
    late = deadline(process)
    late.look(0)
    process.queued = {9: 1_000_001}

    late.look(FIRST_NS)

    assert late.extension_ns == 1_000_001
    assert type(late.free_ns(FIRST_NS)) is int


def test_a_fault_names_the_extension_in_milliseconds() -> None:
    late = deadline(Waiter())
    late.extension_ns = 600_000_000_000

    assert str(late) == "; 600000 ms of waiting for a core are not counted"


@pytest.mark.parametrize(
    ("spent_ms", "queued_ms", "wall_ms", "extension_ms"),
    [
        (10, {}, 100, 0),
        (10, {1: 30, 2: 20}, 100, 30),  # the longest wait of a thread
        (90, {1: 30, 2: 20}, 100, 10),  # the rest of the time went into its work
        (150, {1: 30}, 100, 0),  # two threads at work
        (10, {1: 900}, 950, 150),  # three times the limit of 50 ms
    ],
)
def test_a_start_is_extended_by_the_waiting_time_since_the_process_began(
    spent_ms: int, queued_ms: dict[int, int], wall_ms: int, extension_ms: int
) -> None:
    process = FakeProcess()
    process.spent_ns = spent_ms * MS
    process.queued = {thread: ms * MS for thread, ms in queued_ms.items()}

    assert start_extension_ns(process, 50 * MS, wall_ms * MS) == extension_ms * MS
