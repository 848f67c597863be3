"""OpenSpiel's library: which of its games Arena offers, and how each is loaded.

Not offered are wrappers around other games, games read from a file, mean-field games, and the games
in `REFUSED`, each with its reason.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Final

PREFIX: Final = "open_spiel/"
"""Beginning of the names of these games in configs."""
INSTALL: Final = "pip install 'bot-arena[openspiel]'"
REFUSED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "crossword": "its moves have no numbers",
        "morpion_solitaire": "it crashes the process",
        "stones_and_gems": "its random outcomes cannot be chosen",
    }
)
"""Games that cannot be played here, and why."""
COUNTS: Final = ("players", "num_players", "numPlayers")
"""Parameters with the number of players, which is the number of seats."""
SEEDS: Final = ("rng_seed",)
"""Parameters with a seed, which is that of the board."""
_CHANCE: Final = ("DETERMINISTIC",)
_INFORMATION: Final = ("PERFECT_INFORMATION",)
_DYNAMICS: Final = ("SEQUENTIAL",)


class MissingLibraryError(Exception):
    """OpenSpiel is not installed."""

    def __init__(self) -> None:
        super().__init__(f"OpenSpiel is not installed; install it with: {INSTALL}")


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
    return (
        kind.default_loadable
        and kind.short_name not in REFUSED
        and kind.dynamics.name in _DYNAMICS
        and kind.chance_mode.name in _CHANCE
        and kind.information.name in _INFORMATION
    )


def numbered(parameters: tuple[tuple[str, Any], ...], kind: Any, seats: int) -> dict[str, Any]:
    """Return the parameters with the number of players, if the game has such a parameter."""
    counts = (name for name in COUNTS if name in kind.parameter_specification)
    return {**dict(parameters), **dict.fromkeys(counts, seats)}


@lru_cache(maxsize=32)
def load(name: str, parameters: tuple[tuple[str, Any], ...], seats: int) -> Any:
    """Return a loaded game; whatever OpenSpiel raises, it raises."""
    return library().load_game(name, numbered(parameters, game_types()[name], seats))


def observation(state: Any, seat: int) -> str:
    """Return what a seat sees, in OpenSpiel's text."""
    if state.get_game().get_type().provides_observation_string:
        return str(state.observation_string(seat))
    return str(state.information_state_string(seat))
