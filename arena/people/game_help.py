"""Answers to a person's questions about a game: rules, options, number of continuations."""

import sys
import time
from typing import Any

from arena.config.game_options import GameOption
from arena.counting.count import CountProgress, CountStoppedError, continuations
from arena.text import plural
from referee.catalog import AnyGame
from referee.options import game_options

COUNT_S = 10.0
COUNT_BYTES = 1 << 30


def rules_text(game: AnyGame) -> str:
    """Return the options of a game, and its rules as its module has them."""
    cls = type(game)
    options = game_options(game).items()
    chosen = [f"  {name}: {'default' if value is None else value}" for name, value in options]
    rules = getattr(sys.modules.get(cls.__module__), "__doc__", None) or cls.summary
    return "\n".join(["options of this match:", *chosen, "", "rules:", "", rules.strip()])


def option_text(option: GameOption) -> str:
    """Return the meaning of an option of a game, with its least and greatest value."""
    has_limits = option.least is not None and option.most is not None
    limits = [f"{option.least} to {option.most}"] if has_limits else []
    return ", ".join([option.meaning.removesuffix("."), *limits]).strip(", ")


def count_text(game: AnyGame, state: Any) -> str:
    """Return the number of continuations, or a lower bound after COUNT_S seconds."""
    if game.has_chance:
        return "not counted: the game has draws"
    until = time.monotonic() + COUNT_S

    def stop_in_time(_progress: CountProgress) -> None:
        if time.monotonic() > until:
            raise KeyboardInterrupt

    try:
        return f"{plural(continuations(game, state, COUNT_BYTES, stop_in_time), 'game')} can follow"
    except CountStoppedError as stop:
        return f"more than can be counted in {COUNT_S:g} s: at least {stop.at_least:,}"
