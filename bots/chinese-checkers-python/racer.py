"""The bot's seat: its remaining work, and the earlier places of its men."""

from __future__ import annotations

import random
from collections import Counter

from burden import burden_late, is_late
from star import Move, Star

PER_REPEAT = 5


class Racer:
    """One seat in one match."""

    def __init__(self, star: Star, seat: int, seed: int) -> None:
        self.star, self.seat = star, seat
        self.random = random.Random(seed)
        self.is_late = False
        self.idle = 0  # Moves since the men were closest to home.
        self._least_burden: int | None = None
        keys = random.Random(seed)
        self._keys = {cell: keys.getrandbits(64) for cell in star.points}
        self._seen: Counter[int] = Counter()
        self.key = 0  # Where the men are.

    def look(self) -> None:
        """Begin a search at the position on the board."""
        self.star.sort(self.seat)
        self.is_late = is_late(self.star, self.seat)
        self.key = 0
        for cell in self.star.men[self.seat]:
            self.key ^= self._keys[cell]
        burden = self.star.burden[self.seat]
        self.idle += 1
        if self._least_burden is None or burden < self._least_burden:
            self._least_burden = burden
            self.idle = 0

    def key_after(self, key: int, move: Move) -> int:
        """Return where the men are after a move."""
        return key ^ self._keys[move[1]] ^ self._keys[move[2]]

    def malus(self, key: int) -> int:
        """Return the penalty for a return to earlier places, against going in circles."""
        return PER_REPEAT * self._seen[key] if key in self._seen else 0

    def note(self, move: Move) -> None:
        """Remember where a move at the root leads."""
        self._seen[self.key_after(self.key, move)] += 1

    def burden(self) -> int:
        """Return the burden by which the leaves of a search are compared."""
        return burden_late(self.star, self.seat) if self.is_late else self.star.burden[self.seat]
