"""The config of `arena match`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.bots.manifest import find_bot
from arena.config.event import Config
from arena.config.loading import make_config, read_assignment
from arena.config.openings import openings_value
from arena.errors import BotError, ConfigError, UsageError
from arena.reading.names import distinct


def quick_config(
    bots: Sequence[str],
    *,
    game: str,
    games: int,
    options: Sequence[str],
    times: Sequence[str] = (),
    openings: str | None = None,
    seed: int | None,
    build_network: str = "deny",
) -> Config:
    """Return an event of `games` matches between these bots, with rotated seats.

    `options` of the game and `times` of a config's section `time` are texts like `size=9`.
    Its name has the names of all players. A bot named twice plays itself under numbered names.
    With `openings`, a number of plies or a file, each opening is played from every seat.
    Raises UsageError if `games` matches cannot play all variants and seats equally often.
    """
    values: dict[str, Any] = {
        "name": "match",  # only until it is named by its bots
        "game": {"name": game, **dict(read_assignment(option) for option in options)},
        "bots": tuple(_entries(bots)),
        "build_network": build_network,
    }
    if times:
        values["time"] = dict(read_assignment(time, "-t") for time in times)
    if openings is not None:
        values["openings"] = openings_value(openings)
    if seed is not None:
        values["seed"] = seed
    # Each match of the config is played in every variant, which only the game itself knows.
    one = _config(values, len(bots), 1)
    variants = len(one.game.variants())
    if games % variants:
        said = f"{game} has {variants} variants, each played equally often"
        raise UsageError(_uneven(games, variants, said))
    if openings is not None and games % (least := variants * len(bots)):
        said = f"each opening is played from every seat, in {least} matches"
        raise UsageError(_uneven(games, least, said))
    config = _config(values, len(bots), games // variants)
    return config.model_copy(
        update={"name": " - ".join(bot.name for bot in config.bots), "is_quick": True}
    )


def _uneven(games: int, least: int, why: str) -> str:
    """Return the message for a number of matches that is no multiple of `least`."""
    below = max(games - games % least, least)
    return f"--games {games}: {why}; say --games {below} or {below + least}"


def _config(values: dict[str, Any], bots: int, times: int) -> Config:
    counts = {"seats": bots, "repeat": times} if bots > 1 else {"boards": times}
    if bots > 1 and "openings" in values:
        counts = {"seats": bots, "repeat": bots, "boards": max(times // bots, 1)}
    return make_config({**values, **counts}, folder=Path(), origin="arena match")


def _entries(bots: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield an entry for each bot, with another name only where two have the same."""
    own = [_own_name(bot) for bot in bots]
    for bot, name, other in zip(bots, own, distinct(own), strict=True):
        yield {"bot": bot} if name == other else {"name": other, "bot": bot}


def _own_name(bot: str) -> str:
    """Return the bot's own name, or its reference if the name is unreadable (reported later)."""
    try:
        return find_bot(bot, Path()).name
    except (BotError, ConfigError):
        return bot
