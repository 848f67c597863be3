"""Positions and moves of chess as text: FEN, the numbers of Chess960, and SAN."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from referee.rules.chess_board import (
    BACK_ROWS,
    BISHOP,
    FAR_ROWS,
    KING,
    KNIGHT,
    NO_SQUARE,
    PAWN,
    QUEEN,
    ROOK,
    Board,
    Moves,
    Square,
    after_move,
    attackers,
    squares_of,
    with_en_passant,
)
from referee.rules.errors import NotationError

LETTERS = "pnbrqk"
NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")
COLUMNS = "abcdefgh"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MAX_FEN = 100
MAX_NUMBER = 9999
"""Limit of the number of the move in a FEN."""
MEN = 16
PAWNS = 8


class FenError(Exception):
    """Text without a valid position. The message has the reason."""


@dataclass(frozen=True)
class Position:
    """A position with its counters."""

    board: Board
    quiet: int
    """Plies since the last capture or move of a pawn."""
    number: int
    """Number of the move, counted by White's moves."""


def read_fen(text: str, *, is_960: bool) -> Position:
    """Read a FEN of four or six fields, or raise FenError.

    The position must be possible as far as a look at it tells: one king each, the side that has
    moved not in check, no more men than a game has. Castling in Chess960 is KQkq for the outermost
    rooks or the letters of the rooks' columns.
    """
    if len(text) > MAX_FEN or not text.isascii():
        raise FenError(f"a FEN has at most {MAX_FEN} characters of ASCII")
    words = text.split(" ")
    if len(words) == 4:
        words += ["0", "1"]
    if len(words) != 6:
        raise FenError(f"a FEN has 6 fields separated by single spaces, not {len(words)}")
    placement, side, castling, en_passant, quiet, number = words
    if side not in ("w", "b"):
        raise FenError('the side to move is "w" or "b"')
    kinds, sides = _placed(placement)
    board = Board(kinds, sides, int(side == "b"), 0, NO_SQUARE)
    _check_men(board)
    board = board._replace(castling=_castling(board, castling, is_960=is_960))
    return Position(
        _with_en_passant(board, en_passant),
        _number(quiet, "plies without capture or move of a pawn", 0, 99),
        _number(number, "number of the move", 1, MAX_NUMBER),
    )


def write_fen(position: Position) -> str:
    """Return the FEN. The square of en passant is written only if the capture is legal."""
    board = position.board
    square = square_name(board.en_passant) if board.en_passant >= 0 else "-"
    rows = "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in rows_of(board))
    rights = "".join(_right(board, side) for side in (0, 1)) or "-"
    return f"{rows} {'wb'[board.turn]} {rights} {square} {position.quiet} {position.number}"


def rows_of(board: Board) -> list[str]:
    """Return the rows from the top, with a dot for an empty square."""
    return list(_rows_of(board))


@lru_cache(maxsize=2)
def _rows_of(board: Board) -> tuple[str, ...]:
    """Return the rows of the last boards: a view shows them, and writes them as FEN."""
    glyphs = ["."] * 64
    for kind, letter in enumerate(LETTERS):
        for square in squares_of(board.kinds[kind]):
            is_white = board.sides[0] >> square & 1
            glyphs[square] = letter.upper() if is_white else letter
    return tuple("".join(glyphs[row : row + 8]) for row in range(56, -8, -8))


def start_960(number: int) -> str:
    """Return the FEN of a start position of Chess960 by Scharnagl's number; 518 is usual chess."""
    row = [""] * 8
    number, light = divmod(number, 4)
    number, dark = divmod(number, 4)
    number, queen = divmod(number, 6)
    row[2 * light + 1] = row[2 * dark] = "b"
    row[_free(row)[queen]] = "q"
    knights = [(one, other) for one in range(5) for other in range(one + 1, 5)][number]
    for place in [_free(row)[place] for place in knights]:
        row[place] = "n"
    for place, letter in zip(_free(row), "rkr", strict=True):
        row[place] = letter
    men = "".join(row)
    return f"{men}/pppppppp/8/8/8/8/PPPPPPPP/{men.upper()} w KQkq - 0 1"


def square_name(square: Square) -> str:
    """Return the name of a square, like e4."""
    return f"{COLUMNS[square % 8]}{square // 8 + 1}"


def square_at(name: str) -> Square:
    """Return the square with a name of a column from a to h and a row from 1 to 8."""
    return COLUMNS.index(name[0]) + 8 * (int(name[1]) - 1)


