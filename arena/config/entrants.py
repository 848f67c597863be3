"""The bots of a config: found by their references, checked for the game and for their names."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from arena.bots.archives import stem_of, suffix_of
from arena.bots.manifest import Manifest, find_bot
from arena.bots.shipped import MANIFEST
from arena.config.event import Entrant
from arena.config.model import BotSection
from arena.errors import BotError, ConfigError
from arena.reading.checking import KeyFault
from arena.reading.names import allowed_name, casefolded, hashed_name
from arena.reading.source import Loc
from protocol.wording import quoted
from referee.catalog import is_game

_VERSION: Final = re.compile(r"@[0-9]+$")
"""End of a name of an earlier version of a bot, as an update of an event gives it."""


def find_entrants(
    values: Mapping[str, Any], folder: Path, hint: str, matched: Mapping[int, str]
) -> tuple[list[Entrant], list[KeyFault]]:
    """Find every bot of the config, even if other keys are invalid.

    `hint` is added to the error of a bot that the event could be played without. `matched` has
    the numbers of the bots of patterns, each with why it is no bot, or "". None of them stops an
    event that can be played without it, and none takes the name of another.
    """
    entrants: dict[int, Entrant] = {}
    faults: list[KeyFault] = []
    bots = values.get("bots")
    seen: dict[str, tuple[str, str]] = {}
    listed = list(enumerate(bots if isinstance(bots, tuple) else ()))
    for place, entry in sorted(listed, key=lambda each: each[0] in matched):
        try:
            bot = BotSection.model_validate({"bot": entry} if isinstance(entry, str) else entry)
        except ValueError:
            continue  # reported by the check of EventSection
        key = "bot" if bot.remote is None else "remote"
        loc: Loc = ("bots", place) if isinstance(entry, str) else ("bots", place, key)
        shared, found = _shared(bot.share, folder, place)
        faults += found
        entrant, detail = _entrant(bot, folder, shared, values, hint)
        if place in matched and (matched[place] or (entrant is None and _may_be_broken(values))):
            reason = f"bot {bot.bot}: {matched[place]}" if matched[place] else detail
            entrant, detail = _refused(bot, folder, reason, values, hint)
        if detail:
            faults.append(KeyFault(loc, detail))
        if entrant is None:
            continue
        detail = _name_fault(entrant.name, bot.remote or bot.bot, seen, values)
        if detail and place in matched:
            entrant = entrant.model_copy(update={"name": hashed_name(entrant.name, bot.bot)})
            detail = _name_fault(entrant.name, bot.bot, seen, values)
        if detail:
            faults.append(KeyFault(("bots", place, "name") if bot.name else loc, detail))
        entrants[place] = entrant
    return [entrants[place] for place in sorted(entrants)], faults


def _shared(
    names: Sequence[str], folder: Path, place: int
) -> tuple[tuple[Path, ...], list[KeyFault]]:
    """Return the resolved paths of files shared with a bot by the organiser, and their faults."""
    paths = []
    faults = []
    for number, name in enumerate(names):
        try:
            paths.append((folder / Path(name).expanduser()).resolve(strict=True))
        except (OSError, ValueError, RuntimeError):
            detail = f"bots[{place}].share: no file or folder is named {quoted(name)}"
            faults.append(KeyFault(("bots", place, "share", number), detail))
    return tuple(paths), faults


def _entrant(
    bot: BotSection,
    folder: Path,
    shared: tuple[Path, ...],
    values: Mapping[str, Any],
    hint: str,
) -> tuple[Entrant | None, str]:
    if bot.remote is not None:
        manifest = Manifest(name=bot.remote, path=Path(bot.remote), run=())
        return Entrant.model_construct(
            **{**dict(bot), "name": bot.name or bot.remote, "manifest": manifest}
        ), ""
    try:
        manifest = find_bot(bot.bot, folder, shared)
    except (BotError, ConfigError) as error:
        detail = str(error)
        if isinstance(error, ConfigError):
            detail = f"bot {bot.bot} cannot be read:\n{error}"
        if not _exists(bot.bot, folder):
            return None, detail
        return _refused(bot, folder, detail, values, hint)
    name = bot.name or manifest.name
    entrant = Entrant.model_construct(**{**dict(bot), "name": name, "manifest": manifest})
    game = values.get("game")
    game_name = game.get("name") if isinstance(game, Mapping) else None
    if isinstance(game_name, str) and is_game(game_name) and not manifest.plays(game_name):
        games = " and ".join(manifest.games or ())
        detail = f"bot {name} does not play {game_name}; it plays {games}; see `arena bots`"
        is_left_out = _may_be_broken(values)
        return (_broken(bot, folder, detail), "") if is_left_out else (entrant, detail)
    return entrant, ""


def _refused(
    bot: BotSection, folder: Path, detail: str, values: Mapping[str, Any], hint: str
) -> tuple[Entrant | None, str]:
    """Return an entrant without a bot, or why the event stops at it."""
    if _may_be_broken(values):
        return _broken(bot, folder, detail), ""
    return None, f"{detail.rstrip()}{hint}"


def _may_be_broken(values: Mapping[str, Any]) -> bool:
    return bool(values.get("broken", "stop") != "stop")


def _exists(reference: str, folder: Path) -> bool:
    """Whether a bot's own files are wrong, and not the path to them."""
    try:
        return (folder / Path(reference).expanduser()).exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _broken(bot: BotSection, folder: Path, detail: str) -> Entrant:
    """Return an entrant without a bot, named by its folder or file."""
    path = folder / Path(bot.bot).expanduser()
    if path.name == MANIFEST:
        path = path.parent
    name = bot.name or allowed_name(_own_name(path))
    return Entrant.model_construct(**{**dict(bot), "name": name, "broken": detail})


def _own_name(path: Path) -> str:
    if suffix_of(path.name):
        return stem_of(path.name)
    return path.resolve().name.removesuffix(path.suffix if path.is_file() else "")


def _name_fault(
    name: str, reference: str, seen: dict[str, tuple[str, str]], values: Mapping[str, Any]
) -> str:
    """Return why a player cannot have a name, or ""; `seen` has name and bot of those before it."""
    if values.get("format") != "gate" and _VERSION.search(name):
        return (
            f"the name {quoted(name)} is that of an earlier version; give this player another name,"
            " {name: ..., bot: ...}"
        )
    if (form := casefolded(name)) not in seen:
        seen[form] = (name, reference)
        return ""
    first, bot = seen[form]
    alias = f" as {quoted(first)}" if first != name else ""
    return (
        f"the player {quoted(name)} exists already{alias}, from {quoted(bot)};"
        " give this one another name, {name: ..., bot: ...}"
    )
