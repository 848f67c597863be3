"""Counts what can follow from a position: lines of play to a depth, and complete games.

Works for every game through its `position` and `children`. The rules hold no chance once a game
has started and every game ends, so both numbers exist; they are exact, however large. Positions
that a game calls equal are worked out once: complete games by depth-first search with a table of
what is known, lines of play layer by layer.

An interruption (KeyboardInterrupt, also out of `progress`) and a lack of memory both raise
CountStoppedError, which says what is certain by then.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from referee.rules import Game

__all__ = ["CountStoppedError", "Progress", "continuations", "perft"]

Table: TypeAlias = dict[Hashable, int]

Frame: TypeAlias = tuple[Hashable, Iterator[Hashable], int]
"""A position under way, its children still to do, and the games through those that are done."""

INTERVAL = 1024
"""Positions from one look at the memory, and call of `progress`, to the next."""


class Progress(NamedTuple):
    """How far a count is.

    `positions` have been seen, the number asked for is `at_least` this already, and the position
    in hand is `ply` plies after the one asked about.
    """

    positions: int
    at_least: int
    ply: int


class CountStoppedError(Exception):
    """A count that was not finished: the number asked for is `at_least` this, maybe far more."""

    def __init__(
        self, reason: Literal["interrupted", "out of memory"], positions: int, at_least: int
    ) -> None:
        super().__init__(f"{reason} after {positions} positions: at least {at_least}")
        self.reason = reason
        self.positions = positions
        self.at_least = at_least


def continuations(
    game: Game[Any, Any],
    state: Hashable,
    memory_bytes: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> int:
    """Return how many complete games can follow from a position; 1 if it is finished.

    `memory_bytes` is what the whole process may have in memory, None whatever the machine gives.
    The table grows by doubling, so the count stops where the next doubling might not fit.
    `progress` is called every INTERVAL positions. Raises CountStoppedError.
    """
    known: Table = {}
    frames: list[Frame] = []
    watch = _Watch(memory_bytes, progress)
    try:
        return _games(game, game.position(state), known, frames, watch)
    except (KeyboardInterrupt, MemoryError) as stop:
        positions = len(known) + len(frames) + 1
        known.clear()
        raise _stopped(stop, positions, _certain(frames)) from stop


def perft(
    game: Game[Any, Any],
    state: Hashable,
    depth: int,
    memory_bytes: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Iterator[int]:
    """Yield how many lines of exactly 1, 2, ... `depth` plies can follow from a position.

    A game that ends earlier is no line of that length. Arguments and errors are those of
    `continuations`, `at_least` being about the number that would have come next.
    """
    layer: Table = {game.position(state): 1}
    watch = _Watch(memory_bytes, progress)
    positions = 0
    for ply in range(1, depth + 1):
        following: Table = defaultdict(int)
        lines = 0
        try:
            for position, paths in layer.items():
                children = list(game.children(position))
                lines += paths * len(children)
                if ply < depth:
                    for child in children:
                        following[child] += paths
                positions += 1
                if not positions % INTERVAL:
                    watch.look(Progress(positions, lines, ply), following)
        except (KeyboardInterrupt, MemoryError) as stop:
            layer.clear()
            following.clear()
            raise _stopped(stop, positions, lines) from stop
        yield lines
        layer = following


def _games(
    game: Game[Any, Any], root: Hashable, known: Table, frames: list[Frame], watch: "_Watch"
) -> int:
    """Search depth first, on a stack of its own: a game may be longer than Python's is deep.

    At every instant `frames` are the forefathers of the position in hand and nothing else, so that
    an interruption finds what `_certain` needs.
    """
    children = game.children
    positions = 1
    position, left, games = root, iter(children(root)), 0
    while True:
        for child in left:
            ways = known.get(child)
            if ways is None:
                frames.append((position, left, games))
                positions += 1
                if not positions % INTERVAL:
                    watch.look(Progress(positions, _certain(frames), len(frames)), known)
                position, left, games = child, iter(children(child)), 0
                break
            games += ways
        else:
            ways = known[position] = games or 1
            if not frames:
                return ways
            position, left, games = frames.pop()
            games += ways


def _certain(frames: list[Frame]) -> int:
    """Return how many games there are at least: those found, and one that is in the making.

    The games of different frames are different games, since they part at different plies.
    """
    return sum(games for _, _, games in frames) + 1


def _stopped(stop: BaseException, positions: int, at_least: int) -> CountStoppedError:
    is_interrupted = isinstance(stop, KeyboardInterrupt)
    reason: Literal["interrupted", "out of memory"] = (
        "interrupted" if is_interrupted else "out of memory"
    )
    return CountStoppedError(reason, positions, at_least)


@dataclass(frozen=True)
class _Watch:
    """What is done every INTERVAL positions."""

    memory_bytes: int | None
    progress: Callable[[Progress], object] | None

    def look(self, progress: Progress, table: Table) -> None:
        """Tell the caller how far the count is; raise MemoryError where the table has to stop."""
        if self.progress:
            self.progress(progress)
        if self.memory_bytes is None:
            return
        # While a dict doubles, the new one stands beside the old one.
        if _resident_bytes() + 2 * sys.getsizeof(table) > self.memory_bytes:
            raise MemoryError


def _resident_bytes() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
