"""Positions as arrays of numpy, of one shape for a game with its options.

from arena.environment.encoding import Encoder
"""

from collections.abc import Mapping, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from arena.environment.table import Environment, Observation
from arena.text import plural
from protocol.vocabulary import Seat
from referee.open_spiel.game import OpenSpielGame
from referee.rules.layout import Layout, Piece

Array = NDArray[np.float32]
_Look = tuple[object, ...]


class Encoder:
    """Encodes what a seat sees: planes of 0 and 1 for the board, and scalars behind them.

    The first scalar is 1 at the seat's turn, otherwise 0; then come those of the observation.

    The planes come in the order of `kinds` of the game, first those of the seat itself, then those
    of the seats after it in turn, and last those of pieces of no seat. Without `kinds` a seat has
    one plane. For a game of OpenSpiel the planes are its tensor for the seat.

        encode = Encoder(table)
        encode(seen)            # one flat array of encode.size numbers
        encode.planes(seen)     # the board alone, in the shape encode.shape
    """

    def __init__(self, table: Environment) -> None:
        """Raise ValueError for a game that shows neither a board nor numbers."""
        self._game, self._seats = table.game, table.seats
        board = self._game.layout(self._seats)
        self._is_tensor = isinstance(self._game, OpenSpielGame)
        kinds = self._game.kinds()
        self._has_kinds = bool(kinds)
        self._planes = [_planes(kinds, seat, self._seats) for seat in range(self._seats)]
        self._places = 0 if board is None else len(board.names)
        self.shape = self._shape(board)
        """Shape of the planes: their number, and rows and columns or places."""
        numbers = 0 if self._is_tensor else len(_first_seen(table).scalars)
        self.scalars = 0 if self._is_tensor else 1 + numbers
        """How many scalars there are."""
        self._cells = int(np.prod(self.shape))
        self.size = self._cells + self.scalars
        """How many numbers there are in all."""
        large = np.finfo(np.float32).max
        planes = 0 if self._is_tensor else self.size - self.scalars
        self.low = np.full(self.size, -large, np.float32)
        """The least value of each number, and `high` the largest."""
        self.high = -self.low
        self.low[:planes], self.high[:planes] = 0, 1
        if not self._places and not self._cells + numbers:
            cure = "define `layout` and `pieces`, or `scalars`, in the game, or "
            raise ValueError(
                f"{self._game.name} has no board and no numbers to encode:"
                f" {'' if self._is_tensor else cure}encode the `view` of an observation yourself"
            )

    def __call__(self, seen: Observation) -> Array:
        """Return planes and scalars as one flat array."""
        if self._is_tensor:
            return self._checked(seen, self._cells)
        return np.concatenate((self.planes(seen).ravel(), self.numbers(seen)))

    def planes(self, seen: Observation) -> Array:
        """Return the planes of the board."""
        if self._is_tensor:
            return self._checked(seen, self._cells).reshape(self.shape)
        flat = np.zeros((self.shape[0], self._places), np.float32)
        planes = self._planes[seen.seat]
        for place, piece in seen.pieces.items():
            look = _look(piece) if self._has_kinds else (piece.seat,)
            if (plane := planes.get(look)) is None:
                raise ValueError(f"`kinds` of {self._game.name} does not have {piece}")
            flat[plane, place] = 1
        return flat.reshape(self.shape)

    def numbers(self, seen: Observation) -> Array:
        """Return the scalars; none for a game of OpenSpiel, whose tensor has them."""
        if self._is_tensor:
            return _array(())
        return np.concatenate((_array((seen.is_to_move,)), self._checked(seen, self.scalars - 1)))

    def _shape(self, board: Layout | None) -> tuple[int, ...]:
        if isinstance(self._game, OpenSpielGame):
            return self._game.tensor_shape(self._seats)
        if board is None:
            return (0, 0)
        number = 1 + max(max(planes.values()) for planes in self._planes)
        if board.kind in ("cells", "points"):
            return (number, board.rows, board.cols)
        return (number, self._places)

    def _checked(self, seen: Observation, number: int) -> Array:
        if len(seen.scalars) != number:
            raise ValueError(
                f"{self._game.name} has {plural(len(seen.scalars), 'number')} to encode here, and"
                f" {number} at the start: define `scalars` in the game"
            )
        return _array(seen.scalars)


def _first_seen(table: Environment) -> Observation:
    """Return what the first seat sees at the start, and leave the table as it is."""
    other = copy(table)
    Environment.reset(other, 0)
    return Observation(other, 0)


def _array(numbers: Sequence[float]) -> Array:
    return np.asarray(numbers, np.float32)


def _look(piece: Piece) -> _Look:
    return (piece.seat, piece.shape, piece.color, piece.text)


def _planes(kinds: Sequence[Piece], observer: Seat, seats: int) -> Mapping[_Look, int]:
    """Return the plane of each kind of piece for an observer."""
    looks: list[_Look] = [_look(piece) for piece in kinds]
    if not looks:
        looks = [(seat,) for seat in (*range(seats), None)]
    by_seat = {seat: [look for look in looks if look[0] == seat] for seat in (*range(seats), None)}
    most = max(len(by_seat[seat]) for seat in range(seats))
    planes = {}
    for seat, own in by_seat.items():
        first = seats * most if seat is None else (seat - observer) % seats * most
        planes.update({look: first + place for place, look in enumerate(own)})
    return planes
