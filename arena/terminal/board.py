"""Boards for a terminal: the last move marked, and the part of a large board that fits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from protocol.vocabulary import Seat
from protocol.wording import aligned
from referee.rules import Game, Margins
from referee.rules.layout import Place

MIN_BOARD = 3
"""Lines of a board that are shown on the smallest terminal."""
MARKS = 9
"""Limit of marked changes of a move."""
STEP = 6
"""Characters by which a board scrolls or folds: whole places of 1, 2 or 3 characters."""


@dataclass(frozen=True)
class Drawing:
    """A diagram with the changes of the last move in brackets."""

    lines: tuple[str, ...]
    margins: Margins
    marks: tuple[tuple[int, int, int], ...] = ()
    """Line, first and last character of each mark, brackets excluded."""

    @property
    def width(self) -> int:
        """Length of the longest line."""
        return max(map(len, self.lines), default=0)

    @property
    def focus(self) -> tuple[int, int]:
        """Line and column in the middle of the marks, or of the board."""
        if not self.marks:
            return len(self.lines) // 2, self.width // 2
        lines = [line for line, _, _ in self.marks]
        columns = [edge for _, first, last in self.marks for edge in (first, last)]
        return (min(lines) + max(lines)) // 2, (min(columns) + max(columns)) // 2


def draw(
    game: Game[Any, Any],
    state: Any,
    before: Any = None,
    clicked: Sequence[Place] = (),
    seat: Seat | None = None,
) -> Drawing:
    """Return diagram and caption of a position; mark what changed on the board since `before`.

    Where a move changes much of the board, the `clicked` places of the moves since then are
    marked instead. A seat sees its part, a spectator (None) all.
    """
    lines = [aligned(line) for line in game.diagram(state, seat).splitlines()]
    caption = aligned(game.caption(state, seat))
    if before is None or not any(game.margins):
        return _captioned(lines, game.margins, caption)
    old = [aligned(line) for line in game.diagram(before, seat).splitlines()]
    if len(old) != len(lines):
        return _captioned(lines, game.margins, caption)
    board = range(game.margins.above, len(lines) - game.margins.below)
    marks = [
        (number, first, last)
        for number in board
        for first, last in _changes(old[number], lines[number], game.margins.left)
    ]
    if len(marks) > MARKS:
        places = [
            (number, place, place)
            for number in board
            for place, mark in enumerate(lines[number])
            if mark != " " and place >= game.margins.left
        ]
        marks = [places[place] for place in sorted(set(clicked)) if place < len(places)]
    for number, first, last in marks:
        lines[number] = _bracketed(lines[number], first, last)
    return _captioned(lines, game.margins, caption, tuple(marks))


def _captioned(
    lines: list[str], margins: Margins, caption: str, marks: tuple[tuple[int, int, int], ...] = ()
) -> Drawing:
    """Return a drawing with the caption below, unless the diagram has it already."""
    if not caption or caption in lines:
        return Drawing(tuple(lines), margins, marks)
    return Drawing((*lines, caption), margins._replace(below=margins.below + 1), marks)


def _changes(old: str, new: str, start: int) -> list[tuple[int, int]]:
    """Return first and last character of each run of changes separated by spaces only."""
    width = max(len(old), len(new))
    old, new = old.ljust(width), new.ljust(width)
    runs: list[tuple[int, int]] = []
    for place in range(start, width):
        if old[place] == new[place]:
            continue
        if runs and not new[runs[-1][1] + 1 : place].strip():
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    return runs


def _bracketed(line: str, first: int, last: int) -> str:
    """Put brackets into the spaces beside these characters."""
    line = line.ljust(last + 2)
    for place, bracket in ((first - 1, "["), (last + 1, "]")):
        if line[place] == " ":
            line = f"{line[:place]}{bracket}{line[place + 1 :]}"
    return line


@dataclass(frozen=True)
class View:
    """The part of a board that is shown: its first line and column, margins excluded."""

    line: int = 0
    column: int = 0


def centred(drawing: Drawing, view: View, height: int, width: int) -> View:
    """Return the view moved so that the marks are in sight, as little as possible."""
    lines, columns = room(drawing, height, width)
    line, column = drawing.focus
    line, column = line - drawing.margins.above, column - drawing.margins.left
    inside_line = view.line <= line < view.line + lines
    inside_column = view.column <= column < view.column + columns
    moved = View(
        view.line if inside_line else line - lines // 2,
        view.column if inside_column else column - columns // 2,
    )
    return limited(drawing, moved, height, width)


def limited(drawing: Drawing, view: View, height: int, width: int) -> View:
    """Return the nearest view within the board, at the left edge of a place."""
    lines, columns = room(drawing, height, width)
    board_lines, board_columns = _board(drawing)
    last_column = -((columns - board_columns) // STEP) * STEP
    return View(
        max(0, min(view.line, board_lines - lines)),
        max(0, min(view.column // STEP * STEP, last_column)),
    )


def room(drawing: Drawing, height: int, width: int) -> tuple[int, int]:
    """Return how many lines and columns of the board fit beside the margins."""
    above, left, below = drawing.margins
    board_lines, board_columns = _board(drawing)
    lines = max(MIN_BOARD, height - above - below)
    columns = max(STEP, (width - left) // STEP * STEP)
    if board_columns <= width - left:
        columns = board_columns
    return min(lines, board_lines), min(columns, board_columns)


def is_cut(drawing: Drawing, height: int, width: int) -> bool:
    """Whether a part of the board does not fit."""
    return room(drawing, height, width) != _board(drawing)


def window(drawing: Drawing, view: View, height: int, width: int) -> list[str]:
    """Return the lines that are shown: the margins, and this part of the board."""
    above, left, below = drawing.margins
    lines, columns = room(drawing, height, width)
    last = len(drawing.lines) - below
    part = slice(left + view.column, left + view.column + columns)
    shown = [
        f"{line[:left]}{line[part]}".rstrip()
        for line in (
            *drawing.lines[:above],
            *drawing.lines[above + view.line : min(last, above + view.line + lines)],
        )
    ]
    return [line[:width] for line in [*shown, *drawing.lines[last:]]][: max(1, height)]


def view_text(drawing: Drawing, view: View, height: int, width: int) -> str:
    """Return the visible part of the board as text; empty for the whole."""
    if not is_cut(drawing, height, width):
        return ""
    lines, columns = room(drawing, height, width)
    board_lines, board_columns = _board(drawing)
    hidden = {
        "up": view.line > 0,
        "down": view.line + lines < board_lines,
        "left": view.column > 0,
        "right": view.column + columns < board_columns,
    }
    return f"arrows scroll {' '.join(way for way, is_hidden in hidden.items() if is_hidden)}"


def _board(drawing: Drawing) -> tuple[int, int]:
    above, left, below = drawing.margins
    board = drawing.lines[above : len(drawing.lines) - below]
    return len(board), max((len(line) for line in board), default=left) - left


def divided(drawing: Drawing, width: int | None) -> str:
    """Return the whole diagram; a board wider than `width` in parts below each other."""
    if width is None or drawing.width <= width:
        return "\n".join(line.rstrip() for line in drawing.lines)
    _, left, below = drawing.margins
    last = len(drawing.lines) - below
    step = max(STEP, (width - left) // STEP * STEP)
    parts = []
    for start in range(left, drawing.width, step):
        lines = (f"{line[:left]}{line[start : start + step]}" for line in drawing.lines[:last])
        parts.append("\n".join(line.rstrip()[:width] for line in lines))
    return "\n\n".join(parts) + "".join(f"\n{line[:width]}" for line in drawing.lines[last:])
