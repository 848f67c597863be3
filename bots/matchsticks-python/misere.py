"""Taking the last stick loses: only sums of tame pieces have nimbers.

A piece has two nimbers, one by each way of ending. It is tame when they, found from its tame
options alone, are 0 and 1, 1 and 0, or equal, and when each of its other options can be answered by
a tame sum with the same two. Sums of tame pieces follow the rule of misere Nim (Conway, On Numbers
and Games, chapter 12): their nimbers add up as if the last one won, and the sum is lost at 0; only
when the two nimbers of each piece are 0 and 1 is it lost at 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from normal import Work
from sticks import Runs

TAMEABLE = 6
"""Limit of the size of pieces tested for tameness."""

Sum = tuple[int, ...]
"""Pieces in ascending order, at most one of them a single stick."""
Nimbers = tuple[int, int]
"""The nimbers in normal play and in misere play."""


class Misere:
    """Known values of sums of pieces, and their winners."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.work = Work(0)
        self._nimbers: dict[int, Nimbers | None] = {}
        self._is_lost: dict[Sum, bool] = {}

    def is_lost(self, pieces: list[int]) -> bool:
        """Whether the player to move loses. Raises TooMuchWorkError."""
        return self._solve(_sum(pieces))

    def _solve(self, position: Sum) -> bool:
        known = self._known(position)
        if known is None:
            known = self._is_lost[position] = not self._has_lost_option(position)
        return known

    def _known(self, position: Sum) -> bool | None:
        nimbers = self._total(position)
        if nimbers is None:
            return self._is_lost.get(position)
        return nimbers[1] == 0

    def _has_lost_option(self, position: Sum) -> bool:
        undecided = set()
        for option in self._options(position):
            known = self._known(option)
            if known:
                return True
            if known is None:
                undecided.add((self._wild_sticks(option), option))
        return any(self._solve(option) for _, option in sorted(undecided))

    def _options(self, position: Sum) -> Iterator[Sum]:
        for piece in sorted(set(position)):
            rest = list(position)
            rest.remove(piece)
            runs = self.runs.all(piece)
            self.work.spend(len(runs))
            for run in runs:
                yield _sum(rest + self.runs.pieces(piece & ~run))

    def _wild_sticks(self, position: Sum) -> int:
        return sum(piece.bit_count() for piece in position if self._of_piece(piece) is None)

    def _total(self, position: Sum) -> Nimbers | None:
        """Return the nimbers of a sum, or None if it is not known to be tame."""
        total, is_firm = 0, False
        for piece in reversed(position):
            nimbers = self._of_piece(piece)
            if nimbers is None:
                return None
            total ^= nimbers[0]
            is_firm |= nimbers[0] == nimbers[1]
        return total, total if is_firm else total ^ 1

    def _of_piece(self, piece: int) -> Nimbers | None:
        if piece in self._nimbers:
            return self._nimbers[piece]
        if piece.bit_count() > TAMEABLE:
            return None
        found = self._nimbers[piece] = self._find(piece)
        return found

    def _find(self, piece: int) -> Nimbers | None:
        wild, tame = [], set()
        for option in set(self._options((piece,))):
            nimbers = self._total(option)
            if nimbers is None:
                wild.append(option)
            else:
                tame.add(nimbers)
        found = _least_missing({one for one, _ in tame}), _least_missing({two for _, two in tame})
        is_tame = found[0] == found[1] or found in ((0, 1), (1, 0))
        if is_tame and all(self._can_revert(option, found) for option in wild):
            return found
        return None

    def _can_revert(self, position: Sum, nimbers: Nimbers) -> bool:
        return any(self._total(option) == nimbers for option in self._options(position))


def _sum(pieces: list[int]) -> Sum:
    """Leave out pairs of single sticks: if one player takes one, the other takes the second."""
    singles = pieces.count(1)
    if singles > 1:
        pieces = [piece for piece in pieces if piece != 1] + [1] * (singles % 2)
    return tuple(sorted(pieces))


def _least_missing(numbers: set[int]) -> int:
    return next(number for number in range(len(numbers) + 1) if number not in numbers)
