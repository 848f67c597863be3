"""Checks of the section `runner` of a config: a program that plays whole matches."""

from collections.abc import Iterator
from pathlib import Path

from arena.bots.manifest import Manifest, find_bot
from arena.config.model import EventSection
from arena.errors import BotError, ConfigError
from arena.reading.checking import KeyFault, of_key
from referee.foreign import FOREIGN

_UNUSED = {
    "openings": "positions",
    "max_plies": "plies",
    "adjudicate": "scores of bots",
    "score": "times of bots",
    "time": "times of bots; the limit of a match is runner.time",
}
"""Keys for Arena's referee, with what a runner does not report to it."""


def find_runner(section: EventSection, folder: Path) -> tuple[Manifest | None, list[KeyFault]]:
    """Return the program of an event's runner and the faults of its section."""
    is_foreign = section.game.name == FOREIGN
    if section.runner is None:
        if not is_foreign:
            return None, []
        detail = "foreign is a game of another program; name it: runner: {run: [PROGRAM]}"
        return None, [KeyFault(("game", "name"), detail)]
    faults = list(_faults(section))
    try:
        return find_bot(section.runner.run[0], folder), faults
    except (BotError, ConfigError) as error:
        return None, [*faults, KeyFault(("runner", "run", 0), f"runner.run: {error}")]


def _faults(section: EventSection) -> Iterator[KeyFault]:
    """Yield what an event with a runner cannot have."""
    for key, what in _UNUSED.items():
        if getattr(section, key) != type(section).model_fields[key].default:
            yield of_key(f"{key}: a runner reports no {what}", key)
    if section.game.name != FOREIGN:
        yield of_key(
            f"runner: Arena itself referees {section.game.name}; a runner plays"
            " game: {name: foreign, title: NAME}",
            "runner",
        )
    elif getattr(section.game, "program", ""):
        yield KeyFault(("game", "program"), "program is filled in by Arena; leave it out")
    if section.restart == "never":
        yield KeyFault(("restart",), "a runner starts the bots for each match")
    for place, bot in enumerate(section.bots):
        if bot.remote is not None or bot.scratch != "none":
            key = "remote" if bot.remote is not None else "scratch"
            detail = f"bots[{place}].{key}: a runner gets commands of this machine only"
            yield KeyFault(("bots", place, key), detail)
