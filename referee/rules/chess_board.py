"""The board of chess: attacks, legal moves and the position after a move.

A square is a number from 0 (a1) to 63 (h8), row by row; a set of squares is an integer with a bit
for each. Castling is the king's move to the square of its own rook, so that Chess960 needs nothing
special.

The legal moves of a piece follow from the pieces that give check and from pins, without making the
move; only capturing en passant is tried out.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
PROMOTIONS = (QUEEN, ROOK, BISHOP, KNIGHT)
NO_SQUARE = -1
ALL = 2**64 - 1
BACK_ROWS = (0xFF, 0xFF << 56)
FAR_ROWS = (0xFF << 56, 0xFF)
LIGHT = 0x55AA55AA55AA55AA
_THIRD_ROWS = (0xFF << 16, 0xFF << 40)

Squares = int
Square = int


class Board(NamedTuple):
    """The pieces, the side to move (0 is White), and the rights to castle and capture en passant.

    Equal boards are the same position by the rules of repetition.
    """

    kinds: tuple[Squares, ...]
    """Squares of the pawns, knights, bishops, rooks, queens and kings of both sides."""
    sides: tuple[Squares, Squares]
    """Squares of White's and of Black's pieces."""
    turn: int
    castling: Squares
    """Squares of the rooks with the right to castle."""
    en_passant: Square
    """The square to which a pawn can legally capture en passant, or NO_SQUARE."""

    def kind_at(self, square: Square) -> int:
        """Return the kind of the piece on a square, never an empty one."""
        return next(kind for kind, squares in enumerate(self.kinds) if squares >> square & 1)


def squares_of(squares: Squares) -> Iterator[Square]:
    """Yield the squares of a set, from a1 to h8."""
    while squares:
        bit = squares & -squares  # the lowest bit alone
        yield bit.bit_length() - 1
        squares ^= bit


def all_ends() -> Iterator[tuple[Square, Square, int | None]]:
    """Yield start, target and promotion of every move of any piece, 1968 in all."""
    for start in range(64):
        for target in squares_of(_ROOK[start] | _BISHOP[start] | _KNIGHT[start]):
            yield start, target, None
            is_far = (start // 8, target // 8) in ((6, 7), (1, 0))
            if is_far and abs(start % 8 - target % 8) <= 1:
                yield from ((start, target, promotion) for promotion in PROMOTIONS)


def rights_of(board: Board, side: int) -> Iterator[bool]:
    """Yield the rights of a side to castle with a rook on each column, then those of the other.

    Eight more flags have the column of a pawn that can be captured en passant.
    """
    for row in (BACK_ROWS[side], BACK_ROWS[1 - side]):
        yield from (bool(board.castling >> square & 1) for square in squares_of(row))
    yield from (board.en_passant >= 0 and board.en_passant % 8 == column for column in range(8))


class Moves:
    """The legal moves in a position."""

    def __init__(self, board: Board) -> None:
        self.board = board
        turn = board.turn
        self._own = board.sides[turn]
        self._enemy = board.sides[1 - turn]
        self._all = self._own | self._enemy
        self.king = (board.kinds[KING] & self._own).bit_length() - 1
        # No move is made to see whether it leaves the king in check. Two sets found once for the
        # position decide: the squares that stop a check, and for each pinned piece the line of its
        # pin. The legal targets of a piece are those common to its own and these two.
        self.checkers = attackers(board, self.king, self._all, 1 - turn)
        self._allowed = ALL
        """Squares that stop a check."""
        if self.checkers:
            is_single = not self.checkers & (self.checkers - 1)
            checker = self.checkers.bit_length() - 1
            self._allowed = self.checkers | _BETWEEN[self.king][checker] if is_single else 0
        self._pins = self._find_pins()

    def any(self) -> bool:
        """Whether any move is legal. In Chess960 castling may be the only one."""
        return any(map(self.targets, squares_of(self._own))) or bool(self.castlings())

    def all(self) -> Iterator[tuple[Square, Square]]:
        """Yield start and target of every legal move, castling as the king's move to the rook."""
        for square in squares_of(self._own):
            for target in squares_of(self.targets(square)):
                yield square, target
        for rook in squares_of(self.castlings()):
            yield self.king, rook

    def targets(self, square: Square) -> Squares:
        """Return the legal targets of the own piece on a square, without castling."""
        bit = 1 << square
        kinds = self.board.kinds
        if kinds[PAWN] & bit:
            found = self._pawn_targets(square)
            capture = self.board.en_passant
            if capture >= 0 and _PAWN[self.board.turn][square] >> capture & 1:
                # The board has the right only if a pawn can use it; this may be another pawn.
                return self._limited(found, square) | self._en_passant(square, capture)
        elif kinds[KING] & bit:
            return self._king_targets()
        elif kinds[KNIGHT] & bit:
            found = _KNIGHT[square] & ~self._own
        else:
            found = 0
            if (kinds[ROOK] | kinds[QUEEN]) & bit:
                found = rook_attacks(square, self._all)
            if (kinds[BISHOP] | kinds[QUEEN]) & bit:
                found |= bishop_attacks(square, self._all)
            found &= ~self._own
        return self._limited(found, square)

    def castlings(self) -> Squares:
        """Return the squares of the rooks with which the king can castle now."""
        rooks = self.board.castling & self._own
        if not rooks or self.checkers:
            return 0
        return sum(1 << rook for rook in squares_of(rooks) if self._can_castle(rook))

    def _limited(self, found: Squares, square: Square) -> Squares:
        return found & self._allowed & self._pins.get(square, ALL)

    def _pawn_targets(self, square: Square) -> Squares:
        turn, bit, free = self.board.turn, 1 << square, ~self._all
        if turn == 0:
            step = bit << 8 & free
            step |= (step & _THIRD_ROWS[0]) << 8 & free
        else:
            step = bit >> 8 & free
            step |= (step & _THIRD_ROWS[1]) >> 8 & free
        return step | _PAWN[turn][square] & self._enemy

    def _en_passant(self, square: Square, capture: Square) -> Squares:
        return 1 << capture if is_en_passant_legal(self.board, square, capture) else 0

    def _king_targets(self) -> Squares:
        others = self._all ^ 1 << self.king
        found = 0
        for square in squares_of(_KING[self.king] & ~self._own):
            if not attackers(self.board, square, others, 1 - self.board.turn):
                found |= 1 << square
        return found

    def _can_castle(self, rook: Square) -> bool:
        king, board = self.king, self.board
        king_to, rook_to = castled(king, rook)
        others = self._all ^ 1 << king ^ 1 << rook
        path = _BETWEEN[king][king_to] | 1 << king_to
        if (path | _BETWEEN[rook][rook_to] | 1 << rook_to) & others:
            return False
        without_king = self._all ^ 1 << king
        if any(attackers(board, s, without_king, 1 - board.turn) for s in squares_of(path)):
            return False
        return not attackers(board, king_to, others | 1 << rook_to, 1 - board.turn)

    def _find_pins(self) -> dict[Square, Squares]:
        kinds, king = self.board.kinds, self.king
        straight = _ROOK[king] & (kinds[ROOK] | kinds[QUEEN])
        diagonal = _BISHOP[king] & (kinds[BISHOP] | kinds[QUEEN])
        pins = {}
        for far in squares_of((straight | diagonal) & self._enemy):
            line = _BETWEEN[king][far]
            between = line & self._all
            if between and not between & (between - 1) and between & self._own:
                pins[between.bit_length() - 1] = line | 1 << far
        return pins


