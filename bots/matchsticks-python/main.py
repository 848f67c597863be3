"""Matchsticks: mirrors if that wins, and proves wins by search on boards that are small enough.

Nearly every board is won for the player to move; the difficulty is to find the winning move. So the
first player with a board small enough for the search wins, and until then the bot leaves the
smallest board that is still too large.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from arena_bot import Bot, play, run
from misere import Misere
from normal import Normal, TooMuchWorkError, Work
from sticks import Runs, bits


class Reach(NamedTuple):
    """The boards that can be solved in about 40 ms, for one way of ending."""

    hopeless: int
    """Number of sticks above which nothing is searched."""
    likely: int
    """Number of sticks with mostly solved boards."""
    work: int
    """Limit of the options examined in one move."""


NORMAL = Reach(hopeless=44, likely=30, work=10_000)
MISERE = Reach(hopeless=34, likely=26, work=22_000)
FIRST_WORK = 60
MORE_WORK = 8


class Board:
    """The sticks, and their moves on the wire."""

    def __init__(self, rows: list[str]) -> None:
        self.size = len(rows)
        self.stride = self.size + 1
        self.sticks = 0
        for row in reversed(rows):
            self.sticks = self.sticks << self.stride | int(row[::-1], 2)

    def take(self, move: dict[str, Any]) -> None:
        """Remove the run of a move."""
        low, high = sorted((move["start"], move["end"]))
        for place in range(low, high + 1):
            cell = (move["line"], place) if move["row"] else (place, move["line"])
            self.sticks &= ~(1 << cell[0] * self.stride + cell[1])

    def move(self, run: int) -> dict[str, Any]:
        """Return the move for a run."""
        first_row, first_column = divmod((run & -run).bit_length() - 1, self.stride)
        last_row, last_column = divmod(run.bit_length() - 1, self.stride)
        if first_row == last_row:
            return {"row": True, "line": first_row, "start": first_column, "end": last_column}
        return {"row": False, "line": first_column, "start": first_row, "end": last_row}

    def rows(self) -> list[str]:
        """Return the board as rows of 1 and 0."""
        text = f"{self.sticks:0{self.size * self.stride}b}"[::-1]
        return [text[start : start + self.size] for start in range(0, len(text), self.stride)]


class Matchsticks(Bot):
    """Plays both ways of ending."""

    name = "matchsticks-python"
    version = "1"

    def on_init(self, init: dict[str, Any]) -> None:
        self.board = Board(init["view"]["board"])
        self.random = random.Random(init["seed"])
        self.runs = Runs(self.board.stride)
        self.is_misere = init["options"]["objectives"] == "misere"
        self.reach = MISERE if self.is_misere else NORMAL
        self.solver = Misere(self.runs) if self.is_misere else Normal(self.runs)

    def on_move(self, call: dict[str, Any]) -> dict[str, Any]:
        board = self.board
        for played in call["opponent_moves"]:
            board.take(played["move"])
        run = self._choose(board.sticks)
        board.sticks &= ~run
        return play(board.move(run), {"board": board.rows()})

    def _choose(self, sticks: int) -> int:
        """Return the run to take."""
        if not self.is_misere:
            mirroring = self.runs.mirroring(sticks, self.board.size)
            if mirroring:
                return mirroring[0]
        if sticks.bit_count() >= self.reach.hopeless:
            return self._hold(sticks)
        children = self._children(sticks)
        win, still_open = self._search(children)
        if win:
            return win
        if still_open:
            return self._nearest(still_open, self._wanted(sticks))
        # All moves lose: leave the opponent the largest board.
        return children[-1][0]

    def _children(self, sticks: int) -> list[tuple[int, list[int]]]:
        """Return runs and the pieces after them, the smallest remainders first.

        Of several runs that leave the same pieces only one is returned.
        """
        found: dict[tuple[int, ...], tuple[int, list[int]]] = {}
        for taken in self.runs.all(sticks):
            pieces = sorted(self.runs.pieces(sticks & ~taken))
            found.setdefault(tuple(pieces), (taken, pieces))
        return sorted(found.values(), key=lambda child: _weight(child[1]))

    def _search(self, children: list[tuple[int, list[int]]]) -> tuple[int, list[int]]:
        """Return a winning run, 0 if none is found, and the undecided runs.

        Each child gets little work at first; the undecided ones then get more and more.
        """
        left, limit = self.reach.work, FIRST_WORK
        while children and left > 0:
            undecided = []
            for child in children:
                work = self.solver.work = Work(min(limit, left))
                given = work.left
                try:
                    if left > 0 and self.solver.is_lost(child[1]):
                        return child[0], []
                    if left <= 0:
                        undecided.append(child)
                except TooMuchWorkError:
                    undecided.append(child)
                left -= given - max(work.left, 0)
            children = undecided
            limit *= MORE_WORK
        return 0, [run for run, _ in children]

    def _wanted(self, sticks: int) -> int:
        """Return the number of sticks to take when nothing can be proved.

        The aim is to leave the opponent `likely` + 1 sticks. If one move is not enough, leave a
        number from which the opponent cannot do so either.
        """
        surplus = sticks.bit_count() - self.reach.likely - 1
        longest = len(self.runs.starts(sticks))
        return max(1, surplus % (longest + 1)) if surplus > 0 else 1

    def _nearest(self, runs: list[int], wanted: int) -> int:
        """Return one of the runs whose length is nearest to the wanted one; the seed decides."""
        away = min(abs(run.bit_count() - wanted) for run in runs)
        return self.random.choice([run for run in runs if abs(run.bit_count() - wanted) == away])

    def _hold(self, sticks: int) -> int:
        """Return a run of the wanted length, without listing all the others."""
        wanted = self._wanted(sticks)
        rows, columns = self.runs.starts(sticks)[wanted - 1]
        found = [self.runs.row(wanted) << bit for bit in bits(rows)]
        found += [self.runs.column(wanted) << bit for bit in bits(columns)]
        return self.random.choice(found)


def _weight(pieces: list[int]) -> int:
    """Return the number of sticks in pieces that are not small."""
    return sum(sticks for sticks in map(int.bit_count, pieces) if sticks > 5)


if __name__ == "__main__":
    run(Matchsticks())
