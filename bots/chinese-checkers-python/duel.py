"""One rival in the way: alpha-beta, deeper and deeper until the work is done."""

from __future__ import annotations

from racer import Racer
from star import Move

WIDTH = 8
HOME = 1 << 30  # Approximate value of a decided race; less than half of it is burdens.
INFINITE = 1 << 40


class OverError(Exception):
    """The work is used up. `best` is the best completely searched move, if any."""

    def __init__(self, best: Move | None = None) -> None:
        self.best = best


class Duel:
    """A search for the seat of a racer against a rival."""

    def __init__(self, racer: Racer, rival: int, work: int) -> None:
        self.racer, self.star, self.rival = racer, racer.star, rival
        self.others = {racer.seat: rival, rival: racer.seat}
        self.work = work
        self.may_end = False  # The first depth is always finished.

    def best(self, roots: list[Move], depth_max: int) -> tuple[Move, int]:
        """Return the best of the moves and the last complete depth."""
        best = self._look(roots, 1)
        for depth in range(2, depth_max + 1):
            self.may_end = True
            try:
                best = self._look([best, *[move for move in roots if move != best]], depth)
            except OverError as over:
                return over.best or best, depth - 1
        return best, depth_max

    def _look(self, roots: list[Move], depth: int) -> Move:
        """Return the best move at a depth; an OverError has the best so far, if there is one."""
        racer, best, alpha = self.racer, None, -INFINITE
        for move in roots:
            malus = racer.malus(racer.key_after(racer.key, move))
            bound = alpha if best is None else alpha + malus
            try:
                score = self._after(racer.seat, move, depth, 0, (bound, INFINITE)) - malus
            except OverError:
                raise OverError(best) from None
            if best is None or score > alpha:
                best, alpha = move, score
        return best or roots[0]

    def _after(self, seat: int, move: Move, depth: int, ply: int, window: tuple[int, int]) -> int:
        _, start, to = move
        alpha, beta = window
        self.star.move(seat, start, to)
        try:
            return -self._score(self.others[seat], depth - 1, ply + 1, (-beta, -alpha))
        finally:
            self.star.move(seat, to, start)

    def _static(self, seat: int) -> int:
        score = self.star.burden[self.rival] - self.racer.burden()
        return score if seat == self.racer.seat else -score

    def _score(self, seat: int, depth: int, ply: int, window: tuple[int, int]) -> int:
        """Return the position's score for the seat to move."""
        star, other = self.star, self.others[seat]
        is_own, is_others = star.is_home(seat), star.is_home(other)
        # A seat at home has won once both have had the same number of turns.
        if (is_own or is_others) and (seat < other or depth <= 0):
            return (is_own - is_others) * (HOME - ply)
        if depth <= 0:
            return self._static(seat)
        if self.may_end and star.work >= self.work:
            raise OverError
        # At the last ply the largest gain is the best move, unless something else matters.
        is_plain = depth == 1 and not (is_others or self.racer.is_late or star.is_home(seat, 1))
        moves = star.moves(seat, 1 if is_plain else WIDTH)
        alpha, beta = window
        if not moves:  # A pass.
            return -self._score(other, depth - 1, ply + 1, (-beta, -alpha))
        if is_plain:
            return self._static(seat) + moves[0][0]
        best = -INFINITE
        for move in moves:
            best = max(best, self._after(seat, move, depth, ply, (alpha, beta)))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best
