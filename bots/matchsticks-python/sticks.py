"""Matchsticks as bits of an int: cell (row, column) is bit row * stride + column.

Each row ends with an empty bit, so cells that are 1 or `stride` bits apart are neighbours. A piece
is a connected part of the sticks, moved up and left, and turned or mirrored so that its number is
the greatest. So parts of the same shape are the same piece.
"""

from __future__ import annotations

from itertools import count


class Runs:
    """The runs of boards with one stride."""

    def __init__(self, stride: int) -> None:
        self.stride = stride
        self._columns = [0, 1]
        """Columns by their number of sticks."""
        self._pieces: dict[int, int] = {}
        """Pieces by part, which is moved so that its first stick is bit 0."""

    def starts(self, board: int) -> list[tuple[int, int]]:
        """Return at index n - 1 the starts of the runs of n sticks, in rows and in columns.

        The last ones are the longest. A single stick is a run of a row only.
        """
        rows, columns = board, board
        found = [(board, 0)]
        for length in count(1):
            rows &= board >> length
            columns &= board >> length * self.stride
            if not rows | columns:
                return found
            found.append((rows, columns))
        raise AssertionError

    def row(self, length: int) -> int:
        """Return a run of this length in the first row, from the first cell."""
        return (1 << length) - 1

    def column(self, length: int) -> int:
        """Return a run of this length in the first column, from the first cell."""
        while len(self._columns) <= length:
            self._columns.append(self._columns[-1] << self.stride | 1)
        return self._columns[length]

    def all(self, board: int) -> list[int]:
        """Return every run, the long ones first."""
        found = []
        for index, (rows, columns) in reversed(list(enumerate(self.starts(board)))):
            row, column = self.row(index + 1), self.column(index + 1)
            found += [row << bit for bit in bits(rows)]
            found += [column << bit for bit in bits(columns)]
        return found

    def pieces(self, board: int) -> list[int]:
        """Return the pieces of a board."""
        found = []
        stride = self.stride
        while board:
            first = board & -board
            part, grown = 0, first
            while part != grown:
                part = grown
                grown |= part << 1 | part >> 1 | part << stride | part >> stride
                grown &= board
            found.append(self._piece(part))
            board ^= part
        return found

    def _piece(self, part: int) -> int:
        """Return the greatest of the eight ways to turn and mirror a part."""
        moved = part // (part & -part)
        if moved not in self._pieces:
            stride = self.stride
            text = f"{part:b}"[::-1]
            rows = [text[start : start + stride] for start in range(0, len(text), stride)]
            rows = _cropped([row.ljust(stride, "0") for row in rows])
            columns = _cropped(["".join(column) for column in zip(*rows, strict=True)])
            rows = _cropped(["".join(row) for row in zip(*columns, strict=True)])
            turns = (rows, rows[::-1], columns, columns[::-1])
            ways = ([line[::step] for line in lines] for lines in turns for step in (1, -1))
            self._pieces[moved] = max(map(self._packed, ways))
        return self._pieces[moved]

    def _packed(self, lines: list[str]) -> int:
        return int("".join(line.ljust(self.stride, "0") for line in lines)[::-1], 2)

    def is_mirrored(self, board: int) -> bool:
        """Whether a half turn leaves the board the same, and the opposite of each run can be taken.

        It cannot if a run holds a stick and its opposite; such a run holds those at the centre.
        """
        if not board:
            return True
        total = (board & -board).bit_length() + board.bit_length() - 2
        return turned(board, total) == board and not self._centre(board, total)

    def mirroring(self, board: int, size: int) -> list[int]:
        """Return the runs that leave a mirrored board, turned about its or its sticks' centre."""
        totals = {
            (size - 1) * (self.stride + 1),
            (board & -board).bit_length() + board.bit_length() - 2,
        }
        found = []
        for total in sorted(totals):
            run = board & ~turned(board, total) | self._centre(board, total)
            if run and self._is_run(run) and self.is_mirrored(board & ~run):
                found.append(run)
        return found

    def _centre(self, board: int, total: int) -> int:
        """Return the sticks at the centre that one run may hold; bit b is opposite total - b."""
        for apart in (0, 1, self.stride):
            low = total - apart >> 1
            pair = 1 << low | 1 << low + apart if low >= 0 else 0
            if (total - apart) % 2 == 0 and pair and board & pair == pair:
                return pair
        return 0

    def _is_run(self, sticks: int) -> bool:
        run = sticks // (sticks & -sticks)
        length = run.bit_count()
        return run in (self.row(length), self.column(length))


def _cropped(lines: list[str]) -> list[str]:
    return [line for line in lines if "1" in line]


def bits(number: int) -> list[int]:
    """Return the positions of the set bits, lowest first."""
    found = []
    while number:
        lowest = number & -number
        found.append(lowest.bit_length() - 1)
        number ^= lowest
    return found


def turned(board: int, total: int) -> int:
    """Return the board with each bit b moved to total - b; bits above `total` are left out."""
    inside = board & (1 << total + 1) - 1
    return int(f"{inside:0{total + 1}b}"[::-1], 2)