def attackers(board: Board, square: Square, occupied: Squares, side: int) -> Squares:
    """Return the pieces of a side attacking a square, with these squares occupied.

    Pieces on squares missing in these block nothing, but attack still.
    """
    # Looked up from the square: a knight attacks it if a knight on it would attack that knight. A
    # pawn would do so as one of the other side.
    pawns, knights, bishops, rooks, queens, kings = board.kinds
    found = _KNIGHT[square] & knights | _KING[square] & kings | _PAWN[1 - side][square] & pawns
    sliders = (rooks | queens) & board.sides[side]
    if _ROOK[square] & sliders:
        found |= rook_attacks(square, occupied) & sliders
    sliders = (bishops | queens) & board.sides[side]
    if _BISHOP[square] & sliders:
        found |= bishop_attacks(square, occupied) & sliders
    return found & board.sides[side]


def castled(king: Square, rook: Square) -> tuple[Square, Square]:
    """Return the squares of the king and the rook after castling."""
    row = king & 56
    return (row + 6, row + 5) if rook > king else (row + 2, row + 3)


def after_move(board: Board, start: Square, target: Square, promotion: int) -> Board:
    """Return the board after a legal move. `promotion` is used only if a pawn reaches its end."""
    turn, kinds = board.turn, list(board.kinds)
    own, enemy = board.sides[turn], board.sides[1 - turn]
    from_bit, to_bit = 1 << start, 1 << target
    kind = board.kind_at(start)
    castling = board.castling & ~(from_bit | to_bit)
    double = NO_SQUARE
    if kind == KING:
        castling &= ~BACK_ROWS[turn]
        if own & to_bit:
            return _after_castling(board, kinds, start, target, castling)
    elif kind == PAWN and target == board.en_passant:
        taken = 1 << (target ^ 8)  # its rank is 5 for rank 6, 4 for rank 3
        kinds[PAWN] ^= taken
        enemy ^= taken
    elif kind == PAWN and abs(target - start) == 16:
        double = (start + target) // 2
    if enemy & to_bit:
        kinds = [squares & ~to_bit for squares in kinds]
        enemy ^= to_bit
    kinds[kind] ^= from_bit
    kinds[promotion if kind == PAWN and to_bit & FAR_ROWS[turn] else kind] |= to_bit
    own ^= from_bit | to_bit
    sides = (own, enemy) if turn == 0 else (enemy, own)
    after = Board(tuple(kinds), sides, 1 - turn, castling, NO_SQUARE)
    return after if double < 0 else with_en_passant(after, double)


