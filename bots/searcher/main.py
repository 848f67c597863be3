"""Pente by alpha-beta search: `main.py [--depth N]` looks N stones ahead, forced ones not counted.

Positions are compared by the windows that each player can still fill (pente_shapes.py) and by the
captured pairs. Only the most promising stones are tried, fewer the deeper the search is.

On a slow machine a search that has used most of its time is cut short. Elsewhere no clock decides,
so the same seed plays the same match.
"""

import random
import sys
import time
from collections.abc import Callable
from operator import itemgetter

from arena_bot import Bot, Fields, play, run
from pente_board import EMPTY, PenteBoard
from pente_shapes import PAIR, STOP, WIN, captured_pairs, gains, shape, weigh

DEPTH = 4
WIDTHS = (10, 8, 6, 5, 4)
"""Number of stones tried in the position, after one stone, after two, ..."""
MAX_FORCED = 12
"""Limit of the plies of forced replies beyond the depth."""
HURRY_MS = 300
"""With less time left, the search is one stone deep."""
SHARE = 0.6
"""Part of the time for a move after which the search is cut short."""
LIMIT = 2 * WIN


class Search:
    """The search for one move, cut short once `is_late` says so."""

    def __init__(
        self, board: PenteBoard, depth: int, is_late: Callable[[], bool] = lambda: False
    ) -> None:
        self.board = board
        self.depth = depth
        self.is_late = is_late
        self.root = board.ply
        self.value = 0
        """Value of the best stone for its player."""
        self.near: set[int] = set()
        """The points within two of a stone; occupied ones may be among them."""
        self.shapes = 0
        """Worth of the windows to the player to move, compared with the root."""

    def best(self, points: list[int]) -> int:
        """Return the best of the points, the first one of equals."""
        self.near = set(points)
        ranked, is_forced = self._ranked(points)
        best, alpha = points[0], -LIMIT
        for worth, gain, point in ranked:
            if worth >= WIN:
                self.value = WIN
                return point
            value = self._after(point, gain, self.depth - (not is_forced), alpha, LIMIT)
            if alpha > -LIMIT and self.is_late():
                break  # the value of a stone that was not searched to the end means little
            if value > alpha:
                best, alpha = point, value
        self.value = alpha
        return best

    def _after(self, point: int, gain: int, depth: int, alpha: int, beta: int) -> int:
        """Return the value of the position with this stone for its player."""
        board, near, shapes = self.board, self.near, self.shapes
        taken = board.play(point)
        self.near = near.union([point + offset for offset in board.surroundings], taken)
        self.shapes = -(shapes + shape(gain) + self._lost(taken))
        value = -self._value(depth, -beta, -alpha)
        board.take_back(point, taken)
        self.near, self.shapes = near, shapes
        return value

    def _lost(self, taken: list[int]) -> int:
        """Return the enemy's loss by the captured stones: their value for him now."""
        board, lost = self.board, 0
        enemy = board.ply & 1
        for stone in taken:
            lost += shape(gains(board, stone)[enemy])
            board.cells[stone] = enemy + 1
        for stone in taken:
            board.cells[stone] = EMPTY
        return lost

    def _value(self, depth: int, alpha: int, beta: int) -> int:
        """Return the value for the player to move, exact between alpha and beta."""
        board = self.board
        if depth <= 0 or self.is_late():
            own, enemy = board.pairs[board.ply & 1], board.pairs[1 - board.ply & 1]
            return self.shapes + PAIR[own] - PAIR[enemy]
        cells = board.cells
        points = board.near() if board.ply == 2 else [p for p in self.near if cells[p] == EMPTY]
        ranked, is_forced = self._ranked(points)
        best = -LIMIT if ranked else 0
        for worth, gain, point in ranked:
            if worth >= WIN:
                return WIN - board.ply
            value = self._after(point, gain, depth - (not is_forced), max(alpha, best), beta)
            best = max(best, value)
            if best >= beta:
                break
        return best

    def _ranked(self, points: list[int]) -> tuple[list[tuple[int, int, int]], bool]:
        """Return the stones worth trying, best first, and whether they are forced."""
        ranked = sorted(weigh(self.board, points), key=itemgetter(0), reverse=True)
        deep = self.board.ply - self.root
        if ranked and STOP <= ranked[0][0] < WIN:
            # The enemy wins next: only these points or a capture can prevent it.
            answers = [one for one in ranked if one[0] >= STOP or captured_pairs(one[1])]
            return answers, deep < self.depth + MAX_FORCED
        return ranked[: WIDTHS[min(deep, len(WIDTHS) - 1)]], False


class Searcher(Bot):
    """Searches to a fixed depth, as far as the time allows."""

    name = "searcher"
    version = "1"

    def __init__(self, depth: int) -> None:
        self.depth = depth

    def on_init(self, init: Fields) -> None:
        self.random = random.Random(init["seed"])
        self.board = PenteBoard(init["options"], init["view"])
        self.per_move_ms = init["time"]["per_move_ms"]
        is_wall = init["time"]["clock"] == "wall"
        self.clock = time.monotonic if is_wall else time.process_time

    def on_move(self, call: Fields) -> Fields:
        board = self.board
        for played in call["opponent_moves"]:
            board.play(board.point(played["move"]))
        points = board.near()
        self.random.shuffle(points)
        left_ms = call.get("left_ms")
        is_hurried = left_ms is not None and left_ms < HURRY_MS
        time_ms = self.per_move_ms if left_ms is None else min(self.per_move_ms, left_ms)
        until = self.clock() + SHARE * time_ms / 1000
        depth = 1 if is_hurried else self.depth
        search = Search(board, depth, lambda: self.clock() > until)
        point = search.best(points)
        taken = board.play(point)
        value = max(-1000, min(search.value, 1000))
        return play(board.move(point), board.claims(point, taken), value=value)


def depth_of(arguments: list[str]) -> int:
    """Return the depth in the arguments."""
    match arguments:
        case []:
            return DEPTH
        case ["--depth", number] if number.isdecimal() and int(number) > 0:
            return int(number)
    sys.exit(f"usage: searcher [--depth N], N at least 1; not {' '.join(arguments)}")


if __name__ == "__main__":
    run(Searcher(depth_of(sys.argv[1:])))
