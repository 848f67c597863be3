"""Syzygy tablebases of chess: who wins a position with few pieces.

They are read by the package `chess`, which is licensed under the GPL: it is an extra of Arena, and
only this module imports it.
"""

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from referee.extras import install_command

MOST_PIECES = 7
"""Number of pieces of the largest Syzygy tables."""
NOBODY = -1
"""In place of the winner's seat: a draw."""
WIN = 2
"""A win in spite of the rule of 50 moves; 1 is one that this rule makes a draw."""
_TABLE = re.compile(r"K[QRBNP]*vK[QRBNP]*\.rtbw")


class TablebaseError(Exception):
    """Tablebases cannot be read; the message says what to do."""


class Tables:
    """The tablebases of a folder."""

    def __init__(self, folder: str) -> None:
        """Open them; raises TablebaseError."""
        try:
            from chess import Board
            from chess.syzygy import open_tablebase
        except ImportError:
            raise _missing() from None
        self._pieces = largest(folder)
        self._board = Board
        self._tables = open_tablebase(folder, load_dtz=False)

    def winner(self, fen: str) -> int | None:
        """Return the seat that wins a position, NOBODY for a draw, or None if it is in no table."""
        if not is_covered(fen, self._pieces):
            return None
        board = self._board(fen)
        wdl: int | None = self._tables.get_wdl(board)
        if wdl is None:
            return None
        if abs(wdl) < WIN:
            return NOBODY
        to_move = 0 if board.turn else 1
        return to_move if wdl > 0 else 1 - to_move


@lru_cache(maxsize=1)
def opened(folder: str) -> Tables:
    """Return the tablebases of a folder, which a referee opens once; raises TablebaseError."""
    return Tables(folder)


def largest(folder: str) -> int:
    """Return the number of pieces of the largest table in a folder; raises TablebaseError."""
    try:
        names = [path.name for path in Path(folder).iterdir()]
    except OSError as error:
        raise TablebaseError(f"{folder}: {error.strerror}") from None
    sizes = [len(name) - len("v.rtbw") for name in names if _TABLE.fullmatch(name)]
    if not sizes:
        raise TablebaseError(f"{folder} has no Syzygy tables, files like KQvK.rtbw")
    return max(sizes)


def require(folder: str) -> None:
    """Raise TablebaseError unless a referee of this Python can read the tables of a folder."""
    largest(folder)
    if find_spec("chess") is None:
        raise _missing()


def _missing() -> TablebaseError:
    command = install_command("tablebases")
    return TablebaseError(f"they are read by an extra of Arena, to be installed: {command}")


def is_covered(fen: str, pieces: int) -> bool:
    """Whether tables of this number of pieces can decide a position.

    They know neither castling nor the moves since the last capture or pawn's move, so they decide
    only right after one.
    """
    placed, _, castling, _, quiet, *_ = *fen.split(), "", "", "", "", ""
    count = sum(character.isalpha() for character in placed)
    return count <= pieces and castling == "-" and quiet == "0"
