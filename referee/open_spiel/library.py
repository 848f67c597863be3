"""OpenSpiel's library: the offered games, and how to load them.

Not offered are wrappers around other games, games read from a file, mean-field games, and the games
in `REFUSED`, each with its reason.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from referee.extras import install_command

PREFIX: Final = "open_spiel/"
"""Beginning of the names of these games in configs."""
REFUSED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bridge_uncontested_bidding": "a deal takes seconds",
        "crossword": "its moves have no numbers",
        "morpion_solitaire": "it crashes the process",
        "stones_and_gems": "its random outcomes cannot be chosen",
    }
)
"""Games not offered, and the reasons."""
COUNTS: Final = ("players", "num_players", "numPlayers")
"""Parameters with the number of players, here the number of seats."""
SEED: Final = "rng_seed"
"""Parameter with the seed of a game's own random choices."""
_DYNAMICS: Final = ("SEQUENTIAL", "SIMULTANEOUS")

Parameters = tuple[tuple[str, Any], ...]


class MissingLibraryError(Exception):
    """OpenSpiel is not installed."""

    def __init__(self) -> None:
        command = install_command("openspiel")
        super().__init__(f"OpenSpiel is not installed; install it with: {command}")


class Loaded(NamedTuple):
    """A game of OpenSpiel with its parameters, turned into one with a single player to move."""

    game: Any
    kind: Any
    """OpenSpiel's description of the game with these parameters, before turns were made of it."""

    is_simultaneous: bool
    """Whether players move at the same time, here in turns."""
    is_hidden: bool
    """Whether players see different things."""
    draws_by_itself: bool
    """Whether the game draws its random outcomes itself, by a seed."""


def is_installed() -> bool:
    """Whether OpenSpiel can be imported, without importing it."""
    return find_spec("pyspiel") is not None


@cache
def library() -> Any:
    """Return OpenSpiel's module; raises MissingLibraryError."""
    try:
        return import_module("pyspiel")
    except ImportError as error:
        raise MissingLibraryError from error


@cache
def game_types() -> Mapping[str, Any]:
    """Return OpenSpiel's description of each game offered, by its own name, sorted."""
    found = {each.short_name: each for each in library().registered_games()}
    return {name: found[name] for name in sorted(found) if _is_offered(found[name])}


def _is_offered(kind: Any) -> bool:
    is_playable = kind.default_loadable and kind.dynamics.name in _DYNAMICS
    return is_playable and kind.short_name not in REFUSED


def load(name: str, parameters: Parameters, seats: int, seed: int | None = None) -> Loaded:
    """Return a game; passes OpenSpiel's errors on. `seed` is for games with draws of their own."""
    return _kept(name, parameters, seats) if seed is None else _new(name, parameters, seats, seed)


def _new(name: str, parameters: Parameters, seats: int, seed: int) -> Loaded:
    specification = game_types()[name].parameter_specification
    counts = dict.fromkeys((count for count in COUNTS if count in specification), seats)
    seeds = {SEED: seed} if SEED in specification else {}
    game = library().load_game(name, {**dict(parameters), **counts, **seeds})
    kind = game.get_type()
    if kind.dynamics.name == "SIMULTANEOUS":
        game = library().convert_to_turn_based(game)
    return Loaded(
        game,
        kind,
        is_simultaneous=kind.dynamics.name == "SIMULTANEOUS",
        is_hidden=kind.information.name == "IMPERFECT_INFORMATION",
        draws_by_itself=kind.chance_mode.name == "SAMPLED_STOCHASTIC",
    )


@lru_cache(maxsize=32)
def _kept(name: str, parameters: Parameters, seats: int) -> Loaded:
    return _new(name, parameters, seats, 0)
