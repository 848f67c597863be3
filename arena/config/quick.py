"""The config of `arena match`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.bots.manifest import find_bot
from arena.config.event import Config
from arena.config.loading import make_config, read_assignment
from arena.errors import BotError, ConfigError, UsageError
from arena.reading.names import distinct


def quick_config(
    bots: Sequence[str],
    *,
    game: str,
    games: int,
    options: Sequence[str],
    times: Sequence[str] = (),
    seed: int | None,
    build_network: str = "deny",
) -> Config:
    """Return an event of `games` matches between these bots, with rotated seats.

    `options` of the game and `times` of a config's section `time` are texts like `size=9`.
    Its name has the names of all players. A bot named twice plays itself under numbered names.
    Raises UsageError if the variants of the game cannot be played equally often in `games` matches.
    """
    values: dict[str, Any] = {
        "name": "match",  # only until it is named by its bots
        "game": {"name": game, **dict(read_assignment(option) for option in options)},
        "bots": tuple(_entries(bots)),
        "build_network": build_network,
    }
    if times:
        values["time"] = dict(read_assignment(time, "-t") for time in times)
    if seed is not None:
        values["seed"] = seed
    # Each match of the config is played in every variant, which only the game itself knows.
    one = _config(values, len(bots), 1)
    variants = len(one.game.variants())
    if games % variants:
        raise UsageError(
            f"--games {games}: {game} has {variants} variants, each played equally often; say"
            f" --games {games - games % variants or variants} or {_above(games, variants)}"
        )
    config = _config(values, len(bots), games // variants)
    return config.model_copy(
        update={"name": " - ".join(bot.name for bot in config.bots), "is_quick": True}
    )


def _above(games: int, variants: int) -> int:
    """Return the next larger multiple of the variants to offer."""
    return max(games - games % variants, variants) + variants


def _config(values: dict[str, Any], bots: int, times: int) -> Config:
    counts = {"seats": bots, "repeat": times} if bots > 1 else {"boards": times}
    return make_config({**values, **counts}, folder=Path(), origin="arena match")


def _entries(bots: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield an entry for each bot, with another name only where two have the same."""
    own = [_own_name(bot) for bot in bots]
    for bot, name, other in zip(bots, own, distinct(own), strict=True):
        yield {"bot": bot} if name == other else {"name": other, "bot": bot}


def _own_name(bot: str) -> str:
    """Return the bot's own name; if it cannot be read, which is reported later, its reference."""
    try:
        return find_bot(bot, Path()).name
    except (BotError, ConfigError):
        return bot
