"""Damspel by alpha-beta search: `main.py [--depth N]` searches N plies at most.

The number of positions is limited, not the time: the same seed gives the same moves everywhere.
"""

import random
import sys

from arena_bot import Bot, Fields, play, run
from board import Board
from search import Search

NODES, ROWS = 9_000, 10  # for a move, about 20 ms; fewer on boards with more rows
NODES_PER_MS = 80  # a cautious estimate, for shorter time controls
MOVES_TO_GO = 64  # The rest of the bank is divided by this number of moves.
MAX_DEPTH = 60


class Damspel(Bot):
    """Searches as deep as the time allows."""

    name = "damspel-python"
    version = "1"

    def __init__(self, max_depth: int) -> None:
        self.max_depth = max_depth

    def on_init(self, init: Fields) -> None:
        options, view = init["options"], init["view"]  # The view is the position after the history.
        self.random = random.Random(init["seed"])
        self.board = Board(options["rows"], options["cols"])
        self.position = self.board.read(view["board"], view["turn"])
        self.nodes = NODES * ROWS // max(ROWS, options["rows"])
        self.per_move_ms = init["time"]["per_move_ms"]

    def on_move(self, call: Fields) -> Fields:
        board, width = self.board, self.board.width
        for played in call["opponent_moves"]:
            squares = (played["move"]["from"], played["move"]["to"])
            start, end = (row * width + column for row, column in squares)
            self.position = board.after(self.position, (start, end))
        limit_ms, left_ms = self.per_move_ms, call.get("left_ms")
        if left_ms is not None:
            limit_ms = min(limit_ms, left_ms // MOVES_TO_GO)
        search = Search(board, min(self.nodes, 1 + limit_ms * NODES_PER_MS), self.random)
        start, end = search.run(self.position, self.max_depth)
        self.position = board.after(self.position, (start, end))
        move, *plan = (
            {"from": divmod(start, width), "to": divmod(end, width)}
            for start, end in [(start, end), *search.plan(self.position)]
        )
        value = max(-1000, min(search.score, 1000))
        data = {"depth": search.depth, "nodes": search.nodes}
        return play(move, value=value, plan=plan, data=data)


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            run(Damspel(MAX_DEPTH))
        case ["--depth", number] if number.isdecimal() and 0 < int(number) <= MAX_DEPTH:
            run(Damspel(int(number)))
    sys.exit(f"usage: damspel-python [--depth N], N from 1 to {MAX_DEPTH}")
