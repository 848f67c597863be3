"""What a seat's bank has left after each move."""

from fakes import MS
from seat import INIT, LIMIT, PONG, Seat, moved

from protocol.messages import Ready
from protocol.vocabulary import Termination
from referee.job import TimeControl
from referee.seats.clock import Budget


def test_the_bank_is_drawn_on_by_moves_alone() -> None:
    seat = Seat(PONG, moved(40, 40), moved(25, 25), {"type": "ready"}, bank_ns=100 * MS)

    seat.ping()
    seat.move()
    assert seat.budget.left_ms == 60
    seat.move()
    assert seat.budget.left_ms == 35
    seat.ask("init", INIT, Ready, LIMIT)

    assert seat.budget.left_ms == 35
    assert seat.charged_ns == 66 * MS


def test_the_flag_falls_at_the_move_that_crosses_the_bank() -> None:
    seat = Seat(moved(60, 60), moved(60, 60), bank_ns=100 * MS, per_move_ns=LIMIT, grace_ns=0)

    seat.move(seat.budget.move_limit_ns)
    assert seat.budget.move_limit_ns == 40 * MS
    fault = seat.fault(lambda: seat.move(seat.budget.move_limit_ns))

    assert fault.termination is Termination.TIMEOUT
    assert seat.budget.left_ms == 0


def test_the_limit_of_a_move_is_the_smaller_of_its_own_and_the_bank() -> None:
    assert Seat(bank_ns=3 * MS, per_move_ns=5 * MS).budget.move_limit_ns == 3 * MS
    assert Seat(bank_ns=9 * MS, per_move_ns=5 * MS).budget.move_limit_ns == 5 * MS
    assert Seat(bank_ns=None, per_move_ns=5 * MS).budget.move_limit_ns == 5 * MS


def test_each_move_adds_the_increment_to_what_is_left_of_the_bank() -> None:
    seat = Seat(
        *[moved(30, 30), moved(0, 0), moved(121, 121), moved(40, 40), moved(10, 10)],
        grace_ns=60 * MS,
        bank_ns=100 * MS,
        increment_ns=20 * MS,
        per_move_ns=10_000 * MS,
    )
    assert (seat.budget.left_ms, seat.budget.move_limit_ns) == (100, 100 * MS)

    left_ms = []
    for _ in range(5):
        seat.move(seat.budget.move_limit_ns)
        left_ms.append(seat.budget.left_ms)

    # the third move takes 11 ms of grace, and the fourth one 31 ms: all off the increment
    assert left_ms == [90, 110, 9, 0, 10]
    assert seat.budget.move_limit_ns == 10 * MS


def test_the_bank_is_added_again_after_every_bank_moves() -> None:
    seat = Seat(*[moved(30, 30)] * 6, bank_ns=100 * MS, bank_moves=2, per_move_ns=10_000 * MS)

    left_ms = []
    for _ in range(6):
        seat.move(seat.budget.move_limit_ns)
        left_ms.append(seat.budget.left_ms)

    assert left_ms == [70, 140, 110, 180, 150, 220]
    assert Budget(TimeControl(bank_ns=MS, bank_moves=1)).left_ms == 1


def test_a_move_of_exactly_the_rest_is_in_time_and_one_longer_is_not_saved_by_its_increment() -> (
    None
):
    steps = [moved(50, 50), moved(30, 30), moved(30.000001, 0)]
    seat = Seat(*steps, bank_ns=50 * MS, increment_ns=30 * MS, grace_ns=0, clock="wall")

    for _ in range(2):
        seat.move(seat.budget.move_limit_ns)
        assert seat.budget.bank_ns == 30 * MS
    fault = seat.fault(lambda: seat.move(seat.budget.move_limit_ns))

    assert fault.termination is Termination.TIMEOUT


def test_a_budget_counts_in_whole_milliseconds_and_by_turns_of_three() -> None:
    budget = Budget(TimeControl(bank_ns=2_500_000, bank_moves=3, per_move_ns=10**9))
    assert (budget.left_ms, type(budget.left_ms)) == (2, int)

    for spent_ns, left_ms in ((100_000, 2), (1_000_000, 1), (100_000, 3)):
        budget.charge_move(spent_ns)
        assert (budget.left_ms, type(budget.left_ms)) == (left_ms, int)
    assert Budget(TimeControl()).left_ms is None
