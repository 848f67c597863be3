"""The board of Down-N-Out for the bots in Python: rows of digits, top row first, 0 is empty."""

from __future__ import annotations


class DownNOutBoard:
    """A position, changed by removing groups."""

    def __init__(self, rows: list[str]) -> None:
        self.rows = rows

    def remove(self, row: int, col: int) -> int:
        """Remove the whole group of a cell and close the gaps; return how many cells went."""
        group = self.group(row, col)
        height, width = len(self.rows), len(self.rows[0])
        columns = []
        for c in range(width):
            kept = "".join(
                self.rows[r][c]
                for r in range(height)
                if (r, c) not in group and self.rows[r][c] != "0"
            )
            columns.append(kept.rjust(height, "0"))
        # Columns close up towards the line in the middle, and never cross it.
        half, empty = width // 2, "0" * height
        left = [column for column in columns[:half] if column != empty]
        right = [column for column in columns[half:] if column != empty]
        left = [empty] * (half - len(left)) + left
        right += [empty] * (width - half - len(right))
        self.rows = ["".join(cells) for cells in zip(*left, *right, strict=True)]
        return len(group)

    def group(self, row: int, col: int) -> set[tuple[int, int]]:
        """Return the connected cells of the same colour, the cell included."""
        color = self.rows[row][col]
        found, frontier = {(row, col)}, [(row, col)]
        while frontier:
            r, c = frontier.pop()
            for cell in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                if cell not in found and self.color(*cell) == color:
                    found.add(cell)
                    frontier.append(cell)
        return found

    def color(self, row: int, col: int) -> str:
        """Return the digit of a cell; off the board there is none."""
        if 0 <= row < len(self.rows) and 0 <= col < len(self.rows[0]):
            return self.rows[row][col]
        return ""

    def removable(self) -> list[tuple[int, int]]:
        """Return the cells that have a neighbour of their colour on the right or below."""
        return [
            (row, col)
            for row, cells in enumerate(self.rows)
            for col, color in enumerate(cells)
            if color != "0" and color in (self.color(row, col + 1), self.color(row + 1, col))
        ]
