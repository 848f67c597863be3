"""Plays Chinese Checkers by a search of fixed size: a match is the same on every machine."""

import sys

from arena_bot import Bot, Fields, play, run
from racer import Racer
from search import DEPTH_MAX, choose
from star import Star

WORK = 20_000  # About 20 ms.
WORK_PER_MS = 400  # A cautious estimate, for shorter time controls.
LOW_MS = 3000  # With less than this left for the match it plays fast.
WORK_LOW = 1000


class ChineseCheckers(Bot):
    """Keeps the position, and the seats still in play."""

    name = "chinese-checkers-python"
    version = "1"

    def __init__(self, depth: int) -> None:
        self.depth = depth

    def on_init(self, init: Fields) -> None:
        options, view = init["options"], init["view"]
        self.star = Star(
            options["game_size"],
            view["positions"],
            is_neutral_open=options["neutral_end"] == "allow",
            is_goal_shared=options["anti_block"],
        )
        for seat, men in enumerate(view["men"]):
            for point in men:
                self.star.put(seat, point)
        self.seat, self.seats = init["seat"], init["seats"]
        self.next = view["turn"]  # Seat to move after the last report.
        self.rivals = [seat for seat in range(self.seats) if seat != self.seat]
        self.racer = Racer(self.star, self.seat, init["seed"])
        self.work = min(WORK, 1 + WORK_PER_MS * init["time"].get("per_move_ms", WORK))

    def on_move(self, call: Fields) -> Fields:
        self._follow(call["opponent_moves"])
        left_ms = call.get("left_ms")
        is_low = left_ms is not None and left_ms < LOW_MS
        found = choose(self.racer, self.rivals, self.depth, WORK_LOW if is_low else self.work)
        _, start, to = found.move
        if start != to:
            self.star.move(self.seat, start, to)
        data = {"depth": found.depth, "points": self.star.work}
        return play({"from": self.star.point(start), "to": self.star.point(to)}, data=data)

    def _follow(self, played: list[Fields]) -> None:
        """Make the moves of the others. A rival without a move in its turn has been retired."""
        star = self.star
        for one in played:
            start, to = star.cell(one["move"]["from"]), star.cell(one["move"]["to"])
            if start != to:
                star.move(one["seat"], start, to)
        moved = {one["seat"] for one in played}
        waited = (self.seat - self.next) % self.seats
        due = {(self.next + turn) % self.seats for turn in range(waited)}
        self.rivals = [seat for seat in self.rivals if seat in moved or seat not in due]
        self.next = (self.seat + 1) % self.seats


def depth_from(arguments: list[str]) -> int:
    """Return the depth in the arguments; exit with 1 if they are wrong."""
    if not arguments:
        return DEPTH_MAX
    flag, *values = arguments
    if flag == "--depth" and len(values) == 1 and values[0] in map(str, range(1, DEPTH_MAX + 1)):
        return int(values[0])
    sys.exit(f"usage: chinese-checkers-python [--depth N], N from 1 to {DEPTH_MAX}")


if __name__ == "__main__":
    run(ChineseCheckers(depth_from(sys.argv[1:])))
