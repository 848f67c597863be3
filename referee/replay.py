"""Playing a record back: every position of a match again, checked against the rules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from referee.border import Border
from referee.job import ScoreRule, TimeControl
from referee.options import make_game
from referee.rules import Game, Outcome, RuleError
from referee.verdict import Standing, settle


class ReplayError(Exception):
    """A record that the rules do not bear out."""


@dataclass(frozen=True)
class Step:
    """One position of a match and the call that led to it; the first has none."""

    ply: int
    state: Any
    call: Mapping[str, Any] | None = None


def game_of(record: Mapping[str, Any]) -> Game[Any, Any]:
    """Return the game that a record is of."""
    return make_game(record["game"], record["options"])


def steps(record: Mapping[str, Any]) -> Iterator[Step]:
    """Yield every position from the start, or raise ReplayError at the first wrong move."""
    game = game_of(record)
    border = Border(game)
    state = game.start(len(record["players"]), int(record["board_seed"]))
    for number, entry in enumerate(record["history"]):
        state = _after(game, border, state, entry, f"history, ply {number}")
    ply = 0
    yield Step(ply, state)
    for call in record["calls"]:
        if "move" in call:
            state = _after(game, border, state, call, f"ply {ply}")
            ply += 1
        elif _is_retirement(call) and game.outcome(state) is None:
            state = game.retire(state, call["seat"])
        else:
            continue
        yield Step(ply, state, call)


def verify(record: Mapping[str, Any]) -> None:
    """Raise ReplayError unless the moves are legal and lead to the verdict, scores included."""
    game = game_of(record)
    state = None
    for step in steps(record):
        state = step.state
    verdict = record["verdict"]
    outcome = game.outcome(state)
    if outcome is None:
        outcome = _stopped(game, state, record)
    at_fault = [call for call in record["calls"] if "fault" in call]
    _compare(
        "faults",
        [(call["seat"], call["fault"], call["call"]) for call in at_fault],
        [(fault["seat"], fault["termination"], fault["call"]) for fault in verdict["faults"]],
    )
    standing = _settled(outcome, record)
    result = (standing.points, standing.places)
    _compare("points and places", result, (verdict["points"], verdict["places"]))
    _compare("scores", standing.scores, verdict["scores"])


def _after(
    game: Game[Any, Any], border: Border, state: Any, played: Mapping[str, Any], where: str
) -> Any:
    """Return the position after a move of the record, or raise ReplayError."""
    try:
        if game.outcome(state) is None and played["seat"] != game.turn(state):
            raise ReplayError(f"{where}: it is the turn of seat {game.turn(state)}")
        return game.apply(state, border.read_move(played["move"]))
    except RuleError as error:
        raise ReplayError(f"{where}: {error}") from None
    except (LookupError, TypeError) as error:
        raise ReplayError(f"{where}: no move of {game.name}: {error!r}") from None


def _is_retirement(call: Mapping[str, Any]) -> bool:
    return "fault" in call or "resign" in call


def _stopped(game: Game[Any, Any], state: Any, record: Mapping[str, Any]) -> Outcome:
    """Return the result of a game that the rules did not end."""
    plies = sum("move" in call for call in record["calls"])
    if plies != record["max_plies"] and not any("done" in call for call in record["calls"]):
        raise ReplayError("the game is not over")
    return game.adjudicate(state, record["verdict"]["reason"])


def _settled(outcome: Outcome, record: Mapping[str, Any]) -> Standing:
    charged_ns = [0] * len(record["players"])
    for call in record["calls"]:
        charged_ns[call["seat"]] += call["charged_ns"]
    rule = {name: value and Decimal(value) for name, value in record["score"].items()}
    return settle(
        outcome,
        rule=ScoreRule(**rule),
        time=TimeControl(**record["time"]),
        charged_ns=charged_ns,
        faults={fault["seat"]: fault["call"] for fault in record["verdict"]["faults"]},
    )


def _compare(what: str, replayed: object, recorded: object) -> None:
    if _lists(replayed) != _lists(recorded):
        raise ReplayError(f"{what}: {replayed} by the moves, {recorded} in the record")


def _lists(value: object) -> object:
    return [_lists(item) for item in value] if isinstance(value, list | tuple) else value