def with_en_passant(board: Board, square: Square) -> Board:
    """Return the board with the right to capture on a square, if a pawn can legally do so."""
    able = _PAWN[1 - board.turn][square] & board.kinds[PAWN] & board.sides[board.turn]
    if any(is_en_passant_legal(board, start, square) for start in squares_of(able)):
        return board._replace(en_passant=square)
    return board


def is_en_passant_legal(board: Board, start: Square, target: Square) -> bool:
    """Whether the king is safe after the pawn on `start` captures en passant."""
    turn, taken = board.turn, 1 << (target ^ 8)
    own = board.sides[turn] ^ 1 << start ^ 1 << target
    enemy = board.sides[1 - turn] ^ taken
    sides = (own, enemy) if turn == 0 else (enemy, own)
    king = (board.kinds[KING] & own).bit_length() - 1
    return not attackers(board._replace(sides=sides), king, own | enemy, 1 - turn)


def _after_castling(
    board: Board, kinds: list[Squares], king: Square, rook: Square, castling: Squares
) -> Board:
    king_to, rook_to = castled(king, rook)
    kinds[KING] ^= 1 << king ^ 1 << king_to
    kinds[ROOK] ^= 1 << rook ^ 1 << rook_to
    own = board.sides[board.turn] & ~(1 << king | 1 << rook) | 1 << king_to | 1 << rook_to
    sides = (own, board.sides[1]) if board.turn == 0 else (board.sides[0], own)
    return Board(tuple(kinds), sides, 1 - board.turn, castling, NO_SQUARE)


def is_material_insufficient(board: Board) -> bool:
    """Whether no series of moves can mate: bare kings, one minor piece, or bishops of one color."""
    pawns, knights, bishops, rooks, queens, _ = board.kinds
    if pawns | rooks | queens:
        return False
    if not knights:
        return not bishops & LIGHT or not bishops & ~LIGHT
    return not bishops and not knights & (knights - 1)


Steps = tuple[tuple[int, int], ...]
_STRAIGHT: Steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
_DIAGONAL: Steps = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def _slide(square: Square, occupied: Squares, steps: Steps) -> Squares:
    found = 0
    for row_step, column_step in steps:
        row, column = square // 8 + row_step, square % 8 + column_step
        while 0 <= row < 8 and 0 <= column < 8:
            bit = 1 << row * 8 + column
            found |= bit
            if occupied & bit:
                break
            row, column = row + row_step, column + column_step
    return found


def _slider(steps: Steps) -> Callable[[Square, Squares], Squares]:
    """Return a function of a square and the occupied ones, for the squares attacked by a slide.

    It looks up what it has found before, by the occupied squares that can stop the slide.
    """
    inner = [_inner(square, steps) for square in range(64)]
    seen: list[dict[Squares, Squares]] = [{} for _ in range(64)]

    def attacks(square: Square, occupied: Squares) -> Squares:
        key = occupied & inner[square]
        found = seen[square].get(key)
        if found is None:
            found = seen[square][key] = _slide(square, occupied, steps)
        return found

    return attacks


def _jumps(steps: Steps) -> tuple[Squares, ...]:
    """Return, for each square, the squares one step away."""
    return tuple(
        sum(
            1 << (square // 8 + rows) * 8 + square % 8 + columns
            for rows, columns in steps
            if 0 <= square // 8 + rows < 8 and 0 <= square % 8 + columns < 8
        )
        for square in range(64)
    )


def _lines_between() -> tuple[tuple[Squares, ...], ...]:
    """Return, for each two squares, those strictly between them if they are on a line, or 0."""
    found = [[0] * 64 for _ in range(64)]
    for square in range(64):
        for row_step, column_step in _STRAIGHT + _DIAGONAL:
            row, column, passed = square // 8 + row_step, square % 8 + column_step, 0
            while 0 <= row < 8 and 0 <= column < 8:
                found[square][row * 8 + column] = passed
                passed |= 1 << row * 8 + column
                row, column = row + row_step, column + column_step
    return tuple(map(tuple, found))


def _inner(square: Square, steps: Steps) -> Squares:
    """Return the squares able to stop a slide along the lines: all but the last of each line."""
    found = 0
    for step in steps:
        line = _slide(square, 0, (step,))
        ends = (squares for squares in squares_of(line) if not _slide(squares, 0, (step,)))
        found |= line & ~sum(1 << end for end in ends)
    return found


_KNIGHT = _jumps(((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)))
_KING = _jumps(_STRAIGHT + _DIAGONAL)
_PAWN = (_jumps(((1, -1), (1, 1))), _jumps(((-1, -1), (-1, 1))))
"""Squares attacked by a pawn, by side and square."""
_ROOK = tuple(_slide(square, 0, _STRAIGHT) for square in range(64))
_BISHOP = tuple(_slide(square, 0, _DIAGONAL) for square in range(64))
_BETWEEN = _lines_between()
rook_attacks = _slider(_STRAIGHT)
"""Returns the squares attacked by a rook on a square, with these squares occupied."""
bishop_attacks = _slider(_DIAGONAL)
"""The same of a bishop."""
