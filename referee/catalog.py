"""The known games: modules of `referee.games`, and games of other packages.

A package offers a game by an entry point in the group `arena.games`. Its name is the game's name,
its object the Game class or the module. Games of OpenSpiel are `open_spiel/NAME`. Nothing is
imported before use.
"""

import importlib
import pkgutil
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from protocol.wording import did_you_mean, escaped, quoted
from referee import games
from referee.foreign import FOREIGN
from referee.open_spiel import PREFIX, MissingLibraryError
from referee.rules import Game

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "arena.games"

AnyGame = Game[Any, Any]

_IMPORTERS = (__file__, str(Path(importlib.__file__).parent), "<")
"""Beginnings of the names of files that import a game; no error is theirs."""


class UnknownGameError(LookupError):
    """An unknown game."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        written = name.lower().replace("-", "_").replace(" ", "_")
        hint = "" if written in known else _open_spiel_hint(written)
        hint = hint or did_you_mean(written, known)
        super().__init__(f"unknown game {quoted(name)}; {hint}")


class BrokenGameError(ImportError):
    """A known game fails to load. `detail` is the reason."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(f'cannot load the game "{name}": {detail}')
        self.game = name
        self.detail = detail


def game_names() -> tuple[str, ...]:
    """Return the names of all games but OpenSpiel's, sorted, without importing any of them."""
    return tuple(sorted({*shipped_games(), *game_entries()}))


def open_spiel_names() -> tuple[str, ...]:
    """Return the names of the games of OpenSpiel, sorted; raises MissingLibraryError."""
    from referee.open_spiel.library import game_types

    return tuple(f"{PREFIX}{name}" for name in game_types())


def is_game(name: str) -> bool:
    """Whether a game is known; other packages are only searched for games not shipped.

    Without OpenSpiel all its names count as known: bots name games played elsewhere.
    """
    if name.startswith(PREFIX):
        from referee.open_spiel.library import is_installed

        return not is_installed() or name in open_spiel_names()
    return name in shipped_games() or name in game_entries()


@cache
def game_class(name: str) -> type[AnyGame]:
    """Return a game's class, a shipped one first; raises UnknownGameError or BrokenGameError."""
    if name.startswith(PREFIX):
        return _open_spiel_class(name)
    if name == FOREIGN:  # no game of its own, so not among the names
        found: object = import_module("referee.foreign")
    elif name in shipped_games():
        found = _module(name)
    elif not (entries := game_entries().get(name, [])):
        raise UnknownGameError(name, game_names())
    elif len(entries) > 1:
        offers = " and ".join(sorted(entry.value for entry in entries))
        raise BrokenGameError(name, f"offered more than once, by {offers}")
    else:
        found = _load(entries[0])
    return _class_in(found, name)


def _open_spiel_hint(name: str) -> str:
    """Return the hint of OpenSpiel's game of this name; empty without one or without OpenSpiel."""
    from referee.open_spiel.library import is_installed

    full = f"{PREFIX}{name}"
    try:
        is_known = is_installed() and full in open_spiel_names()
    except MissingLibraryError:  # it is installed, and cannot be loaded
        is_known = False
    return did_you_mean(full, [full]) if is_known else ""


@cache
def shipped_games() -> frozenset[str]:
    """Return the names of the games shipped with Arena, without OpenSpiel's."""
    found = pkgutil.iter_modules(games.__path__)
    return frozenset(module.name for module in found if not module.name.startswith("_"))


@cache
def game_entries() -> dict[str, list["EntryPoint"]]:
    """Return the games of other packages by name; reads the metadata of every package."""
    from importlib.metadata import entry_points  # slow, and needed for other packages only

    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, []).append(entry)
    return found


def _open_spiel_class(name: str) -> type[AnyGame]:
    try:
        known = open_spiel_names()
    except MissingLibraryError as error:
        raise BrokenGameError(name, str(error)) from None
    if name not in known:
        raise UnknownGameError(name, known)
    from referee.open_spiel.classes import class_of

    return class_of(name.removeprefix(PREFIX))


def _module(name: str) -> ModuleType:
    with _loading(name):
        return import_module(f"{games.__name__}.{name}")


def _load(entry: "EntryPoint") -> object:
    with _loading(entry.name, f"{entry.value}: "):
        return entry.load()


@contextmanager
def _loading(name: str, source: str = "") -> Iterator[None]:
    """Raise BrokenGameError for any error of a game's module; what it prints goes to stderr."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (Exception, SystemExit) as error:  # a script without a guard ends the command
        raise BrokenGameError(name, f"{source}{_with_place(error)}") from error


def _with_place(error: BaseException) -> str:
    """Return an error of a module with its file and line; a SyntaxError's text has them."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(_IMPORTERS)
    ]
    is_placed = isinstance(error, SyntaxError) or not frames
    where = "" if is_placed else f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    return escaped(f"{type(error).__name__}: {error}{where}")


def _class_in(found: object, name: str) -> type[AnyGame]:
    candidates = vars(found).values() if isinstance(found, ModuleType) else [found]
    classes = [item for item in candidates if isinstance(item, type) and issubclass(item, Game)]
    for game in classes:
        if getattr(game, "name", None) == name and is_dataclass(game):
            if detail := _incomplete(game):
                raise BrokenGameError(name, f"{game.__name__} {detail}")
            return game
    others = ", ".join(
        f'{game.__name__} has the name "{getattr(game, "name", "")}"'
        for game in classes
        if game.__module__ == getattr(found, "__name__", game.__module__)
    )
    has = f"; {others}, and a Game is a dataclass with this name" if others else ""
    raise BrokenGameError(name, f'no Game dataclass with the name "{name}" is in it{has}')


def _incomplete(game: type[AnyGame]) -> str | None:
    """Return the missing part of a game's class, or None."""
    needed = ("move_type", "seats", "summary")
    attributes = [name for name in needed if not hasattr(game, name)]
    if missing := ", ".join([*sorted(getattr(game, "__abstractmethods__", ())), *attributes]):
        return f"does not define {missing}"
    seats: object = game.seats
    if not isinstance(seats, range) or not seats:
        return "needs a range as seats, like range(2, 3) for two"
    return None if is_dataclass(game.move_type) else "needs a frozen dataclass as move_type"
