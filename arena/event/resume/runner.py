"""The runner of an event: a program that plays its matches, built and sandboxed like a bot."""

from dataclasses import replace

from arena.bots.prepare import prepare
from arena.config.event import Config
from arena.errors import BotError, ConfigError
from arena.event.resume.players import build_terms
from arena.machine.tier_choice import tier_for
from referee.foreign import Foreign
from referee.job import Runner

RUNNER_NAME = "the runner"
"""Name of the runner among the programs of a match."""


def with_runner(config: Config) -> Config:
    """Return the config with its runner built, if any; raises ConfigError, IsolationError."""
    if config.runner is None or config.runner_manifest is None:
        return config
    try:
        bot = prepare(config.runner_manifest, terms=build_terms(config))
    except BotError as error:
        raise ConfigError([config.source.problem(str(error), ("runner", "run"))]) from None
    player = replace(
        bot.player(RUNNER_NAME, config.runner.run[1:]),
        tier=tier_for(config, RUNNER_NAME),
        installations=config.installations,
        processes=True,
    )
    runner = Runner(player=player, wall_ns=config.runner.time, output_bytes=config.runner.output)
    game = config.game
    assert isinstance(game, Foreign)  # noqa: S101 - the config was checked
    game = replace(game, program=player.content)
    return config.model_copy(update={"built_runner": runner, "game": game})
