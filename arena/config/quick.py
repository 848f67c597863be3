"""The config that `arena match` stands for."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.config.event_config import Config, make_config, read_assignment


def quick_config(
    bots: Sequence[str], *, game: str, games: int, options: Sequence[str], seed: int | None
) -> Config:
    """Return an event in which these bots play `games` matches, the seats rotated.

    A bot may be named more than once: it then plays itself under numbered names.
    """
    names = _names(bots)
    values: dict[str, Any] = {
        "name": "match",
        "game": {"name": game, **dict(read_assignment(option) for option in options)},
        "bots": tuple({"name": name, "bot": bot} for name, bot in zip(names, bots, strict=True)),
    }
    if seed is not None:
        values["seed"] = seed
    if len(bots) > 1:
        values |= {"seats": len(bots), "repeat": games}
    else:
        values |= {"boards": games}
    return make_config(values, folder=Path(), origin="arena match")


def _names(bots: Sequence[str]) -> list[str]:
    """Return a name for each bot: the last part of its path, numbered where it comes again."""
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
