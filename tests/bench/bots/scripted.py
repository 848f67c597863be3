"""Plays moves from a file, one "v h" a line; sleeps before each for a number of milliseconds."""

import sys
import time

from arena_bot import Bot, Fields, play, run


class Scripted(Bot):
    name = "scripted-python"

    def __init__(self, path: str, sleep_ms: str = "0") -> None:
        self.sleep_s = int(sleep_ms) / 1000
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib is a slow import
            points = [line.split() for line in file]
        self.moves = [{"v": int(v), "h": int(h)} for v, h in points]

    def on_move(self, call: Fields) -> Fields:
        if self.sleep_s:
            time.sleep(self.sleep_s)
        return play(self.moves[call["ply"]])


run(Scripted(*sys.argv[1:]))
