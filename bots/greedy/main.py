"""Pente, one stone deep: wins, or prevents a win, or builds, blocks and captures the most."""

import random

from arena_bot import Bot, Fields, play, run
from pente_board import PenteBoard
from pente_shapes import weigh


class Greedy(Bot):
    """Plays the stone that is worth the most by itself; the seed decides between equals."""

    name = "greedy"
    version = "1"

    def on_init(self, init: Fields) -> None:
        self.random = random.Random(init["seed"])
        self.board = PenteBoard(init["options"], init["view"])

    def on_move(self, call: Fields) -> Fields:
        board = self.board
        for played in call["opponent_moves"]:
            board.play(board.point(played["move"]))
        weighed = weigh(board, board.near())
        best = max(weighed)[0]
        point = self.random.choice([point for worth, _, point in weighed if worth == best])
        taken = board.play(point)
        return play(board.move(point), board.claims(point, taken))


if __name__ == "__main__":
    run(Greedy())
