"""Numbers of the moves of a game, from 0.

A number means the same move in every position, and no two moves share one:

* A game of OpenSpiel has OpenSpiel's own numbers.
* A game with a fixed list of all its moves (`choices`) numbers them in the order of this list.
* A game with `numbers` has these.

In any other game, number N is the Nth legal move of the position, in the order of `legal`, and
`is_stable` is false. There are `most` numbers then; a position with more legal moves raises
TooManyMovesError.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import compress
from typing import Any

from referee.open_spiel.game import OpenSpielGame
from referee.open_spiel.position import Move as OpenSpielMove
from referee.rules import Game
from referee.rules.numbers import ListedMoves, Numbers

DEFAULT_ACTIONS = 1024
"""Default of the numbers in a game without fixed ones."""


class TooManyMovesError(Exception):
    """A position with more legal moves than numbers."""


class Actions(ABC):
    """The numbers of a game with its options, for a number of seats."""

    is_stable = True
    """Whether a number means the same move in every position."""

    def __init__(self, game: Game[Any, Any], number: int) -> None:
        self.number = number
        """How many numbers there are."""
        self._game = game

    @abstractmethod
    def legal(self, state: Any) -> Sequence[int]:
        """Return the numbers of the legal moves."""

    @abstractmethod
    def move(self, state: Any, number: int) -> Any:
        """Return the move with a number below `number`, or None; it may be illegal."""

    @abstractmethod
    def number_of(self, state: Any, move: Any) -> int:
        """Return the number of a legal move."""

    def mask(self, state: Any) -> bytes:
        """Return a byte for each number: 1 for a legal move, otherwise 0."""
        flags = bytearray(self.number)
        for number in self.legal(state):
            flags[number] = 1
        return bytes(flags)


def actions_of(game: Game[Any, Any], start: Any, most: int) -> Actions:
    """Return the numbers of a game that begins with a position."""
    if isinstance(game, OpenSpielGame):
        return _OpenSpielActions(game, int(start.inner.get_game().num_distinct_actions()))
    if (choices := game.choices(start)) is not None:
        return _ChoiceActions(game, choices[0])
    if (numbers := game.numbers()) is not None:
        return _NumberedActions(game, numbers)
    return _LegalActions(game, most)


class _OpenSpielActions(Actions):
    def legal(self, state: Any) -> Sequence[int]:
        game: OpenSpielGame = self._game  # type: ignore[assignment]  # see actions_of
        return game.legal_actions(state)

    def move(self, state: Any, number: int) -> Any:
        return OpenSpielMove(number)

    def number_of(self, state: Any, move: Any) -> int:
        return int(move.action)


class _ChoiceActions(Actions):
    def __init__(self, game: Game[Any, Any], moves: Sequence[Any]) -> None:
        super().__init__(game, len(moves))
        self._listed = ListedMoves(moves)
        self._numbers = range(len(moves))

    def legal(self, state: Any) -> Sequence[int]:
        return tuple(compress(self._numbers, self.mask(state)))

    def move(self, state: Any, number: int) -> Any:
        return self._listed.move(number)

    def number_of(self, state: Any, move: Any) -> int:
        return self._listed.number(move)

    def mask(self, state: Any) -> bytes:
        choices = self._game.choices(state)
        assert choices is not None  # noqa: S101 - a game has them in all positions or in none
        return choices[1]


class _NumberedActions(Actions):
    def __init__(self, game: Game[Any, Any], numbers: Numbers[Any]) -> None:
        super().__init__(game, len(numbers))
        self._numbers = numbers

    def legal(self, state: Any) -> Sequence[int]:
        return tuple(map(self._numbers.number, self._game.legal(state)))

    def move(self, state: Any, number: int) -> Any:
        return self._numbers.move(number)

    def number_of(self, state: Any, move: Any) -> int:
        return self._numbers.number(move)


class _LegalActions(Actions):
    is_stable = False

    def legal(self, state: Any) -> Sequence[int]:
        return range(len(self._moves(state)))

    def move(self, state: Any, number: int) -> Any:
        return next(iter(self._moves(state)[number : number + 1]), None)

    def number_of(self, state: Any, move: Any) -> int:
        return self._moves(state).index(move)

    def _moves(self, state: Any) -> tuple[Any, ...]:
        moves = tuple(self._game.legal(state))
        if len(moves) > self.number:
            raise TooManyMovesError(f"{len(moves)} legal moves, and {self.number} numbers")
        return moves
