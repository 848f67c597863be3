"""What `protocol:` in a bot.yaml makes of its files and commands.

A protocol is a function from what the manifest says to what really runs: a program of ours that
speaks the wire is put before or around the bot's own. To add one, write the function and name it in
`PROTOCOLS`; there is no other list. It sees the manifest as it was written and the bot's folder,
adds our files by `kit_file`, and raises `ProtocolError` with the key at fault where the manifest
does not fit.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena.bots.shipped import data_root

DEFAULT: Final = "arena"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a bot comes to run. A protocol turns what the manifest says into what is done."""

    folder: Path
    """Where the bot's own files are."""
    games: tuple[str, ...] | None = None
    files: tuple[Path, ...] = ()
    """What is copied beside the bot's own files, absolute."""
    build: tuple[str, ...] | None = None
    run: tuple[str, ...] | None = None
    """What is started; None only before the protocol has seen to it."""
    starts: tuple[str, ...] | None = None
    """What `run` starts in turn, where that is a program of the bot's own."""


class ProtocolError(Exception):
    """The manifest does not fit its protocol. `key` is the one at fault; `detail` is a sentence."""

    def __init__(self, key: str, detail: str) -> None:
        super().__init__(detail)
        self.key = key
        self.detail = detail


def kit_file(name: str) -> Path:
    """Return a file that comes with Arena, named from `bots/sdk/`: `jsonl/jsonl_bridge.py`."""
    return (data_root() / "bots" / "sdk" / name).resolve()


def arena(recipe: Recipe) -> Recipe:
    """Leave it as it is: the bot speaks the wire itself."""
    _command(recipe)
    return recipe


def jsonl(recipe: Recipe) -> Recipe:
    """Put the bridge around it, which speaks the wire and tells the bot JSON lines."""
    bridge = kit_file("jsonl/jsonl_bridge.py")
    command = _command(recipe)
    return replace(
        recipe,
        files=(*recipe.files, bridge),
        run=("{python}", bridge.name, *command),
        starts=command,
    )


MACTECH_GAMES: Final = ("pente", "matchsticks", "chinese_checkers", "down_n_out")


def mactech(recipe: Recipe) -> Recipe:
    """Build a host of its game around an entry of 1997 to 2002, in C."""
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
    "mactech": mactech,
}
"""By the word that a bot.yaml has in `protocol`."""


def _command(recipe: Recipe) -> tuple[str, ...]:
    if recipe.run is None:
        raise ProtocolError("run", 'missing key "run"')
    return recipe.run
