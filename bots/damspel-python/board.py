"""The board of Damspel as numbers: a set of squares is an integer with a bit for each.

Bit row * width + column is a square, row 0 at the bottom. The width is one more than the columns,
so that no shift carries a man around the edge of the board.
"""

Move = tuple[int, int]
"""The numbers of the start and target squares."""
Position = tuple[int, int, int, int]
"""Own men, enemy men, the seat to move (0 moves up, 1 down), the worth of own minus enemy men."""

# Worth of a man by the number of rows in front of it, the last one for more. The player who has
# moves left wins, and a man on the far row has none and blocks others. Logistic regression over
# matches of the search against itself gives these numbers.
WORTH = (-25, 20, 65, 100, 125, 135, 140, 143, 146)


class Board:
    """The squares of one size of board, and its moves."""

    def __init__(self, rows: int, columns: int) -> None:
        self.width = columns + 1
        self.squares = sum((1 << columns) - 1 << self.width * row for row in range(rows))
        self.steps = (self.width - 1, self.width, self.width + 1)
        worth = [WORTH[min(row, len(WORTH) - 1)] for row in range(rows) for _ in range(self.width)]
        self.worth = (worth[::-1], worth)

    def read(self, lines: list[str], turn: int) -> Position:
        """Return the position of a view, whose top row comes first."""
        men, worth = [0, 0], [0, 0]
        for row, line in enumerate(reversed(lines)):
            for number, square in enumerate(line, row * self.width):
                if square != ".":
                    seat = "WZ".index(square)
                    men[seat] |= 1 << number
                    worth[seat] += self.worth[seat][number]
        return men[turn], men[1 - turn], turn, worth[turn] - worth[1 - turn]

    def captures(self, position: Position) -> list[Move]:
        """Return the captures of the seat to move, most often none."""
        own, enemy, _, _ = position
        empty = self.squares ^ own ^ enemy
        found: list[Move] = []
        for step in (1, *self.steps):
            if (over := own << step & enemy) and (targets := over << step & empty):
                found += _moves(targets, 2 * step)
            if (over := own >> step & enemy) and (targets := over >> step & empty):
                found += _moves(targets, -2 * step)
        return found

    def slides(self, position: Position) -> list[Move]:
        """Return the slides of the seat to move, allowed only if there is no capture."""
        own, enemy, seat, _ = position
        empty = self.squares ^ own ^ enemy
        found: list[Move] = []
        for step in self.steps:
            found += (
                _moves(own >> step & empty, -step) if seat else _moves(own << step & empty, step)
            )
        return found

    def count_slides(self, position: Position) -> tuple[int, int]:
        """Return the number of slides of the seat to move, and of the other in its place."""
        own, enemy, seat, _ = position
        empty = self.squares ^ own ^ enemy
        up, down = (enemy, own) if seat else (own, enemy)
        ups = downs = 0
        for step in self.steps:
            ups += (up << step & empty).bit_count()
            downs += (down >> step & empty).bit_count()
        return (downs, ups) if seat else (ups, downs)

    def is_capture(self, move: Move) -> bool:
        """Tell captures from slides: they go further, or along the row."""
        return abs(move[1] - move[0]) not in self.steps

    def after(self, position: Position, move: Move) -> Position:
        """Return the position after a move, from the side of the other seat."""
        own, enemy, seat, worth = position
        start, end = move
        own ^= 1 << start | 1 << end
        worth += self.worth[seat][end] - self.worth[seat][start]
        if self.is_capture(move):
            taken = (start + end) // 2
            enemy ^= 1 << taken
            worth += self.worth[1 - seat][taken]
        return enemy, own, 1 - seat, -worth


def _moves(targets: int, step: int) -> list[Move]:
    found = []
    while targets:
        end = targets.bit_length() - 1
        found.append((end - step, end))
        targets ^= 1 << end
    return found
