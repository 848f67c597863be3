"""Replay of a record: every position of a match, checked against the rules."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from protocol.messages import Fields
from protocol.wording import shown
from referee.calls import Call, entry_of
from referee.foreign import NOT_REFEREED
from referee.job import Job
from referee.move_codec import MoveCodec
from referee.options import make_game
from referee.record import Record
from referee.rules import Game, Outcome, RuleError
from referee.scoring import SeatResults, seat_results


class ReplayError(Exception):
    """A record that contradicts the rules."""


@dataclass(frozen=True)
class ReplayStep:
    """One position of a match and the call that led to it; None at the start."""

    ply: int
    state: Any
    call: Call | None = None
    before: Any = None
    """The position before the call."""
    move: Any = None
    """The move or draw of the call, as the game's own."""


def game_of(job: Job) -> Game[Any, Any]:
    """Return the game of a match, with its options."""
    return make_game(job.game, job.options)


class Replay:
    """A match replayed call by call, also while it is played."""

    def __init__(self, job: Job) -> None:
        """Set up the first position; raises ReplayError."""
        self.game = game_of(job)
        self._codec = MoveCodec(self.game)
        state = self.game.start(len(job.players), job.board_seed)
        for number, entry in enumerate(job.history):
            _, state = self._after(state, entry, f"history, ply {number}")
        self.step = ReplayStep(0, state)
        """The last position."""

    def add(self, call: Call) -> ReplayStep | None:
        """Return the position after a call, or None if it changed nothing; raises ReplayError."""
        ply, before = self.step.ply, self.step.state
        move = None
        if call.move is not None:
            move, after = self._after(before, entry_of(call), f"ply {ply}")
            ply += 1
        elif (
            (call.fault or call.resign)
            and call.seat is not None
            and self.game.outcome(before) is None
        ):
            after = self.game.retire(before, call.seat)
        else:
            return None
        self.step = ReplayStep(ply, after, call, before, move)
        return self.step

    def _after(self, state: Any, entry: Fields, where: str) -> tuple[Any, Any]:
        """Return the move of an entry, and the position after it."""
        game = self.game
        try:
            if game.outcome(state) is None:
                self._check_turn(state, entry, where)
            move = self._codec.read_played(entry)
            return move, game.apply(state, move)
        except RuleError as error:
            raise ReplayError(f"{where}: {error}") from None
        except (LookupError, TypeError) as error:
            raise ReplayError(f"{where}: not a move of {game.name}: {shown(error)}") from None

    def _check_turn(self, state: Any, entry: Fields, where: str) -> None:
        """Raise ReplayError unless this seat is to move, or a draw is due."""
        game = self.game
        is_draw_due = game.has_chance and game.draw(state, Random(0)) is not None  # noqa: S311 - any numbers
        if is_draw_due != (entry.get("chance") is True):
            raise ReplayError(f"{where}: {'a draw' if is_draw_due else 'no draw'} is due")
        if not is_draw_due and entry["seat"] != game.turn(state):
            raise ReplayError(f"{where}: it is the turn of seat {game.turn(state)}")


def steps(job: Job, calls: Iterable[Call]) -> Iterator[ReplayStep]:
    """Yield every position from the start; raises ReplayError at the first wrong move."""
    replay = Replay(job)
    yield replay.step
    for call in calls:
        if (step := replay.add(call)) is not None:
            yield step


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
    standing = _settled(outcome, record)
    result = (standing.points, standing.places)
    _compare("points and places", result, (verdict.points, verdict.places))
    _compare("scores", standing.scores, verdict.scores)


def _stopped(game: Game[Any, Any], state: Any, record: Record) -> Outcome:
    """Return the result of a game that did not end by the rules."""
    if record.calls.moves != record.job.max_plies and not any(call.done for call in record.calls):
        raise ReplayError("the game is not over")
    return game.adjudicate(state, record.verdict.reason)


def _settled(outcome: Outcome, record: Record) -> SeatResults:
    return seat_results(
        outcome,
        rule=record.job.score,
        time=record.job.time,
        charged_ns=[record.calls.charged_ns(seat) for seat in record.job.seats()],
        faults={fault.seat: fault.call for fault in record.verdict.faults},
    )


def _compare(subject: str, replayed: object, recorded: object) -> None:
    if replayed != recorded:
        raise ReplayError(f"{subject}: {replayed} by the moves, {recorded} in the record")
