"""Protocols of bots: how `protocol:` in a bot.yaml changes its files and commands.

A protocol is a function from the recipe of the manifest to the recipe to run. It can put a wire
program of Arena's before or around the bot's own. To add a protocol, write the function and add it
to `PROTOCOLS`, the only list. The function gets the values of the manifest, adds Arena's files by
`kit_file`, and raises `ProtocolError` with the wrong key if the manifest does not fit.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from arena.bots.shipped import data_root

DEFAULT: Final = "arena"

Option: TypeAlias = bool | int | str


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Files and commands of a bot, from the manifest or as changed by a protocol."""

    games: tuple[str, ...] | None = None
    files: tuple[Path, ...] = ()
    """Absolute paths of files to copy beside the bot's own."""
    build: tuple[str, ...] | None = None
    run: tuple[str, ...] | None = None
    """Command to start; None only before the protocol is applied."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """Options of an engine, by name."""
    go: str = ""
    """Fixed limits of an engine's search, instead of those of time."""
    resign: tuple[int, ...] = ()
    """Score in centipawns and number of moves in a row after which an engine resigns."""
    starts: tuple[str, ...] | None = None
    """Command of the bot itself if `run` starts a bridge, otherwise None."""


class ProtocolError(Exception):
    """The manifest does not fit its protocol. `key` is the wrong key; `detail` is the message."""

    def __init__(self, key: str, detail: str) -> None:
        super().__init__(detail)
        self.key = key
        self.detail = detail


def kit_file(name: str) -> Path:
    """Return a file of Arena's by its path in `bots/sdk/`, like `bridges/jsonl_bridge.py`."""
    return (data_root() / "bots" / "sdk" / name).resolve()


def arena(recipe: Recipe) -> Recipe:
    """Return the recipe unchanged: the bot speaks the wire itself."""
    _command(recipe)
    return recipe


def jsonl(recipe: Recipe) -> Recipe:
    """Start the bot behind a bridge between the wire and JSON lines."""
    return _bridged(recipe, "jsonl_bridge.py", "arena_bridge.py")


def uci(recipe: Recipe) -> Recipe:
    """Start an engine of chess or a variant behind a bridge between the wire and UCI."""
    return _engine(recipe, "uci", "chess", "open_spiel/breakthrough")


def usi(recipe: Recipe) -> Recipe:
    """Start a shogi engine behind a bridge between the wire and USI."""
    return _engine(recipe, "usi", "open_spiel/shogi")


def ucci(recipe: Recipe) -> Recipe:
    """Start a xiangqi engine behind a bridge between the wire and UCCI."""
    return _engine(recipe, "ucci", "open_spiel/xiangqi")


def cecp(recipe: Recipe) -> Recipe:
    """Start a chess engine behind a bridge between the wire and CECP, the protocol of xboard."""
    if recipe.go and not recipe.go.startswith("depth "):
        raise ProtocolError("go", 'CECP limits only the depth, like "depth 8"')
    if recipe.resign:
        raise ProtocolError("resign", '"resign" is not for CECP: such engines resign by themselves')
    return _engine(recipe, "cecp", "chess", bridge="cecp_bridge.py")


GTP_GAMES: Final = ("go", "gomoku", "open_spiel/...")


def gtp(recipe: Recipe) -> Recipe:
    """Start the engine behind a bridge between the wire and GTP."""
    _check_games(recipe, GTP_GAMES)
    return _bridged(recipe, "gtp_bridge.py", "arena_engine.py", "arena_bridge.py")


GOMOCUP_GAMES: Final = ("gomoku", "pente")


def gomocup(recipe: Recipe) -> Recipe:
    """Start the engine behind a bridge between the wire and Gomocup's protocol."""
    _check_games(recipe, GOMOCUP_GAMES)
    return _bridged(recipe, "gomocup_bridge.py", "arena_engine.py", "arena_bridge.py")


MACTECH_GAMES: Final = ("pente", "matchsticks", "chinese_checkers", "down_n_out")


