"""Options of a game to check a bot with: one at a time, at the ends of its range."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from arena.config.game_options import GameOption, options_of
from referee.catalog import AnyGame
from referee.rules import OptionError

MAX_NUMBER = 20
"""Where an option may be larger than this: huge boards take the rules too long, not the bot."""


def option_values(game: AnyGame) -> Iterator[tuple[str, Any]]:
    """Yield options with other values than this game's, where they are valid."""
    for option in options_of(type(game)):
        now = getattr(game, option.name)
        for value in _values(option):
            if value != now and is_game(game, option.name, value):
                yield option.name, value


def is_game(game: AnyGame, option: str, value: Any) -> bool:
    """Whether the game can be played with this option changed."""
    try:
        with_option(game, option, value).start(min(game.seats), 0)
    except OptionError:
        return False
    return True


def with_option(game: AnyGame, option: str, value: Any) -> AnyGame:
    """Return the game with one option changed; raises OptionError for an invalid value."""
    return replace(game, **{option: value})  # type: ignore[type-var]  # every game is a dataclass


def has_display(game: AnyGame) -> bool:
    """Whether the game can ask for the board, with its options or others."""
    return asks_for_board(game) or display_option(game) is not None


def display_option(game: AnyGame) -> str | None:
    """Return an option with which the game asks for the board, like `display=check`."""
    for option, value in option_values(game):
        if asks_for_board(with_option(game, option, value)):
            return f"{option}={value}"
    return None


def asks_for_board(game: AnyGame) -> bool:
    """Whether the game asks for the board at its start, as with these options throughout."""
    return game.is_display_due(game.start(min(game.seats), 1))


def _values(option: GameOption) -> Sequence[Any]:
    if option.type is bool:
        return (False, True)
    if option.type is int and option.default is not None:
        ends = (option.least, option.most)
        return [min(end, MAX_NUMBER) for end in ends if end is not None]
    return option.choices
