"""The result of each seat, so that a fault never pays.

Two rules, for every game and every score rule:

* a seat at fault places behind every seat without a fault, and scores at least a point less; a
  score rule's floor is for seats without a fault;
* its clock runs out: it is charged the whole limits of all calls to an honest end of the match. A
  bot that resigns or is done instead, at any allowed speed, scores no less. A crash is charged
  like a hang: otherwise a bot could save, by ending itself, the time that its rules make dear.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from protocol.vocabulary import Seat
from referee.job import ScoreRule, TimeControl
from referee.rules import Outcome

NANOSECONDS = Decimal(1_000_000_000)
_SIX_PLACES = Decimal("0.000001")
MARGIN = 1
"""Least difference in points between a seat at fault and the worst seat without a fault."""


@dataclass(frozen=True, kw_only=True)
class SeatResults:
    """Points, places and scores by seat, the scores as text decimals."""

    points: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[str, ...]


def seat_results(
    outcome: Outcome,
    *,
    rule: ScoreRule,
    times: Sequence[TimeControl],
    charged_ns: Sequence[int],
    faults: Mapping[Seat, str],
) -> SeatResults:
    """Return the results of all seats; `faults` has the call of each offender's fault.

    `times` are the time controls of the seats.
    """
    seats = range(len(outcome.points))
    honest = [seat for seat in seats if seat not in faults]
    points = list(outcome.points)
    worst = min((points[seat] for seat in honest), default=0)
    if len(seats) > 1:
        for seat in faults:
            points[seat] = min(points[seat], worst) if honest else 0
    scores = [score(rule, won, spent) for won, spent in zip(points, charged_ns, strict=True)]
    for seat, call in faults.items():
        out_of_time = charged_ns[seat] + _left_ns(times[seat], call)
        scores[seat] = min(scores[seat], score(rule, points[seat], out_of_time))
    if honest:
        below = min(scores[seat] for seat in honest) - MARGIN
        for seat in faults:
            scores[seat] = min(scores[seat], below)
    return SeatResults(
        points=tuple(points), places=_places(outcome, honest), scores=tuple(map(to_text, scores))
    )


def score(rule: ScoreRule, points: int, charged_ns: int) -> Decimal:
    """Return the score for points after the charged time."""
    value = Decimal(points)
    if rule.percent_per_ms is not None:
        milliseconds = Decimal(charged_ns) / 1_000_000
        value *= max(Decimal(0), 1 - rule.percent_per_ms / 100 * milliseconds)
    if rule.per_second is not None:
        value -= rule.per_second * charged_ns / NANOSECONDS
    if rule.floor is not None:
        value = max(rule.floor, value)
    return value


def to_text(value: Decimal) -> str:
    """Return a score as a text decimal of at most six places."""
    # + 0 turns -0, the result of a charge below half a microsecond, into 0
    return format(value.quantize(_SIX_PLACES).normalize() + 0, "f")


def _places(outcome: Outcome, honest: Sequence[Seat]) -> tuple[int, ...]:
    """Return the places: those of the rules for seats without a fault, then all others."""
    ranks = outcome.places
    return tuple(
        1 + sum(ranks[other] < rank for other in honest) if seat in honest else 1 + len(honest)
        for seat, rank in enumerate(ranks)
    )


def _left_ns(time: TimeControl, call: str) -> int:
    """Return the largest charge of an honest end from this call on, in nanoseconds."""
    limits = [time.per_move_ns, time.term_ns]
    if call != "move":
        limits.append(time.display_ns)
    if call in ("start", "init"):
        limits.append(time.init_ns)
    return sum(limits) + time.grace_ns
