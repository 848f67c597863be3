"""Plays moves from a file, one "v h" a line, and does nothing else."""

import sys
from pathlib import Path

from arena_bot import Bot, play, run


class Scripted(Bot):
    name = "scripted-python"

    def __init__(self, path):
        points = [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
        self.moves = [{"v": int(v), "h": int(h)} for v, h in points]

    def on_move(self, call):
        return play(self.moves[call["ply"]])


run(Scripted(sys.argv[1]))
