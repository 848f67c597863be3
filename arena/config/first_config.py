"""Write the first config of a tournament."""

import json
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.bots.manifest import UNPRINTABLE, Manifest
from arena.bots.protocols import BARE
from arena.bots.shipped import shipped_bots
from arena.config.hand_ins import name_by_path
from arena.config.loading import make_config
from arena.config.quick import entries, only_game
from arena.errors import BotError, UsageError, cause
from protocol.wording import escaped
from referee.catalog import UnknownGameError, game_class, game_names, is_game

ORIGIN: Final = "arena init tournament"
OPPONENT: Final = "random"
"""Bot added until there are enough for one match."""
_TEXT: Final = """\
# A tournament of Arena. It is played, and resumed after an interruption, by:
#     {command}

name: {name}
game: {{name: {game}}}    # rules and options: arena games {game}

# Paths are relative to the folder of this file; `arena bots` lists the bots that come with Arena.
# A bot is added at the end; name it as {{name: ..., bot: ./path}} if its folder has another name.
bots:
{bots}

# Other keys have defaults; `arena schema` describes them all. Remove a # to use a line.
# repeat: 2                  # matches of the same players on each board; seats rotate
# boards: 10                 # boards drawn from the seed, to play more matches
# seed: 7                    # repeats an event; the default is random, so that no bot can guess it
# time: {{per_move: 1s}}       # CPU time of a move, 2s by default; clock: wall charges wall time
# limits: {{memory: 1GB}}      # 512MB by default
# isolation: require         # never in a weaker sandbox: for programs of strangers
# broken: leave_out          # play without bots that do not build or start; add them once they do
"""


@dataclass(frozen=True, kw_only=True)
class FirstConfig:
    """A newly written config."""

    path: Path
    warnings: tuple[str, ...]
    """Bots that cannot be played yet, with the reasons."""
    commands: tuple[str, ...]
    """Suggested next commands, relative to the current directory."""


def write_config(path: Path, bots: Sequence[str], game: str | None) -> FirstConfig:
    """Write the config of a tournament of these bots; raises ArenaError before it writes.

    `game` defaults to the only one that the bots name. A bot that exists is named even if it
    cannot be played yet, since its author may still send a better one; one whose path is not text
    is left out with a warning.
    """
    if path.suffix not in (".yaml", ".yml"):
        raise UsageError(f"{path} is no name of a config; give a new file first, like class.yaml")
    if not bots:
        raise UsageError(f"name the bots, too: {ORIGIN} {_typed(path)} ./ann ./bob")
    unnamed = [bot for bot in bots if not bot.isprintable()]
    bots = [bot for bot in bots if bot.isprintable()] or bots  # none at all is an error
    game = game or only_game(bots)
    if not is_game(game):
        raise UsageError(str(UnknownGameError(game, game_names())))
    named = [*bots, *[OPPONENT] * (game_class(game).seats[0] - len(bots))]
    listed = [_beside(path, entry) for entry in entries(named, _name_of)]
    name = re.sub("[^A-Za-z0-9._-]+", "-", path.stem).lstrip("._-")[:64] or "contest"
    values = {"name": name, "game": {"name": game}, "bots": tuple(listed), "broken": "leave_out"}
    config = make_config(values, folder=path.parent, origin=ORIGIN)
    play = f"arena tournament {_typed(path)}"
    text = _TEXT.format(command=play, name=name, game=game, bots="\n".join(map(_line, listed)))
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} exists already; give a new file, nothing was written") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{str(path)!a} cannot be written: {cause(error, path)}") from None
    return FirstConfig(
        path=path,
        warnings=(
            *(f"left out: {BotError(escaped(bot), UNPRINTABLE)}, and add it" for bot in unnamed),
            *(bot.broken for bot in config.bots if bot.broken),
        ),
        commands=(f"{play} --dry-run", play, "arena report"),
    )


def _name_of(reference: str, bot: Manifest) -> str:
    """Return the name of a player as a pattern gives it, whatever is in its bot.yaml."""
    path = Path(reference)
    return bot.name if reference in shipped_bots() or not path.exists() else name_by_path(path)


def _beside(path: Path, entry: dict[str, str]) -> dict[str, str]:
    """Return the entry with the path of its bot relative to the config."""
    reference = entry["bot"]
    protocol, colon, program = reference.partition(":")
    engine = f"{protocol}:" if colon and protocol in BARE else ""
    bot = Path(program if engine else reference)
    if reference in shipped_bots() or bot.is_absolute() or not bot.exists():
        return entry
    relative = os.path.relpath(bot, path.parent)
    place = relative if relative.startswith("../") else f"./{relative}"
    return {**entry, "bot": f"{engine}{place}"}


def _line(entry: dict[str, str]) -> str:
    bot = entry["bot"] if re.fullmatch(r"[\w./-]+", entry["bot"]) else _text(entry["bot"])
    if "name" not in entry:
        return f"  - {bot}"
    return f"  - {{name: {_text(entry['name'])}, bot: {bot}}}"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _typed(path: Path) -> str:
    return shlex.quote(str(path))
