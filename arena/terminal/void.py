"""`arena replay void-N`: the match up to the move at which its rules raised an error."""

import traceback
from pathlib import Path

from arena.errors import UsageError
from arena.results.queries import find_void
from arena.results.store import Store
from arena.terminal.story import check_replay, position_text, positions, step_line
from protocol.vocabulary import Seat
from protocol.wording import escaped
from referee.errors import UNCHECKED
from referee.job import Job
from referee.move_codec import MoveCodec
from referee.records.calls import Json
from referee.records.replay import ReplayStep, game_of
from referee.records.void_record import VoidRecord
from referee.seeds import due_draws

NOT_NOW = "these rules raise nothing there now: they have changed, or depend on more than the seed"


def read_void(store: Store, name: str) -> VoidRecord:
    """Return the record of a void attempt; raises EventError or UsageError."""
    try:
        return VoidRecord.from_bytes(find_void(store, name))
    except UNCHECKED as error:
        raise UsageError(f"{store.path}: {name} is damaged: {escaped(str(error))}") from None


def void_text(
    name: str, void: VoidRecord, at: int | None = None, *, has_boards: bool, seat: Seat | None
) -> str:
    """Return the moves of a void match, the last position, the error, and what happens now."""
    job = void.record.job
    parts = [f"{name}, match {job.key}, {job.game}: {' - '.join(map(escaped, job.names()))}"]
    try:
        check_replay(void.record, seat)
        found = positions(void.record, at or 0)
    except UsageError as error:
        return "\n".join([*parts, str(error), _error(void)])
    except Exception as error:  # noqa: BLE001 - the rules are broken
        return "\n".join([*parts, f"no position: its rules raise {_short(error)}", _error(void)])
    if has_boards:
        parts += [_board(job, found, place, seat) for place in range(len(found))]
    else:
        parts += [step_line(job, step, seat) for step in (found[:-1] if at is None else ())]
        parts.append(_board(job, found, len(found) - 1 if at is None else at, seat))
    return "\n".join([*parts, _next(void), _error(void), _now(job, found[-1], void.move)])


def _board(job: Job, found: list[ReplayStep], at: int, seat: Seat | None) -> str:
    try:
        return position_text(job, found, at, seat=seat)
    except Exception as error:  # noqa: BLE001 - the rules are broken
        return f"no board, its rules raise {_short(error)}"


def _next(void: VoidRecord) -> str:
    if void.move is None:
        return "\nthere its rules raised an error:\n"
    return f"\nthere its rules raised an error about the move {escaped(str(void.move))}:\n"


def _error(void: VoidRecord) -> str:
    return "\n".join(map(escaped, void.traceback.rstrip().splitlines()))


def _now(job: Job, step: ReplayStep, move: Json | None) -> str:
    """Return what the rules do at this place now."""
    game, state = game_of(job), step.state
    try:
        if move is not None:
            state = game.apply(state, MoveCodec(game).read_move(move))
        *_, state = [state, *(after for _, after in due_draws(game, state, job.seed, step.ply))]
        if game.outcome(state) is None:
            list(game.legal(state))
        for seat in job.seats():
            game.view(state, seat)
    except Exception as error:  # noqa: BLE001 - whatever the rules raise
        return f"\nnow they raise {_short(error)}"
    return f"\n{NOT_NOW}"


def _short(error: Exception) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}, line {place.lineno}"
    return f"{type(error).__name__}: {escaped(str(error))} ({where})"
