"""Cholesky factors of sparse symmetric matrices, kept by row from the first entry that is not 0.

A version met only versions of its time. In the order in which versions retire, a row begins with
the oldest version met, and so does the row of the factor: a season of a thousand versions costs
little more than the versions that are present at once (Jennings 1966).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

Vector = list[float]


@dataclass(frozen=True, slots=True)
class Skyline:
    """The lower half of a matrix: the columns of row i from `first[i]` to i."""

    first: Sequence[int]
    rows: list[Vector]

    def factor(self) -> "Skyline":
        """Return the lower triangle L of a positive definite matrix L L'."""
        lower: list[Vector] = []
        first = self.first
        for number, row in enumerate(self.rows):
            start = first[number]
            done: Vector = []
            for column in range(start, number):
                above, begin = lower[column], first[column]
                if begin > start:
                    known = sum(map(mul, done[begin - start :], above))
                else:
                    known = sum(map(mul, done, above[start - begin :]))
                done.append((row[column - start] - known) / above[-1])
            done.append(math.sqrt(row[-1] - sum(map(mul, done, done))))
            lower.append(done)
        return Skyline(first, lower)

    def solve(self, right: Sequence[float]) -> Vector:
        """Solve L L' x = right, this being L."""
        x: Vector = []
        for number, row in enumerate(self.rows):
            x.append((right[number] - sum(map(mul, row, x[self.first[number] :]))) / row[-1])
        for number in reversed(range(len(self.rows))):
            row, start = self.rows[number], self.first[number]
            x[number] /= row[-1]
            solved = x[number]
            for column in range(start, number):
                x[column] -= row[column - start] * solved
        return x

    def inverse(self, begin: int) -> list[Vector]:
        """Return the lower half of the inverse of L L', of the rows and columns from `begin` on."""
        size = len(self.rows)
        columns: list[Vector] = []  # of the inverse of L, each from its diagonal on
        for number in range(begin, size):
            column = [1 / self.rows[number][-1]]
            for at in range(number + 1, size):
                row, start = self.rows[at], self.first[at]
                if start > number:
                    known = sum(map(mul, row, column[start - number :]))
                else:
                    known = sum(map(mul, row[number - start :], column))
                column.append(-known / row[-1])
            columns.append(column)
        return [
            [
                sum(map(mul, columns[other][number - other :], columns[number]))
                for other in range(number + 1)
            ]
            for number in range(size - begin)
        ]
