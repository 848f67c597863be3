"""The config of `arena match`."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.bots.archives import stem_of, suffix_of
from arena.bots.engine_reference import settings_labels
from arena.bots.manifest import UNPRINTABLE, Manifest, find_bot
from arena.config.assignments import add_settings, read_assignment
from arena.config.event import Config
from arena.config.hand_ins import newest
from arena.config.loading import make_config
from arena.config.odds import add_times
from arena.config.openings import add_openings
from arena.errors import BotError, ConfigError, Problem, UsageError
from arena.reading.names import distinct, name_objection
from protocol.wording import escaped
from referee.catalog import AnyGame

ORIGIN = "arena match"
NAMED, MOST_NAMED = 3, 6
"""Number of players in the name of an event of more than MOST_NAMED."""


def quick_config(
    bots: Sequence[str],
    *,
    game: str | None,
    games: int,
    options: Sequence[str],
    times: Sequence[str] = (),
    settings: Sequence[str] = (),
    openings: str | None = None,
    seed: int | None,
) -> Config:
    """Return an event of `games` matches between these bots, with rotated seats.

    `game` defaults to the only one that the bots name. More bots than a match has seats meet in a
    round robin, each group of them in `games` matches. `options` of the game, `times` of a config's
    section `time` and `settings` of a whole config are texts like `size=9`.
    A bot named twice plays itself under numbered names; two bots of one name get parts of their
    paths.
    With `openings`, a number of plies or a file, each opening is played from every seat, and so is
    each start position of a game that draws it; fewer matches than that have one start position.
    Raises UsageError if `games` matches cannot play all variants and seats equally often.
    """
    bots, notes = without_older(bots)
    game = game or only_game(bots)
    values: dict[str, Any] = {
        "name": "match",  # only until it is named by its bots
        "game": {"name": game, **dict(read_assignment(option) for option in options)},
        "bots": tuple(entries(bots)),
    }
    add_times(values, times)
    add_settings(values, settings)
    add_openings(values, openings)
    if seed is not None:
        values["seed"] = seed
    # Each match of the config is played in every variant, which only the game itself knows.
    rules = make_config({**values, "openings": None}, folder=Path(), origin=ORIGIN).game
    variants, seats = len(rules.variants()), min(len(bots), max(rules.seats))
    if games % variants:
        said = f"{game} has {variants} variants, each played equally often"
        raise UsageError(_uneven(games, variants, said))
    least = variants * seats
    drawn = "opening" if openings is not None else _drawn(rules) if games > least else None
    if drawn and games % least:
        said = f"each {drawn} is played from every seat, in {least} matches"
        raise UsageError(_uneven(games, least, said))
    config = _config(values, seats, games // variants, are_drawn=drawn is not None)
    update = {"name": _event_name(config), "is_quick": True, "notes": (*notes, *config.notes)}
    return config.model_copy(update=update)


def _event_name(config: Config) -> str:
    """Return the names of the players, of many the first ones."""
    names = [bot.name for bot in config.bots]
    more = f" and {len(names) - NAMED} more" if len(names) > MOST_NAMED else ""
    return " - ".join(names[:NAMED] if more else names) + more


def only_game(bots: Sequence[str]) -> str:
    """Return the game that all bots with a list of games name; raises ConfigError for every bot."""
    named: set[str] = set()
    wrong: list[Problem] = []
    for bot in dict.fromkeys(bots):
        try:
            named.update(find_bot(bot, Path()).games or ())
        except BotError as error:
            wrong.append(Problem(ORIGIN, str(error)))
        except ConfigError as error:
            wrong += error.problems
    if wrong:
        raise ConfigError(wrong)
    if len(named) == 1 and not (game := named.pop()).endswith("*"):
        return game
    also = "" if len(bots) > 1 else ", and a bot to play against, like random"
    raise UsageError(f"name the game, like --game pente{also}; `arena games` lists all games")


def _uneven(games: int, least: int, why: str) -> str:
    """Return the message for a number of matches that is no multiple of `least`."""
    below = max(games - games % least, least)
    return f"--games {games}: {why}; say --games {below} or {below + least}"


def _drawn(rules: AnyGame) -> str | None:
    """Return a word for the starts that the seed of a board decides, or None for the same start."""
    from arena.schedule.openings import draws_start  # slow import, for many matches

    try:
        is_drawn = any(draws_start(game) for _, game in rules.variants())
    except Exception:  # noqa: BLE001 - a fault of a game's author, which the first match reports
        return None
    return "start position" if is_drawn else None


def _config(values: dict[str, Any], seats: int, times: int, *, are_drawn: bool) -> Config:
    """Return the config of `times` matches in each variant, on boards of their own if drawn."""
    counts = {"seats": seats, "repeat": times} if seats > 1 else {"boards": times}
    if seats > 1 and are_drawn:
        counts = {"seats": seats, "repeat": seats, "boards": max(times // seats, 1)}
    return make_config({**values, **counts}, folder=Path(), origin=ORIGIN)


def without_older(bots: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...]]:
    """Return the bots without archives that a newer one replaces, and a line for each of these."""
    archives = {Path(bot): bot for bot in bots if suffix_of(bot) and Path(bot).is_file()}
    chosen, notes = newest({path: path for path in archives})
    older = {bot for path, bot in archives.items() if path not in chosen}
    return [bot for bot in bots if bot not in older], tuple(notes)


def entries(
    bots: Sequence[str], name_of: Callable[[str, Manifest], str] = lambda _, bot: bot.name
) -> Iterator[dict[str, str]]:
    """Yield an entry of a config for each bot, with a name where two have the same.

    `name_of` returns the name of a player by its reference and bot.
    Raises BotError for a path that a config cannot have.
    """
    for reference in bots:
        if not reference.isprintable():
            raise BotError(escaped(reference), UNPRINTABLE)
    found = [_readable(bot) for bot in bots]
    names = [name_of(reference, bot) for reference, bot in zip(bots, found, strict=True) if bot]
    labels = [
        [settings, *_labels(reference, bot)]
        for reference, bot, settings in zip(bots, found, settings_labels(bots), strict=True)
        if bot
    ]
    others = iter(distinct(_with_labels(names, labels)))
    for reference, bot in zip(bots, found, strict=True):
        if bot is not None and (name := next(others)) != bot.name:
            yield {"name": name, "bot": reference}
        else:
            yield {"bot": reference}


def _readable(bot: str) -> Manifest | None:
    """Return a bot, or None if it is unreadable, which is reported later."""
    try:
        return find_bot(bot, Path())
    except (BotError, ConfigError):
        return None


def _with_labels(names: Sequence[str], labels: Sequence[Sequence[str]]) -> list[str]:
    """Return the names, equal ones with the first of their labels in which all differ.

    Two checkouts of one bot are then `bot (old)` and `bot (new)`.
    """
    found = list(names)
    for name in {name for name in names if names.count(name) > 1}:
        places = [place for place, other in enumerate(names) if other == name]
        for parts in zip(*(labels[place] for place in places), strict=False):
            labelled = [name if part in (name, "") else f"{name} ({part})" for part in parts]
            if len(set(labelled)) == len(places):
                if not any(map(name_objection, labelled)):
                    for place, label in zip(places, labelled, strict=True):
                        found[place] = label
                break
    return found


def _labels(reference: str, bot: Manifest) -> Iterator[str]:
    """Yield the parts of the path of a folder or archive, the last first."""
    folder = Path(reference).absolute() if suffix_of(reference) else bot.path.parent.absolute()
    yield stem_of(folder.name)
    yield from reversed(folder.parent.parts)
