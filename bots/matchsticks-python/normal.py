"""Taking the last stick wins: a piece equals a heap of Nim, its nimber; sums are exclusive ors.

The search only asks whether a nimber is v, that is, whether the piece and a heap of v together are
lost for the player to move. One good option answers no without the others.
"""

from __future__ import annotations

from sticks import Runs

SMALL = 5
"""Pieces up to this size get their nimber at once."""

Option = tuple[int, tuple[int, ...]]
"""The rest after a move: a heap, and the pieces without a nimber yet, the largest last."""


class TooMuchWorkError(Exception):
    """The work allowed is used up."""


class Work:
    """Counts down the remaining work of a search."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, amount: int) -> None:
        """Subtract the cost of a step; raise TooMuchWorkError if the rest is too small."""
        self.left -= amount
        if self.left < 0:
            raise TooMuchWorkError


class Normal:
    """Known values of pieces, and the winners of their sums."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.work = Work(0)
        self.nimbers: dict[int, int] = {}
        self._excluded: dict[int, set[int]] = {}
        self._options: dict[int, list[list[int]]] = {}

    def is_lost(self, pieces: list[int]) -> bool:
        """Whether the player to move loses. Raises TooMuchWorkError."""
        return self._is_option_lost(self._sorted(pieces, 0))

    def _sorted(self, pieces: list[int], heap: int) -> Option:
        nimbers = self.nimbers
        large = []
        for piece in pieces:
            value = nimbers.get(piece)
            if value is None and piece.bit_count() <= SMALL:
                value = self._nimber(piece)
            if value is None:
                large.append(piece)
            else:
                heap ^= value
        return heap, tuple(sorted(large, key=int.bit_count))

    def _nimber(self, piece: int) -> int:
        heap = 0
        while piece not in self.nimbers:
            self._is_nimber(piece, heap)
            heap += 1
        return self.nimbers[piece]

    def _is_option_lost(self, option: Option) -> bool:
        heap, large = option
        if not large:
            return heap == 0
        for piece in large[:-1]:
            heap ^= self._nimber(piece)
        return self._is_nimber(large[-1], heap)

    def _is_nimber(self, piece: int, heap: int) -> bool:
        """Whether the player to move loses the piece and the heap together."""
        if piece in self.nimbers:
            return self.nimbers[piece] == heap
        excluded = self._excluded.setdefault(piece, set())
        # A nimber is at most the number of moves, and so of sticks.
        if heap > piece.bit_count() or heap in excluded:
            return False
        if self._has_lost_option(piece, heap):
            excluded.add(heap)
            return False
        self.nimbers[piece] = heap
        return True

    def _has_lost_option(self, piece: int, heap: int) -> bool:
        options = set()
        for pieces in self._left_by_moves(piece):
            option = self._sorted(pieces, heap)
            if option == (0, ()):
                return True
            if option[1]:
                options.add(option)
        ranked = sorted(options, key=_cost)
        if any(self._is_option_lost(option) for option in ranked):
            return True
        # The options of the heap: this position is won if one of them is lost.
        return any(self._is_nimber(piece, less) for less in range(heap))

    def _left_by_moves(self, piece: int) -> list[list[int]]:
        if piece not in self._options:
            runs = self.runs.all(piece)
            self.work.spend(len(runs))
            self._options[piece] = [self.runs.pieces(piece & ~run) for run in runs]
        else:
            self.work.spend(len(self._options[piece]) // 8)
        return self._options[piece]


def _cost(option: Option) -> tuple[int, ...]:
    heap, large = option
    return (len(large), *(piece.bit_count() for piece in reversed(large)), heap, *large)
