"""Fixed numbers of all moves of a game, as the actions of a learner."""

from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

from referee.rules.game import M

P = TypeVar("P")
M_co = TypeVar("M_co", covariant=True)


class Numbers(Protocol[M]):
    """A number from 0 for every move of a game with its options, the same in every position."""

    def __len__(self) -> int:
        """Return how many numbers there are."""

    def move(self, number: int) -> M:
        """Return the move with a number."""

    def number(self, move: M) -> int:
        """Return the number of a move, in the form in which `legal` has it."""


class ListedMoves(Generic[M]):
    """The numbers of moves in a list."""

    def __init__(self, moves: Iterable[M]) -> None:
        self._moves = tuple(moves)
        self._numbers = {move: number for number, move in enumerate(self._moves)}

    def __len__(self) -> int:
        return len(self._moves)

    def move(self, number: int) -> M:
        """Return the move with a number."""
        return self._moves[number]

    def number(self, move: M) -> int:
        """Return the number of a move."""
        return self._numbers[move]


class PairedMoves(Generic[M, P]):
    """The numbers of moves from one point to another: start times the number of points + target.

    No list of the moves is made: large boards have millions.
    """

    def __init__(
        self, points: Iterable[P], move: Callable[[P, P], M], ends: Callable[[M], tuple[P, P]]
    ) -> None:
        self._points = tuple(points)
        self._places = {point: place for place, point in enumerate(self._points)}
        self._move = move
        self._ends = ends

    def __len__(self) -> int:
        return len(self._points) ** 2

    def move(self, number: int) -> M:
        """Return the move with a number."""
        start, target = divmod(number, len(self._points))
        return self._move(self._points[start], self._points[target])

    def number(self, move: M) -> int:
        """Return the number of a move."""
        start, target = self._ends(move)
        return self._places[start] * len(self._points) + self._places[target]
