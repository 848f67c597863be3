"""The config of `arena match`."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.config.event import Config
from arena.config.event_config import make_config, read_assignment
from arena.errors import UsageError


def quick_config(
    bots: Sequence[str],
    *,
    game: str,
    games: int,
    options: Sequence[str],
    seed: int | None,
    build_network: str = "deny",
) -> Config:
    """Return an event of `games` matches between these bots, with rotated seats.

    Its name has the names of all players. A bot named twice plays itself under numbered names.
    Raises UsageError if the variants of the game cannot be played equally often in `games` matches.
    """
    names = _names(bots)
    values: dict[str, Any] = {
        "name": "match",  # only until it is named by its bots
        "game": {"name": game, **dict(read_assignment(option) for option in options)},
        "bots": tuple({"name": name, "bot": bot} for name, bot in zip(names, bots, strict=True)),
        "build_network": build_network,
    }
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
    return config.model_copy(update={"name": " - ".join(names), "is_quick": True})


def _above(games: int, variants: int) -> int:
    """Return the next larger multiple of the variants to offer."""
    return max(games - games % variants, variants) + variants


def _config(values: dict[str, Any], bots: int, times: int) -> Config:
    counts = {"seats": bots, "repeat": times} if bots > 1 else {"boards": times}
    return make_config({**values, **counts}, folder=Path(), origin="arena match")


def _names(bots: Sequence[str]) -> list[str]:
    """Return a name for each bot: the last part of its path, numbered if repeated."""
    short = [_short(bot) for bot in bots]
    counts = Counter(short)
    seen: Counter[str] = Counter()
    names = []
    for name in short:
        seen[name] += 1
        names.append(f"{name}-{seen[name]}" if counts[name] > 1 else name)
    return names


def _short(bot: str) -> str:
    path = Path(bot)
    if path.name == "bot.yaml":
        path = path.resolve().parent
    return (path.name or path.resolve().name)[:32]
