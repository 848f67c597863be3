"""Faster ways to what the rules say already; a game is right without them."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from referee.rules.game import M, Rules, S


class Shortcuts(Rules[S, M]):
    """Moves and positions in a form that is quick to send or to count."""

    def choices(self, state: S) -> tuple[Sequence[M], bytes] | None:
        """Return every move of the game, and a byte for each: 1 if legal now, otherwise 0.

        For games with few moves in all, since such a list is sent to bots much faster. The sequence
        is the same object each time, and its legal moves are those of `legal`, in the same order.
        None for any other game.
        """
        return None

    def position(self, state: S) -> Hashable:
        """Return a compact position for counting; equal positions have equal continuations."""
        return state

    def children(self, position: Any) -> Iterable[Hashable]:
        """Yield the position after each legal move, once per move, duplicates included."""
        return [self.position(self.apply(position, move)) for move in self.legal(position)]
