"""The gate of a command line `arena gate NEW BASE`: its config, bots and event name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

from arena.bots.engine_reference import with_each
from arena.bots.manifest import Manifest, find_bot
from arena.bots.named_files import kind_of, named_paths, outside_program, own_command
from arena.bots.shipped import MANIFEST
from arena.config.assignments import add_settings, read_assignment
from arena.config.event import Config, Entrant
from arena.config.loading import load_config, make_config
from arena.config.odds import add_times
from arena.config.openings import add_openings
from arena.config.quick import only_game
from arena.config.same_event import lasting
from arena.errors import ConfigError, UsageError
from arena.event.resume.players import prepare_players
from arena.gate.base import PREFIX, checked_out, is_revision
from arena.gate.schedule import Shard
from arena.gate.tally import GateTest
from arena.reading.names import MAX_BOT_NAME, casefolded
from referee.job import Player

ORIGIN = "arena gate"
DIGITS = 10
"""Length in characters of the hash suffix of a gate's name."""


@dataclass(frozen=True, kw_only=True)
class GateRequest:
    """Options of the command line; None and empty values are not given."""

    game: str | None = None
    options: Sequence[str] = ()
    """Options of the game as key=value."""
    times: Sequence[str] = ()
    """Time limits as key=value."""
    settings: Sequence[str] = ()
    """Keys of a config as key=value."""
    openings: str | None = None
    """Number of random plies, or path of an openings file."""
    seed: int | None = None
    build_network: str | None = None
    each: Sequence[str] = ()
    """Settings of all engines as key=value."""
    gate: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the gate section of a config; None values are not given."""

    def values(self, bots: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Return the values of the config; `bots` are pairs of name and reference."""
        values: dict[str, Any] = {
            "name": "gate",
            "game": {"name": self.game, **dict(map(read_assignment, self.options))},
            "bots": tuple({"name": name, "bot": bot} for name, bot in bots),
            "format": "gate",
            "gate": {key: value for key, value in self.gate.items() if value is not None},
        }
        add_times(values, self.times)
        add_settings(values, self.settings)
        add_openings(values, self.openings)
        if self.seed is not None:
            values["seed"] = self.seed
        if self.build_network is not None:
            values["build_network"] = self.build_network
        return values

    def given(self) -> list[str]:
        """Return the given options as typed."""
        named = {
            "game": self.game,
            "openings": self.openings,
            "seed": self.seed,
            "build_network": self.build_network,
            **self.gate,
        }
        given = [
            f"--{name.replace('_', '-')}" for name, value in named.items() if value is not None
        ]
        repeated = {"--each": self.each, "-o": self.options, "-t": self.times, "-c": self.settings}
        return [*given, *(name for name, values in repeated.items() if values)]


def asked_gate(
    bots: Sequence[str], base: str | None, asked: GateRequest, shard: str | None
) -> tuple[Config, dict[str, Player] | None]:
    """Return the config of a command line, and its bots if the config required building them."""
    part = None if shard is None else Shard.parse(shard)
    is_named = len(bots) == 1 and _is_config(bots[0])
    if not is_named:
        bots = [_with_each(bot, asked.each) for bot in bots]
        base = None if base is None else _with_each(base, asked.each)
    config = _load(bots[0], asked) if is_named else _make(bots, base, asked)
    check_question(config)
    players = None
    if not is_named or base is not None:
        config, players = _build(config, base or bots[1])
    if players is not None and not is_named:
        config = config.model_copy(update={"name": event_name(config, players)})
    return (shard_of(config, part) if part else config), players


def _with_each(bot: str, each: Sequence[str]) -> str:
    return bot if is_revision(bot) else with_each([bot], each)[0]


def check_question(config: Config) -> None:
    """Raise ConfigError if the gate of a config can never be decided."""
    rule = config.gate
    if rule is None:
        raise UsageError(f"{config.source.name}: the format is {config.format}, not gate")
    try:
        question = GateTest(rule)
    except UsageError as error:
        raise _wrong(config, rule.keys[0], str(error)) from None
    if rule.pairs < question.least_pairs:
        detail = (
            f"cap must be {2 * question.least_pairs} or more, not {rule.cap}: nothing is decided"
            f" before {question.least_pairs} pairs"
        )
        raise _wrong(config, "cap", detail)


def shard_of(config: Config, shard: Shard) -> Config:
    """Return the config of one shard of a gate."""
    if config.gate is None:
        return config  # already refused by check_question
    if config.seed is None:
        raise UsageError(
            f"--shard {shard} needs a seed, the same for all shards, like --seed 1997;"
            " otherwise their openings would differ"
        )
    part = {"name": shard.event_name(config.name), "shard": str(shard)}
    return config.model_copy(update=part)


