"""Openings of chess from a book of Polyglot (.bin).

Such a book has weighted moves by the keys of their positions, not a list of openings. An opening is
a walk from the usual start position: each move is drawn by its weight, from the seed and the number
of the walk, so that an event can take more openings later.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import blake2b
from itertools import islice
from struct import Struct
from typing import IO, Any

from arena.books.isaac64 import isaac64
from arena.errors import ConfigError, Problem
from referee.games.chess import Chess, State
from referee.rules import RuleError
from referee.rules.chess_board import BACK_ROWS, KING, PAWN, Board, squares_of
from referee.rules.chess_text import square_name

PLIES = 12
"""Plies of an opening where no other number is given."""
SPARE = 200
"""Walks in a row that end like earlier ones, after which a book has no more, and 2 for each found.
"""

_ENTRY = Struct(">QHHI")
_CASTLING = {"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8", "e8a8": "e8c8"}
"""Castling as Polyglot writes it, the king on its rook."""
_PROMOTIONS = ("", "n", "b", "r", "q")
_RIGHTS, _EN_PASSANT, _WHITE = 768, 772, 780
"""Places of the random numbers after those of the men on their squares."""


def read_polyglot(
    file: IO[bytes], name: str, game: Chess, count: int | None, seed: int, *, plies: int = PLIES
) -> tuple[str, ...]:
    """Return up to `count` openings that end in different positions; raises ConfigError."""
    if game.chess960:
        raise ConfigError([Problem(name, "a book of Polyglot is of usual chess, not of Chess960")])
    if count is None:
        detail = "a book of Polyglot has no list of openings; set boards to the number to draw"
        raise ConfigError([Problem(name, detail)])
    book = _Polyglot(file, name)
    found: dict[Any, str] = {}
    walk = last = 0
    while len(found) < count and walk - last <= SPARE + 2 * len(found):
        walk += 1
        moves, state = _walk(book, game, plies, f"{seed} {walk}")
        if moves and state.board not in found:
            found[state.board], last = " ".join(moves), walk
    if not found:
        detail = "has no moves for the usual start position; expected a book of Polyglot"
        raise ConfigError([Problem(name, detail)])
    return tuple(found.values())


def position_key(board: Board, last: str) -> int:
    """Return the key of a position after the move `last`, like e2e4; "" for none."""
    numbers = _numbers()
    places = [
        64 * (2 * kind + (1 - side)) + square
        for kind, squares in enumerate(board.kinds)
        for side in (0, 1)
        for square in squares_of(squares & board.sides[side])
    ]
    for side in (0, 1):
        king = (board.kinds[KING] & board.sides[side]).bit_length() - 1
        rooks = squares_of(board.castling & BACK_ROWS[side])
        places += [_RIGHTS + 2 * side + int(rook < king) for rook in rooks]
    if (column := _passed(board, last)) is not None:
        places.append(_EN_PASSANT + column)
    if board.turn == 0:
        places.append(_WHITE)
    key = 0
    for place in places:
        key ^= numbers[place]
    return key


def _passed(board: Board, last: str) -> int | None:
    """Return the column of a pawn that has just made two steps beside a pawn of the other side.

    The capture need not be legal, other than in Arena's own positions.
    """
    if not last or abs(int(last[3]) - int(last[1])) != 2:
        return None
    column, row = ord(last[2]) - ord("a"), int(last[3]) - 1
    if not board.kinds[PAWN] >> (column + 8 * row) & 1:
        return None
    own = board.kinds[PAWN] & board.sides[board.turn]
    beside = [side for side in (column - 1, column + 1) if 0 <= side < 8]
    return column if any(own >> (side + 8 * row) & 1 for side in beside) else None


class _Polyglot:
    """The entries of a book, sorted by their keys."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        size = file.seek(0, 2)
        if size == 0 or size % _ENTRY.size:
            detail = f"is no book of Polyglot: {size:,} bytes are no whole entries of 16 bytes"
            raise ConfigError([Problem(name, detail)])
        self._places = range(size // _ENTRY.size)
        self._known: dict[int, tuple[tuple[str, int], ...]] = {}

    def moves(self, key: int) -> Sequence[tuple[str, int]]:
        """Return the moves of a position with their weights, which are above 0."""
        if key not in self._known:
            self._known[key] = tuple(self._entries(key))
        return self._known[key]

    def _entries(self, key: int) -> Iterator[tuple[str, int]]:
        first = bisect_left(self._places, key, key=lambda place: self._entry(place)[0])
        for place in self._places[first : first + 256]:
            found, move, weight, _ = self._entry(place)
            if found != key:
                return
            if weight and move >> 12 < len(_PROMOTIONS):
                target, start = square_name(move & 63), square_name(move >> 6 & 63)
                yield f"{start}{target}{_PROMOTIONS[move >> 12]}", weight

    def _entry(self, place: int) -> tuple[int, int, int, int]:
        self._file.seek(place * _ENTRY.size)
        key, move, weight, learned = _ENTRY.unpack(self._file.read(_ENTRY.size))
        return key, move, weight, learned


def _walk(book: _Polyglot, game: Chess, plies: int, seed: str) -> tuple[list[str], State]:
    """Return the moves of a walk, as far as the book has legal ones, and the position after it."""
    state, moves, last = game.start(2, 0), list[str](), ""
    for ply in range(plies):
        choices = book.moves(position_key(state.board, last))
        if not choices:
            break
        last = _drawn(choices, f"{seed} {ply}")
        is_king = state.board.kind_at(_square(last)) == KING
        try:
            move = game.parse_in(state, _CASTLING.get(last, last) if is_king else last)
            after = game.apply(state, move)
        except RuleError:  # an entry of another position with the same key
            break
        if game.outcome(after) is not None:
            break
        moves.append(game.notation(move))
        state = after
    return moves, state


def _drawn(choices: Sequence[tuple[str, int]], seed: str) -> str:
    """Return a move drawn by the weights."""
    drawn = int.from_bytes(blake2b(seed.encode(), digest_size=8).digest())
    left = drawn % sum(weight for _, weight in choices)
    for move, weight in choices:
        left -= weight
        if left < 0:
            return move
    raise AssertionError("a number below the sum of the weights")


def _square(move: str) -> int:
    return ord(move[0]) - ord("a") + 8 * (int(move[1]) - 1)


@cache
def _numbers() -> tuple[int, ...]:
    return tuple(islice(isaac64(), _WHITE + 1))
