"""The players of an event: their bots, built and ready to start."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from arena.bots.building import BuildTerms
from arena.bots.hiding import hidden_from
from arena.bots.prepare import PreparedBot, content_of, own_content_of, player_content, prepare_all
from arena.config.event import Config, Entrant
from arena.config.odds import own_time
from arena.errors import BotError, BuildError, ConfigError, MissingToolchainError, Problem
from arena.event.resume.update import absent_player
from arena.reading.choices import Isolation
from arena.results.failed_tests import FailedTest
from referee.job import Player

LEFT_OUT = "LEFT OUT: "
"""Begin of the reason of a bot without which the event is played."""


@dataclass(frozen=True, kw_only=True)
class Unavailable:
    """A player of the config whose bot cannot play."""

    player: str
    detail: str
    """The reason, with the last lines of a failed build."""
    is_forfeit: bool
    """Whether the player forfeits its matches; otherwise the event is played without it."""
    test: FailedTest | None = None
    """The preflight that the bot has failed, if that is the reason."""

    def __str__(self) -> str:
        detail = self.detail.removeprefix(f"bot {self.player}: ").removeprefix(f"{self.player}: ")
        return f"{'FORFEITS: ' if self.is_forfeit else LEFT_OUT}{self.player}: {detail}"


def prepare_players(
    config: Config, *, skip_missing: bool, is_elsewhere: bool = False
) -> tuple[dict[str, Player], list[Unavailable]]:
    """Build the bots; return the players by name, and those with a bot that cannot play.

    With `skip_missing`, bots without their toolchain are among the latter; broken bots are unless
    the config stops the event. With `is_elsewhere`, the matches are played on workers, and a bot
    without its toolchain here is built there only. Raises ConfigError with the errors of all other
    bots, each at its place in the config.
    """
    players: dict[str, Player] = {}
    unavailable: list[Unavailable] = []
    wrong = []
    remote = _remote_players(config) if any(bot.remote for bot in config.bots) else {}
    whole = [entrant for entrant in config.bots if not (entrant.broken or entrant.remote)]
    terms = [build_terms(config, entrant.isolation) for entrant in whole]
    made = prepare_all([entrant.manifest for entrant in whole], terms=terms)
    built = iter(made if is_elsewhere else map(partial(_seeing, config), whole, made))
    for entrant in config.bots:
        if entrant.remote is not None:
            found = remote[entrant.name]
            if isinstance(found, Player):
                players[entrant.name] = found
            else:
                wrong.append(config.problem(entrant, found.detail))
            continue
        bot = BotError(entrant.name, entrant.broken) if entrant.broken else next(built)
        is_missing = isinstance(bot, MissingToolchainError)
        if is_missing and is_elsewhere:
            players[entrant.name] = _unbuilt(config, entrant)
        elif isinstance(bot, PreparedBot):
            players[entrant.name] = bot.player(entrant.name, entrant.args)
        elif skip_missing if is_missing else config.broken != "stop":
            is_forfeit = config.broken == "forfeit" and not is_missing
            unavailable.append(
                Unavailable(player=entrant.name, detail=str(bot), is_forfeit=is_forfeit)
            )
        else:
            wrong.append(_problem(config, entrant, bot))
    if wrong:
        raise ConfigError(wrong)
    return timed(config, players), unavailable


def timed(config: Config, players: Mapping[str, Player]) -> dict[str, Player]:
    """Return the players with their own limits of time."""
    own = {entrant.name: own_time(config, entrant) for entrant in config.bots}
    return {name: replace(player, time=own.get(name)) for name, player in players.items()}


def _seeing(
    config: Config, entrant: Entrant, bot: PreparedBot | BotError
) -> PreparedBot | BotError:
    """Return the bot, or an error if its sandbox hides its program or a file that it names."""
    isolation = entrant.isolation or config.isolation
    if isinstance(bot, BotError) or isolation == "none":
        return bot
    detail = hidden_from(entrant.manifest, bot.argv[0], entrant.args, config.installations)
    return bot if detail is None else BotError(entrant.name, detail)


def _remote_players(config: Config) -> dict[str, Player | BotError]:
    """Return the remote players by name, or why one cannot play."""
    from arena.remote.presence import present_entrants, remote_player  # slow: it loads ZeroMQ

    present = present_entrants()
    found: dict[str, Player | BotError] = {}
    for entrant in config.bots:
        if entrant.remote is not None:
            try:
                found[entrant.name] = remote_player(
                    entrant.name, entrant.remote, config.game.name, present
                )
            except BotError as error:
                found[entrant.name] = error
    return found


def _unbuilt(config: Config, entrant: Entrant) -> Player:
    """Return a player of a bot that is built elsewhere."""
    shown = build_terms(config, entrant.isolation).shown
    content = player_content(content_of(entrant.manifest, shown), entrant.args, shown)
    return Player(
        name=entrant.name,
        argv=entrant.manifest.run,
        folder="",
        content=content,
        processes=entrant.manifest.processes,
    )


def absent_players(config: Config, unavailable: Iterable[Unavailable]) -> dict[str, Player]:
    """Return players without a bot, for entrants that forfeit all their matches."""
    manifests = {bot.name: bot.manifest for bot in config.bots if not (bot.broken or bot.remote)}
    return {
        bot.player: absent_player(
            bot.player,
            own_content_of(manifests[bot.player]) if bot.player in manifests else "unreadable",
        )
        for bot in unavailable
        if bot.is_forfeit
    }


def _problem(config: Config, entrant: Entrant, error: BotError) -> Problem:
    who = f"{entrant.name}: " if entrant.name != error.bot else ""
    problem = config.problem(entrant, f"{who}{error}{_hint(config, error)}")
    return replace(problem, causes=error.problems if isinstance(error, BuildError) else ())


def _hint(config: Config, error: BotError) -> str:
    """Return the option to play without the bot; empty where the command has none."""
    if not config.source.text or config.format in ("gate", "tune"):  # `arena match`
        return ""
    option = "missing" if isinstance(error, MissingToolchainError) else "broken"
    return f"\n  (--skip-{option} plays without it)"


def build_terms(config: Config, isolation: Isolation | None = None) -> BuildTerms:
    """Return the build terms of a bot; `isolation` overrides the isolation of the event."""
    return BuildTerms(
        isolation=isolation or config.isolation,
        network=config.build_network,
        installations=config.installations,
    )
