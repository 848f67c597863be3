"""The configs of the two events of a tuning: its matches, and the gate after them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from arena.bots.settings import Settings, with_settings, without_place
from arena.config.event import Config
from arena.errors import ConfigError, UsageError
from arena.reading.names import MAX_BOT_NAME, casefolded
from arena.schedule.pairing import Pairing
from arena.tune.tune import Tune, tune_of
from protocol.wording import quoted
from referee.job import Player
from referee.seeds import derive_seed

TUNED: Final = "-tuned"
"""End of the name of the tuned bot in the gate."""
GATE: Final = ".gate"
"""End of the name of the event of the gate."""
MAX_NAME: Final = 64


def config_tune(config: Config, seed: int) -> Tune:
    """Return the tuning of a config as its user wrote it, under a seed."""
    bot, *field = (entrant.name for entrant in config.bots)
    return tune_of(config, bot, field, seed)


def check_places(config: Config, players: Mapping[str, Player]) -> None:
    """Raise ConfigError for each parameter that changes nothing in the bot's command."""
    bot = config.bots[0].name
    names = config.tune.parameters if config.tune else ()
    wrong = [
        config.source.problem(
            f"{name}: nothing in the command of {bot} takes it; add an argument for it, like"
            f' args: ["--{name.lower().replace(" ", "-")}", "{{{name}}}"] of the bot, on the'
            f' command line --args "--{name.lower().replace(" ", "-")} {{{name}}}"',
            ("tune", "parameters", name),
        )
        for name in without_place(players[bot].argv, names)
    ]
    if wrong:
        raise ConfigError(wrong)


def check_names(tune: Tune) -> None:
    """Raise UsageError if another bot has the name of a side, or of the tuned bot."""
    taken = {casefolded(name) for name in (*tune.sides, *gate_names(tune))}
    for name in tune.field:
        if casefolded(name) in taken:
            raise UsageError(
                f"the name {quoted(name)} is that of a side of the tuning; give this player another"
                " name, {name: ..., bot: ...}"
            )


def search_config(config: Config, tune: Tune) -> Config:
    """Return the config of the matches of a tuning: each side is a player with the same bot."""
    entrant = config.bots[0]
    sides = tuple(entrant.model_copy(update={"name": name}) for name in tune.sides)
    kit = config.kits.get(entrant.name, {})
    return config.model_copy(
        update={
            "bots": (*sides, *config.bots[1:]),
            "kits": {**config.kits, **dict.fromkeys(tune.sides, kit)},
            "gate": None,
            "seed": tune.seed,
        }
    )


def side_players(
    players: Mapping[str, Player], settings: Mapping[str, Settings]
) -> dict[str, Player]:
    """Return the players with the settings of each side; `players` are the sides without any."""
    return {
        name: with_settings(player, settings[name]) if name in settings else player
        for name, player in players.items()
    }


def first_settings(tune: Tune) -> dict[str, Settings]:
    """Return the settings with which each side is tested before the event."""
    if tune.is_grid:
        return dict(tune.settings(0))
    return dict.fromkeys(tune.sides, tune.start)


def players_of_match(
    tune: Tune, players: Mapping[str, Player], pairing: Pairing
) -> dict[str, Player]:
    """Return the players of a known match by name."""
    here = {name: players[name] for name in pairing.players}
    return side_players(here, tune.settings(pairing.board))


def gate_config(config: Config, tune: Tune) -> Config:
    """Return the config of the gate of the tuned bot against its base.

    Its seed and the order of its openings are others than those of the search, so that values that
    fit the boards of the search alone do not pass.
    """
    entrant = config.bots[0]
    new, base = gate_names(tune)
    lines = config.opening_lines
    used = tune.section.boards % len(lines) if lines else 0
    kit = config.kits.get(entrant.name, {})
    return config.model_copy(
        update={
            "name": f"{config.name[: MAX_NAME - len(GATE)]}{GATE}",
            "format": "gate",
            "tune": None,
            "bots": (
                entrant.model_copy(update={"name": new}),
                entrant.model_copy(update={"name": base}),
                *config.bots[1:],
            ),
            "kits": {**config.kits, new: kit, base: kit},
            "seed": derive_seed(tune.seed, "gate"),
            "opening_lines": (*lines[used:], *lines[:used]),
        }
    )


def gate_players(tune: Tune, players: Mapping[str, Player], tuned: Settings) -> dict[str, Player]:
    """Return the players of the gate; `players` are the bot and its field without settings."""
    new, base = gate_names(tune)
    bot = players[tune.bot]
    return {
        new: with_settings(_renamed(bot, new), tuned),
        base: with_settings(_renamed(bot, base), tune.start),
        **{name: player for name, player in players.items() if name != tune.bot},
    }


def gate_names(tune: Tune) -> tuple[str, str]:
    """Return the names of the tuned bot and its base."""
    return f"{tune.bot[: MAX_BOT_NAME - len(TUNED)]}{TUNED}", tune.bot


def named_players(tune: Tune, players: Mapping[str, Player]) -> dict[str, Player]:
    """Return the sides without settings, and the field."""
    bot = players[tune.bot]
    sides = {name: _renamed(bot, name) for name in tune.sides}
    return sides | {name: players[name] for name in tune.field}


def _renamed(player: Player, name: str) -> Player:
    return replace(player, name=name)
