"""Down-N-Out: plans the whole game when it begins, then plays it."""

from __future__ import annotations

from arena_bot import Bot, Fields, done, play, run
from columns import Columns, Group, changed, forget, groups
from plan import plan

SEARCHES = 6
"""More searches gain too few points for their time."""
SHARE = 4
"""The searches may take one part in this many of the time for Init, by an estimate."""


class DownNOut(Bot):
    """Keeps the board, and shows it on request."""

    name = "down-n-out-python"
    version = "1"

    def on_init(self, init: Fields) -> None:
        forget()
        rows = init["view"]["board"]
        self.height, self.width = len(rows), len(rows[0])
        standing = ["".join(column).strip("0")[::-1] for column in zip(*rows, strict=True)]
        self.columns: Columns = tuple(column for column in standing if column)
        self.left = sum(map(bool, standing[: self.width // 2]))
        """Number of columns in the left half, which close up to the right."""
        searches = _searches(self.height * self.width, init["time"]["init_ms"])
        self.plan = plan(self.columns, searches, init["seed"])
        self.plan.reverse()

    def on_move(self, _call: Fields) -> Fields:
        group = self.plan.pop() if self.plan else self._smallest()
        if group is None:
            return done()
        column, start, _ = group[0]
        col = self.width // 2 - self.left + column
        self._remove(group)
        claims = {"removed": sum(end - start for _, start, end in group), "board": self._rows()}
        return play({"row": self.height - 1 - start, "col": col}, claims)

    def on_display(self, _call: Fields) -> list[str]:
        return self._rows()

    def _remove(self, group: Group) -> None:
        columns, first, last = self.columns, group[0][0], group[-1][0]
        half = self.left
        if first < half:
            gone = _emptied(columns, [one for one in group if one[0] < half])
            self.left -= gone
        self.columns = (*columns[:first], *changed(columns, group), *columns[last + 1 :])

    def _smallest(self) -> Group | None:
        """Return a move where the plan ends: the smallest group, the most frequent colour last."""
        text = "".join(self.columns)
        kept = max(sorted(set(text)), key=text.count, default="")
        found = groups(self.columns)
        if not found:
            return None
        return min(found, key=lambda one: (self._color(one[1]) == kept, one[0]))[1]

    def _color(self, group: Group) -> str:
        column, start, _ = group[0]
        return self.columns[column][start]

    def _rows(self) -> list[str]:
        """Return the board, a string of digits a row, the top one first."""
        empty = [""] * (self.width // 2 - self.left)
        columns = [*empty, *self.columns]
        columns += [""] * (self.width - len(columns))
        padded = [column.ljust(self.height, "0") for column in columns]
        return ["".join(cells) for cells in zip(*padded, strict=True)][::-1]


def _emptied(columns: Columns, group: Group) -> int:
    """Return the number of columns that are empty after the group's removal."""
    taken: dict[int, int] = {}
    for column, start, end in group:
        taken[column] = taken.get(column, 0) + end - start
    return sum(len(columns[column]) == count for column, count in taken.items())


def _searches(cells: int, limit_ms: int) -> int:
    """Return the number of searches for which there is time.

    A search expands about one board per cell, each with a seventeenth as many moves, and copies the
    board's columns for each move: 45 ms for 300 cells.
    """
    search_ms = 45 * (cells / 300) ** 2.2
    return min(SEARCHES, int(limit_ms / SHARE / search_ms))


if __name__ == "__main__":
    run(DownNOut())
