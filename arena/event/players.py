"""The players of an event: their bots, built and ready to start."""

from collections.abc import Sequence

from arena.bots.build import PreparedBot, prepare_all
from arena.bots.building import Terms
from arena.bots.manifest import Manifest
from arena.config.event import Config, Entrant
from arena.errors import BotError, ConfigError, MissingToolchainError
from arena.reading.fields import Isolation
from referee.job import Player


def prepare_players(
    config: Config, *, skip_missing: bool
) -> tuple[dict[str, Player], list[tuple[Entrant, BotError]]]:
    """Build the bots; return the players by name, and the entrants left out without a toolchain.

    Raises ConfigError with the errors of all bots, each at its place in the config.
    """
    manifests: list[Manifest] = [entrant.manifest for entrant in config.bots]
    players: dict[str, Player] = {}
    missing: list[tuple[Entrant, BotError]] = []
    wrong = []
    terms = {
        entrant.manifest.path: build_terms(config, entrant.isolation) for entrant in config.bots
    }
    built = prepare_all(manifests, terms=terms)
    for entrant, bot in zip(config.bots, built, strict=True):
        if isinstance(bot, PreparedBot):
            players[entrant.name] = bot.player(entrant.name, entrant.args)
        elif isinstance(bot, MissingToolchainError) and skip_missing:
            missing.append((entrant, bot))
        else:
            can_skip = config.source.text and config.format != "gate"  # not in `arena match`
            hint = "\n  (--skip-missing plays without it)" if can_skip else ""
            who = f"{entrant.name}: " if entrant.name != bot.bot else ""
            detail = f"{who}{bot}{hint if isinstance(bot, MissingToolchainError) else ''}"
            wrong.append(config.problem(entrant, detail))
    if wrong:
        raise ConfigError(wrong)
    return players, missing


def missing_text(missing: Sequence[tuple[Entrant, BotError]]) -> str:
    """Return a prominent notice of the entrants left out."""
    return "\n".join(f"LEFT OUT: {entrant.name}: {error}" for entrant, error in missing)


def build_terms(config: Config, isolation: Isolation | None = None) -> Terms:
    """Return the build terms of a bot; `isolation` overrides the isolation of the event."""
    return Terms(
        isolation=isolation or config.isolation,
        network=config.build_network,
        installations=config.installations,
    )
