"""Random legal moves in every game: every bot should beat it.

It claims all that can be claimed, which takes a board of its own in the games that have claims.
"""

import random

from arena_bot import Bot, Fields, done, play, resign, run
from down_n_out_board import DownNOutBoard
from pente_board import PenteBoard


class Board:
    """What the bot keeps of a game without claims: nothing."""

    rows: list[str]

    def __init__(self, init: Fields) -> None:
        """Set up the position of the `init` call."""

    def play(self, move: Fields) -> Fields | None:
        """Make the move of the seat to move, and return its claims."""

    def some_moves(self) -> list[Fields]:
        """Return a few legal moves, for when there are too many to be sent."""
        return []


class Pente(Board):
    """Claims the captured pairs and the victory."""

    def __init__(self, init: Fields) -> None:
        self.board = PenteBoard(init["options"], init["view"])

    def play(self, move: Fields) -> Fields:
        point = self.board.point(move)
        taken = self.board.play(point)
        return self.board.claims(point, taken)


class Matchsticks(Board):
    """Claims the board after the move."""

    def __init__(self, init: Fields) -> None:
        self.sticks = [list(row) for row in init["view"]["board"]]

    def play(self, move: Fields) -> Fields:
        start, end = sorted((move["start"], move["end"]))
        for place in range(start, end + 1):
            row, column = (move["line"], place) if move["row"] else (place, move["line"])
            self.sticks[row][column] = "0"
        return {"board": ["".join(row) for row in self.sticks]}

    def some_moves(self) -> list[Fields]:
        return [
            {"row": True, "line": line, "start": place, "end": place}
            for line, row in enumerate(self.sticks)
            for place, stick in enumerate(row)
            if stick == "1"
        ]


class DownNOut(Board):
    """Claims the number of cells removed and the board after it, and can show the board."""

    def __init__(self, init: Fields) -> None:
        self.board = DownNOutBoard(init["view"]["board"])
        self.rows = self.board.rows

    def play(self, move: Fields) -> Fields:
        removed = self.board.remove(move["row"], move["col"])
        self.rows = self.board.rows
        return {"removed": removed, "board": self.rows}

    def some_moves(self) -> list[Fields]:
        return [{"row": row, "col": col} for row, col in self.board.removable()]


BOARDS = {"pente": Pente, "matchsticks": Matchsticks, "down_n_out": DownNOut}


class Random(Bot):
    """Plays random moves; the seed of the match is its only source of randomness."""

    name = "random"
    version = "1"
    wants = ("legal",)

    def on_init(self, init: Fields) -> None:
        self.random = random.Random(init["seed"])
        self.seats = init["seats"]
        self.board = BOARDS.get(init["game"], Board)(init)

    def on_move(self, call: Fields) -> Fields:
        for played in call["opponent_moves"]:
            self.board.play(played.get("move"))
        moves = call.get("legal") or self.board.some_moves()
        if not moves:
            return done() if self.seats == 1 else resign()
        move = self.random.choice(moves)
        return play(move, self.board.play(move))

    def on_display(self, _call: Fields) -> list[str]:
        return self.board.rows


if __name__ == "__main__":
    run(Random())
