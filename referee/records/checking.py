"""The check of a record: its moves against the rules, and its end against its adjudication."""

from typing import Any

from protocol.vocabulary import Termination
from referee.records.adjudicator import MAX_PLIES, TABLE_DRAW, TABLE_WIN, Adjudicator, lost
from referee.records.record import Record
from referee.records.replay import ReplayError, game_of, steps
from referee.rules import Game, Outcome
from referee.tablebases import is_covered


def check_record(record: Record) -> None:
    """Raise ReplayError unless a match can be replayed and had to end as it did.

    The scores of the bots are in the record, so an adjudication by them is decided again.
    Tablebases are asked only by the referee of the match: here only the position is checked.
    """
    job, verdict = record.job, record.verdict
    game = game_of(job)
    adjudicator = None if job.adjudicate is None else Adjudicator(job.adjudicate, game)
    ended: Outcome | None = None
    state: Any = None
    for step in steps(job, record.calls):
        if ended is not None:
            raise ReplayError(f"ply {step.ply}: the match was over, {ended.reason}")
        state = step.state
        if adjudicator is not None and step.call is not None and step.call.move is not None:
            ended = adjudicator.add(step.call, state)
    if verdict.faults or (ended is None and verdict.termination is not Termination.ADJUDICATION):
        return
    expected = ended or _other_end(record, game, state)
    due = (Termination.ADJUDICATION, expected.reason, expected.points, expected.places)
    said = (verdict.termination, verdict.reason, verdict.points, verdict.places)
    if said != due:
        raise ReplayError(f"the end: {_shown(due)} by the moves, {_shown(said)} in the record")


def _other_end(record: Record, game: Game[Any, Any], state: Any) -> Outcome:
    """Return the result of an adjudication by the number of moves or by tablebases."""
    verdict, terms = record.verdict, record.job.adjudicate
    if record.calls.moves == record.job.most_moves:
        return game.adjudicate(state, MAX_PLIES)
    pieces = terms.pieces or 0 if terms else 0
    is_by_table = verdict.reason in (TABLE_DRAW, TABLE_WIN)
    if not is_by_table or not is_covered(str(game.view(state, 0).get("fen")), pieces):
        raise ReplayError("the game is not over")
    if verdict.reason == TABLE_DRAW:
        return game.adjudicate(state, TABLE_DRAW)
    loser = max(range(2), key=lambda seat: verdict.places[seat])
    return lost(game, state, loser, TABLE_WIN) or game.adjudicate(state, TABLE_DRAW)


def _shown(end: tuple[Termination, str, tuple[int, ...], tuple[int, ...]]) -> str:
    termination, reason, points, _ = end
    return f"{termination.value}, {reason}, points {', '.join(map(str, points))}"
