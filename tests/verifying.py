"""The check of a record: its moves replayed by the rules, and its verdict worked out again."""

from typing import Any

from protocol.vocabulary import Termination
from referee.foreign import NOT_REFEREED
from referee.records.checking import check_record
from referee.records.record import Record
from referee.records.replay import ReplayError, game_of, steps
from referee.records.scoring import seat_results
from referee.rules import Game, Outcome


def verify(record: Record) -> None:
    """Raise ReplayError unless the moves are legal and lead to the verdict, scores included."""
    if record.foreign is not None:
        raise ReplayError(f"{NOT_REFEREED}: it has no moves to check")
    game = game_of(record.job)
    state = None
    for step in steps(record.job, record.calls):
        state = step.state
    verdict = record.verdict
    outcome = game.outcome(state)
    if outcome is None:
        outcome = _stopped(game, state, record)
    _compare(
        "faults",
        [(call.seat, call.fault, call.call) for call in record.calls if call.fault],
        [(fault.seat, fault.termination, fault.call) for fault in verdict.faults],
    )
    results = seat_results(
        outcome,
        rule=record.job.score,
        times=[record.job.time_of(seat) for seat in record.job.seats()],
        charged_ns=[record.calls.charged_ns(seat) for seat in record.job.seats()],
        faults={fault.seat: fault.call for fault in verdict.faults},
    )
    points_and_places = (results.points, results.places)
    _compare("points and places", points_and_places, (verdict.points, verdict.places))
    _compare("scores", results.scores, verdict.scores)


def _stopped(game: Game[Any, Any], state: Any, record: Record) -> Outcome:
    """Return the result of a game without an end by the rules."""
    verdict = record.verdict
    if verdict.termination is Termination.ADJUDICATION:
        check_record(record)
        return Outcome(verdict.points, verdict.places, verdict.reason)
    if not any(call.done for call in record.calls):
        raise ReplayError("the game is not over")
    return game.adjudicate(state, verdict.reason)


def _compare(subject: str, replayed: object, recorded: object) -> None:
    if replayed != recorded:
        raise ReplayError(f"{subject}: {replayed} by the moves, {recorded} in the record")
