"""Numbers of the moves of a game, from 0.

* A game of OpenSpiel has OpenSpiel's own numbers.
* A game with a fixed list of all its moves (`choices`) numbers them in the order of this list.
* In any other game, number N is the Nth legal move of the position, in the order of `legal`. There
  are `most` numbers; a position with more legal moves raises TooManyMovesError.
"""

from typing import Any

from referee.rules import Game

DEFAULT_ACTIONS = 1024
"""Default of the numbers in a game without a fixed list of its moves."""


class TooManyMovesError(Exception):
    """A position with more legal moves than numbers."""


class Actions:
    """The numbers of a game with its options, for a number of seats."""

    def __init__(self, game: Game[Any, Any], start: Any, most: int) -> None:
        self._game = game
        fixed = game.choices(start)
        inner = getattr(start, "inner", None)
        self.is_stable = fixed is not None or inner is not None
        """Whether a number means the same move in every position."""
        if fixed is not None:
            self.number = len(fixed[0])
        else:
            self.number = most if inner is None else int(inner.get_game().num_distinct_actions())

    def legal(self, state: Any) -> dict[int, Any]:
        """Return the legal moves by their numbers."""
        if (fixed := self._game.choices(state)) is not None:
            moves, flags = fixed
            return {number: moves[number] for number, flag in enumerate(flags) if flag}
        moves = tuple(self._game.legal(state))
        if self.is_stable:
            return {move.action: move for move in moves}
        if len(moves) > self.number:
            raise TooManyMovesError(f"{len(moves)} legal moves, and {self.number} numbers")
        return dict(enumerate(moves))

    def mask(self, state: Any) -> bytes:
        """Return a byte for each number: 1 for a legal move, otherwise 0."""
        flags = bytearray(self.number)
        for number in self.legal(state):
            flags[number] = 1
        return bytes(flags)
