"""A stored event: a config with every default filled in, and the contents of the files it names."""

import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field, SkipValidation, ValidationError

from arena.bots.manifest import Manifest
from arena.config.model import BotSection, EventSection, FormatName
from arena.errors import EventError, Problem
from arena.reading.fields import BotName, Seats
from arena.reading.source import Loc, Source
from referee.job import Restart, Runner

KEPT_ENGINES = 2
"""Number of engines of an event that keep running between their matches by default."""


class Event(EventSection):
    """A stored event, the source of formats, gates and openings."""

    name: str
    """Name in the database: of the config, or derived from it."""
    format: FormatName
    seats: Seats
    opening_lines: tuple[str, ...] = ()
    """Contents of `openings.file`, in notation."""
    balancer_version: str = ""
    """Name and content hash of the bot that balances the openings."""
    shard: str | None = None
    """Part of a gate's pairs to play here, like 2/3; None is all."""
    folder: str = ""
    """Folder of the config; paths of bots are relative to it."""
    kits: Mapping[str, Mapping[str, str]] = {}
    """Hashes of Arena's files in each bot, by their names: of its kit or bridge."""
    is_quick: bool = False
    """Whether `arena match` plays it, without a config."""
    is_closed: bool = False
    """Whether its seed is published, so that no match is added any more."""

    def form(self) -> dict[str, Any]:
        """Return the event as JSON values, times and sizes with their units."""
        return self.model_dump(mode="json")

    @classmethod
    def read(cls, form: Mapping[str, Any]) -> Self:
        """Return the event of a stored form; raises EventError if it cannot be read."""
        try:
            # not strict: JSON has lists for tuples
            return cls.model_validate_json(json.dumps(form), strict=False)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, fault["loc"]))
            raise EventError(
                f"the stored event cannot be read: {place}: {fault['msg']} (--new begins another)"
            ) from None


class Entrant(BotSection):
    """A player of a config with its bot."""

    name: BotName
    manifest: SkipValidation[Manifest] = Field(exclude=True)
    """Not set for a broken bot."""
    broken: str = Field("", exclude=True)
    """Reason why the bot cannot be used, where the event is played all the same."""


class Config(Event):
    """An event ready to play, with the bots of its config."""

    bots: tuple[Entrant, ...]
    balancer: SkipValidation[Manifest] | None = Field(exclude=True)
    """Bot that balances the openings."""
    runner_manifest: SkipValidation[Manifest] | None = Field(None, exclude=True)
    """Program of the runner."""
    built_runner: SkipValidation[Runner] | None = Field(None, exclude=True)
    """The runner, ready to start."""
    source: SkipValidation[Source] = Field(exclude=True, repr=False)
    """Text of the config, for errors that are found later."""
    places: SkipValidation[tuple[Loc, ...]] = Field((), exclude=True, repr=False)
    """The place of each bot in the file."""
    notes: tuple[str, ...] = Field((), exclude=True)
    """Lines about the bots that a pattern has chosen."""

    @property
    def bot_restart(self) -> Restart:
        """Whether bots are restarted for each match.

        By default two engines of the organiser keep running, since their protocols have a command
        that makes them begin anew. More players would leave a process of each in every slot, and a
        tuning has other ones each time. A process of a stranger must not remember the last match.
        """
        if self.restart != "auto":
            return self.restart
        is_of_two = len(self.bots) == KEPT_ENGINES and self.format != "tune"
        is_own = self.isolation != "require" and self.runner_manifest is None
        engines = [bot for bot in self.bots if bot.remote is None and not bot.broken]
        begin_anew = len(engines) == KEPT_ENGINES and all(
            bot.manifest.begins_anew for bot in engines
        )
        return "never" if is_of_two and is_own and begin_anew else "match"

    def problem(self, entrant: Entrant, detail: str) -> Problem:
        """Return a problem of a player, at its place in the file."""
        return self.source.problem(detail, self.places[self.bots.index(entrant)])