def _wrong(config: Config, key: str, detail: str) -> ConfigError:
    return ConfigError([config.source.problem(detail, ("gate", key))])


def event_name(config: Config, players: Mapping[str, Player]) -> str:
    """Return the name of this gate between these bots, so that the same command resumes it."""
    contents = [player.content for player in players.values()]
    parts = dumps([lasting(config), contents], sort_keys=True)
    digest = sha256(parts.encode()).hexdigest()[:DIGITS]
    new = re.sub(r"[^A-Za-z0-9._-]", "_", config.bots[0].name)
    return f"gate-{new}-{digest}"


def _is_config(name: str) -> bool:
    path = Path(name)
    return path.suffix in {".yaml", ".yml"} and path.name != MANIFEST


def _load(name: str, asked: GateRequest) -> Config:
    if given := asked.given():
        raise UsageError(
            f"{name} is a config, in which {', '.join(given)} would be set; remove these options"
        )
    return load_config(name)


def _make(bots: Sequence[str], base: str | None, asked: GateRequest) -> Config:
    """Return the config of two bots; for a revision as BASE, NEW is its placeholder."""
    named = [*bots[:1], *([] if base is None else [base]), *bots[1:]]
    if len(named) == 1:
        raise UsageError(
            f"{named[0]} needs a BASE to play against: arena gate {named[0]} BASE --game GAME"
        )
    if asked.game is None:
        game = only_game([bot for bot in named if not is_revision(bot)])
        asked = replace(asked, game=game)
    new, old, *field = named
    if is_revision(new):
        raise UsageError(f"{new}: NEW is a bot; only BASE can be a revision of it")
    manifest = find_bot(new, Path())
    reference = new if is_revision(old) else old
    name = _base_name(manifest.name, old, find_bot(reference, Path()))
    players = [(manifest.name, new), (name, reference)]
    for number, other in enumerate(field, start=3):
        known = find_bot(other, Path()).name
        taken = {casefolded(each) for each, _ in players}
        players.append((f"{known}-{number}" if casefolded(known) in taken else known, other))
    return make_config(asked.values(players), folder=Path(), origin=ORIGIN)


def _build(config: Config, base: str) -> tuple[Config, dict[str, Player]]:
    """Return the config with BASE in place, and both bots ready to start."""
    new = config.bots[0]
    if not is_revision(base):
        return _prepare(config, base, find_bot(base, Path()))
    if new.manifest.folder is None:
        raise UsageError(
            f"{base}: {new.bot} has no bot.yaml that says how to build a revision of it; name an"
            " older program by its path"
        )
    named = Path(config.folder) / Path(new.bot).expanduser()
    with checked_out(new.manifest, named, base) as manifest:
        whole, players = _prepare(config, base, manifest)
    _check_revision(new.manifest, base, players)
    return whole, players


def _check_revision(new: Manifest, base: str, players: Mapping[str, Player]) -> None:
    """Raise UsageError if NEW and its revision are the same because no revision has the program."""
    program = outside_program(new)
    named = [*([] if program is None else [program]), *named_paths(own_command(new)[1:])]
    files = [str(path) for path in named if kind_of(path) == "file"]
    if files and len({player.content for player in players.values()}) == 1:
        raise UsageError(
            f"{base}: {', '.join(files)} is in no revision, so NEW and BASE would run the same"
            " files; let `build` in bot.yaml make them in the bot's folder, or name an older bot"
        )


def _prepare(config: Config, base: str, manifest: Manifest) -> tuple[Config, dict[str, Player]]:
    new = config.bots[0]
    name = _base_name(new.name, base, manifest)
    if not manifest.plays(config.game.name):
        games = " and ".join(manifest.games or ())
        raise UsageError(f"{name} does not play {config.game.name}; it plays {games}")
    args = new.args if is_revision(base) else ()
    old = Entrant(
        name=name,
        bot=base,  # not the folder of a revision, removed after the build
        args=args,
        isolation=new.isolation,
        time=next((bot.time for bot in config.bots[1:2]), None),
        manifest=manifest,
    )
    config = config.model_copy(update={"bots": (new, old, *config.bots[2:])})
    players, _ = prepare_players(config, skip_missing=False)
    return config, players


def _base_name(new: str, base: str, manifest: Manifest) -> str:
    """Return the name of BASE, always different from the name of NEW."""
    name = manifest.name
    if is_revision(base):
        name = f"{new}@{re.sub('[^A-Za-z0-9._-]', '-', base.removeprefix(PREFIX))}"
    elif casefolded(name) == casefolded(new):
        name = f"{new}@base"
    return name if len(name) <= MAX_BOT_NAME else f"{name[: MAX_BOT_NAME - 5]}@base"
