"""Chess by the rules of FIDE, and Chess960.

Seat 0 is White, seat 1 Black. White begins, unless the position of the option `fen` says otherwise.

* A move is the square of the piece, its target square, and the piece a pawn becomes on the last
  row: `q`, `r`, `b` or `n`, otherwise an empty text. Castling is the move of the king by two
  squares, `e1` to `g1`; with `chess960` the king moves to its own rook's square.
* Checkmate wins. Stalemate is a draw.
* The referee ends the match as a draw, without a claim, as soon as a position occurs for the third
  time, or when 50 moves of each side pass without a capture or a pawn's move. Programs cannot claim
  by the protocols they speak, and FIDE's own limits without a claim, 5 times and 75 moves, would
  only make the same matches longer. A position is the same if the same side is to move and the same
  moves are possible: castling and capturing en passant count, the latter only if legal. Checkmate
  on the last of the moves wins.
* The match is a draw, too, if no series of moves can mate: bare kings, a single bishop or knight,
  or bishops, all on squares of one color.
* Points: 2 for winning, 1 for a draw, 0 for losing. A retired seat loses, whatever the other's
  material. A match stopped from outside is a draw.

The start position is the usual one, or `fen`, or, with `chess960`, the position with this `number`,
by default drawn from the seed of the board. Notation is UCI's, like `e2e4`, `e7e8q`; SAN, like
`Nf3` or `O-O`, is read, too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import Annotated, ClassVar, NamedTuple

from annotated_types import MaxLen

from protocol.vocabulary import Seat, Wire
from referee.rules import (
    Game,
    IllegalMoveError,
    Interval,
    Margins,
    NotationError,
    OptionError,
    Outcome,
)
from referee.rules.chess_board import (
    FAR_ROWS,
    KING,
    PAWN,
    PROMOTIONS,
    QUEEN,
    Board,
    Moves,
    Square,
    after_move,
    all_ends,
    castled,
    is_material_insufficient,
    rights_of,
    squares_of,
)
from referee.rules.chess_text import (
    COLUMNS,
    LETTERS,
    MAX_FEN,
    NAMES,
    START,
    FenError,
    Position,
    read_fen,
    read_san,
    rows_of,
    square_at,
    square_name,
    start_960,
    write_fen,
    write_san,
)
from referee.rules.grid import drawn
from referee.rules.layout import Layout, Piece, Place, Region, grid
from referee.rules.numbers import ListedMoves

REPEATS = 3
QUIET_PLIES = 100
GLYPHS = tuple(f"{glyph}\N{VARIATION SELECTOR-15}" for glyph in "♟♞♝♜♛♚")
PIECES = tuple(
    tuple(
        Piece(side, "text", text=glyph, name=f"{color} {name}")
        for glyph, name in zip(GLYPHS, NAMES, strict=True)
    )
    for side, color in enumerate(("white", "black"))
)
DRAW = (1, 1)
WINS = ((2, 0), (0, 2))
"""Points of both seats, by the seat that wins."""
CHECKMATE = "checkmate"


@dataclass(frozen=True, slots=True)
class Move:
    """A move: start and target square, and the new piece of a pawn on the last row."""

    from_: Annotated[str, MaxLen(2)]
    to: Annotated[str, MaxLen(2)]
    promote: Annotated[str, MaxLen(1)]


class State(NamedTuple):
    """A position.

    `first` is the FEN of the start, `past` the boards since the last capture or move of a pawn.
    """

    board: Board
    first: str
    ply: int = 0
    quiet: int = 0
    past: tuple[Board, ...] = ()
    ended: Outcome | None = None


@dataclass(frozen=True, kw_only=True)
class Chess(Game[State, Move]):
    """The rules of chess with its options."""

    name: ClassVar[str] = "chess"
    summary: ClassVar[str] = "chess and Chess960, from any position"
    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move
    seat_names: ClassVar[tuple[str, ...]] = ("white", "black")
    margins: ClassVar[Margins] = Margins(above=1, left=2)
    asked_options: ClassVar[tuple[str, ...]] = ("chess960",)

    fen: Annotated[str, MaxLen(MAX_FEN)] | None = None
    """Position at the start, as FEN. Default: the usual one."""
    chess960: bool = False
    """Whether castling and the start position follow Chess960."""
    number: Annotated[int, Interval(ge=0, le=959)] | None = None
    """Number of the start position of Chess960; 518 is the usual. Default: drawn from the seed."""

    def __post_init__(self) -> None:
        if self.number is not None and not self.chess960:
            raise OptionError("number", "only Chess960 has numbers; add chess960: true")
        if self.number is not None and self.fen is not None:
            raise OptionError("number", "either number or fen, not both")
        if self.fen is not None:
            try:
                position = read_fen(self.fen, is_960=self.chess960)
            except FenError as error:
                raise OptionError("fen", str(error)) from None
            if ended := _ended(State(position.board, self.fen)):
                raise OptionError("fen", f"the game is over in this position: {ended.reason}")

    def start(self, seats: int, seed: int) -> State:
        """Return the first position; only Chess960 without a number uses the seed."""
        fen = self._start_fen(seed)
        position = _position(fen, is_960=self.chess960)
        return State(position.board, fen, quiet=position.quiet)

    def turn(self, state: State) -> Seat:
        """Return the seat of the side to move."""
        return state.board.turn

    def legal(self, state: State) -> Iterator[Move]:
        """Yield the moves of each piece, from a1 to h8, castling last."""
        if state.ended:
            return
        board = state.board
        pawns, last = board.kinds[PAWN], FAR_ROWS[board.turn]
        for start, target in Moves(board).all():
            if pawns >> start & 1 and last >> target & 1:
                for promotion in PROMOTIONS:
                    yield _move(start, target, promotion)
            else:
                yield self._written(board, start, target)

    def apply(self, state: State, move: Move) -> State:
        """Make the move and end a decided game."""
        start, target, promotion = self._read(state, move)
        before = state.board
        board = after_move(before, start, target, promotion)
        is_capture = before.sides[1 - before.turn] >> target & 1
        is_quiet = not (is_capture or before.kinds[PAWN] >> start & 1)
        after = State(
            board,
            state.first,
            state.ply + 1,
            state.quiet + 1 if is_quiet else 0,
            (*state.past, before) if is_quiet else (),
        )
        ended = _ended(after)
        return after._replace(ended=ended) if ended else after

    def outcome(self, state: State) -> Outcome | None:
        """Return the result, None before the end."""
        return state.ended

    def retire(self, state: State, seat: Seat) -> State:
        """End the game after a fault or resignation of a seat: the other wins."""
        return state._replace(ended=Outcome.by_points(WINS[1 - seat], f"seat {seat} retired"))

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return a draw."""
        return Outcome.by_points(DRAW, reason)

    def notation(self, move: Move) -> str:
        """Return the move in UCI notation, like `e2e4` and `e7e8q`."""
        text = f"{move.from_}{move.to}{move.promote}"
        return text if _UCI.fullmatch(text) else f"({_shown(move)})"

    def parse(self, text: str) -> Move:
        """Parse a move like `e2e4`, `e2-e4` or `e7e8q`."""
        found = _UCI.fullmatch(text.strip().lower().replace("-", "").replace("=", ""))
        if not found:
            raise NotationError(
                f'"{text}" is not a move: write it like "e2e4", "e7e8q", "Nf3" or "O-O"'
            )
        return Move(found[1], found[2], found[3] or "")

    def parse_in(self, state: State, text: str) -> Move:
        """Parse a move in this position: SAN, or as `parse` does."""
        if found := read_san(state.board, text.strip()):
            start, target, promotion = found
            if state.board.kinds[PAWN] >> start & 1 and FAR_ROWS[state.board.turn] >> target & 1:
                return _move(start, target, promotion)
            return self._written(state.board, start, target)
        return self.parse(text)

    def notation_in(self, state: State, move: Move) -> str:
        """Return a legal move in standard algebraic notation."""
        return write_san(state.board, *self._read(state, move))

    def fen_of(self, state: State) -> str:
        """Return the position as FEN."""
        first = _position(state.first, is_960=self.chess960)
        begun = first.number * 2 + first.board.turn
        return write_fen(Position(state.board, state.quiet, (begun + state.ply) // 2))

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Show the position and the first one as FEN, and the rows from the top."""
        return {
            "turn": state.board.turn,
            "ply": state.ply,
            "fen": self.fen_of(state),
            "start": state.first,
            "board": rows_of(state.board),
        }

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Draw the board from White's side: capitals are White's."""
        return drawn(COLUMNS, range(8, 0, -1), rows_of(state.board), left=2)

    def layout(self, seats: int) -> Layout:
        """Return the squares, the top row first; dark squares are tinted."""
        dark = Region(tuple(place for place in range(64) if (place // 8 + place % 8) % 2))
        rows, regions = "87654321", (dark,)
        return grid("cells", rows, COLUMNS, "{col}{row}", regions=regions, is_first_light=True)

    def pieces(self, state: State, seat: Seat | None) -> dict[Place, Piece]:
        """Return the pieces."""
        board = state.board
        return {
            square ^ 56: PIECES[0 if board.sides[0] >> square & 1 else 1][kind]
            for kind, squares in enumerate(board.kinds)
            for square in squares_of(squares)
        }

    def caption(self, state: State, seat: Seat | None = None) -> str:
        """Return the number of the move and the plies without capture or pawn's move, if many."""
        quiet = f", {state.quiet} plies without capture or pawn" if state.quiet >= 20 else ""
        check = ", check" if Moves(state.board).checkers else ""
        return f"move {self.fen_of(state).rsplit(' ', 1)[1]}{check}{quiet}"

    def decisive(self, state: State, move: Move) -> tuple[Place, ...]:
        """Return the place of the mated king."""
        if state.ended is None or state.ended.reason != CHECKMATE:
            return ()
        king = state.board.kinds[KING] & state.board.sides[state.board.turn]
        return ((king.bit_length() - 1) ^ 56,)

    def gesture(self, move: Move) -> tuple[Place, ...]:
        """Return start and target; the promotions of a pawn share theirs."""
        return square_at(move.from_) ^ 56, square_at(move.to) ^ 56

    def numbers(self) -> ListedMoves[Move]:
        """Return numbers for the moves of a queen and a knight from each square and promotions."""
        return ListedMoves(_move(*ends) for ends in all_ends())

    def kinds(self) -> tuple[Piece, ...]:
        """Return the pieces of White, then those of Black."""
        return PIECES[0] + PIECES[1]

    def scalars(self, state: State, seat: Seat) -> tuple[float, ...]:
        """Return 16 rights to castle, 8 columns of a capture en passant, and the quiet plies."""
        return (*rights_of(state.board, seat), state.quiet)

    def _start_fen(self, seed: int) -> str:
        if self.fen is not None or not self.chess960:
            return self.fen or START
        number = self.number
        if number is None:
            number = int(Random(seed).random() * 960)  # noqa: S311 - repeatable
        return start_960(number)

    def _written(self, board: Board, start: Square, target: Square) -> Move:
        """Return the move on the wire of a move without promotion."""
        if not self.chess960 and board.kinds[KING] >> start & 1 and self._is_own(board, target):
            target = castled(start, target)[0]
        return _move(start, target, None)

    def _read(self, state: State, move: Move) -> tuple[Square, Square, int]:
        """Return start, target and promotion of a legal move, or raise IllegalMoveError."""
        if state.ended:
            raise self._illegal(move, "the game is over")
        if not _SQUARE.fullmatch(move.from_) or not _SQUARE.fullmatch(move.to):
            raise self._illegal(move, "a square is a column from a to h and a row from 1 to 8")
        start, target = square_at(move.from_), square_at(move.to)
        board = state.board
        if not self._is_own(board, start):
            raise self._illegal(move, "a move starts at one of the seat's own pieces")
        is_king = bool(board.kinds[KING] >> start & 1)
        moves = Moves(board)
        promotion = self._promotion(board, start, target, move)
        if moves.targets(start) >> target & 1:
            return start, target, promotion
        if is_king and (rook := self._castling_rook(moves, start, target)) is not None:
            return start, rook, QUEEN
        raise self._illegal(move, self._reason(moves, start, target))

    def _promotion(self, board: Board, start: Square, target: Square, move: Move) -> int:
        """Return the kind after a promotion, or raise IllegalMoveError."""
        is_promotion = board.kinds[PAWN] >> start & 1 and FAR_ROWS[board.turn] >> target & 1
        if not is_promotion:
            if move.promote:
                raise self._illegal(move, "only a pawn on the last row is promoted")
            return QUEEN
        if len(move.promote) != 1 or move.promote not in "qrbn":
            raise self._illegal(move, "a pawn on the last row becomes q, r, b or n")
        return LETTERS.index(move.promote)

    def _castling_rook(self, moves: Moves, start: Square, target: Square) -> Square | None:
        """Return the rook of a legal castling by this move of the king."""
        for rook in squares_of(moves.castlings()):
            if target == (rook if self.chess960 else castled(start, rook)[0]):
                return rook
        return None

    def _reason(self, moves: Moves, start: Square, target: Square) -> str:
        board = moves.board
        if self._is_own(board, target):
            return "its own piece stands on the target"
        if moves.checkers:
            return "the king is in check, and the move does not end it"
        if board.kinds[KING] >> start & 1:
            return "the king cannot go there: too far, attacked, or no right to castle"
        return f"the {NAMES[board.kind_at(start)]} cannot go there, or its king would be in check"

    @staticmethod
    def _is_own(board: Board, square: Square) -> bool:
        return bool(board.sides[board.turn] >> square & 1)

    def _illegal(self, move: Move, objection: str) -> IllegalMoveError:
        return IllegalMoveError(f"{self.notation(move)}: {objection}")


_UCI = re.compile(r"([a-h][1-8])([a-h][1-8])([qrbn])?")
_SQUARE = re.compile(r"[a-h][1-8]")


@lru_cache(maxsize=64)
def _position(fen: str, *, is_960: bool) -> Position:
    return read_fen(fen, is_960=is_960)


@cache
def _move(start: Square, target: Square, promotion: int | None) -> Move:
    """Return the move, the same object each time, one of at most 64 x 64 x 5."""
    letter = "" if promotion is None else LETTERS[promotion]
    return Move(square_name(start), square_name(target), letter)


def _shown(move: Move) -> str:
    words = (move.from_, move.to, move.promote)
    return " ".join(word[:2] if word.isalnum() and word.isascii() else "?" for word in words)


def _ended(state: State) -> Outcome | None:
    """Return the result if the game is decided in a position."""
    board = state.board
    moves = Moves(board)
    if not moves.any():
        if moves.checkers:
            return Outcome.by_points(WINS[1 - board.turn], CHECKMATE)
        return Outcome.by_points(DRAW, "stalemate")
    if is_material_insufficient(board):
        return Outcome.by_points(DRAW, "insufficient material")
    if state.quiet >= QUIET_PLIES:
        return Outcome.by_points(DRAW, "50 moves without a capture or a pawn's move")
    if state.past.count(board) >= REPEATS - 1:
        return Outcome.by_points(DRAW, "third repetition")
    return None
