"""Boards of the best-known games of OpenSpiel, by the contract of pictures.

OpenSpiel has no common form of a position, so the pieces are read from its text of the position, or
from the methods of one game. A game that is not listed here is shown by its text.
"""

from collections.abc import Callable
from typing import Any, Final

from referee.open_spiel.boards.backgammon import Backgammon
from referee.open_spiel.boards.board import Board
from referee.open_spiel.boards.dots import DotsAndBoxes
from referee.open_spiel.boards.grids import GRIDS, Grid
from referee.open_spiel.boards.poker import Kuhn, Leduc

OTHERS: Final[dict[str, Callable[[Any], Board]]] = {
    "backgammon": Backgammon,
    "dots_and_boxes": DotsAndBoxes,
    "kuhn_poker": Kuhn,
    "leduc_poker": Leduc,
}


__all__ = ["OTHERS", "SEAT_MARKS", "SEAT_NAMES", "Board", "board_of"]

SEAT_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "breakthrough": ("black", "white"),
    "checkers": ("white", "black"),
    "hex": ("black", "white"),
    "othello": ("black", "white"),
}
SEAT_MARKS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("backgammon", "connect_four", "hex", "othello", "tic_tac_toe"), ("x", "o")),
    **dict.fromkeys(("dark_hex", "dark_hex_ir", "lines_of_action", "mnk", "twixt"), ("x", "o")),
    **dict.fromkeys(("latent_ttt", "phantom_ttt", "phantom_ttt_ir"), ("x", "o")),
    **dict.fromkeys(("amazons", "go"), ("X", "O")),
    **dict.fromkeys(("havannah", "pentago", "y"), ("O", "@")),
    "breakthrough": ("b", "w"),
    "checkers": ("o", "+"),
    "clobber": ("o", "x"),
    "gomoku": ("b", "w"),
    "nine_mens_morris": ("W", "B"),
    "ultimate_tic_tac_toe": ("x", "o"),
}
"""Marks of the seats in OpenSpiel's texts, by game."""


def board_of(name: str, spiel_game: Any) -> Board | None:
    """Return the board of a game with its parameters; None for a game that is shown by its text."""
    if name in GRIDS:
        return Grid.of(GRIDS[name], spiel_game)
    made = OTHERS.get(name)
    return None if made is None else made(spiel_game)
