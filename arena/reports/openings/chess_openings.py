"""The opening of a match of chess: its ECO code and name, found by position.

The last named position of a match names it, so that another order of moves does not matter. The
names and their licence: `README.md` beside this file.
"""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from referee.games.chess import Chess, State
from referee.rules.chess_text import START


class Opening(NamedTuple):
    """A named opening."""

    eco: str
    name: str


def opening_of(game: Chess, states: Iterable[State]) -> Opening | None:
    """Return the opening of a match with these positions; None without a name.

    Only matches from the usual start have one: a position that was set up has no moves before it.
    """
    found = None
    for state in states:
        if game.chess960 or state.first != START:
            return None
        found = _openings().get(_position(game, state), found)
    return found


def _position(game: Chess, state: State) -> str:
    """Return the fields of a FEN that make two positions equal."""
    return game.fen_of(state).rsplit(" ", 2)[0]


@cache
def _openings() -> dict[str, Opening]:
    text = (files(__package__) / "chess.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {position: Opening(eco, name) for eco, name, position in rows}
