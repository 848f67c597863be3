"""Replay of a record: every position of a match, checked against the rules."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from protocol.messages import Fields
from protocol.vocabulary import Seat
from protocol.wording import shown
from referee.border import Border
from referee.calls import Call
from referee.job import Job
from referee.options import make_game
from referee.record import Record
from referee.rules import Game, Outcome, RuleError
from referee.verdict import SeatResults, settle


class ReplayError(Exception):
    """A record that contradicts the rules."""


@dataclass(frozen=True)
class ReplayStep:
    """One position of a match and the call that led to it; None at the start."""

    ply: int
    state: Any
    call: Call | None = None


def game_of(job: Job) -> Game[Any, Any]:
    """Return the game of a match, with its options."""
    return make_game(job.game, job.options)


class Replay:
    """A match replayed call by call, also while it is played."""

    def __init__(self, job: Job) -> None:
        """Set up the first position; raises ReplayError."""
        self.game = game_of(job)
        self._border = Border(self.game)
        state = self.game.start(len(job.players), job.board_seed)
        for number, entry in enumerate(job.history):
            state = self._after(state, entry["move"], entry["seat"], f"history, ply {number}")
        self.step = ReplayStep(0, state)
        """The last position."""

    def add(self, call: Call) -> ReplayStep | None:
        """Return the position after a call, or None if it changed nothing; raises ReplayError."""
        ply, state = self.step.ply, self.step.state
        if call.move is not None:
            state = self._after(state, call.move, call.seat, f"ply {ply}")
            ply += 1
        elif (call.fault or call.resign) and self.game.outcome(state) is None:
            state = self.game.retire(state, call.seat)
        else:
            return None
        self.step = ReplayStep(ply, state, call)
        return self.step

    def _after(self, state: Any, move: Fields, seat: Seat, where: str) -> Any:
        game = self.game
        try:
            if game.outcome(state) is None and seat != game.turn(state):
                raise ReplayError(f"{where}: it is the turn of seat {game.turn(state)}")
            return game.apply(state, self._border.read_move(move))
        except RuleError as error:
            raise ReplayError(f"{where}: {error}") from None
        except (LookupError, TypeError) as error:
            raise ReplayError(f"{where}: not a move of {game.name}: {shown(error)}") from None


def steps(job: Job, calls: Iterable[Call]) -> Iterator[ReplayStep]:
    """Yield every position from the start; raises ReplayError at the first wrong move."""
    replay = Replay(job)
    yield replay.step
    for call in calls:
        if (step := replay.add(call)) is not None:
            yield step


def verify(record: Record) -> None:
    """Raise ReplayError unless the moves are legal and lead to the verdict, scores included."""
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
    standing = _settled(outcome, record)
    result = (standing.points, standing.places)
    _compare("points and places", result, (verdict.points, verdict.places))
    _compare("scores", standing.scores, verdict.scores)


def _stopped(game: Game[Any, Any], state: Any, record: Record) -> Outcome:
    """Return the result of a game that did not end by the rules."""
    if record.plies != record.job.max_plies and not any(call.done for call in record.calls):
        raise ReplayError("the game is not over")
    return game.adjudicate(state, record.verdict.reason)


def _settled(outcome: Outcome, record: Record) -> SeatResults:
    return settle(
        outcome,
        rule=record.job.score,
        time=record.job.time,
        charged_ns=[record.calls.spent(seat).charged_ns for seat in record.job.seats()],
        faults={fault.seat: fault.call for fault in record.verdict.faults},
    )


def _compare(subject: str, replayed: object, recorded: object) -> None:
    if replayed != recorded:
        raise ReplayError(f"{subject}: {replayed} by the moves, {recorded} in the record")
