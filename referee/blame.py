"""Whether an error was raised by the rules of a game, and where, for a sentence to their author."""

import traceback
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType

from referee.rules import Game

_AROUND = ("arena.", "referee.", "protocol.")
"""Beginnings of the names of Arena's modules; their functions take games, too."""
_RULES = ("referee.games.", "referee.rules.", "referee.open_spiel.")


@dataclass(frozen=True)
class RulesFault:
    """An error that the rules of a game raised."""

    game: str
    text: str
    """The error with its file and line, like `KeyError: 3 (bachet.py, line 51)`."""


def rules_error(error: BaseException) -> RulesFault | None:
    """Return the error as one of a game's rules; None if it passed no method of a game."""
    if (game := _game_of(error.__traceback__)) is None:
        return None
    return RulesFault(game, placed(error))


def placed(error: BaseException) -> str:
    """Return an error with the file and line that raised it."""
    text = f"{type(error).__name__}: {error}".removesuffix(": ")
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return text
    return f"{text} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"


def rules_traceback(error: BaseException) -> str:
    """Return the traceback of an error from the first method of a game on; empty without one."""
    trace = error.__traceback__
    while trace is not None and not isinstance(_method_of(trace.tb_frame), Game):
        trace = trace.tb_next
    if trace is None:
        return ""
    return "".join(traceback.format_exception(type(error), error, trace, chain=False)).rstrip()


def _game_of(trace: TracebackType | None) -> str | None:
    """Return the name of the game whose method is the innermost one in a traceback."""
    name = None
    while trace is not None:
        if isinstance(game := _method_of(trace.tb_frame), Game):
            name = game.name
        trace = trace.tb_next
    return name


def _method_of(frame: FrameType) -> object:
    """Return the first argument of a function outside Arena's own code; None without one."""
    code, module = frame.f_code, frame.f_globals.get("__name__", "")
    is_around = module.startswith(_AROUND) and not module.startswith(_RULES)
    if is_around or not code.co_argcount:
        return None
    return frame.f_locals.get(code.co_varnames[0])
