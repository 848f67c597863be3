"""Time odds: limits of time of single players, in a config and on a command line."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.bots.manifest import find_bot
from arena.config.assignments import read_assignment
from arena.config.event import Entrant
from arena.config.model import EventSection
from arena.errors import BotError, ConfigError, UsageError
from arena.reading.checking import KeyFault
from arena.reading.names import one_form
from protocol.wording import did_you_mean, quoted
from referee.job import TimeControl


def own_time(section: EventSection, entrant: Entrant) -> TimeControl | None:
    """Return the time control of a player with limits of its own; None without any."""
    return section.time.control(entrant.time) if entrant.time and entrant.time.given else None


def odds_faults(section: EventSection) -> Iterator[KeyFault]:
    """Yield limits of single players that fit neither each other nor the event's."""
    for place, bot in enumerate(section.bots):
        given = bot.time.given if bot.time else {}
        added = [key for key in ("increment", "bank_moves") if key in given]
        if added and section.time.bank is None and "bank" not in given:
            detail = f"bots[{place}].time has {added[0]} without a bank; add one, like bank: 10s"
            yield KeyFault(("bots", place, "time"), detail)
        if given and section.runner is not None:
            detail = f"bots[{place}].time: a runner reports no times of bots"
            yield KeyFault(("bots", place, "time"), detail)


def add_times(values: dict[str, Any], times: Sequence[str]) -> None:
    """Add the options -t of a command to the values of its config, which has its bots.

    `per_move=1s` is a limit of all, `NAME.per_move=1s` that of one player. Raises ConfigError, or
    UsageError for an unknown name.
    """
    shared: dict[str, Any] = {}
    own: dict[int, dict[str, Any]] = {}
    for time in times:
        key, value = read_assignment(time, "-t")
        name, dot, limit = key.rpartition(".")
        if dot:
            own.setdefault(_place(values["bots"], name), {})[limit] = value
        else:
            shared[key] = value
    if shared:
        values["time"] = shared
    values["bots"] = tuple(
        {**bot, "time": own[place]} if place in own else bot
        for place, bot in enumerate(values["bots"])
    )


def _place(bots: Sequence[dict[str, Any]], name: str) -> int:
    names = [bot.get("name") or _name(bot["bot"]) for bot in bots]
    if one_form(name) in names:
        return names.index(one_form(name))
    raise UsageError(f"-t: no bot is named {quoted(name)}; {did_you_mean(name, names)}")


def _name(reference: str) -> str:
    try:
        return find_bot(reference, Path()).name
    except (BotError, ConfigError):  # reported later
        return reference
