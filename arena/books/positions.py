"""Positions of books as other programs write them, made valid where only one meaning is possible.

Other programs read a FEN with a move number of 0, without its counters, with a right to castle but
no rook, or with a square of en passant that no pawn has passed. Arena's own FEN is strict, since a
match is recorded by it.
"""

import re
from collections.abc import Sequence

from referee.rules.chess_text import COLUMNS, FenError

_COUNTER = re.compile(r"\b(hmvc|fmvn) +([0-9]{1,4});")
_NUMBER = re.compile(r"([0-9]{1,4});?")
_DIGIT = re.compile("[1-8]")


class OtherVariantError(FenError):
    """A position of Chess960 in a book of chess; all others of the book may be read wrongly."""


def book_fen(text: str, *, is_960: bool) -> str:
    """Return the FEN of a line of EPD or FEN, or raise FenError.

    Of operations only `hmvc` and `fmvn` count.
    """
    words = text.split(maxsplit=6)
    if len(words) < 4:
        raise FenError("expected a position of 4 to 6 fields, as FEN")
    placement, side, castling, en_passant, *rest = words
    rows = _rows(placement)
    if len(rows) == 8 and all(len(row) == 8 for row in rows):
        castling = _castling(rows, castling, is_960=is_960)
        en_passant = en_passant if _is_passed(rows, side, en_passant) else "-"
    return " ".join([placement, side, castling, en_passant, *_counters(text, rest)])


def _counters(text: str, rest: Sequence[str]) -> tuple[str, str]:
    """Return the plies without progress and the number of the move: 0 and 1 if they are missing."""
    quiet, *others = [_NUMBER.fullmatch(word) for word in rest[:2]] or [None]
    if quiet is None:
        named = dict(_COUNTER.findall(text))
        counters = (named.get("hmvc", "0"), named.get("fmvn", "1"))
    else:
        counters = (quiet[1], next((found[1] for found in others if found), "1"))
    return counters[0], "1" if int(counters[1]) == 0 else counters[1]


def _castling(rows: Sequence[str], text: str, *, is_960: bool) -> str:
    """Return the rights that king and rook still have; raises OtherVariantError."""
    if not re.fullmatch("[A-Ha-hKQkq]+", text):
        return text
    kept = [letter for letter in text if _has_rook(rows, letter, is_960=is_960)]
    return "".join(dict.fromkeys(kept)) or "-"


def _has_rook(rows: Sequence[str], letter: str, *, is_960: bool) -> bool:
    is_white = letter.isupper()
    row = rows[7 if is_white else 0]
    king = row.find("K" if is_white else "k")
    rooks = [place for place, man in enumerate(row) if man == ("R" if is_white else "r")]
    if king < 0:
        return False
    if letter in "KQkq":
        usual = 7 if letter in "Kk" else 0
        found = [rook for rook in rooks if (rook > king) is (usual > 0)]
    else:
        usual = COLUMNS.index(letter.lower())
        found = [rook for rook in rooks if rook == usual]
    if is_960:
        return bool(found)
    is_usual = king == 4 and usual in (0, 7)
    if found and not is_usual:
        detail = f'castling "{letter}": a position of Chess960; add chess960: true to the game'
        raise OtherVariantError(detail)
    return usual in found


def _is_passed(rows: Sequence[str], side: str, square: str) -> bool:
    """Whether a pawn has just moved over the square of en passant; also for a malformed text."""
    if not re.fullmatch("[a-h][36]", square):
        return True
    column, is_white = COLUMNS.index(square[0]), square[1] == "3"
    behind, over, ahead = (rows[y][column] for y in ((6, 5, 4) if is_white else (1, 2, 3)))
    return side == ("b" if is_white else "w") and (behind, over, ahead) == (
        ".",
        ".",
        "P" if is_white else "p",
    )


def _rows(placement: str) -> list[str]:
    """Return the rows from the top, with a dot for an empty square."""
    return _DIGIT.sub(lambda found: "." * int(found[0]), placement[:200]).split("/")
