"""Positions from the command line: a game, its options and the moves played."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.config.assignments import read_assignment
from arena.errors import UsageError
from referee.catalog import BrokenGameError, UnknownGameError
from referee.foreign import ELSEWHERE, FOREIGN
from referee.options import make_game
from referee.rules import Game, OptionError, RuleError


@dataclass(frozen=True)
class GamePosition:
    """A game and its state."""

    game: Game[Any, Any]
    state: Any


def game_with(name: str, assignments: Sequence[str]) -> Game[Any, Any]:
    """Return the game with options given as `key=value`, or raise UsageError."""
    if name == FOREIGN:
        raise UsageError(ELSEWHERE)
    options = dict(read_assignment(assignment) for assignment in assignments)
    try:
        return make_game(name, options)
    except (UnknownGameError, BrokenGameError) as error:
        raise UsageError(str(error)) from None
    except OptionError as error:
        raise UsageError(f"option {error.option}: {error.detail}") from None


def long_options(arguments: Sequence[str]) -> list[str]:
    """Return `--men-rows 2` and `--men-rows=2` as the assignments `men_rows=2`."""
    assignments = []
    left = list(arguments)
    while left:
        word = left.pop(0)
        if not word.startswith("--"):
            raise UsageError(
                f'"{word}" is not an option of the game; write --key value or -o key=value'
            )
        name, equals, value = word[2:].partition("=")
        if not equals:
            if not left:
                raise UsageError(f"{word} needs a value")
            value = left.pop(0)
        assignments.append(f"{name.replace('-', '_')}={value}")
    return assignments


def position_after(game: Game[Any, Any], moves: str, seed: int, seats: int | None) -> GamePosition:
    """Return the position after moves in notation, separated by spaces; raises UsageError."""
    if game.has_chance:
        raise UsageError(f"{game.name} has draws: its games cannot be counted")
    if seats is not None and seats not in game.seats:
        span = " to ".join(map(str, sorted({game.seats[0], game.seats[-1]})))
        raise UsageError(f"--seats must be {span} for {game.name}, not {seats}")
    try:
        state = game.start(seats or min(game.seats), seed)
        for number, text in enumerate(moves.split(), start=1):
            try:
                state = game.apply(state, game.parse_in(state, text))
            except RuleError as error:
                raise UsageError(f"move {number}, {text}: {error}") from None
    except OptionError as error:
        raise UsageError(f"option {error.option}: {error.detail}") from None
    return GamePosition(game, state)
