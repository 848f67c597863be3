"""A bracket as text: rounds from left to right, each winner between its two players."""

from collections.abc import Sequence

GAP = 3
"""Width in columns of the joining lines between two rounds."""


def bracket_text(rounds: Sequence[Sequence[str]]) -> str:
    """Return the bracket; `rounds` are the labels of each round, from the players to the winner.

    An empty label is a bye: its opponent is shown in the next round only.
    """
    columns = [_without_byes(rounds[0]), *rounds[1:]]
    widths = [max(map(len, labels), default=0) for labels in columns]
    height = 2 * len(columns[0]) - 1
    canvas = [[" "] * (sum(widths) + GAP * len(widths)) for _ in range(height)]
    left = 0
    for number, labels in enumerate(columns):
        for place, label in enumerate(labels):
            _write(canvas[_row(number, place)], left, label)
        if number + 1 < len(columns):
            for place in range(0, len(labels), 2):
                if labels[place]:
                    rows = (_row(number, place), _row(number, place + 1))
                    _join(canvas, rows, labels[place : place + 2], (left, widths[number]))
        left += widths[number] + GAP
    lines = ["".join(row).rstrip() for row in canvas]
    return "\n".join(line for line in lines if line.strip(" │"))


def _without_byes(players: Sequence[str]) -> list[str]:
    shown = list(players)
    for place in range(0, len(shown), 2):
        if not (shown[place] and shown[place + 1]):
            shown[place : place + 2] = ["", ""]
    return shown


def _row(number: int, place: int) -> int:
    return ((2 * place + 1) << number) - 1


def _write(row: list[str], left: int, text: str) -> None:
    row[left : left + len(text)] = text


def _join(
    canvas: list[list[str]], rows: tuple[int, int], labels: Sequence[str], span: tuple[int, int]
) -> None:
    """Draw the lines from two labels to their middle, right of their column."""
    left, width = span
    for row, label, corner in zip(rows, labels, "┐┘", strict=True):
        line = "─" * (width - len(label)) + corner
        _write(canvas[row], left + len(label), f" {line}" if label else line)
    for row in range(rows[0] + 1, rows[1]):
        canvas[row][left + width + 1] = "│"
    _write(canvas[(rows[0] + rows[1]) // 2], left + width + 1, "├")