def mactech(recipe: Recipe) -> Recipe:
    """Build a host of the game around an entry in C, of 1997 to 2002."""
    games = recipe.games or ()
    if len(games) != 1 or games[0] not in MACTECH_GAMES:
        known = ", ".join(MACTECH_GAMES)
        raise ProtocolError("games", f'"games" must name the one game of the entry, of {known}')
    kit = kit_file("mactech/mactech_build.py")
    ours = (path for path in kit.parent.iterdir() if path.suffix in (".c", ".h", ".py"))
    return replace(
        recipe,
        files=(
            *recipe.files,
            *sorted(ours),
            kit_file("c/arena_bot.c"),
            kit_file("c/arena_bot.h"),
        ),
        build=recipe.build or ("{python}", kit.name, games[0], "-o", "bot"),
        run=recipe.run or ("./bot",),
    )


PROTOCOLS: Final[dict[str, Callable[[Recipe], Recipe]]] = {
    DEFAULT: arena,
    "jsonl": jsonl,
    "gtp": gtp,
    "gomocup": gomocup,
    "mactech": mactech,
    "uci": uci,
    "usi": usi,
    "ucci": ucci,
    "cecp": cecp,
}
"""Protocols by the value of `protocol` in a bot.yaml."""


def applied(protocol: str, recipe: Recipe) -> Recipe:
    """Return the recipe as changed by a protocol; raises ProtocolError if it does not fit."""
    changed = PROTOCOLS[protocol](recipe)
    for key in ("options", "go", "resign"):
        if getattr(changed, key):
            raise ProtocolError(key, f'"{key}" is for engines, not for protocol {protocol}')
    return changed


BARE: Final = ("uci", "usi", "ucci", "cecp")
"""Protocols of engines that need no bot.yaml: their game and options are usually the same."""


BEGINS_ANEW: Final = ("uci", "usi", "ucci", "cecp", "gomocup")
"""Protocols with a command that begins a new game. That of GTP only clears the board."""


OWN_OPTIONS: Final = ("ponder", "usi_ponder", "uci_chess960", "usemillisec", "newgame")
"""Options set by the bridge itself, in lower case."""


def _engine(recipe: Recipe, dialect: str, *known: str, bridge: str = "uci_bridge.py") -> Recipe:
    """Start an engine behind a bridge, with its options; it plays one game, usually the first."""
    games = known[:1] if recipe.games is None else recipe.games
    for name in recipe.options:
        if name.lower() in OWN_OPTIONS:
            raise ProtocolError("options", f"option {name} is set by the bridge")
    if len(games) != 1 or games[0] not in known:
        names = " or ".join(known)
        raise ProtocolError("games", f"an engine of protocol {dialect} plays {names} alone")
    settings: dict[str, Any] = {"dialect": dialect, "options": dict(recipe.options)}
    settings["go"] = recipe.go
    if recipe.resign:
        settings["resign"] = recipe.resign
    shared = ("uci_games.py", "uci_time.py", "arena_bridge.py", "arena_engine.py")
    bridged = _bridged(recipe, bridge, *shared)
    python, program, *command = bridged.run or ()
    run = (python, program, json.dumps(settings), *command)
    return replace(bridged, games=games, run=run, options={}, go="", resign=())


def _bridged(recipe: Recipe, bridge: str, *shared: str) -> Recipe:
    """Start the bot behind a bridge, a program of `bots/sdk/bridges`, with the files it imports."""
    command = _command(recipe)
    names = ("python/arena_bot.py", *(f"bridges/{name}" for name in (bridge, *shared)))
    return replace(
        recipe,
        files=(*recipe.files, *map(kit_file, names)),
        run=("{python}", bridge, *command),
        starts=command,
    )


def _check_games(recipe: Recipe, known: tuple[str, ...]) -> None:
    """Raise ProtocolError unless the manifest names games, all of them known to the bridge."""
    families = tuple(name.removesuffix("...") for name in known if name.endswith("..."))
    games = recipe.games or ()
    if not games or any(game not in known and not game.startswith(families) for game in games):
        raise ProtocolError(
            "games", f'"games" must name the games of the engine, of {", ".join(known)}'
        )


def _command(recipe: Recipe) -> tuple[str, ...]:
    if recipe.run is None:
        raise ProtocolError("run", 'missing key "run"')
    return recipe.run


def pondering(run: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the command of a bridge whose engine thinks during calls to others; None for others.

    The compiled bridge does not know this setting, so the one in Python takes its place.
    """
    if len(run) < 3 or run[1] != "uci_bridge.py":
        return None
    settings = {**json.loads(run[2]), "ponder": True}
    return (*run[:2], json.dumps(settings), *run[3:])
