"""The board of Pente for the bots in Python, updated move by move.

A point is an index into `cells`, with a border of four points, so that every
line has nine points. Rows share their borders: the end of one is the beginning of the next.
"""

from __future__ import annotations

from arena_bot import Fields

EMPTY, EDGE = 0, 3
BORDER = 4
NEARBY = range(-2, 3)
FIVE = 5
PAIRS_TO_WIN = 5


class PenteBoard:
    """A position, changed move by move and taken back. A stone is its seat + 1."""

    def __init__(self, options: Fields, view: Fields) -> None:
        """Set up the position of a view; `options` are those of the game."""
        self.half_size: int = options["half_size"]
        self.second_stone = options.get("second_stone", "box5")
        self.stride: int = 2 * self.half_size + 1 + BORDER
        self.ply: int = view["ply"]
        self.pairs: list[int] = list(view["pairs"])
        self.steps = (1, self.stride, self.stride + 1, self.stride - 1)
        self.surroundings = [v * self.stride + h for v in NEARBY for h in NEARBY if v or h]
        border = bytes([EDGE]) * (BORDER * self.stride + BORDER)
        rows = [bytes(".XO".index(stone) for stone in row) for row in view["board"]]
        gap = bytes([EDGE]) * BORDER
        self.cells = bytearray(border + gap.join(rows) + border)
        self.origin: int = self.half_size * (self.stride + 1) + len(border)

    def point(self, move: dict[str, int]) -> int:
        """Return the point of a move on the wire."""
        return self.origin + move["v"] * self.stride + move["h"]

    def coordinates(self, point: int) -> list[int]:
        """Return [v, h], counted from the centre."""
        row, column = divmod(point - self.origin + self.half_size, self.stride)
        return [row, column - self.half_size]

    def move(self, point: int) -> dict[str, int]:
        """Return the move on the wire that plays a point."""
        v, h = self.coordinates(point)
        return {"v": v, "h": h}

    def play(self, point: int) -> list[int]:
        """Place the stone of the player to move; return the stones it took, pair after pair."""
        cells, seat = self.cells, self.ply & 1
        own, enemy = seat + 1, 2 - seat
        cells[point] = own
        taken = []
        for step in self.steps:
            for way in (step, -step):
                near, far = point + way, point + 2 * way
                if cells[near] == enemy == cells[far] and cells[far + way] == own:
                    taken += [near, far]
        for stone in taken:
            cells[stone] = EMPTY
        self.pairs[seat] += len(taken) // 2
        self.ply += 1
        return taken

    def take_back(self, point: int, taken: list[int]) -> None:
        """Undo a `play` that captured these stones."""
        self.ply -= 1
        seat = self.ply & 1
        self.cells[point] = EMPTY
        for stone in taken:
            self.cells[stone] = 2 - seat
        self.pairs[seat] -= len(taken) // 2

    def is_won(self, point: int) -> bool:
        """Whether the stone just placed wins."""
        return self.pairs[1 - self.ply & 1] >= PAIRS_TO_WIN or self._is_five(point)

    def allowed(self) -> list[int]:
        """Return every legal point."""
        return [
            point
            for point, stone in enumerate(self.cells)
            if stone == EMPTY and self.is_open_to(point)
        ]

    def near(self) -> list[int]:
        """Return the points that may be played within two of a stone, or else all allowed ones."""
        around = {
            stone + offset
            for stone, owner in enumerate(self.cells)
            if owner in (1, 2)
            for offset in self.surroundings
        }
        points = [p for p in sorted(around) if self.cells[p] == EMPTY and self.is_open_to(p)]
        return points or self.allowed()

    def is_open_to(self, point: int) -> bool:
        """Whether the rule for the first player's first two stones allows this empty point."""
        if self.ply == 0:
            return point == self.origin
        if self.ply != 2 or self.second_stone == "free":
            return True
        v, h = (abs(distance) for distance in self.coordinates(point))
        return max(v, h) >= 3 if self.second_stone == "box5" else min(v, h) >= 3

    def claims(self, point: int, taken: list[int]) -> Fields:
        """Return the claims about the stone just placed, as on the wire."""
        stones = [self.coordinates(stone) for stone in taken]
        captures = [list(pair) for pair in zip(stones[::2], stones[1::2], strict=True)]
        return {"captures": captures, "victory": self.is_won(point)}

    def _is_five(self, point: int) -> bool:
        cells = self.cells
        own = cells[point]
        for step in self.steps:
            start, end = point, point
            while cells[start - step] == own:
                start -= step
            while cells[end + step] == own:
                end += step
            if end - start >= (FIVE - 1) * step:
                return True
        return False
