"""OpenSpiel's texts of a position: the knowledge of a seat, and a picture for a terminal."""

import re
from typing import Any, Final

from protocol.vocabulary import Seat
from protocol.wording import aligned
from referee.open_spiel.library import Loaded

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_RANKS: Final = re.compile(r"(?:[A-Za-z~0-9]|\+[A-Za-z])+(?:/(?:[A-Za-z~0-9]|\+[A-Za-z])+){4,}")
"""The board of a position as FEN or SFEN has it: a rank after the other."""
_MEN: Final = re.compile(r"[0-9]+|\+?[A-Za-z]")


def seen_texts(loaded: Loaded, state: Any, seat: Seat) -> dict[str, str]:
    """Return a seat's view and, in a game of hidden information, its whole knowledge."""
    texts = {}
    if loaded.kind.provides_observation_string:
        texts["observation"] = str(state.observation_string(seat))
    if not texts:
        texts["observation"] = str(state.information_state_string(seat))
    elif loaded.is_hidden and loaded.kind.provides_information_state_string:
        texts["information"] = str(state.information_state_string(seat))
    return texts


def picture(text: str) -> str:
    """Return printable lines; a board in FEN gets a line for each rank."""
    lines = [aligned(line).rstrip() for line in _COLOUR.sub("", text).split("\n")]
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    first, _, rest = lines[0].partition(" ")
    if len(lines) == 1 and _RANKS.fullmatch(first):
        lines = [*map(_rank, first.replace("~", "").split("/")), rest]
    return "\n".join(line or " " for line in lines)


def _rank(rank: str) -> str:
    places = []
    for men in _MEN.findall(rank):
        places += ["."] * int(men) if men.isdecimal() and int(men) < 100 else [men]
    width = 3 if any(len(place) > 1 for place in places) else 2
    return "".join(place.rjust(width) for place in places).removeprefix(" " * (width - 1))
