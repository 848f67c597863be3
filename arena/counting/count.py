"""Count the continuations of a position: lines of play to a depth, and complete games.

Works for games without draws, by their `position` and `children`. Complete games can be counted
only if every game ends. Both numbers are exact for any size. Equal positions are counted once:
complete games by depth-first search with a table of results, lines of play layer by layer.

An interruption (KeyboardInterrupt, also from `progress`) and a lack of memory both raise
CountStoppedError with a certain lower bound.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from referee.rules import Game

Table: TypeAlias = dict[Hashable, int]

Frame: TypeAlias = tuple[Hashable, Iterator[Hashable], int]
"""A position in progress, its remaining children, and the games through the counted ones."""

INTERVAL = 1024
"""Number of positions between two checks of the memory and calls of `progress`."""


class CountProgress(NamedTuple):
    """Progress of a count: visited positions, a lower bound of the result, and the current ply."""

    positions: int
    at_least: int
    ply: int


class CountStoppedError(Exception):
    """An unfinished count; `at_least` is a lower bound of the result, maybe far below it."""

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
    progress: Callable[[CountProgress], object] | None = None,
) -> int:
    """Return the number of complete games from a position; 1 for a finished game.

    `memory_bytes` is the memory limit of the whole process, None for no limit. The table grows by
    doubling, so the count stops if the next doubling might exceed the limit.
    `progress` is called every INTERVAL positions. Raises CountStoppedError.
    """
    known: Table = {}
    frames: list[Frame] = []
    watch = CountWatch(memory_bytes, progress)
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
    progress: Callable[[CountProgress], object] | None = None,
) -> Iterator[int]:
    """Yield the numbers of lines of exactly 1, 2, ... `depth` plies from a position.

    A game that ends earlier is not counted. Arguments and errors are those of `continuations`;
    `at_least` is a bound of the next number.
    """
    layer: Table = {game.position(state): 1}
    watch = CountWatch(memory_bytes, progress)
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
                    watch.look(CountProgress(positions, lines, ply), following)
        except (KeyboardInterrupt, MemoryError) as stop:
            layer.clear()
            following.clear()
            raise _stopped(stop, positions, lines) from stop
        yield lines
        layer = following


def _games(
    game: Game[Any, Any], root: Hashable, known: Table, frames: list[Frame], watch: "CountWatch"
) -> int:
    """Search depth first with an explicit stack: a game may exceed the recursion limit.

    At every moment `frames` are exactly the ancestors of the current position, as required by
    `_certain` after an interruption.
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
                    watch.look(CountProgress(positions, _certain(frames), len(frames)), known)
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
    """Return a lower bound of the games: those found, and the current one.

    Games of different frames are different, since they diverge at different plies.
    """
    return sum(games for _, _, games in frames) + 1


def _stopped(stop: BaseException, positions: int, at_least: int) -> CountStoppedError:
    is_interrupted = isinstance(stop, KeyboardInterrupt)
    return CountStoppedError(
        "interrupted" if is_interrupted else "out of memory", positions, at_least
    )


@dataclass(frozen=True)
class CountWatch:
    """Checks after every INTERVAL positions."""

    memory_bytes: int | None
    progress: Callable[[CountProgress], object] | None

    def look(self, progress: CountProgress, table: Table) -> None:
        """Report the progress; raise MemoryError if the table may exceed the memory limit."""
        if self.progress:
            self.progress(progress)
        if self.memory_bytes is None:
            return
        # While a dict doubles, the old and the new table are both in memory.
        if resident_bytes() + 2 * sys.getsizeof(table) > self.memory_bytes:
            raise MemoryError


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
