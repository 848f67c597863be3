"""The class of each game of OpenSpiel, with its parameters as options."""

from dataclasses import make_dataclass
from functools import cache
from typing import Any, Final

from protocol.wording import aligned
from referee.open_spiel.boards import SEAT_MARKS, SEAT_NAMES
from referee.open_spiel.game import OpenSpielGame
from referee.open_spiel.library import PREFIX, game_types
from referee.open_spiel.parameters import option_fields
from referee.open_spiel.position import Draw

PER_UNIT: Final = {
    **dict.fromkeys(("blotto", "go_fish", "goofspiel", "pig", "quoridor"), 60),  # shared by 2 to 6
    **dict.fromkeys(("leduc_poker", "repeated_leduc_poker"), 2),
    "deep_sea": 1000,
    "pathfinding": 100,
    "skat": 240,
    "tiny_bridge_2p": 6,
    "yacht": 3660,
}
"""Default points per unit of the games with fractions as returns."""

SEATS: Final = {
    "chinese_checkers": range(2, 5),
    "pathfinding": range(1, 2),
    "snake": range(2, 3),
    "tiny_hanabi": range(2, 3),
    "universal_poker": range(2, 3),
}
"""Numbers of seats of the games with gaps within their bounds."""


@cache
def class_of(name: str) -> type[OpenSpielGame]:
    """Return the class of a game by OpenSpiel's name, one of `game_types`."""
    kind = game_types()[name]
    per_unit = PER_UNIT.get(name, 1)
    options: list[Any] = list(option_fields(name))
    if per_unit != 1:
        hint = OpenSpielGame.__annotations__["points_per_unit"]
        options.append(("points_per_unit", hint, per_unit))
    facts = {
        "name": f"{PREFIX}{name}",
        "short_name": name,
        "summary": aligned(kind.long_name),
        "seats": SEATS.get(name) or range(kind.min_num_players, min(kind.max_num_players, 6) + 1),
        "seat_names": SEAT_NAMES.get(name, ()),
        "seat_marks": SEAT_MARKS.get(name, ()),
        "chance_type": None if kind.chance_mode.name == "DETERMINISTIC" else Draw,
        "__module__": OpenSpielGame.__module__,
        "__doc__": kind.long_name,
    }
    title = "".join(part.title() for part in name.split("_"))
    return make_dataclass(
        f"OpenSpiel{title}",
        options,
        bases=(OpenSpielGame,),
        namespace=facts,
        frozen=True,
        kw_only=True,
    )