def write_san(board: Board, start: Square, target: Square, promotion: int = QUEEN) -> str:
    """Return a legal move in standard algebraic notation."""
    after = Moves(after_move(board, start, target, promotion))
    end = "" if not after.checkers else "+" if after.any() else "#"
    kind = board.kind_at(start)
    if kind == KING and board.sides[board.turn] >> target & 1:
        return ("O-O" if target > start else "O-O-O") + end
    name = square_name(target)
    is_capture = board.sides[1 - board.turn] >> target & 1 or (
        kind == PAWN and target == board.en_passant
    )
    mark = "x" if is_capture else ""
    if kind == PAWN:
        column = COLUMNS[start % 8] if is_capture else ""
        promoted = 1 << target & FAR_ROWS[board.turn]
        piece = f"={LETTERS[promotion].upper()}" if promoted else ""
        return f"{column}{mark}{name}{piece}{end}"
    return f"{LETTERS[kind].upper()}{_origin(board, kind, start, target)}{mark}{name}{end}"


def read_san(board: Board, text: str) -> tuple[Square, Square, int] | None:
    """Return start, target and promotion of a legal move in SAN, None for other text.

    Marks of check and comment are optional, and more may stand in it than needed, like Ng1f3.
    Raise NotationError for such notation of no move, or of several.
    """
    said = text.rstrip("+#!?")
    if said in ("O-O", "0-0", "O-O-O", "0-0-0"):
        moves, is_short = Moves(board), len(said) == 3
        rooks = [r for r in squares_of(moves.castlings()) if (r > moves.king) is is_short]
        if not rooks:
            raise NotationError(f'"{text}": the king cannot castle to this side now')
        return moves.king, rooks[0], QUEEN
    if not (found := _SAN.fullmatch(said)):
        return None
    piece, column, row, name, promoted = found.groups()
    kind = LETTERS.index(piece.lower()) if piece else PAWN
    target = square_at(name)
    fits = [
        start
        for start, to in Moves(board).all()
        if to == target
        and board.kinds[kind] >> start & 1
        and not board.sides[board.turn] >> to & 1
        and (not column or COLUMNS[start % 8] == column)
        and (not row or start // 8 + 1 == int(row))
    ]
    if not fits and column and row and not piece:
        return None  # like e2e4, the notation of UCI
    is_last = kind == PAWN and bool(1 << target & FAR_ROWS[board.turn])
    if len(fits) != 1 or is_last is not bool(promoted):
        raise NotationError(f'"{text}": {_misfit(fits, found, is_last=is_last)}')
    return fits[0], target, LETTERS.index(promoted.lower()) if promoted else QUEEN


def _misfit(fits: Sequence[Square], said: re.Match[str], *, is_last: bool) -> str:
    """Return why the notation of a move is not that of one legal move, for the pieces it fits."""
    piece, column, row, target, _ = said.groups()
    if not fits:
        name = NAMES[LETTERS.index(piece.lower()) if piece else PAWN]
        origin = f" from {column}{row}" if column or row else ""
        return f"no {name} can go{origin} to {target}, or its king would be in check"
    if len(fits) > 1:
        moves = " or ".join(f"{piece}{square_name(start)}{target}" for start in fits)
        return f"several pieces can go to {target}: write {moves}"
    if is_last:
        return f"the piece of the promotion is missing: write {said[0]}=Q, for example"
    return "only a pawn on the last row is promoted"


_SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])(?:=?([NBRQnbrq]))?")


