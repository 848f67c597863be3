"""The tuning of a command line `arena tune BOT -p NAME:START:MIN:MAX`: config and event name."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any, Final

from arena.bots.shipped import MANIFEST
from arena.config.assignments import add_settings, read_assignment
from arena.config.event import Config
from arena.config.loading import load_config, make_config
from arena.config.odds import add_times
from arena.config.openings import add_openings
from arena.config.quick import only_game
from arena.config.same_event import lasting
from arena.config.tune import typed_parameters
from arena.errors import UsageError
from referee.job import Player

ORIGIN: Final = "arena tune"
DIGITS: Final = 10
"""Length in characters of the hash suffix of a tuning's name."""


@dataclass(frozen=True, kw_only=True)
class TuneRequest:
    """Options of the command line; None and empty values are not given."""

    parameters: Sequence[str] = ()
    """Parameters as NAME:START:MIN:MAX[:STEP], or as lines of fishtest and OpenBench."""
    arguments: str | None = None
    """Arguments added to the bot's command, as words of a shell."""
    game: str | None = None
    options: Sequence[str] = ()
    times: Sequence[str] = ()
    settings: Sequence[str] = ()
    openings: str | None = None
    seed: int | None = None
    tune: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the tune section of a config; None values are not given."""
    gate: Mapping[str, Any] = field(default_factory=dict)
    """Keys of its gate section; None values are not given."""

    def values(self, bots: Sequence[str]) -> dict[str, Any]:
        """Return the values of the config."""
        bot: dict[str, Any] = {"bot": bots[0]}
        if self.arguments is not None:
            bot["args"] = tuple(_words(self.arguments))
        game = self.game or only_game(bots)
        values: dict[str, Any] = {
            "name": "tune",  # only until it is named by its bot
            "game": {"name": game, **dict(map(read_assignment, self.options))},
            "bots": (bot, *({"bot": other} for other in bots[1:])),
            "format": "tune",
            "tune": {"parameters": typed_parameters(self.parameters), **_given(self.tune)},
            "gate": _given(self.gate),
        }
        add_times(values, self.times)
        add_settings(values, self.settings)
        add_openings(values, self.openings)
        if self.seed is not None:
            values["seed"] = self.seed
        return values

    def given(self) -> list[str]:
        """Return the names of the given options."""
        once = {
            "--args": self.arguments,
            "--game": self.game,
            "--openings": self.openings,
            "--seed": self.seed,
            **{f"--{key}": value for key, value in {**self.tune, **self.gate}.items()},
        }
        repeated = {
            "-p": self.parameters,
            "-o": self.options,
            "-t": self.times,
            "-c": self.settings,
        }
        named = [name for name, value in once.items() if value is not None]
        return [*named, *(name for name, values in repeated.items() if values)]


def asked_tune(bots: Sequence[str], asked: TuneRequest) -> Config:
    """Return the config of a command line; raises ArenaError."""
    path = Path(bots[0])
    if len(bots) == 1 and path.suffix in (".yaml", ".yml") and path.name != MANIFEST:
        if given := asked.given():
            raise UsageError(
                f"{bots[0]} is a config, in which {', '.join(given)} would be set; remove these"
                " options"
            )
        return load_config(bots[0])
    if not asked.parameters:
        raise UsageError("name the options to tune, like -p depth:3:1:6 (NAME:START:MIN:MAX)")
    return make_config(asked.values(bots), folder=Path(), origin=ORIGIN)


def named(config: Config, players: Mapping[str, Player]) -> Config:
    """Return the config of a command line with a name by its contents, so that it is resumed."""
    if config.source.name != ORIGIN:
        return config
    bare = config.model_copy(update={"gate": None})
    contents = [player.content for player in players.values()]
    digest = sha256(dumps([lasting(bare), contents], sort_keys=True).encode()).hexdigest()[:DIGITS]
    bot = re.sub(r"[^A-Za-z0-9._-]", "_", config.bots[0].name)
    return config.model_copy(update={"name": f"tune-{bot}-{digest}"})


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--args cannot be read as words of a shell: {error}") from None
