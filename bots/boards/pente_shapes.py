"""Value of a stone on a point of a Pente board, by the nine points of each line through it.

A window is five points in a row. As long as only one player has stones in it, it is worth
WINDOW[stones] to that player. A stone gains the increase of its own windows and the worth of the
enemy's windows that it blocks. Lines repeat, so each is computed once.
"""

from __future__ import annotations

from collections.abc import Iterable

from pente_board import BORDER, EDGE, FIVE, PAIRS_TO_WIN, PenteBoard

WINDOW = (0, 1, 6, 30, 150)
"""The worth of a window, by its number of stones."""
PAIR = (0, 40, 90, 170, 300)
"""The worth of captured pairs, by their number."""
CAPTURE, RESCUE = 40, 25
"""Additional worth of a stone that captures a pair, or prevents a capture by the enemy."""
WIN, STOP = 1 << 40, 1 << 36

CAPTURE_UNIT = 1 << 24
"""Above the sum of all windows: the number of pairs that the stone captures."""
FIVE_UNIT = 1 << 32
"""Higher bits: number of lines with five in a row."""
_WINDOW_MASK = CAPTURE_UNIT - 1
_CAPTURE_MASK = FIVE_UNIT // CAPTURE_UNIT - 1

_CENTRE = BORDER


class _Lines(dict[bytes, tuple[int, int]]):
    """Gains of a stone in the middle of a line, for seats 0 and 1, by the line's nine points."""

    def __missing__(self, line: bytes) -> tuple[int, int]:
        self[line] = gains = (_gain(line, 1, 2), _gain(line, 2, 1))
        return gains


def _gain(line: bytes, own: int, enemy: int) -> int:
    gain = 0
    for start in range(FIVE):
        window = line[start : start + FIVE]
        if EDGE in window:
            continue
        mine, other = window.count(own), window.count(enemy)
        if other == 0:
            gain += FIVE_UNIT if mine == FIVE - 1 else WINDOW[mine + 1] - WINDOW[mine]
        elif mine == 0:
            gain += WINDOW[other]
    captured = bytes([enemy, enemy, own])
    ways = (line[_CENTRE + 1 : _CENTRE + 4], line[_CENTRE - 3 : _CENTRE][::-1])
    return gain + CAPTURE_UNIT * sum(way == captured for way in ways)


_LINES = _Lines()


def gains(board: PenteBoard, point: int) -> tuple[int, int]:
    """Return the gains of a stone on this empty point, for seats 0 and 1."""
    cells = board.cells
    first = second = 0
    for step in board.steps:
        reach = BORDER * step
        for_first, for_second = _LINES[bytes(cells[point - reach : point + reach + 1 : step])]
        first += for_first
        second += for_second
    return first, second


def shape(gain: int) -> int:
    """Return the part of a gain that lies in windows."""
    return gain & _WINDOW_MASK


def captured_pairs(gain: int) -> int:
    """Return the number of pairs that the stone captures."""
    return gain // CAPTURE_UNIT & _CAPTURE_MASK


def weigh(board: PenteBoard, points: Iterable[int]) -> list[tuple[int, int, int]]:
    """Return (worth, gain, point) for the player to move, in the order of the points.

    The worth is the stone's gain plus the enemy's gain there: WIN if the stone wins, at least STOP
    if the enemy would win there.
    """
    seat = board.ply & 1
    own_pairs, enemy_pairs = board.pairs[seat], board.pairs[1 - seat]
    weighed = []
    for point in points:
        both = gains(board, point)
        own, enemy = both[seat], both[1 - seat]
        worth = (own & _WINDOW_MASK) + (enemy & _WINDOW_MASK)
        if own >= CAPTURE_UNIT or enemy >= CAPTURE_UNIT:
            worth += _sharp(own, own_pairs, WIN, CAPTURE) + _sharp(enemy, enemy_pairs, STOP, RESCUE)
        weighed.append((worth, own, point))
    return weighed


def _sharp(gain: int, pairs: int, winning: int, pair: int) -> int:
    captured = captured_pairs(gain)
    if gain >= FIVE_UNIT or pairs + captured >= PAIRS_TO_WIN:
        return winning
    return pair * captured * (1 + pairs)
