"""Results of seats by their points, times and faults, in exact numbers."""

from decimal import Decimal
from itertools import pairwise

import pytest

from protocol.vocabulary import Seat
from referee.job import MILLISECOND_NS, SECOND_NS, ScoreRule, TimeControl
from referee.records.scoring import SeatResults, score, seat_results, to_text
from referee.rules import Outcome

TIME = TimeControl(
    init_ns=50 * SECOND_NS,
    per_move_ns=3 * SECOND_NS,
    display_ns=20 * SECOND_NS,
    term_ns=4 * SECOND_NS,
    grace_ns=SECOND_NS // 2,
)
A_SECOND = ScoreRule(per_second=Decimal(1))


def results(
    *points: int,
    faults: dict[Seat, str] | None = None,
    rule: ScoreRule = A_SECOND,
    charged_ns: tuple[int, ...] | None = None,
) -> SeatResults:
    return seat_results(
        Outcome.by_points(points, "the end"),
        rule=rule,
        times=[TIME] * len(points),
        charged_ns=charged_ns or (0,) * len(points),
        faults=faults or {},
    )


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (ScoreRule(), "40"),
        (ScoreRule(per_second=Decimal(2)), "37"),
        (ScoreRule(percent_per_ms=Decimal("0.01")), "34"),
        (ScoreRule(percent_per_ms=Decimal("0.01"), per_second=Decimal(2)), "31"),
        (ScoreRule(percent_per_ms=Decimal(1)), "0"),  # never below nothing
        (ScoreRule(per_second=Decimal(100), floor=Decimal(-5)), "-5"),
    ],
)
def test_time_is_charged_by_the_rule(rule: ScoreRule, expected: str) -> None:
    assert to_text(score(rule, 40, 1500 * MILLISECOND_NS)) == expected


@pytest.mark.parametrize(
    ("value", "text"), [("-0.0000001", "0"), ("1E+2", "100"), ("0.1234567", "0.123457")]
)
def test_a_score_is_a_plain_decimal_of_six_places(value: str, text: str) -> None:
    assert to_text(Decimal(value)) == text


@pytest.mark.parametrize(
    ("call", "charged_s"),
    [
        ("move", 3 + 4 + 0.5),
        ("display", 3 + 4 + 20 + 0.5),
        ("term", 3 + 4 + 20 + 0.5),
        ("init", 3 + 4 + 20 + 50 + 0.5),
        ("start", 3 + 4 + 20 + 50 + 0.5),
    ],
)
def test_a_fault_is_charged_the_whole_limits_until_an_honest_end(
    call: str, charged_s: float
) -> None:
    alone = results(100, faults={0: call}, charged_ns=(SECOND_NS,))

    assert float(alone.scores[0]) == 100 - 1 - charged_s


def test_a_faulty_seat_has_no_more_points_than_the_worst_honest_one() -> None:
    found = results(9, 5, 7, faults={0: "move"}, rule=ScoreRule())

    assert found.points == (5, 5, 7)
    assert found.scores == ("4", "5", "7")  # a point less than the worst
    assert found.places == (3, 2, 1)


def test_a_faulty_seat_with_fewer_points_keeps_them() -> None:
    found = results(1, 5, 7, faults={0: "move"}, rule=ScoreRule())

    assert found.points == (1, 5, 7)
    assert found.scores == ("1", "5", "7")


def test_a_fault_scores_below_an_honest_seat_at_its_floor() -> None:
    rule = ScoreRule(per_second=Decimal(1), floor=Decimal(0))
    found = results(2, 2, faults={1: "move"}, rule=rule, charged_ns=(9 * SECOND_NS, 0))

    assert found.scores == ("0", "-1")


def test_where_every_seat_is_at_fault_nobody_has_points() -> None:
    found = results(9, 5, faults={0: "move", 1: "init"}, rule=ScoreRule())

    assert found.points == (0, 0)
    assert found.scores == ("0", "0")
    assert found.places == (1, 1)


def test_a_single_seat_keeps_its_points_despite_a_fault() -> None:
    assert results(9, faults={0: "move"}, rule=ScoreRule()).points == (9,)


def test_a_fault_at_an_earlier_call_never_scores_more() -> None:
    calls = ("move", "display", "init")
    scores = [Decimal(results(100, faults={0: call}).scores[0]) for call in calls]

    assert all(later > earlier for later, earlier in pairwise(scores))
