"""Replay of a record: every position of a match, checked against the rules."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from protocol.messages import Fields
from protocol.wording import shown
from referee.errors import UNCHECKED
from referee.job import Job
from referee.move_codec import MoveCodec
from referee.options import make_game
from referee.records.calls import Call, entry_of
from referee.rules import Game, RuleError


class ReplayError(Exception):
    """A record in contradiction to the rules."""


@dataclass(frozen=True)
class ReplayStep:
    """One position of a match and the call before; None at the start."""

    ply: int
    state: Any
    call: Call | None = None
    before: Any = None
    """The position before the call."""
    move: Any = None
    """The move or draw of the call, as the game's own."""


def game_of(job: Job) -> Game[Any, Any]:
    """Return the game of a match, with its options; raises ReplayError for an unknown game."""
    try:
        return make_game(job.game, job.options)
    except (LookupError, ImportError, RuleError) as error:
        raise ReplayError(str(error)) from None


class Replay:
    """A match replayed call by call, even a running one."""

    def __init__(self, job: Job) -> None:
        """Set up the first position; raises ReplayError."""
        self.game = game_of(job)
        self._codec = MoveCodec(self.game)
        if len(job.players) not in self.game.seats:
            raise ReplayError(f"{job.game} has no match of {len(job.players)}")
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
        """Return the move of an entry, and the next position."""
        game = self.game
        try:
            if game.outcome(state) is None:
                self._check_turn(state, entry, where)
            move = self._codec.read_played(entry)
            return move, game.apply(state, move)
        except RuleError as error:
            raise ReplayError(f"{where}: {error}") from None
        except UNCHECKED as error:
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
