"""Plays moves from a file, one "v h" a line, and does nothing else."""

import sys

from arena_bot import Bot, Fields, play, run


class Scripted(Bot):
    name = "scripted-python"

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib is a slow import
            points = [line.split() for line in file]
        self.moves = [{"v": int(v), "h": int(h)} for v, h in points]

    def on_move(self, call: Fields) -> Fields:
        return play(self.moves[call["ply"]])


run(Scripted(sys.argv[1]))
