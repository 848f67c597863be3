"""The six-pointed star and the men on it, with the distances of each seat.

A point of the star is a cell: an index into a board that lies flat, so that a neighbour is a fixed
offset away.
"""

from __future__ import annotations

EMPTY, WALL = 0, 7  # A man is its seat + 1.
TRIANGLES = 6  # 0 to 5, clockwise from the top.
HEXAGON = 6  # The zone of a point in no triangle.
EDGE = 2  # Cells outside, so that no jump runs off the board.
WORK_MAX = 60_000  # Limit for one list of moves: about 30 ms.

# A man's burden grows with the square of its distance, so that no man stays behind. Outside the
# goal it also grows a little with the distance from the line between the tips.
PER_STEP, PER_SQUARE, PER_ASIDE = 5, 2, 2

Move = tuple[int, int, int]  # Decrease of the seat's burden, from and to.


class Course:
    """The way of one seat to its goal; lists and bytes are by cell."""

    def __init__(self, star: Star, home: int, *, is_neutral_open: bool) -> None:
        self.goal = (home + TRIANGLES // 2) % TRIANGLES
        self.points = [cell for cell in star.points if star.zones[cell] == self.goal]
        self.may_end = bytearray(len(star.board))
        self.far = [0] * len(star.board)  # Steps to the tip of the goal.
        self.aside = [0] * len(star.board)  # Half steps to the right of the line from tip to tip.
        self.burden = [0] * len(star.board)  # Remaining work of a man there.
        open_zones = range(HEXAGON + 1) if is_neutral_open else (home, self.goal, HEXAGON)
        for cell in star.points:
            self.may_end[cell] = star.zones[cell] in open_zones
            self._lay(star, cell)

    def _lay(self, star: Star, cell: int) -> None:
        row, slant = star.from_centre(cell)
        for _ in range(self.goal, TRIANGLES):  # A sixth of a turn each, until the goal is on top.
            row, slant = slant, slant - row
        down, right = row + 2 * star.size, slant + star.size
        far = self.far[cell] = max(abs(down), abs(right), abs(down - right))
        aside = self.aside[cell] = 2 * right - down
        beside = 0 if star.zones[cell] == self.goal else PER_ASIDE * abs(aside)
        self.burden[cell] = PER_STEP * far + PER_SQUARE * far * far + beside


class Star:
    """The position and its moves. `work` counts the examined points."""

    def __init__(
        self, size: int, homes: list[int], *, is_neutral_open: bool, is_goal_shared: bool
    ) -> None:
        """Lay out an empty star. With a shared goal others' men help to fill it (anti_block)."""
        self.size, self.width = size, 4 * size + 1 + EDGE
        self.men_count = size * (size + 1) // 2
        self.is_goal_shared = is_goal_shared
        self.work = 0
        cells = range(self.width * (4 * size + 1 + 2 * EDGE) + 2 * EDGE)
        zones = [self._zone(*self.from_centre(cell)) for cell in cells]
        self.points = [cell for cell in cells if zones[cell] >= 0]
        self.zones = bytes(max(zone, 0) for zone in zones)
        self.board = bytearray(WALL if zone < 0 else EMPTY for zone in zones)
        self.steps = (-1, 1, -self.width - 1, -self.width, self.width, self.width + 1)
        self.leaps = [(step, 2 * step) for step in self.steps]
        self.courses = [Course(self, home, is_neutral_open=is_neutral_open) for home in homes]
        self.men: list[list[int]] = [[] for _ in homes]
        self.burden = [0] * len(homes)  # Of all men of a seat together.
        self.arrived = [0] * len(homes)  # A seat's men in its goal.
        self.filled = [0] * (HEXAGON + 1)  # Anybody's men in the zone.

    def put(self, seat: int, point: list[int]) -> None:
        """Add a man of a seat."""
        cell, course = self.cell(point), self.courses[seat]
        self.board[cell] = seat + 1
        self.men[seat].append(cell)
        self.burden[seat] += course.burden[cell]
        self.arrived[seat] += self.zones[cell] == course.goal
        self.filled[self.zones[cell]] += 1

    def cell(self, point: list[int]) -> int:
        """Return the cell of a point (row, column)."""
        row, column = point
        return (row + EDGE) * self.width + EDGE + self.size + column + row // 2

    def point(self, cell: int) -> list[int]:
        """Return the (row, column) of a cell."""
        row, place = cell // self.width - EDGE, cell % self.width - EDGE
        return [row, place - self.size - row // 2]

    def from_centre(self, cell: int) -> tuple[int, int]:
        """Return a cell as (row, slant) from the centre.

        (row + 1, slant) and (row + 1, slant + 1) are below; slant - row is a third such coordinate.
        """
        centre = EDGE + 2 * self.size
        return cell // self.width - centre, cell % self.width - centre

    def _zone(self, row: int, slant: int) -> int:
        """Return a triangle, HEXAGON, or -1 off the star.

        Points of it are close to the centre in at least two of the three coordinates.
        """
        size, third = self.size, slant - row
        if (abs(row) > size) + (abs(slant) > size) + (abs(third) > size) > 1:
            return -1
        if abs(row) > size:
            return 0 if row < 0 else 3
        if abs(slant) > size:
            return 2 if slant > 0 else 5
        if abs(third) > size:
            return 1 if third > 0 else 4
        return HEXAGON

    def move(self, seat: int, start: int, to: int) -> None:
        """Move a man to an empty cell."""
        course, men = self.courses[seat], self.men[seat]
        self.board[start] = EMPTY
        self.board[to] = seat + 1
        men[men.index(start)] = to
        self.burden[seat] += course.burden[to] - course.burden[start]
        left, entered = self.zones[start], self.zones[to]
        if left != entered:
            self.arrived[seat] += (entered == course.goal) - (left == course.goal)
            self.filled[left] -= 1
            self.filled[entered] += 1

    def is_home(self, seat: int, lacking: int = 0) -> bool:
        """Tell whether a seat is home, or would be with `lacking` men more in its goal."""
        arrived = self.arrived[seat] + lacking
        if self.is_goal_shared and arrived:
            return self.filled[self.courses[seat].goal] + lacking >= self.men_count
        return arrived >= self.men_count

    def jumps(self, start: int) -> list[int]:
        """Return the start and all cells reachable from it by chains of jumps."""
        board, leaps = self.board, self.leaps
        ends, reached = [start], {start}
        for here in ends:  # Grows on the way.
            for step, leap in leaps:
                # No line of the star has a gap, so a cell before a point is no wall.
                if board[here + step] and not board[here + leap] and here + leap not in reached:
                    reached.add(here + leap)
                    ends.append(here + leap)
        self.work += len(ends) + 1
        return ends

    def moves(self, seat: int, width: int) -> list[Move]:
        """Return the best moves, best first; none if the seat is stuck.

        If there are very many chains of jumps, the last men are left out.
        """
        board, steps, course = self.board, self.steps, self.courses[seat]
        may_end, burden = course.may_end, course.burden
        found: list[Move] = []
        limit = self.work + WORK_MAX
        for start in self.men[seat]:
            heavy = burden[start]
            targets = [start + step for step in steps if not board[start + step]]
            targets += self.jumps(start)[1:]
            found += [(heavy - burden[to], start, to) for to in targets if may_end[to]]
            if self.work > limit and found:
                break
        if width == 1:
            return [max(found)] if found else found
        found.sort(reverse=True)
        return found[:width]

    def sort(self, seat: int) -> None:
        """Sort the men by distance, the longest first."""
        far = self.courses[seat].far
        self.men[seat].sort(key=lambda cell: (-far[cell], cell))