def _origin(board: Board, kind: int, start: Square, target: Square) -> str:
    """Return the mark to tell the piece from others of its kind with the same target."""
    moves = Moves(board)
    rivals = [
        square
        for square in squares_of(board.kinds[kind] & board.sides[board.turn])
        if square != start and moves.targets(square) >> target & 1
    ]
    name = square_name(start)
    if not rivals:
        return ""
    if all(square % 8 != start % 8 for square in rivals):
        return name[0]
    return name[1] if all(square // 8 != start // 8 for square in rivals) else name


def _placed(placement: str) -> tuple[tuple[int, ...], tuple[int, int]]:
    kinds, sides = [0] * 6, [0, 0]
    rows = placement.split("/")
    if len(rows) != 8:
        raise FenError(f"the board has 8 rows, not {len(rows)}")
    for number, row in enumerate(rows):
        column = 0
        for glyph in row:
            if glyph in "12345678":
                column += int(glyph)
            elif glyph.lower() in LETTERS and column < 8:
                bit = 1 << (7 - number) * 8 + column
                kinds[LETTERS.index(glyph.lower())] |= bit
                sides[glyph.islower()] |= bit
                column += 1
            else:
                raise FenError(f'row {8 - number} of the board, "{row}", has a wrong character')
        if column != 8:
            raise FenError(f'row {8 - number} of the board, "{row}", has {column} squares, not 8')
    return tuple(kinds), (sides[0], sides[1])


def _check_men(board: Board) -> None:
    for side, name in enumerate(("White", "Black")):
        own = board.sides[side]
        counts = [(squares & own).bit_count() for squares in board.kinds]
        if counts[KING] != 1:
            raise FenError(f"{name} has {counts[KING]} kings; one is needed")
        if own.bit_count() > MEN or counts[PAWN] > PAWNS:
            raise FenError(f"{name} has more than {MEN} men or more than {PAWNS} pawns")
        usual = zip((KNIGHT, BISHOP, ROOK, QUEEN), (2, 2, 2, 1), strict=True)
        promoted = sum(max(0, counts[kind] - number) for kind, number in usual)
        if promoted > PAWNS - counts[PAWN]:
            raise FenError(f"{name} has more promoted pieces than pawns are missing")
    if board.kinds[PAWN] & (BACK_ROWS[0] | BACK_ROWS[1]):
        raise FenError("a pawn stands on the first or last row")
    waiting = 1 - board.turn
    king = (board.kinds[KING] & board.sides[waiting]).bit_length() - 1
    if attackers(board, king, board.sides[0] | board.sides[1], board.turn):
        raise FenError("the side that is not to move is in check")


def _castling(board: Board, text: str, *, is_960: bool) -> int:
    if text == "-":
        return 0
    if not re.fullmatch(r"[A-Ha-hKQkq]{1,4}", text) or len(set(text)) != len(text):
        raise FenError(f'castling is "-" or letters like KQkq, not "{text}"')
    rights = 0
    for letter in text:
        rights |= 1 << _rook_of(board, letter, is_960=is_960)
    for side in (0, 1):
        king = board.kinds[KING] & board.sides[side]
        own = list(squares_of(rights & BACK_ROWS[side]))
        if len(own) > 2 or (len(own) == 2 and not 1 << own[0] < king < 1 << own[1]):
            raise FenError(f'castling "{text}": a side castles with one rook on each side')
    return rights


def _rook_of(board: Board, letter: str, *, is_960: bool) -> Square:
    """Return the square of the rook for a castling right, or raise FenError."""
    side = int(letter.islower())
    king = (board.kinds[KING] & board.sides[side]).bit_length() - 1
    row = board.kinds[ROOK] & board.sides[side] & BACK_ROWS[side]
    rooks = list(squares_of(row)) if 1 << king & BACK_ROWS[side] else []
    if letter in "KQkq":
        beside = [rook for rook in rooks if (rook > king) is (letter in "Kk")]
        rook = (max(beside) if letter in "Kk" else min(beside)) if beside else NO_SQUARE
    else:
        rook = COLUMNS.index(letter.lower()) + 56 * side
    is_usual = king % 8 == 4 and rook % 8 in (0, 7)
    if rook not in rooks or not (is_960 or is_usual):
        raise FenError(f'castling "{letter}": king and rook are not in their places')
    return rook


def _with_en_passant(board: Board, text: str) -> Board:
    if text == "-":
        return board
    row = "63"[board.turn]
    if not re.fullmatch(f"[a-h]{row}", text):
        raise FenError(f'the square of en passant is "-" or in row {row}, not "{text}"')
    square = square_at(text)
    behind, ahead = (square + 8, square - 8) if board.turn == 0 else (square - 8, square + 8)
    occupied = board.sides[0] | board.sides[1]
    pawns = board.kinds[PAWN] & board.sides[1 - board.turn]
    if not pawns >> ahead & 1 or occupied >> square & 1 or occupied >> behind & 1:
        raise FenError(f"no pawn has just moved over {text}, the square of en passant")
    return with_en_passant(board, square)


def _number(text: str, name: str, least: int, most: int) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", text) or not least <= int(text) <= most:
        raise FenError(f"the {name} must be {least} to {most}")
    return int(text)


def _right(board: Board, side: int) -> str:
    """Return the letters of a side's rights to castle, the rook on the right first."""
    king = (board.kinds[KING] & board.sides[side]).bit_length() - 1
    rooks = board.kinds[ROOK] & board.sides[side] & BACK_ROWS[side]
    found = ""
    for rook in sorted(squares_of(board.castling & board.sides[side]), reverse=True):
        beyond = [r for r in squares_of(rooks) if (r > rook if rook > king else r < rook)]
        letter = COLUMNS[rook % 8] if beyond else "k" if rook > king else "q"
        found += letter if side else letter.upper()
    return found


def _free(row: list[str]) -> list[int]:
    return [place for place, letter in enumerate(row) if not letter]
